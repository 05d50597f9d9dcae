#!/usr/bin/env bash
# Starts a PostgreSQL server for tests, on a free port of the loopback interface, with its data in the
# directory given, which must be new.
#
#   .ci/start-postgres.sh <directory>
#
# Prints the URL of its database on standard output, all else on standard error. Where there is no server, Debian's is
# installed. Exits 3, and leaves nothing running, when there is none to be had. Stop it with
# .ci/stop-postgres.sh.
set -euo pipefail
directory=$(realpath -m "${1:?Give a directory for the data.}")

say() { echo "postgres: $*" >&2; }
give_up() { say "$*"; exit 3; }

# The newest version that is installed, Debian's or whatever is on the path.
find_binaries() {
  local found
  found=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -t/ -k5 -n | tail -n 1 || true)
  if [ -z "$found" ] && command -v initdb > /dev/null; then found=$(dirname "$(command -v initdb)"); fi
  if [ -x "$found/initdb" ] && [ -x "$found/pg_ctl" ]; then echo "$found"; fi
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_server() {
  command -v apt-get > /dev/null || return 1
  [ "$(id -u)" -eq 0 ] || sudo -n true 2> /dev/null || return 1
  say 'installing the package postgresql'
  export DEBIAN_FRONTEND=noninteractive
  {
    as_root apt-get update -qq || true
    # The package would start a server of its own.
    as_root apt-get install -y -qq --no-install-recommends postgresql-common
    as_root sed -i -E 's/^#?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf || true
    as_root apt-get install -y -qq --no-install-recommends postgresql
  } >&2 < /dev/null
}

# Vectors are tested where the extension can be had.
install_vectors() {
  local version
  version=$(basename "$(dirname "$binaries")")
  [ ! -e "/usr/share/postgresql/$version/extension/vector.control" ] || return 0
  command -v apt-cache > /dev/null || return 0
  apt-cache show "postgresql-$version-pgvector" > /dev/null 2>&1 || return 0
  [ "$(id -u)" -eq 0 ] || sudo -n true 2> /dev/null || return 0
  as_root apt-get install -y -qq --no-install-recommends "postgresql-$version-pgvector" >&2 < /dev/null || true
}

binaries=$(find_binaries)
if [ -z "$binaries" ]; then
  install_server || give_up 'not installed, and it cannot be installed here; the tests that need a server are skipped'
  binaries=$(find_binaries)
  [ -n "$binaries" ] || give_up 'the package holds no server; the tests that need one are skipped'
fi
install_vectors

# The server refuses to run as root.
mkdir -p "$directory"
if [ "$(id -u)" -eq 0 ]; then
  user=postgres
  id "$user" > /dev/null 2>&1 || user=nobody
  chown "$user" "$directory"
  unprivileged() { (cd / && setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups -- env HOME="$directory" "$@"); }
else
  unprivileged() { (cd / && "$@"); }
fi

unprivileged "$binaries/initdb" --pgdata "$directory/data" --username symfonic --auth trust \
  --encoding UTF8 --locale C --no-sync > "$directory/initdb.log" 2>&1 < /dev/null \
  || { cat "$directory/initdb.log" >&2; give_up 'initdb failed'; }

# A port can be taken between the choice and the start, so it is tried again.
for attempt in 1 2 3 4 5; do
  port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
  if unprivileged "$binaries/pg_ctl" --pgdata "$directory/data" --log "$directory/server.log" --wait --timeout 60 --options \
    "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c max_connections=100 -c fsync=off" \
    start > /dev/null 2>&1 < /dev/null; then
    echo "$binaries" > "$directory/binaries"
    "$binaries/psql" --quiet --no-psqlrc "postgres://symfonic@127.0.0.1:$port/postgres" \
      --command 'CREATE EXTENSION IF NOT EXISTS vector' > /dev/null 2>&1 || true
    say "$("$binaries/postgres" --version) on port $port"
    echo "postgres://symfonic@127.0.0.1:$port/postgres"
    exit 0
  fi
  say "attempt $attempt did not start"
done
cat "$directory/server.log" >&2 || true
give_up 'the server did not start'
