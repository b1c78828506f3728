-- Version 10: what each user has stored, and who did what. docs/database.md is the guide.

-- By how many bytes storing the job, or the record of the run, made the database grow. Whole pages, so that a small
-- record may count 0 and its successor a page; the sum is right.
ALTER TABLE jobs ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;

-- Of older rows by what they hold.
UPDATE jobs SET stored_bytes = 200 + length(text) + 60 * (SELECT count(*) FROM runs WHERE job = jobs.id);
UPDATE runs SET stored_bytes =
    (SELECT ifnull(sum(length(content)), 0) FROM documents WHERE run = runs.id)
  + (SELECT 90 * count(*) FROM intervals WHERE run = runs.id)
  + (SELECT 120 * count(*) FROM streams WHERE run = runs.id)
  + (SELECT ifnull(sum(200 + length(histogram) + length(slice_hits) + length(slice_self_ns)), 0)
       FROM functions WHERE run = runs.id)
  + (SELECT 30 * count(*) FROM call_edges WHERE run = runs.id)
  + (SELECT 40 * count(*) FROM call_nodes WHERE run = runs.id)
  + (SELECT 60 * count(*) FROM counters WHERE run = runs.id)
  + (SELECT 60 * count(*) FROM tcp_samples WHERE run = runs.id)
  + (SELECT 12 * count(*) FROM trace_slices WHERE run = runs.id)
  + (SELECT 40 * count(*) FROM trace_sample_fields WHERE run = runs.id)
  + (SELECT ifnull(sum(40 + length(frames)), 0) FROM trace_stacks WHERE run = runs.id)
  WHERE ended_us IS NOT NULL OR state NOT IN ('pending', 'canceled');

-- The sum of both for each owner; the triggers keep it.
CREATE TABLE stored_by_owner (
  owner_uid     INTEGER PRIMARY KEY,
  stored_bytes  INTEGER NOT NULL
) STRICT;

INSERT INTO stored_by_owner (owner_uid, stored_bytes)
SELECT owner_uid, sum(bytes) FROM
  (SELECT owner_uid, stored_bytes AS bytes FROM jobs
   UNION ALL
   SELECT jobs.owner_uid, runs.stored_bytes FROM runs JOIN jobs ON jobs.id = runs.job)
 GROUP BY owner_uid;

CREATE TRIGGER jobs_after_stored AFTER UPDATE OF stored_bytes ON jobs
BEGIN
  INSERT INTO stored_by_owner VALUES (NEW.owner_uid, NEW.stored_bytes - OLD.stored_bytes)
    ON CONFLICT (owner_uid) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes;
END;
CREATE TRIGGER jobs_after_delete AFTER DELETE ON jobs
BEGIN
  UPDATE stored_by_owner SET stored_bytes = stored_bytes - OLD.stored_bytes WHERE owner_uid = OLD.owner_uid;
END;
CREATE TRIGGER runs_after_stored AFTER UPDATE OF stored_bytes ON runs
BEGIN
  INSERT INTO stored_by_owner
  SELECT owner_uid, NEW.stored_bytes - OLD.stored_bytes FROM jobs WHERE id = NEW.job
    ON CONFLICT (owner_uid) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes;
END;
CREATE TRIGGER runs_after_delete AFTER DELETE ON runs
BEGIN
  UPDATE stored_by_owner SET stored_bytes = stored_bytes - OLD.stored_bytes
   WHERE owner_uid = (SELECT owner_uid FROM jobs WHERE id = OLD.job);
END;

-- For the running time of the last day.
CREATE INDEX runs_by_ended_us ON runs (ended_us) WHERE ended_us IS NOT NULL;

-- What somebody asked of netperfd, or what it did by itself.
CREATE TABLE audit (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  first_us  INTEGER NOT NULL,
  last_us   INTEGER NOT NULL,        -- of the last one of `count` like it
  count     INTEGER NOT NULL,
  uid       INTEGER,                 -- NULL: netperfd itself, or a caller who had left
  action    TEXT NOT NULL,           -- start, stop, delete, import, mark, read, reload, call
  outcome   TEXT NOT NULL CHECK (outcome IN ('allowed', 'refused', 'failed')),
  job       INTEGER,                 -- this and run: no references, for they outlive what they name
  run       INTEGER,
  detail    TEXT NOT NULL            -- why, or of what; of the last one
) STRICT;

CREATE INDEX audit_by_uid ON audit (uid, id);
CREATE INDEX audit_by_outcome ON audit (outcome, id);

-- For people: one line an entry, in the order of their first moment.
CREATE VIEW audit_overview AS
SELECT strftime('%Y-%m-%d %H:%M:%S', first_us / 1000000, 'unixepoch', 'localtime') AS time,
       ifnull(uid, 'netperfd') AS user, action, outcome, count, job, run, nullif(detail, '') AS detail
  FROM audit
 ORDER BY id;
