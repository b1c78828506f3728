-- Version 18: latency, alone or beside iperf3. Times ending in _s count from the moment the client of the run was let
-- go. docs/database.md is the guide.

-- The word latency joins the workloads; SQLite changes a CHECK by a rebuild alone. With this pragma a rename looks at
-- nothing but its table, so that the views which name jobs may stay while that table is away.
PRAGMA legacy_alter_table = ON;

CREATE TABLE new_jobs (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: the number of a deleted job is never given again
  created_us    INTEGER NOT NULL,
  owner_uid     INTEGER NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT NOT NULL,
  label         TEXT NOT NULL,
  repeat        INTEGER NOT NULL,
  workload      TEXT NOT NULL CHECK (workload IN ('iperf3', 'latency', 'none', 'import')),
  protocol      TEXT CHECK (protocol IN ('tcp', 'udp', 'sctp')),  -- this to server_netns are NULL without iperf3, but
                                   -- for latency alone duration_ms and those from server on
  direction     TEXT CHECK (direction IN ('send', 'receive', 'both')),
  streams       INTEGER,
  duration_ms   INTEGER,           -- as asked; NULL for a job limited by bytes
  bytes         INTEGER,           -- as asked; NULL for a job limited by time
  omit_ms       INTEGER,
  server        TEXT,
  local_server  INTEGER CHECK (local_server IN (0, 1)),  -- whether netperfd ran the server itself
  client_netns  TEXT,              -- empty: the host's own namespace
  server_netns  TEXT,              -- of a local server; empty: the host's own namespace
  text          TEXT NOT NULL,     -- the whole job as YAML, overrides applied
  purpose       TEXT NOT NULL DEFAULT 'measurement' CHECK (purpose IN ('measurement', 'pilot', 'selftest')),
  seed          TEXT,              -- of a design: what its order was drawn from; digits, for INTEGER may be too small
  variant_a     TEXT,              -- names of the sides
  variant_b     TEXT CHECK ((variant_a IS NULL) = (variant_b IS NULL)),
  plain         INTEGER NOT NULL DEFAULT 0 CHECK (plain IN (0, 1)),  -- whether plain runs were asked beside traced ones
  changed       TEXT NOT NULL DEFAULT '',  -- groups of facts that the sides are meant to differ in, a line each
  tied          INTEGER NOT NULL DEFAULT 0 CHECK (tied IN (0, 1)),
  stored_bytes  INTEGER NOT NULL DEFAULT 0,
  held          INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),  -- 1: somebody wants no reboot for now
  confirms      INTEGER REFERENCES jobs (id) ON DELETE SET NULL  -- the job whose suspected functions it measures again
) STRICT;

INSERT INTO new_jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction,
                      streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text,
                      purpose, seed, variant_a, variant_b, plain, changed, tied, stored_bytes, held, confirms)
SELECT id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction,
       streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text,
       purpose, seed, variant_a, variant_b, plain, changed, tied, stored_bytes, held, confirms
  FROM jobs;

-- The highest number ever given, which may be that of a deleted job.
DELETE FROM sqlite_sequence WHERE name = 'new_jobs';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_jobs', seq FROM sqlite_sequence WHERE name = 'jobs';

DROP TABLE jobs;
ALTER TABLE new_jobs RENAME TO jobs;

CREATE INDEX jobs_by_name ON jobs (name);
CREATE INDEX jobs_by_label ON jobs (label);
CREATE INDEX jobs_by_created_us ON jobs (created_us);
CREATE INDEX jobs_by_purpose ON jobs (purpose, name);
CREATE INDEX jobs_with_variants ON jobs (id) WHERE variant_a IS NOT NULL;
CREATE INDEX jobs_by_confirmed ON jobs (confirms) WHERE confirms IS NOT NULL;

CREATE TRIGGER jobs_after_stored AFTER UPDATE OF stored_bytes ON jobs
BEGIN
  INSERT INTO stored_by_owner VALUES (NEW.owner_uid, NEW.stored_bytes - OLD.stored_bytes)
    ON CONFLICT (owner_uid) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes;
END;
CREATE TRIGGER jobs_after_delete AFTER DELETE ON jobs
BEGIN
  UPDATE stored_by_owner SET stored_bytes = stored_bytes - OLD.stored_bytes WHERE owner_uid = OLD.owner_uid;
END;

PRAGMA legacy_alter_table = OFF;

