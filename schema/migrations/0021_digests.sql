-- Version 21: digests of the stored rows, by which netperfd notices bytes that have changed on the disk.
-- docs/database.md is the guide.

-- Of the rows of one table that belong to a run. Rows that have a place in a list are taken 32 at a time, and each
-- document alone; long columns have digests of their own.
CREATE TABLE run_digests (
  run     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  part    TEXT NOT NULL,     -- the table; of a long column, with its name: documents.content
  chunk   INTEGER NOT NULL,  -- position / 32, or the id of a document; 0 if the table has no such column
  digest  INTEGER NOT NULL,  -- XXH3, 64 bits
  PRIMARY KEY (run, part, chunk)
) STRICT, WITHOUT ROWID;

-- The same for the rows that belong to a job.
CREATE TABLE job_digests (
  job     INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  part    TEXT NOT NULL,
  chunk   INTEGER NOT NULL,
  digest  INTEGER NOT NULL,
  PRIMARY KEY (job, part, chunk)
) STRICT, WITHOUT ROWID;

-- Of the other columns of the entry.
ALTER TABLE audit ADD COLUMN digest INTEGER;
