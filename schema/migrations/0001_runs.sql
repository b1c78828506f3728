-- Version 1: jobs, their runs and what each run measured.
--
-- Names and units of figures are iperf3's. NULL says that nobody learnt the figure; it is never stored as 0.
-- Columns ending in _us are microseconds: of time since 1970 UTC, or of CPU time. docs/database.md is the guide.

CREATE TABLE jobs (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: the number of a deleted job is never given again
  created_us    INTEGER NOT NULL,
  owner_uid     INTEGER NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT NOT NULL,
  label         TEXT NOT NULL,
  repeat        INTEGER NOT NULL,
  protocol      TEXT NOT NULL CHECK (protocol IN ('tcp', 'udp', 'sctp')),
  direction     TEXT NOT NULL CHECK (direction IN ('send', 'receive', 'both')),
  streams       INTEGER NOT NULL,
  duration_ms   INTEGER,           -- as asked; NULL for a job limited by bytes
  bytes         INTEGER,           -- as asked; NULL for a job limited by time
  omit_ms       INTEGER NOT NULL,
  server        TEXT NOT NULL,
  local_server  INTEGER NOT NULL CHECK (local_server IN (0, 1)),  -- whether netperfd ran the server itself
  client_netns  TEXT NOT NULL,     -- empty: the host's own namespace
  server_netns  TEXT NOT NULL,     -- of a local server; empty: the host's own namespace
  text          TEXT NOT NULL      -- the whole job as YAML, overrides applied
) STRICT;

CREATE INDEX jobs_by_name ON jobs (name);
CREATE INDEX jobs_by_label ON jobs (label);
CREATE INDEX jobs_by_created_us ON jobs (created_us);

CREATE TABLE runs (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  job                 INTEGER NOT NULL REFERENCES jobs (id),
  idx                 INTEGER NOT NULL,              -- 1 to the job's repeat
  state               TEXT NOT NULL CHECK (state IN ('pending', 'preparing', 'running', 'collecting',
                                                     'finished', 'failed', 'canceled', 'interrupted')),
  error               TEXT NOT NULL DEFAULT '',
  started_us          INTEGER,                       -- the moment the client was let go
  ended_us            INTEGER,                       -- the moment the client was seen to have ended
  iperf3_version      TEXT NOT NULL DEFAULT '',
  client_host         TEXT,
  client_port         INTEGER,
  server_host         TEXT,
  server_port         INTEGER,
  mss                 INTEGER,
  congestion          TEXT NOT NULL DEFAULT '',      -- the sender's; empty where unknown
  cpu_client_percent  REAL,                          -- of one CPU, iperf3's own figure
  cpu_server_percent  REAL,
  client_user_us      INTEGER,                       -- CPU time of the client process, from wait4
  client_system_us    INTEGER
) STRICT;

CREATE INDEX runs_by_job ON runs (job);
CREATE INDEX runs_by_state ON runs (state);

