-- Version 3: what function_graph's calls of a run come to, what its devices counted, and runs of imported traces.
--
-- Figures ending in _ns are nanoseconds of time taken. docs/database.md is the guide.

-- The word import joins the workloads; SQLite changes a CHECK by a rebuild alone. With this pragma a rename looks at
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
  workload      TEXT NOT NULL CHECK (workload IN ('iperf3', 'none', 'import')),
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
SELECT id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction,
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

PRAGMA legacy_alter_table = OFF;

-- Bytes of raw sub-buffers that found no room in the document trace.dat.
ALTER TABLE traces ADD COLUMN recording_left_out INTEGER NOT NULL DEFAULT 0;

-- What the figures of a function profile are divided by, of runs for which any of it is known. Unlike sums it covers
-- the omitted part too, as a trace does.
CREATE TABLE traffic (
  run            INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  goodput_bytes  INTEGER,                            -- received, over all directions and streams
  packets        INTEGER,                            -- that the device counted; this to netns are NULL together
  packet_bytes   INTEGER,
  direction      TEXT CHECK (direction IN ('tx', 'rx')),  -- of the device: which of its counters these are
  device         TEXT,
  netns          TEXT                                -- where the device is; empty: the host's own namespace
) STRICT;

-- One row for each run whose functions were traced.
CREATE TABLE function_profiles (
  run                    INTEGER PRIMARY KEY REFERENCES traces (run) ON DELETE CASCADE,
  open_at_start          INTEGER NOT NULL,           -- this to tree_overflow are counts of what is no whole call:
  open_at_end            INTEGER NOT NULL,           -- entries whose exit had not come when the trace ended
  unmatched_exits        INTEGER NOT NULL,           -- exits without an entry; open_at_start: from before the trace
  unmatched_entries      INTEGER NOT NULL,           -- entries that others show never to have returned
  over_losses            INTEGER NOT NULL,           -- calls during which records were lost: callees may be missing
  depth_overruns         INTEGER NOT NULL,           -- calls that the kernel could not follow
  clipped                INTEGER NOT NULL,           -- times that came out negative by a little, taken for 0
  out_of_order           INTEGER NOT NULL,           -- records that came after later ones of their task
  tree_overflow          INTEGER NOT NULL,           -- calls that are in no row of call_nodes, for want of room
  slice_ns               INTEGER NOT NULL,           -- width of the slices of functions; 0: there are none
  timed                  INTEGER NOT NULL CHECK (timed IN (0, 1)),  -- 0: the function tracer's, which tells of no end
  sleep_in_recorded      INTEGER CHECK (sleep_in_recorded IN (0, 1)),  -- 1: functions.recorded_ns holds sleep
  off_cpu_known          INTEGER NOT NULL CHECK (off_cpu_known IN (0, 1)),      -- 0: sleep is in all times
  depth                  INTEGER,                    -- of nested calls, as asked; NULL: all
  calibration_entry_ns   REAL,                       -- what the tracer adds to a call, measured once a boot
  calibration_callee_ns  REAL,                       -- what it adds to the caller, or to what an interrupt came over
  calibration_calls      INTEGER,                    -- that these are the median of; NULL: there is no calibration
  not_calibrated         TEXT NOT NULL               -- why not
) STRICT;

-- A traced function that was called. Its total time is without what interrupts took of it and without the time its
-- task was off the CPU; its self time is that without the traced functions it called. With a rowid: large values
-- would spoil the tree of a table without one. Times are NULL where function_profiles.timed is 0.
CREATE TABLE functions (
  id                 INTEGER PRIMARY KEY,
  run                INTEGER NOT NULL REFERENCES function_profiles (run) ON DELETE CASCADE,
  position           INTEGER NOT NULL,               -- from 0, the largest self time first
  name               TEXT NOT NULL,
  module             TEXT NOT NULL,                  -- empty: the kernel itself
  duplicate          INTEGER NOT NULL,               -- which of several of one name and module, from 1; 0: the only one
  hits               INTEGER NOT NULL,               -- calls
  total_ns           INTEGER,                        -- over calls that are not inside another call of the same function
  self_ns            INTEGER,                        -- over all calls
  recorded_ns        INTEGER,                        -- durations as the kernel recorded them, added up
  interrupted_ns     INTEGER,                        -- that traced functions of interrupts took; over the calls of total_ns
  off_cpu_ns         INTEGER,                        -- asleep or preempted, within callees too; over the calls of total_ns
  callees            INTEGER NOT NULL,               -- traced calls that its calls made directly
  interruptions      INTEGER NOT NULL,               -- traced calls that an interrupt began over its calls directly
  roots              INTEGER NOT NULL,               -- calls that no traced function made
  interrupt_roots    INTEGER NOT NULL,               -- of those: in an interrupt or softirq that came over other code
  min_ns             INTEGER,                        -- this to p999_ns: of one call's total time
  max_ns             INTEGER,
  p50_ns             INTEGER,
  p90_ns             INTEGER,
  p99_ns             INTEGER,                        -- NULL: of fewer than 1,000 calls
  p999_ns            INTEGER,                        -- NULL: of fewer than 10,000 calls
  corrected_self_ns  INTEGER,                        -- self time without the tracer's own cost; NULL: not known
  histogram          TEXT NOT NULL,                  -- JSON: [[bucket, calls], ...]; docs/database.md has the buckets
  slice_hits         TEXT NOT NULL,                  -- JSON: calls that returned in a slice, from the release on;
  slice_self_ns      TEXT NOT NULL,                  -- JSON: their self time; trailing zeros are left out of both
  function           TEXT GENERATED ALWAYS AS        -- for people: hsr_xmit [hsr], read_block #2
                       (name || iif(module = '', '', ' [' || module || ']') ||
                        iif(duplicate = 0, '', ' #' || duplicate)) VIRTUAL,
  UNIQUE (run, position)
) STRICT;

