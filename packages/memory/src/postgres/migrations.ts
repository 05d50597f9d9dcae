/**
 * The schema, version by version: element 0 leads from nothing to version 1. What was published is
 * never edited; a change is a new element.
 *
 * Texts that are compared have the collation "C", so that order and equality are those of the bytes,
 * whatever the database was created with.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE entries (
    partition text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    layer text COLLATE "C" NOT NULL,
    content text NOT NULL,
    context text,
    label text COLLATE "C",
    kind text COLLATE "C",
    subject text COLLATE "C",
    importance double precision NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    occurred_at bigint NOT NULL,
    last_recalled_at bigint,
    recall_count bigint NOT NULL,
    strength double precision NOT NULL,
    source text COLLATE "C" NOT NULL,
    turn_id text COLLATE "C",
    tool text COLLATE "C",
    author text COLLATE "C",
    source_tag text COLLATE "C",
    superseded_by text COLLATE "C",
    session_id text COLLATE "C",
    place_index bigint NOT NULL,
    due_at bigint,
    -- Ids this entry links to, each behind the tag of its partition.
    linked_to text[] COLLATE "C",
    links json,
    -- What no query asks for: metadata, supersedes, duePredicate.
    rest json,
    embedding real[],
    -- Terms, each behind the tag of its partition; weight A for content, D for context.
    terms tsvector NOT NULL,
    -- How many terms there are, those of the context counted half.
    terms_length real NOT NULL,
    PRIMARY KEY (partition, id)
  -- Terms are read for every match: they stay in the row, uncompressed, while it fits a page.
  ) WITH (toast_tuple_target = 8160);
  CREATE INDEX entries_by_time ON entries (partition, layer, occurred_at, place_index, id);
  CREATE INDEX entries_by_place ON entries (partition, session_id, place_index)
    WHERE session_id IS NOT NULL;
  CREATE INDEX entries_by_due ON entries (partition, due_at, id) WHERE due_at IS NOT NULL;
  CREATE INDEX entries_by_target ON entries USING gin (linked_to) WHERE linked_to IS NOT NULL;
  CREATE INDEX entries_by_term ON entries USING gin (terms);

  CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partition text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    payload json NOT NULL,
    run_at bigint NOT NULL,
    attempts integer NOT NULL,
    -- Empty while nobody holds it.
    token text COLLATE "C" NOT NULL,
    -- When it may be claimed: run_at while it waits, the end of the lease while it is held.
    free_at bigint NOT NULL
  );
  CREATE INDEX jobs_by_time ON jobs (free_at);
  CREATE INDEX jobs_of_partition ON jobs (partition);
  CREATE UNIQUE INDEX jobs_waiting ON jobs (partition, kind, key) WHERE token = '';
  `,
  `
  CREATE TABLE terms_version (
    -- By which version of the terms the entries are indexed; none before the first time.
    version integer NOT NULL,
    -- How far they are made anew; NULL when all are.
    partition text COLLATE "C",
    id text COLLATE "C"
  );
  -- The key of the partition, which may be too long for an index. Jobs without one have it as their partition.
  ALTER TABLE jobs ADD COLUMN scope text;
  `,
]
