-- Version 2: jobs without a workload, and what a run's trace session saw.
--
-- Times ending in _ns are nanoseconds since the moment the client was let go, negative before it. No column ever
-- holds a kernel address. docs/database.md is the guide.

-- The views name jobs, so they must be away while that table is replaced.
DROP VIEW interval_overview;
DROP VIEW run_overview;

-- What only iperf3 has may be NULL from now on; SQLite changes that by a rebuild alone.
CREATE TABLE new_jobs (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: the number of a deleted job is never given again
  created_us    INTEGER NOT NULL,
  owner_uid     INTEGER NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT NOT NULL,
  label         TEXT NOT NULL,
  repeat        INTEGER NOT NULL,
  workload      TEXT NOT NULL CHECK (workload IN ('iperf3', 'none')),
  protocol      TEXT CHECK (protocol IN ('tcp', 'udp', 'sctp')),  -- this to server_netns are iperf3's, else NULL
  direction     TEXT CHECK (direction IN ('send', 'receive', 'both')),
  streams       INTEGER,
  duration_ms   INTEGER,           -- as asked; NULL for a job limited by bytes
  bytes         INTEGER,           -- as asked; NULL for a job limited by time
  omit_ms       INTEGER,
  server        TEXT,
  local_server  INTEGER CHECK (local_server IN (0, 1)),  -- whether netperfd ran the server itself
  client_netns  TEXT,              -- empty: the host's own namespace
  server_netns  TEXT,              -- of a local server; empty: the host's own namespace
  text          TEXT NOT NULL      -- the whole job as YAML, overrides applied
) STRICT;

INSERT INTO new_jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction,
                      streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text)
SELECT id, created_us, owner_uid, name, description, label, repeat, 'iperf3', protocol, direction,
       streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text
  FROM jobs;

-- The highest number ever given, which may be that of a deleted job.
DELETE FROM sqlite_sequence WHERE name = 'new_jobs';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_jobs', seq FROM sqlite_sequence WHERE name = 'jobs';

DROP TABLE jobs;
ALTER TABLE new_jobs RENAME TO jobs;

CREATE INDEX jobs_by_name ON jobs (name);
CREATE INDEX jobs_by_label ON jobs (label);
CREATE INDEX jobs_by_created_us ON jobs (created_us);

-- One row for each run that was to be traced.
CREATE TABLE traces (
  run              INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  skipped          TEXT NOT NULL,                    -- not empty: nothing was traced, and this is why
  broken           TEXT NOT NULL,                    -- not empty: what happened that makes the trace doubtful
  clock            TEXT NOT NULL,                    -- the kernel's name for it, such as mono
  buffer_bytes     INTEGER NOT NULL,                 -- of one CPU
  functions        INTEGER NOT NULL,                 -- in the filter of function_graph
  workload_only    INTEGER NOT NULL CHECK (workload_only IN (0, 1)),
  slice_width_ns   INTEGER NOT NULL,                 -- of trace_slices
  stacks_left_out  INTEGER NOT NULL,                 -- stacks counted, but too many kinds to keep apart
  events           INTEGER NOT NULL,                 -- the sum of trace_events.count: no stacks, no marks
  lost             INTEGER NOT NULL                  -- records over all CPUs that nobody decoded
) STRICT;

