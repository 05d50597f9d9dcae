/** One step of the schema. A step that was published is never edited: the next one changes what it did. */
export interface Migration {
  /** Counts from 1 without gaps. */
  readonly version: number
  readonly statements: readonly string[]
}

/**
 * The schema of the SQLite store, step by step. A partition is a number, which stands in front of
 * every key and, as `12x…`, of every term of the text index: the words of two partitions are different
 * words, so no query can reach over, and a search reads nobody else's postings. A partition number is
 * never used again.
 *
 * The text index keeps terms only: it is told the old terms when an entry goes, and with `secure-delete`
 * they leave its pages at once. Its tokenizer splits at the blanks that `searchTerms` left.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE memory_partitions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE
      )`,
      `CREATE TABLE memory_entries (
        number INTEGER PRIMARY KEY,
        partition INTEGER NOT NULL,
        id TEXT NOT NULL,
        version INTEGER NOT NULL,
        layer TEXT NOT NULL,
        content TEXT NOT NULL,
        context TEXT,
        label TEXT,
        kind TEXT,
        subject TEXT,
        importance REAL NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        occurred_at INTEGER NOT NULL,
        recalled_at INTEGER,
        recall_count INTEGER NOT NULL,
        strength REAL NOT NULL,
        source TEXT NOT NULL,
        turn_id TEXT,
        tool TEXT,
        author TEXT,
        source_tag TEXT,
        supersedes TEXT,
        superseded_by TEXT,
        links TEXT,
        metadata TEXT,
        due_at INTEGER,
        due_predicate TEXT,
        session_id TEXT,
        sequence_index INTEGER,
        embedding BLOB,
        UNIQUE (partition, id)
      )`,
      `CREATE INDEX memory_entries_by_layer
        ON memory_entries (partition, layer, occurred_at, ifnull(sequence_index, 0), id)`,
      `CREATE INDEX memory_entries_by_place
        ON memory_entries (partition, session_id, sequence_index) WHERE session_id IS NOT NULL`,
      `CREATE INDEX memory_entries_by_due
        ON memory_entries (partition, due_at, id) WHERE due_at IS NOT NULL`,
      `CREATE INDEX memory_entries_by_subject
        ON memory_entries (partition, subject) WHERE subject IS NOT NULL`,
      `CREATE INDEX memory_entries_by_turn
        ON memory_entries (partition, turn_id) WHERE turn_id IS NOT NULL`,
      `CREATE TABLE memory_links (
        partition INTEGER NOT NULL,
        from_id TEXT NOT NULL,
        to_id TEXT NOT NULL,
        relation TEXT NOT NULL,
        weight REAL NOT NULL,
        PRIMARY KEY (partition, from_id, to_id, relation)
      ) WITHOUT ROWID`,
      `CREATE INDEX memory_links_by_end ON memory_links (partition, to_id)`,
      `CREATE VIRTUAL TABLE memory_text USING fts5 (content, context, content='', tokenize='ascii')`,
      `INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1)`,
      `INSERT INTO memory_text (memory_text, rank) VALUES ('rank', 'bm25(1.0, 0.5)')`,
      `CREATE TABLE memory_jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        partition INTEGER NOT NULL,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        payload TEXT NOT NULL,
        ready_at INTEGER NOT NULL,
        token TEXT,
        attempts INTEGER NOT NULL DEFAULT 0
      )`,
      `CREATE UNIQUE INDEX memory_jobs_waiting
        ON memory_jobs (partition, kind, key) WHERE token IS NULL`,
      `CREATE INDEX memory_jobs_by_time ON memory_jobs (ready_at, number)`,
    ],
  },
  {
    // How many entries a partition has: each search asks, and counting them may cost more than the search.
    version: 2,
    statements: [
      'ALTER TABLE memory_partitions ADD COLUMN entries INTEGER NOT NULL DEFAULT 0',
      `UPDATE memory_partitions
        SET entries = (SELECT count(*) FROM memory_entries WHERE partition = memory_partitions.number)`,
    ],
  },
]
