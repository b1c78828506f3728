-- Version 13: the files that an imported run came from. Runs that older versions imported have none.
CREATE TABLE imported_files (
  run          INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position     INTEGER NOT NULL,   -- from 0: its bytes, if they were kept, are the document import.1
  name         TEXT NOT NULL,      -- without its directories
  size         INTEGER NOT NULL,   -- bytes
  modified_us  INTEGER,            -- when it was last written; NULL: unknown
  sha256       TEXT NOT NULL,      -- of the bytes, in hexadecimal digits; empty: unknown
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- For the question whether a file was imported before.
CREATE INDEX imported_files_by_sha256 ON imported_files (sha256);