-- Functions that were asked for by name and that this kernel cannot trace.
CREATE TABLE trace_missing_functions (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- as asked, from 0
  name      TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The CPUs that the job limited the trace to; none: all.
CREATE TABLE trace_only_cpus (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- as asked, from 0
  cpu       INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The ring buffer of one CPU.
CREATE TABLE trace_cpus (
  run             INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  cpu             INTEGER NOT NULL,
  records         INTEGER NOT NULL,                  -- decoded: events, and the stacks and marks between them
  bytes           INTEGER NOT NULL,                  -- of the sub-buffers that were read
  lost_events     INTEGER NOT NULL,                  -- that the sub-buffers report as missing before them
  overrun         INTEGER NOT NULL,                  -- overwritten before they were read, by the kernel's count
  commit_overrun  INTEGER NOT NULL,
  dropped_events  INTEGER NOT NULL,                  -- not written because the buffer was full
  damaged         INTEGER NOT NULL,                  -- sub-buffers with bytes that could not be decoded
  PRIMARY KEY (run, cpu)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_events (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- from 0, the most frequent first
  name      TEXT NOT NULL,                           -- skb:kfree_skb
  filter    TEXT NOT NULL DEFAULT '',                -- as asked, in the kernel's own language; empty: none
  count     INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The same by time; a slice without a row had none.
CREATE TABLE trace_slices (
  run             INTEGER NOT NULL,
  event_position  INTEGER NOT NULL,
  slice           INTEGER NOT NULL,                  -- begins at slice * traces.slice_width_ns
  count           INTEGER NOT NULL,
  PRIMARY KEY (run, event_position, slice),
  FOREIGN KEY (run, event_position) REFERENCES trace_events (run, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Events whole: the first and the last few of each name.
CREATE TABLE trace_samples (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- by time, from 0
  event     TEXT NOT NULL,
  ordinal   INTEGER NOT NULL,                        -- 1 for the first of this name
  time_ns   INTEGER NOT NULL,
  cpu       INTEGER NOT NULL,
  pid       INTEGER NOT NULL,
  task      TEXT NOT NULL,                           -- its name; empty where the kernel has forgotten it
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- An unsigned number above 9223372036854775807, which no INTEGER holds, is kept as TEXT of its digits.
CREATE TABLE trace_sample_fields (
  run          INTEGER NOT NULL,
  sample       INTEGER NOT NULL,                     -- its position
  position     INTEGER NOT NULL,                     -- in the order of the event's format, from 0
  name         TEXT NOT NULL,
  value        ANY NOT NULL,                         -- INTEGER or TEXT
  is_unsigned  INTEGER NOT NULL CHECK (is_unsigned IN (0, 1)),  -- 1: a number of an unsigned type, even as TEXT
  text         TEXT NOT NULL,                        -- as the kernel prints it; empty: the value itself
  PRIMARY KEY (run, sample, position),
  FOREIGN KEY (run, sample) REFERENCES trace_samples (run, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- With a rowid: large values would spoil the tree of a table without one.
CREATE TABLE trace_stacks (
  id        INTEGER PRIMARY KEY,
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- by event, the most frequent first, from 0
  event     TEXT NOT NULL,
  count     INTEGER NOT NULL,
  frames    TEXT NOT NULL,                           -- a line each, the innermost first
  UNIQUE (run, position)
) STRICT;

-- Packets that the kernel freed, by why and where: skb:kfree_skb.
CREATE TABLE trace_drops (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- from 0, the most frequent first
  reason    TEXT NOT NULL,                           -- the kernel's name without its prefix, such as NO_SOCKET
  location  TEXT NOT NULL,                           -- the function that freed it
  count     INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace_marks (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- by time, from 0
  time_ns   INTEGER NOT NULL,
  text      TEXT NOT NULL,
  user      INTEGER NOT NULL CHECK (user IN (0, 1)), -- 1: a caller's, 0: netperfd's own
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

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
       iif(traces.skipped = '', traces.events, NULL) AS events,
       iif(traces.skipped = '', traces.lost, NULL) AS events_lost,
       (SELECT group_concat(code, ', ') FROM flags WHERE flags.run = runs.id) AS flags,
       nullif(runs.error, '') AS error
  FROM runs
  JOIN jobs ON jobs.id = runs.job
  LEFT JOIN sums ON sums.run = runs.id AND sums.position = 0
  LEFT JOIN traces ON traces.run = runs.id;

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

-- For people: one line a trace.
CREATE VIEW trace_overview AS
SELECT traces.run AS run,
       jobs.name AS scenario,
       jobs.label AS label,
       iif(traces.skipped = '', traces.events, NULL) AS events,
       iif(traces.skipped = '', traces.lost, NULL) AS lost,
       (SELECT sum(damaged) FROM trace_cpus WHERE trace_cpus.run = traces.run) AS damaged_sub_buffers,
       traces.functions AS functions,
       traces.buffer_bytes / 1024 AS buffer_kib,
       CASE WHEN traces.workload_only THEN 'workload' ELSE 'all' END AS tasks,
       (SELECT ifnull(group_concat(cpu, ','), 'all') FROM
         (SELECT cpu FROM trace_only_cpus WHERE trace_only_cpus.run = traces.run ORDER BY position)) AS cpus,
       nullif(traces.skipped, '') AS skipped,
       nullif(traces.broken, '') AS broken
  FROM traces
  JOIN runs ON runs.id = traces.run
  JOIN jobs ON jobs.id = runs.job;

-- For people: one line an event of a run, and when it was most frequent.
CREATE VIEW event_overview AS
SELECT trace_events.run AS run,
       jobs.name AS scenario,
       trace_events.name AS event,
       nullif(trace_events.filter, '') AS filter,
       trace_events.count AS count,
       (SELECT round(max(count) * 1e9 / traces.slice_width_ns, 1) FROM trace_slices
         WHERE trace_slices.run = trace_events.run AND event_position = trace_events.position) AS peak_per_second,
       (SELECT round(slice * traces.slice_width_ns / 1e9, 3) FROM trace_slices
         WHERE trace_slices.run = trace_events.run AND event_position = trace_events.position
         ORDER BY count DESC, slice LIMIT 1) AS peak_at_s
  FROM trace_events
  JOIN traces ON traces.run = trace_events.run
  JOIN runs ON runs.id = trace_events.run
  JOIN jobs ON jobs.id = runs.job
 ORDER BY trace_events.run, trace_events.position;

-- For people: one line a time slice of an event; slices without the event have none.
CREATE VIEW slice_overview AS
SELECT trace_slices.run AS run,
       trace_events.name AS event,
       round(trace_slices.slice * traces.slice_width_ns / 1e9, 3) AS start_s,
       trace_slices.count AS count
  FROM trace_slices
  JOIN trace_events ON trace_events.run = trace_slices.run AND trace_events.position = trace_slices.event_position
  JOIN traces ON traces.run = trace_slices.run
 ORDER BY trace_slices.run, trace_slices.event_position, trace_slices.slice;

-- For people: one line an event that was kept whole, its fields as name=value.
CREATE VIEW sample_overview AS
SELECT trace_samples.run AS run,
       printf('%.6f', trace_samples.time_ns / 1e9) AS time_s,
       trace_samples.event AS event,
       trace_samples.ordinal AS ordinal,
       trace_samples.cpu AS cpu,
       trace_samples.task AS task,
       trace_samples.pid AS pid,
       (SELECT group_concat(name || '=' || iif(text = '', value, text), ' ') FROM
         (SELECT name, value, text FROM trace_sample_fields
           WHERE trace_sample_fields.run = trace_samples.run AND sample = trace_samples.position
           ORDER BY trace_sample_fields.position)) AS fields
  FROM trace_samples
 ORDER BY trace_samples.run, trace_samples.position;

-- For people: one line a reason and place of dropped packets.
CREATE VIEW drop_overview AS
SELECT trace_drops.run AS run,
       jobs.name AS scenario,
       trace_drops.reason AS reason,
       trace_drops.location AS location,
       trace_drops.count AS count,
       round(100.0 * trace_drops.count /
             (SELECT sum(count) FROM trace_drops AS all_of_it WHERE all_of_it.run = trace_drops.run), 1) AS percent
  FROM trace_drops
  JOIN runs ON runs.id = trace_drops.run
  JOIN jobs ON jobs.id = runs.job
 ORDER BY trace_drops.run, trace_drops.position;