-- One row for each prober of a run.
CREATE TABLE latency_probes (
  run         INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  name        TEXT NOT NULL,         -- unique within the run
  protocol    TEXT NOT NULL CHECK (protocol IN ('udp', 'tcp', 'icmp')),
  rate        REAL NOT NULL,         -- requests per second, as asked
  length      INTEGER NOT NULL,      -- bytes of a request, without headers
  dscp        INTEGER,               -- 0 to 63; NULL: none
  timestamps  TEXT NOT NULL,         -- who took the time of an answer: device, kernel or program; empty: none came
  clock_steps INTEGER NOT NULL,      -- how often the wall clock was set while a request was on its way
  foreign_packets INTEGER NOT NULL,  -- packets that were no answer to any request
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What became of the requests of a probe in each phase. A request belongs to the phase in which it was sent.
CREATE TABLE latency_phases (
  run                INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position           INTEGER NOT NULL,
  probe              TEXT NOT NULL,
  phase              TEXT NOT NULL CHECK (phase IN ('idle', 'omitted', 'load', 'after')),
  start_s            REAL NOT NULL,
  end_s              REAL NOT NULL,
  sent               INTEGER NOT NULL,
  missed             INTEGER NOT NULL,  -- not sent, because the prober had no CPU or its socket no room
  late_sends         INTEGER NOT NULL,  -- of `sent`: over 1 ms after their time
  max_send_delay_ns  INTEGER NOT NULL,
  received           INTEGER NOT NULL,  -- answered in time, each counted once
  lost               INTEGER NOT NULL,  -- not answered in time
  late               INTEGER NOT NULL,  -- answers that came after the timeout: their requests are lost
  duplicates         INTEGER NOT NULL,
  reordered          INTEGER NOT NULL,  -- answered after a request that was sent later (RFC 4737)
  jitter_ns          INTEGER,           -- mean difference of the round trips of consecutive answers (RFC 3393)
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- How long they took. A percentile is NULL if too few values lie beyond it: docs/latency.md.
CREATE TABLE latency_spans (
  run        INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position   INTEGER NOT NULL,
  probe      TEXT NOT NULL,
  phase      TEXT NOT NULL,
  span       TEXT NOT NULL CHECK (span IN ('round-trip', 'there', 'back', 'queued')),
  count      INTEGER NOT NULL,
  min_ns     INTEGER NOT NULL,
  mean_ns    INTEGER NOT NULL,
  max_ns     INTEGER NOT NULL,
  p50_ns     INTEGER,
  p90_ns     INTEGER,
  p99_ns     INTEGER,
  p999_ns   INTEGER,
  histogram  TEXT NOT NULL,          -- JSON: [[bucket, values], ...]; docs/database.md has the buckets
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The round trips over time.
CREATE TABLE latency_intervals (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  probe     TEXT NOT NULL,
  phase     TEXT NOT NULL,
  start_s   REAL NOT NULL,
  end_s     REAL NOT NULL,
  sent      INTEGER NOT NULL,
  missed    INTEGER NOT NULL,
  received  INTEGER NOT NULL,
  lost      INTEGER NOT NULL,
  min_ns    INTEGER,
  p50_ns    INTEGER,
  p99_ns    INTEGER,                 -- of so few values an estimate; NULL: none came
  max_ns    INTEGER,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- For people: one line for each probe and phase, milliseconds.
CREATE VIEW latency_overview AS
SELECT p.run AS run, j.name AS scenario, j.label AS label, p.probe AS probe, p.phase AS phase, p.sent AS sent,
       round(100.0 * p.lost / nullif(p.sent, 0), 3) AS lost_percent, p.missed AS missed,
       round(s.min_ns / 1e6, 4) AS min_ms, round(s.p50_ns / 1e6, 4) AS p50_ms, round(s.p90_ns / 1e6, 4) AS p90_ms,
       round(s.p99_ns / 1e6, 4) AS p99_ms, round(s.p999_ns / 1e6, 4) AS p999_ms, round(s.max_ns / 1e6, 4) AS max_ms,
       round(p.jitter_ns / 1e6, 4) AS jitter_ms
  FROM latency_phases AS p
  JOIN runs AS r ON r.id = p.run
  JOIN jobs AS j ON j.id = r.job
  LEFT JOIN latency_spans AS s
    ON s.run = p.run AND s.probe = p.probe AND s.phase = p.phase AND s.span = 'round-trip'
 ORDER BY p.run, p.position;
