#!/usr/bin/env bash
# Stops what .ci/start-postgres.sh started with this directory, and removes the directory.
#
#   .ci/stop-postgres.sh <directory>
set -euo pipefail
directory=$(realpath -m "${1:?Give the directory of the data.}")
if [ -r "$directory/data/postmaster.pid" ]; then
  owner=$(stat -c %U "$directory/data")
  if [ "$(id -un)" = "$owner" ]; then
    "$(cat "$directory/binaries")/pg_ctl" --pgdata "$directory/data" --mode immediate --wait stop > /dev/null 2>&1 || true
  else
    (cd / && setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups -- \
      "$(cat "$directory/binaries")/pg_ctl" --pgdata "$directory/data" --mode immediate --wait stop) > /dev/null 2>&1 || true
  fi
fi
rm -rf "$directory"
