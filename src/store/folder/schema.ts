// The tables of a data folder, and how those of an older version become the present ones.

/** Says that a database is a data folder's. */
export const applicationId = 0x56495641;

/** The version of the tables below. */
export const schemaVersion = 1;

/**
 * Each step leads from the version of its index to the next one; all that are missing are made in one transaction when a
 * folder is opened. A step that was released is never changed.
 */
export const migrations: readonly string[] = [
  `
  -- Sources and compiled modules by the SHA-256 of their text, each once.
  CREATE TABLE blobs (hash BLOB PRIMARY KEY, text TEXT NOT NULL);
  -- Compiled modules: a cache, by what they were compiled from; the source is its SHA-256 in hexadecimal digits.
  CREATE TABLE artifacts (key TEXT PRIMARY KEY, source TEXT NOT NULL, hash BLOB NOT NULL) WITHOUT ROWID;
  -- Whether anything refers to a blob, and what was compiled from a source, is looked up when blobs are swept.
  CREATE INDEX artifacts_by_hash ON artifacts (hash);
  CREATE INDEX artifacts_by_source ON artifacts (source);

  -- In the order of creation. What is no column of its own is JSON.
  CREATE TABLE sandboxes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    reason TEXT,
    blameless INTEGER NOT NULL,
    restarts INTEGER NOT NULL,
    last_error TEXT,
    fitness TEXT,
    created_at REAL NOT NULL,
    format TEXT NOT NULL,
    limits TEXT NOT NULL,
    labels TEXT NOT NULL,
    ancestry TEXT NOT NULL,
    settings TEXT NOT NULL,
    revisions TEXT NOT NULL
  );
  CREATE TABLE versions (
    sandbox INTEGER NOT NULL,
    module TEXT NOT NULL,
    version INTEGER NOT NULL,
    source BLOB NOT NULL,
    checksum TEXT NOT NULL,
    parent INTEGER,
    mutation TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (sandbox, module, version)
  ) WITHOUT ROWID;
  CREATE INDEX versions_by_source ON versions (source);
  -- The states of processes as they were last captured.
  CREATE TABLE states (sandbox INTEGER PRIMARY KEY, capture TEXT NOT NULL);
  CREATE TABLE tombstones (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    info TEXT NOT NULL,
    logs TEXT NOT NULL
  );
  CREATE TABLE documents (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (collection, key)
  ) WITHOUT ROWID;
  `,
];

/** The files of a folder. */
export const fileNames = { database: "vivarium.db", lock: "lock.db", owner: "owner.json" } as const;
