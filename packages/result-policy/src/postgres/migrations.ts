/** The schema, version by version. What was published is never edited; a change is a new element. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE places (
    place text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    results bigint NOT NULL,
    chars bigint NOT NULL
  );
  CREATE TABLE results (
    place text COLLATE "C" NOT NULL REFERENCES places ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    stored text NOT NULL,
    PRIMARY KEY (place, id)
  );
  `,
]