-- Calls of one traced function by another.
CREATE TABLE call_edges (
  run       INTEGER NOT NULL REFERENCES function_profiles (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- from 0, the largest total time first
  caller    INTEGER NOT NULL,                        -- functions.position, as callee
  callee    INTEGER NOT NULL,
  hits      INTEGER NOT NULL,
  total_ns  INTEGER NOT NULL,                        -- of the callee, also of inner calls of a recursion
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- A path of calls from a root.
CREATE TABLE call_nodes (
  run           INTEGER NOT NULL REFERENCES function_profiles (run) ON DELETE CASCADE,
  position      INTEGER NOT NULL,                    -- from 0, depth first, siblings the largest total time first
  parent        INTEGER,                             -- position of the caller's node; NULL: a root
  depth         INTEGER NOT NULL,                    -- 0: a root
  function      INTEGER NOT NULL,                    -- functions.position
  in_interrupt  INTEGER NOT NULL CHECK (in_interrupt IN (0, 1)),  -- 1: a root that came over other code
  hits          INTEGER NOT NULL,
  total_ns      INTEGER,                             -- this and self_ns: NULL where function_profiles.timed is 0
  self_ns       INTEGER,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The builds of the kernel and of the modules whose functions were called.
CREATE TABLE builds (
  run         INTEGER NOT NULL REFERENCES function_profiles (run) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  module      TEXT NOT NULL,                         -- empty: the kernel
  release     TEXT NOT NULL,                         -- of the kernel
  build_id    TEXT NOT NULL,                         -- the GNU build-id in hexadecimal; empty: there is none
  srcversion  TEXT NOT NULL,                         -- of a module that has one
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- For people: one line a function of a run. What is told of a call, a byte and a share is of the self time, without
-- the tracer's own cost where that is known.
CREATE VIEW function_overview AS
SELECT functions.run AS run,
       jobs.name AS scenario,
       functions.function AS function,
       functions.hits AS hits,
       round(functions.self_ns / 1e6, 3) AS self_ms,
       round(functions.corrected_self_ns / 1e6, 3) AS corrected_ms,
       round(1.0 * ifnull(functions.corrected_self_ns, functions.self_ns) / nullif(functions.hits, 0), 1)
         AS ns_per_call,
       round(1.0 * ifnull(functions.corrected_self_ns, functions.self_ns) / nullif(traffic.goodput_bytes, 0), 4)
         AS ns_per_byte,
       round(1.0 * functions.hits / nullif(traffic.packets, 0), 3) AS calls_per_packet,
       functions.p50_ns AS p50_ns,
       functions.p99_ns AS p99_ns,
       round(100.0 * ifnull(functions.corrected_self_ns, functions.self_ns) /
             nullif(sum(ifnull(functions.corrected_self_ns, functions.self_ns)) OVER (PARTITION BY functions.run), 0),
             1) AS percent
  FROM functions
  JOIN runs ON runs.id = functions.run
  JOIN jobs ON jobs.id = runs.job
  LEFT JOIN traffic ON traffic.run = functions.run
 ORDER BY functions.run, functions.position;

-- For people: one line a path of calls, indented below its caller.
CREATE VIEW call_tree_overview AS
SELECT call_nodes.run AS run,
       jobs.name AS scenario,
       printf('%*s', 2 * call_nodes.depth, '') || functions.function || iif(call_nodes.in_interrupt, ' (interrupt)', '')
         AS function,
       call_nodes.hits AS hits,
       round(call_nodes.total_ns / 1e6, 3) AS total_ms,
       round(call_nodes.self_ns / 1e6, 3) AS self_ms
  FROM call_nodes
  JOIN functions ON functions.run = call_nodes.run AND functions.position = call_nodes.function
  JOIN runs ON runs.id = call_nodes.run
  JOIN jobs ON jobs.id = runs.job
 ORDER BY call_nodes.run, call_nodes.position;

-- For people: one line a pair of caller and callee.
CREATE VIEW edge_overview AS
SELECT call_edges.run AS run,
       jobs.name AS scenario,
       callers.function AS caller,
       callees.function AS callee,
       call_edges.hits AS hits,
       round(call_edges.total_ns / 1e6, 3) AS total_ms,
       round(1.0 * call_edges.total_ns / nullif(call_edges.hits, 0), 1) AS ns_per_call,
       round(100.0 * call_edges.hits / nullif(callees.hits, 0), 1) AS percent_of_callee
  FROM call_edges
  JOIN functions AS callers ON callers.run = call_edges.run AND callers.position = call_edges.caller
  JOIN functions AS callees ON callees.run = call_edges.run AND callees.position = call_edges.callee
  JOIN runs ON runs.id = call_edges.run
  JOIN jobs ON jobs.id = runs.job
 ORDER BY call_edges.run, call_edges.position;