-- One row a direction, over all its streams.
CREATE TABLE sums (
  run                       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position                  INTEGER NOT NULL,        -- in iperf3's order, from 0
  direction                 TEXT NOT NULL CHECK (direction IN ('send', 'receive')),
  seconds                   REAL,
  sent_bytes                INTEGER,
  received_bytes            INTEGER,
  sent_bits_per_second      REAL,
  received_bits_per_second  REAL,
  retransmits               INTEGER,
  max_snd_cwnd              INTEGER,                 -- bytes
  min_rtt                   INTEGER,                 -- microseconds, as the other two
  mean_rtt                  INTEGER,
  max_rtt                   INTEGER,
  jitter_ms                 REAL,                    -- UDP from here on
  packets                   INTEGER,
  lost_packets              INTEGER,
  lost_percent              REAL,
  out_of_order              INTEGER,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- One row a stream: the columns of sums, and the stream.
CREATE TABLE streams (
  run                       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position                  INTEGER NOT NULL,
  direction                 TEXT NOT NULL CHECK (direction IN ('send', 'receive')),
  stream                    INTEGER,                 -- iperf3's socket number
  seconds                   REAL,
  sent_bytes                INTEGER,
  received_bytes            INTEGER,
  sent_bits_per_second      REAL,
  received_bits_per_second  REAL,
  retransmits               INTEGER,
  max_snd_cwnd              INTEGER,
  min_rtt                   INTEGER,
  mean_rtt                  INTEGER,
  max_rtt                   INTEGER,
  jitter_ms                 REAL,
  packets                   INTEGER,
  lost_packets              INTEGER,
  lost_percent              REAL,
  out_of_order              INTEGER,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The long part: a run may have hundreds of thousands of these. Without a rowid the rows of a run lie side by side
-- in their order, and no second tree repeats the key.
CREATE TABLE intervals (
  run              INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position         INTEGER NOT NULL,
  direction        TEXT NOT NULL CHECK (direction IN ('send', 'receive')),
  stream           INTEGER,                          -- NULL: the sum over the streams of this direction
  sender           INTEGER NOT NULL,                 -- 1: counted by its sender, 0: by its receiver
  omitted          INTEGER NOT NULL,
  start_s          REAL NOT NULL,
  end_s            REAL NOT NULL,
  seconds          REAL NOT NULL,
  bytes            INTEGER,
  bits_per_second  REAL,
  retransmits      INTEGER,
  snd_cwnd         INTEGER,                          -- bytes
  rtt              INTEGER,                          -- microseconds, as rttvar
  rttvar           INTEGER,
  pmtu             INTEGER,                          -- bytes
  jitter_ms        REAL,                             -- UDP from here on
  packets          INTEGER,
  lost_packets     INTEGER,
  lost_percent     REAL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- Damage to a measurement, or a choice a reader must know of: docs/quality-flags.md.
CREATE TABLE flags (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code      TEXT NOT NULL,
  message   TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What the workload wrote, byte for byte. With a rowid: large values would spoil the tree of a table without one.
CREATE TABLE documents (
  id       INTEGER PRIMARY KEY,
  run      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name     TEXT NOT NULL,                            -- client.stdout, client.stderr, server.stdout, server.stderr
  size     INTEGER NOT NULL,                         -- uncompressed
  content  BLOB NOT NULL,                            -- one zstd frame
  UNIQUE (run, name)
) STRICT;

-- For people: one line a run. Figures are those of the first direction.
CREATE VIEW run_overview AS
SELECT runs.id AS run,
       runs.job AS job,
       jobs.name AS scenario,
       jobs.label AS label,
       runs.state AS state,
       strftime('%Y-%m-%d %H:%M:%S', runs.started_us / 1000000, 'unixepoch', 'localtime') AS started,
       round(sums.received_bits_per_second / 1e6, 2) AS received_mbit_s,
       round(sums.sent_bits_per_second / 1e6, 2) AS sent_mbit_s,
       sums.retransmits AS retransmits,
       round(sums.lost_percent, 3) AS lost_percent,
       (SELECT group_concat(code, ', ') FROM flags WHERE flags.run = runs.id) AS flags,
       nullif(runs.error, '') AS error
  FROM runs
  JOIN jobs ON jobs.id = runs.job
  LEFT JOIN sums ON sums.run = runs.id AND sums.position = 0;

-- For people: one line an interval, in iperf3's order.
CREATE VIEW interval_overview AS
SELECT intervals.run AS run,
       jobs.name AS scenario,
       intervals.direction AS direction,
       ifnull(intervals.stream, 'sum') AS stream,
       CASE WHEN intervals.sender THEN 'sender' ELSE 'receiver' END AS counted_by,
       CASE WHEN intervals.omitted THEN 'yes' ELSE 'no' END AS omitted,
       round(intervals.start_s, 3) AS start_s,
       round(intervals.end_s, 3) AS end_s,
       round(intervals.bits_per_second / 1e6, 2) AS mbit_s,
       intervals.retransmits AS retransmits,
       intervals.snd_cwnd AS snd_cwnd,
       round(intervals.rtt / 1e3, 3) AS rtt_ms,
       round(intervals.jitter_ms, 3) AS jitter_ms,
       intervals.lost_packets AS lost_packets,
       round(intervals.lost_percent, 3) AS lost_percent
  FROM intervals
  JOIN runs ON runs.id = intervals.run
  JOIN jobs ON jobs.id = runs.job
 ORDER BY intervals.run, intervals.position;
