/** The schema, version by version. What was published is never edited; a change is a new element. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE places (
    place TEXT PRIMARY KEY, name TEXT NOT NULL, results INTEGER NOT NULL, chars INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE results (
    place TEXT NOT NULL, id TEXT NOT NULL, stored TEXT NOT NULL, UNIQUE (place, id)
  ) STRICT;
  `,
]
