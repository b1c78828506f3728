-- A store of version 25: what sqlite_schema has in it, then its rows. make_old_store() makes it again.
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
, block INTEGER CHECK (block > 0), letter INTEGER CHECK ((block IS NULL) = (letter IS NULL)), variant TEXT CHECK (variant IN ('A', 'B')), traced INTEGER NOT NULL DEFAULT 0 CHECK (traced IN (0, 1)), build TEXT, stored_bytes INTEGER NOT NULL DEFAULT 0, removing INTEGER NOT NULL DEFAULT 0 CHECK (removing IN (0, 1)), note TEXT NOT NULL DEFAULT '', point INTEGER CHECK (point > 0), point_name TEXT CHECK ((point IS NULL) = (point_name IS NULL))) STRICT;
CREATE INDEX runs_by_job ON runs (job);
CREATE INDEX runs_by_state ON runs (state);
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
CREATE TABLE flags (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code      TEXT NOT NULL,
  message   TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE documents (
  id       INTEGER PRIMARY KEY,
  run      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name     TEXT NOT NULL,                            -- client.stdout, client.stderr, server.stdout, server.stderr
  size     INTEGER NOT NULL,                         -- uncompressed
  content  BLOB NOT NULL,                            -- one zstd frame
  UNIQUE (run, name)
) STRICT;
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
, recording_left_out INTEGER NOT NULL DEFAULT 0, reading_ns INTEGER) STRICT;
CREATE TABLE trace_missing_functions (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- as asked, from 0
  name      TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE trace_only_cpus (
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- as asked, from 0
  cpu       INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE trace_slices (
  run             INTEGER NOT NULL,
  event_position  INTEGER NOT NULL,
  slice           INTEGER NOT NULL,                  -- begins at slice * traces.slice_width_ns
  count           INTEGER NOT NULL,
  PRIMARY KEY (run, event_position, slice),
  FOREIGN KEY (run, event_position) REFERENCES trace_events (run, position) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
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
CREATE TABLE trace_stacks (
  id        INTEGER PRIMARY KEY,
  run       INTEGER NOT NULL REFERENCES traces (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- by event, the most frequent first, from 0
  event     TEXT NOT NULL,
  count     INTEGER NOT NULL,
  frames    TEXT NOT NULL,                           -- a line each, the innermost first
  UNIQUE (run, position)
) STRICT;
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
CREATE VIEW slice_overview AS
SELECT trace_slices.run AS run,
       trace_events.name AS event,
       round(trace_slices.slice * traces.slice_width_ns / 1e9, 3) AS start_s,
       trace_slices.count AS count
  FROM trace_slices
  JOIN trace_events ON trace_events.run = trace_slices.run AND trace_events.position = trace_slices.event_position
  JOIN traces ON traces.run = trace_slices.run
 ORDER BY trace_slices.run, trace_slices.event_position, trace_slices.slice;
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
CREATE TABLE traffic (
  run            INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  goodput_bytes  INTEGER,                            -- received, over all directions and streams
  packets        INTEGER,                            -- that the device counted; this to netns are NULL together
  packet_bytes   INTEGER,
  direction      TEXT CHECK (direction IN ('tx', 'rx')),  -- of the device: which of its counters these are
  device         TEXT,
  netns          TEXT                                -- where the device is; empty: the host's own namespace
) STRICT;
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
, calibration_entry_error_ns REAL, calibration_callee_error_ns REAL, tracer_share REAL) STRICT;
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
CREATE TABLE call_edges (
  run       INTEGER NOT NULL REFERENCES function_profiles (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                        -- from 0, the largest total time first
  caller    INTEGER NOT NULL,                        -- functions.position, as callee
  callee    INTEGER NOT NULL,
  hits      INTEGER NOT NULL,
  total_ns  INTEGER NOT NULL,                        -- of the callee, also of inner calls of a recursion
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE builds (
  run         INTEGER NOT NULL REFERENCES function_profiles (run) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  module      TEXT NOT NULL,                         -- empty: the kernel
  release     TEXT NOT NULL,                         -- of the kernel
  build_id    TEXT NOT NULL,                         -- the GNU build-id in hexadecimal; empty: there is none
  srcversion  TEXT NOT NULL,                         -- of a module that has one
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE fingerprints (
  id      INTEGER PRIMARY KEY,
  digest  INTEGER NOT NULL          -- of its facts: to find it again; two sets may have the same
) STRICT;
CREATE INDEX fingerprints_by_digest ON fingerprints (digest);
CREATE TABLE facts (
  fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id) ON DELETE CASCADE,
  fact_group   TEXT NOT NULL,       -- kernel, module:NAME, sysctl:KEY, nic, cpu, irq, rps, xps, qdisc, clock, iperf3,
                                    -- topology or trace
  key          TEXT NOT NULL,
  value        TEXT NOT NULL,
  PRIMARY KEY (fingerprint, fact_group, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE environments (
  run          INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id),
  boot_id      TEXT NOT NULL        -- runs of one boot share it; empty where it is not known
) STRICT;
CREATE INDEX environments_by_fingerprint ON environments (fingerprint);
CREATE INDEX environments_by_boot_id ON environments (boot_id);
CREATE TABLE environment_unknown (
  run       INTEGER NOT NULL REFERENCES environments (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  clause    TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER environments_after_delete AFTER DELETE ON environments
  WHEN NOT EXISTS (SELECT 1 FROM environments WHERE fingerprint = OLD.fingerprint)
BEGIN
  DELETE FROM fingerprints WHERE id = OLD.fingerprint;
END;
CREATE VIEW environment_overview AS
SELECT e.run, e.boot_id, f.fact_group, f.key, f.value
  FROM environments AS e
  JOIN facts AS f ON f.fingerprint = e.fingerprint
 ORDER BY e.run, f.fact_group, f.key;
CREATE TABLE counters (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,      -- by source, netns and name
  source    TEXT NOT NULL,         -- snmp, netstat, snmp6, softnet, softirqs, interrupts, cpu, nic, ethtool, perf
  netns     TEXT NOT NULL,         -- empty: the host's own, or a counter of the whole machine
  name      TEXT NOT NULL,         -- the kernel's own words: TcpRetransSegs, cpu0 NET_RX, veth0 tx_packets
  delta     INTEGER NOT NULL,
  unit      TEXT NOT NULL,         -- empty: a number; ns, bytes
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX counters_by_name ON counters (name);
CREATE TABLE tcp_samples (
  run                INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position           INTEGER NOT NULL,  -- by time
  time_us            INTEGER NOT NULL,  -- since the release
  local_port         INTEGER NOT NULL,
  remote_port        INTEGER NOT NULL,
  snd_cwnd           INTEGER NOT NULL,  -- segments, other than in intervals
  rtt_us             INTEGER NOT NULL,
  rttvar_us          INTEGER NOT NULL,
  retransmits        INTEGER NOT NULL,  -- of the connection, so far
  delivery_rate_bps  INTEGER,           -- bits per second
  pacing_rate_bps    INTEGER,           -- NULL too where nothing limits it
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE counters_unknown (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  clause    TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE VIEW counter_overview AS
SELECT c.run, j.name AS scenario, j.label, c.source, c.netns, c.name, c.delta, c.unit,
       iif(r.ended_us > r.started_us, round(c.delta * 1e6 / (r.ended_us - r.started_us), 3), NULL) AS per_second
  FROM counters AS c
  JOIN runs AS r ON r.id = c.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY c.run, c.position;
CREATE VIEW tcp_overview AS
SELECT s.run, j.name AS scenario, j.label, s.time_us / 1e6 AS time_s, s.local_port, s.remote_port, s.snd_cwnd,
       s.rtt_us / 1e3 AS rtt_ms, s.retransmits, round(s.delivery_rate_bps / 1e6, 3) AS delivery_mbit_s,
       round(s.pacing_rate_bps / 1e6, 3) AS pacing_mbit_s
  FROM tcp_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY s.run, s.position;
CREATE VIEW run_overview AS
SELECT runs.id AS run,
       runs.job AS job,
       jobs.name AS scenario,
       jobs.label AS label,
       jobs.purpose AS purpose,
       runs.block AS block,
       CASE runs.variant WHEN 'A' THEN jobs.variant_a WHEN 'B' THEN jobs.variant_b END AS variant,
       iif(runs.traced, 'traced', 'plain') AS arm,
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
CREATE TABLE stored_by_owner (
  owner_uid     INTEGER PRIMARY KEY,
  stored_bytes  INTEGER NOT NULL
) STRICT;
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
CREATE INDEX runs_by_ended_us ON runs (ended_us) WHERE ended_us IS NOT NULL;
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
, digest INTEGER) STRICT;
CREATE INDEX audit_by_uid ON audit (uid, id);
CREATE INDEX audit_by_outcome ON audit (outcome, id);
CREATE VIEW audit_overview AS
SELECT strftime('%Y-%m-%d %H:%M:%S', first_us / 1000000, 'unixepoch', 'localtime') AS time,
       ifnull(uid, 'netperfd') AS user, action, outcome, count, job, run, nullif(detail, '') AS detail
  FROM audit
 ORDER BY id;
CREATE INDEX runs_being_removed ON runs (id) WHERE removing = 1;
CREATE TABLE imported_files (
  run          INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position     INTEGER NOT NULL,   -- from 0: its bytes, if they were kept, are the document import.1
  name         TEXT NOT NULL,      -- without its directories
  size         INTEGER NOT NULL,   -- bytes
  modified_us  INTEGER,            -- when it was last written; NULL: unknown
  sha256       TEXT NOT NULL,      -- of the bytes, in hexadecimal digits; empty: unknown
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_files_by_sha256 ON imported_files (sha256);
CREATE TABLE boots (
  job         INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  number      INTEGER NOT NULL CHECK (number > 0),  -- of the job's reboots, from 1
  block       INTEGER CHECK (block > 0),            -- NULL, like the letter: the way back to the original side
  letter      INTEGER CHECK ((block IS NULL) = (letter IS NULL)),
  side        TEXT NOT NULL CHECK (side IN ('A', 'B')),  -- that the reboot was meant for
  asked_us    INTEGER NOT NULL,
  settled_us  INTEGER,               -- when the machine was ready for a run; NULL: it was not
  boot_id     TEXT NOT NULL,         -- of the boot that came; empty: none is known
  kernel      TEXT NOT NULL,         -- its release
  failure     TEXT NOT NULL,         -- why it was not on its side; empty: it was, or has not come yet
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE VIEW boot_overview AS
SELECT boots.job AS job,
       boots.number AS number,
       jobs.name AS scenario,
       boots.block AS block,
       CASE boots.side WHEN 'A' THEN jobs.variant_a WHEN 'B' THEN jobs.variant_b END AS variant,
       nullif(boots.kernel, '') AS kernel,
       strftime('%Y-%m-%d %H:%M:%S', boots.asked_us / 1000000, 'unixepoch', 'localtime') AS asked,
       round((boots.settled_us - boots.asked_us) / 1e6, 1) AS seconds,
       nullif(boots.failure, '') AS failure
  FROM boots
  JOIN jobs ON jobs.id = boots.job;
CREATE TABLE cpu_samples (
  run                  INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  rate                 INTEGER NOT NULL,  -- asked for, per second and CPU
  event                TEXT NOT NULL,     -- cycles or cpu-clock; empty: nothing was sampled
  sees_interrupts_off  INTEGER NOT NULL,  -- 0: a section with interrupts off is sampled only behind it
  cpus                 INTEGER NOT NULL,
  duration_ns          INTEGER NOT NULL,
  samples              INTEGER NOT NULL,  -- read, idle ones included
  idle                 INTEGER NOT NULL,
  lost                 INTEGER NOT NULL,  -- the kernel had no room for them
  throttled            INTEGER NOT NULL,  -- how often the kernel paused sampling
  unknown              INTEGER NOT NULL,  -- samples with code that has no symbol
  cut                  INTEGER NOT NULL,  -- samples whose path was cut short
  damaged              INTEGER NOT NULL,  -- stretches of records that made no sense
  skipped              TEXT NOT NULL,     -- why nothing was sampled; otherwise empty
  size                 INTEGER NOT NULL,  -- of `stacks`, unpacked
  stacks               BLOB NOT NULL      -- frames, stacks and builds: one zstd frame
) STRICT;
CREATE VIEW cpu_sample_overview AS
SELECT s.run, j.name AS scenario, j.label, s.event, s.rate, s.cpus, round(s.duration_ns / 1e9, 3) AS seconds,
       s.samples, s.samples - s.idle AS busy, s.lost, s.throttled, s.unknown, s.skipped
  FROM cpu_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY s.run;
CREATE TABLE budgets (
  job        INTEGER PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  asked      REAL NOT NULL CHECK (asked > 0 AND asked <= 1),
  predicted  REAL,     -- share of the functions that are traced; NULL: calls were not counted
  window_s   REAL,     -- in which they were counted, on each side
  failure    TEXT      -- why they were not counted: all functions are traced
) STRICT;
CREATE TABLE budget_functions (
  job       INTEGER NOT NULL REFERENCES budgets (job) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  function  TEXT NOT NULL,     -- with the clones that the compiler made of it
  calls     INTEGER NOT NULL,
  cost      REAL NOT NULL,     -- of tracing it, as a share of the CPU time without the tracer
  traced    INTEGER NOT NULL CHECK (traced IN (0, 1)),
  PRIMARY KEY (job, position)
) STRICT, WITHOUT ROWID;
CREATE VIEW budget_overview AS
SELECT b.job AS job, j.name AS scenario, j.label AS label, round(100 * b.asked, 1) AS asked_percent,
       round(100 * b.predicted, 1) AS predicted_percent, f.function AS function, f.calls AS calls, f.traced AS traced
  FROM budgets AS b
  JOIN jobs AS j ON j.id = b.job
  JOIN budget_functions AS f ON f.job = b.job
 ORDER BY b.job, f.position;
CREATE TABLE "jobs" (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: the number of a deleted job is never given again
  created_us    INTEGER NOT NULL,
  owner_uid     INTEGER NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT NOT NULL,
  label         TEXT NOT NULL,
  repeat        INTEGER NOT NULL,
  workload      TEXT NOT NULL,
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
CREATE TABLE job_figures (
  job        INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  position   INTEGER NOT NULL,                                    -- 0 is the primary
  figure     TEXT NOT NULL,                                       -- by its name, as in scenarios
  threshold  REAL CHECK (threshold > 0 AND threshold < 1),        -- a share; NULL: that of the comparison
  PRIMARY KEY (job, position),
  UNIQUE (job, figure)
) STRICT, WITHOUT ROWID;
CREATE TABLE queue_samples (
  run              INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position         INTEGER NOT NULL,  -- by time
  time_us          INTEGER NOT NULL,  -- since the release
  device           TEXT NOT NULL,
  netns            TEXT NOT NULL,     -- empty: the host's own
  kind             TEXT NOT NULL,     -- fq_codel, pfifo_fast, tbf
  handle           TEXT NOT NULL,     -- as tc writes it: 1:
  parent           TEXT NOT NULL,     -- root, or the class of another one: 1:1
  backlog_bytes    INTEGER NOT NULL,
  backlog_packets  INTEGER NOT NULL,
  sent_bytes       INTEGER NOT NULL,  -- this to requeues: since the release
  sent_packets     INTEGER NOT NULL,
  drops            INTEGER NOT NULL,
  overlimits       INTEGER NOT NULL,
  requeues         INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE VIEW queue_overview AS
SELECT s.run, j.name AS scenario, j.label, s.time_us / 1e6 AS time_s, s.device, s.netns, s.kind,
       round(s.backlog_bytes / 1e3, 3) AS backlog_kb, s.backlog_packets, s.drops
  FROM queue_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 WHERE s.parent = 'root'
 ORDER BY s.run, s.position;
CREATE TABLE run_digests (
  run     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  part    TEXT NOT NULL,     -- the table; of a long column, with its name: documents.content
  chunk   INTEGER NOT NULL,  -- position / 32, or the id of a document; 0 if the table has no such column
  digest  INTEGER NOT NULL,  -- XXH3, 64 bits
  PRIMARY KEY (run, part, chunk)
) STRICT, WITHOUT ROWID;
CREATE TABLE job_digests (
  job     INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  part    TEXT NOT NULL,
  chunk   INTEGER NOT NULL,
  digest  INTEGER NOT NULL,
  PRIMARY KEY (job, part, chunk)
) STRICT, WITHOUT ROWID;
CREATE TABLE latency_phases (
  run                INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position           INTEGER NOT NULL,
  probe              TEXT NOT NULL,
  phase              TEXT NOT NULL CHECK (phase IN ('idle', 'omitted', 'load', 'ending', 'after')),
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
CREATE TABLE run_figures (
  run     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  unit    TEXT NOT NULL,     -- empty: a number without a unit
  better  TEXT NOT NULL CHECK (better IN ('higher', 'lower')),
  value   REAL NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_by_traced ON runs (traced);
CREATE INDEX runs_by_traced_and_state ON runs (traced, state);
CREATE INDEX jobs_by_owner ON jobs (owner_uid);
CREATE INDEX jobs_by_name_and_label ON jobs (name, label);
INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction, streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text, purpose, seed, variant_a, variant_b, plain, changed, tied, stored_bytes, held, confirms) VALUES (1, 1750000000000000, 1000, 'veth-tcp', 'TCP between two namespaces', 'before', 2, 'iperf3', 'tcp', 'send', 4, 10000, NULL, 1000, '10.0.0.2', 1, 'left', 'right', 'name: veth-tcp
', 'measurement', NULL, NULL, NULL, 0, '', 0, 0, 0, NULL);
INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction, streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text, purpose, seed, variant_a, variant_b, plain, changed, tied, stored_bytes, held, confirms) VALUES (2, 1750003600000000, 0, 'watch', 'somebody else''s traffic', '', 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'name: watch
', 'measurement', NULL, NULL, NULL, 0, '', 0, 0, 0, NULL);
INSERT INTO jobs (id, created_us, owner_uid, name, description, label, repeat, workload, protocol, direction, streams, duration_ms, bytes, omit_ms, server, local_server, client_netns, server_netns, text, purpose, seed, variant_a, variant_b, plain, changed, tied, stored_bytes, held, confirms) VALUES (3, 1750007200000000, 1000, 'hsr', 'TCP between two namespaces', '', 1, 'iperf3', 'tcp', 'send', 4, 10000, NULL, 1000, '10.0.0.2', 1, 'left', 'right', 'name: hsr
', 'measurement', '42', 'list', 'hash', 0, 'module:hsr', 0, 0, 0, NULL);
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (1, 1, 1, 'finished', '', 1750000001000000, 1750000012000000, '3.12', '10.0.0.1', 41234, '10.0.0.2', 5201, 1448, 'cubic', 97.25, 41.5, 120034, 4310221, NULL, NULL, NULL, 1, NULL, 0, 0, 'with the new cable', NULL, NULL);
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (2, 1, 2, 'failed', 'the server refused the connection', 1750000020000000, NULL, '', NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, 0, 0, '', NULL, NULL);
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (3, 2, 1, 'finished', '', NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, 0, 0, '', NULL, NULL);
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (4, 3, 1, 'finished', '', 1750000001000000, 1750000012000000, '3.12', '10.0.0.1', 41234, '10.0.0.2', 5201, 1448, 'cubic', 97.25, 41.5, 120034, 4310221, 1, 1, 'B', 0, NULL, 0, 0, '', 2, 'streams=16, length=512');
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (5, 3, 2, 'finished', '', 1750000001000000, 1750000012000000, '3.12', '10.0.0.1', 41234, '10.0.0.2', 5201, 1448, 'cubic', 97.25, 41.5, 120034, 4310221, 1, 2, 'A', 0, NULL, 0, 0, '', 2, 'streams=16, length=512');
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (6, 3, 3, 'finished', '', 1750000001000000, 1750000012000000, '3.12', '10.0.0.1', 41234, '10.0.0.2', 5201, 1448, 'cubic', 97.25, 41.5, 120034, 4310221, 1, 3, 'A', 0, NULL, 0, 0, '', 2, 'streams=16, length=512');
INSERT INTO runs (id, job, idx, state, error, started_us, ended_us, iperf3_version, client_host, client_port, server_host, server_port, mss, congestion, cpu_client_percent, cpu_server_percent, client_user_us, client_system_us, block, letter, variant, traced, build, stored_bytes, removing, note, point, point_name) VALUES (7, 3, 4, 'finished', '', 1750000001000000, 1750000012000000, '3.12', '10.0.0.1', 41234, '10.0.0.2', 5201, 1448, 'cubic', 97.25, 41.5, 120034, 4310221, 1, 4, 'B', 0, NULL, 0, 0, '', 2, 'streams=16, length=512');
INSERT INTO fingerprints (id, digest) VALUES (1, 1416158517335161655);
INSERT INTO traces (run, skipped, broken, clock, buffer_bytes, functions, workload_only, slice_width_ns, stacks_left_out, events, lost, recording_left_out, reading_ns) VALUES (1, '', 'module hsr was unloaded', 'mono', 8388608, 73, 1, 100000000, 5, 91, 38, 4096, NULL);
INSERT INTO traces (run, skipped, broken, clock, buffer_bytes, functions, workload_only, slice_width_ns, stacks_left_out, events, lost, recording_left_out, reading_ns) VALUES (3, 'locked down', '', '', 0, 0, 0, 0, 0, 0, 0, 0, NULL);
INSERT INTO function_profiles (run, open_at_start, open_at_end, unmatched_exits, unmatched_entries, over_losses, depth_overruns, clipped, out_of_order, tree_overflow, slice_ns, timed, sleep_in_recorded, off_cpu_known, depth, calibration_entry_ns, calibration_callee_ns, calibration_calls, not_calibrated, calibration_entry_error_ns, calibration_callee_error_ns, tracer_share) VALUES (1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100000000, 1, 0, 0, 12, 95.25, 310.5, 10000, '', 1.5, 2.5, NULL);
INSERT INTO environments (run, fingerprint, boot_id) VALUES (1, 1, '4c1c9d0e-0000-4000-8000-000000000001');
INSERT INTO sums (run, position, direction, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (1, 0, 'send', 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO sums (run, position, direction, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (4, 0, 'send', 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO sums (run, position, direction, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (5, 0, 'send', 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO sums (run, position, direction, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (6, 0, 'send', 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO sums (run, position, direction, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (7, 0, 'send', 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO streams (run, position, direction, stream, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (1, 0, 'send', 5, 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO streams (run, position, direction, stream, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (4, 0, 'send', 5, 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO streams (run, position, direction, stream, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (5, 0, 'send', 5, 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO streams (run, position, direction, stream, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (6, 0, 'send', 5, 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO streams (run, position, direction, stream, seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order) VALUES (7, 0, 'send', 5, 10.000213, 39822819328, 39819083776, 31857576888.25, 31842123456.75, 17, 4194304, 31, 54, 411, 0.01625, 27501256, 12, 4.3634e-05, 3);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 0, 'send', 5, 1, 1, 6.1e-05, 1.000058, 0.999997, 995570483, 7964587753.137, 0, 2097152, 50, 8, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 1, 'send', NULL, 1, 0, 6.1e-05, 1.000058, 0.999997, 995701555, 7965636332.387, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 2, 'send', 5, 1, 0, 1.000061, 2.000058, 0.999997, 995832627, 7966684911.637, 2, 2100048, 52, 10, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (1, 3, 'send', NULL, 1, 0, 1.000061, 2.000058, 0.999997, 995963699, 7967733490.887, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (4, 0, 'send', 5, 1, 1, 6.1e-05, 1.000058, 0.999997, 995570483, 7964587753.137, 0, 2097152, 50, 8, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (4, 1, 'send', NULL, 1, 0, 6.1e-05, 1.000058, 0.999997, 995701555, 7965636332.387, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (5, 0, 'send', 5, 1, 1, 6.1e-05, 1.000058, 0.999997, 995570483, 7964587753.137, 0, 2097152, 50, 8, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (5, 1, 'send', NULL, 1, 0, 6.1e-05, 1.000058, 0.999997, 995701555, 7965636332.387, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (6, 0, 'send', 5, 1, 1, 6.1e-05, 1.000058, 0.999997, 995570483, 7964587753.137, 0, 2097152, 50, 8, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (6, 1, 'send', NULL, 1, 0, 6.1e-05, 1.000058, 0.999997, 995701555, 7965636332.387, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (7, 0, 'send', 5, 1, 1, 6.1e-05, 1.000058, 0.999997, 995570483, 7964587753.137, 0, 2097152, 50, 8, 1500, NULL, NULL, NULL, NULL);
INSERT INTO intervals (run, position, direction, stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, rttvar, pmtu, jitter_ms, packets, lost_packets, lost_percent) VALUES (7, 1, 'send', NULL, 1, 0, 6.1e-05, 1.000058, 0.999997, 995701555, 7965636332.387, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO flags (run, position, code, message) VALUES (1, 0, 'sum-mismatch', 'The streams add up to 17, not 16; 17 was used.');
INSERT INTO flags (run, position, code, message) VALUES (4, 0, 'sum-mismatch', 'The streams add up to 17, not 16; 17 was used.');
INSERT INTO flags (run, position, code, message) VALUES (5, 0, 'sum-mismatch', 'The streams add up to 17, not 16; 17 was used.');
INSERT INTO flags (run, position, code, message) VALUES (6, 0, 'sum-mismatch', 'The streams add up to 17, not 16; 17 was used.');
INSERT INTO flags (run, position, code, message) VALUES (7, 0, 'sum-mismatch', 'The streams add up to 17, not 16; 17 was used.');
INSERT INTO documents (id, run, name, size, content) VALUES (1, 1, 'client.stdout', 14, X'28B52FFD200E7100007B227374617274223A207B7D7D0A');
INSERT INTO documents (id, run, name, size, content) VALUES (10, 7, 'client.stderr', 0, X'28B52FFD2000010000');
INSERT INTO documents (id, run, name, size, content) VALUES (2, 1, 'client.stderr', 0, X'28B52FFD2000010000');
INSERT INTO documents (id, run, name, size, content) VALUES (3, 4, 'client.stdout', 14, X'28B52FFD200E7100007B227374617274223A207B7D7D0A');
INSERT INTO documents (id, run, name, size, content) VALUES (4, 4, 'client.stderr', 0, X'28B52FFD2000010000');
INSERT INTO documents (id, run, name, size, content) VALUES (5, 5, 'client.stdout', 14, X'28B52FFD200E7100007B227374617274223A207B7D7D0A');
INSERT INTO documents (id, run, name, size, content) VALUES (6, 5, 'client.stderr', 0, X'28B52FFD2000010000');
INSERT INTO documents (id, run, name, size, content) VALUES (7, 6, 'client.stdout', 14, X'28B52FFD200E7100007B227374617274223A207B7D7D0A');
INSERT INTO documents (id, run, name, size, content) VALUES (8, 6, 'client.stderr', 0, X'28B52FFD2000010000');
INSERT INTO documents (id, run, name, size, content) VALUES (9, 7, 'client.stdout', 14, X'28B52FFD200E7100007B227374617274223A207B7D7D0A');
INSERT INTO trace_missing_functions (run, position, name) VALUES (1, 0, 'hsr_absent');
INSERT INTO trace_missing_functions (run, position, name) VALUES (1, 1, 'hsr_inlined');
INSERT INTO trace_only_cpus (run, position, cpu) VALUES (1, 0, 3);
INSERT INTO trace_only_cpus (run, position, cpu) VALUES (1, 1, 0);
INSERT INTO trace_cpus (run, cpu, records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged) VALUES (1, 0, 210, 65536, 2, 7, 0, 0, 0);
INSERT INTO trace_cpus (run, cpu, records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged) VALUES (1, 3, 21, 4096, 0, 0, 1, 30, 4);
INSERT INTO trace_events (run, position, name, filter, count) VALUES (1, 0, 'skb:kfree_skb', 'reason != ''CONSUMED''', 90);
INSERT INTO trace_events (run, position, name, filter, count) VALUES (1, 1, 'tcp:tcp_retransmit_skb', '', 1);
INSERT INTO trace_slices (run, event_position, slice, count) VALUES (1, 0, 1, 40);
INSERT INTO trace_slices (run, event_position, slice, count) VALUES (1, 0, 3, 49);
INSERT INTO trace_samples (run, position, event, ordinal, time_ns, cpu, pid, task) VALUES (1, 0, 'skb:kfree_skb', 1, -1500, 3, -1, '');
INSERT INTO trace_samples (run, position, event, ordinal, time_ns, cpu, pid, task) VALUES (1, 1, 'tcp:tcp_retransmit_skb', 1, 17, 0, 4711, 'iperf3');
INSERT INTO trace_samples (run, position, event, ordinal, time_ns, cpu, pid, task) VALUES (1, 2, 'skb:kfree_skb', 90, 399999999, 0, 0, 'swapper/0');
INSERT INTO trace_sample_fields (run, sample, position, name, value, is_unsigned, text) VALUES (1, 0, 0, 'reason', 2, 0, 'NOT_SPECIFIED');
INSERT INTO trace_sample_fields (run, sample, position, name, value, is_unsigned, text) VALUES (1, 0, 1, 'location', 'tcp_v4_rcv+0x1c', 0, '');
INSERT INTO trace_stacks (id, run, position, event, count, frames) VALUES (1, 1, 0, 'skb:kfree_skb', 80, 'kfree_skb+0x10
hsr_handle+0x2c [hsr]');
INSERT INTO trace_stacks (id, run, position, event, count, frames) VALUES (2, 1, 1, 'skb:kfree_skb', 10, '');
INSERT INTO trace_drops (run, position, reason, location, count) VALUES (1, 0, 'NO_SOCKET', 'tcp_v4_rcv', 60);
INSERT INTO trace_drops (run, position, reason, location, count) VALUES (1, 1, 'NOT_SPECIFIED', 'ip_rcv', 30);
INSERT INTO trace_marks (run, position, time_ns, text, user) VALUES (1, 0, 0, 'release', 0);
INSERT INTO trace_marks (run, position, time_ns, text, user) VALUES (1, 1, 200000000, 'phase 2', 1);
INSERT INTO traffic (run, goodput_bytes, packets, packet_bytes, direction, device, netns) VALUES (1, 1000000, 80, 1005280, 'tx', 'hsr0', 'ring-a');
INSERT INTO functions (id, run, position, name, module, duplicate, hits, total_ns, self_ns, recorded_ns, interrupted_ns, off_cpu_ns, callees, interruptions, roots, interrupt_roots, min_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns, corrected_self_ns, histogram, slice_hits, slice_self_ns) VALUES (1, 1, 0, 'hsr_forward_skb', 'hsr', 0, 100, 600001, 600000, 600002, 3, 4, 5, 11, 6, 7, 8, 900, 10, 90, 99, 999, 500000, '[[8,99],[899,1]]', '[0,98,0,1]', '[0,599991,0,9]');
INSERT INTO functions (id, run, position, name, module, duplicate, hits, total_ns, self_ns, recorded_ns, interrupted_ns, off_cpu_ns, callees, interruptions, roots, interrupt_roots, min_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns, corrected_self_ns, histogram, slice_hits, slice_self_ns) VALUES (2, 1, 1, 'hsr_get_node', 'hsr', 2, 200, 300001, 300000, 300002, 3, 4, 5, 11, 6, 7, 8, 900, 10, 90, 99, 999, 250000, '[[8,199],[899,1]]', '[0,198,0,1]', '[0,299991,0,9]');
INSERT INTO functions (id, run, position, name, module, duplicate, hits, total_ns, self_ns, recorded_ns, interrupted_ns, off_cpu_ns, callees, interruptions, roots, interrupt_roots, min_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns, corrected_self_ns, histogram, slice_hits, slice_self_ns) VALUES (3, 1, 2, 'ip_rcv', '', 0, 50, 100001, 100000, 100002, 3, 4, 5, 11, 6, 7, 8, 900, 10, 90, 99, 999, NULL, '[]', '[]', '[]');
INSERT INTO call_edges (run, position, caller, callee, hits, total_ns) VALUES (1, 0, 0, 1, 150, 200000);
INSERT INTO call_edges (run, position, caller, callee, hits, total_ns) VALUES (1, 1, 2, 1, 50, 100000);
INSERT INTO call_nodes (run, position, parent, depth, function, in_interrupt, hits, total_ns, self_ns) VALUES (1, 0, NULL, 0, 0, 0, 99, 801000, 601000);
INSERT INTO call_nodes (run, position, parent, depth, function, in_interrupt, hits, total_ns, self_ns) VALUES (1, 1, 0, 1, 1, 0, 150, 202000, 201000);
INSERT INTO call_nodes (run, position, parent, depth, function, in_interrupt, hits, total_ns, self_ns) VALUES (1, 2, 1, 2, 0, 0, 1, 3000, 2000);
INSERT INTO call_nodes (run, position, parent, depth, function, in_interrupt, hits, total_ns, self_ns) VALUES (1, 3, NULL, 0, 2, 1, 50, 204000, 104000);
INSERT INTO call_nodes (run, position, parent, depth, function, in_interrupt, hits, total_ns, self_ns) VALUES (1, 4, 3, 1, 1, 0, 50, 106000, 105000);
INSERT INTO builds (run, position, module, release, build_id, srcversion) VALUES (1, 0, '', '6.12.117+deb13-amd64', '3f9c21d0', '');
INSERT INTO builds (run, position, module, release, build_id, srcversion) VALUES (1, 1, 'hsr', '', '71ab0c44', '0A1B2C');
INSERT INTO facts (fingerprint, fact_group, key, value) VALUES (1, 'kernel', 'release', '6.12.9');
INSERT INTO facts (fingerprint, fact_group, key, value) VALUES (1, 'sysctl:net.core.rmem_max', 'value', '212992');
INSERT INTO environment_unknown (run, position, clause) VALUES (1, 0, 'nic: veth0: no permission');
INSERT INTO counters (run, position, source, netns, name, delta, unit) VALUES (1, 0, 'cpu', '', 'busy', 9000000000, 'ns');
INSERT INTO counters (run, position, source, netns, name, delta, unit) VALUES (1, 1, 'snmp', 'left', 'TcpRetransSegs', 17, '');
INSERT INTO tcp_samples (run, position, time_us, local_port, remote_port, snd_cwnd, rtt_us, rttvar_us, retransmits, delivery_rate_bps, pacing_rate_bps) VALUES (1, 0, 500000, 41234, 5201, 10, 54, 8, 3, NULL, NULL);
INSERT INTO counters_unknown (run, position, clause) VALUES (1, 0, 'perf: not available here');
INSERT INTO stored_by_owner (owner_uid, stored_bytes) VALUES (0, 0);
INSERT INTO stored_by_owner (owner_uid, stored_bytes) VALUES (1000, 0);
INSERT INTO audit (id, first_us, last_us, count, uid, action, outcome, job, run, detail, digest) VALUES (1, 1750000000000000, 1750000000000000, 1, 1000, 'start', 'allowed', 1, NULL, '', 8390462561289338724);
INSERT INTO imported_files (run, position, name, size, modified_us, sha256) VALUES (3, 0, 'trace.dat', 815, 1750000000000000, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
INSERT INTO boots (job, number, block, letter, side, asked_us, settled_us, boot_id, kernel, failure) VALUES (3, 1, 1, 2, 'B', 1750000000000000, 1750000095000000, 'boot-7', '6.12.9', 'late');
INSERT INTO cpu_samples (run, rate, event, sees_interrupts_off, cpus, duration_ns, samples, idle, lost, throttled, unknown, cut, damaged, skipped, size, stacks) VALUES (4, 199, 'cycles', 1, 4, 5000000000, 3980, 1204, 7, 3, 11, 13, 2, 'no skip', 99, X'28B52FFD206319030001060106697065726633000000077463705F61636B00000004786D69740368737202030000000200000006000000070000000101E8070102AC020303140004000105000101B00B020006362E31322E3904616231320003687372000463643334024535');
INSERT INTO budgets (job, asked, predicted, window_s, failure) VALUES (3, 0.2, 0.17, 1.5, 'none really');
INSERT INTO budget_functions (job, position, function, calls, cost, traced) VALUES (3, 0, 'hsr_forward_skb', 812345, 0.31, 0);
INSERT INTO budget_functions (job, position, function, calls, cost, traced) VALUES (3, 1, 'hsr_get_node', 4711, 0.02, 1);
INSERT INTO latency_probes (run, position, name, protocol, rate, length, dscp, timestamps, clock_steps, foreign_packets) VALUES (1, 0, 'voice', 'tcp', 250.5, 901, 46, 'kernel', 902, 903);
INSERT INTO latency_spans (run, position, probe, phase, span, count, min_ns, mean_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns, histogram) VALUES (1, 0, 'voice', 'load', 'round-trip', 931, 932, 933, 934, 935, 936, 937, 938, '[[40,3],[300,928]]');
INSERT INTO latency_intervals (run, position, probe, phase, start_s, end_s, sent, missed, received, lost, min_ns, p50_ns, p99_ns, max_ns) VALUES (1, 0, 'voice', 'load', 1.75, 2.125, 941, 942, 943, 944, 945, 946, 947, 948);
INSERT INTO job_figures (job, position, figure, threshold) VALUES (3, 0, 'received', NULL);
INSERT INTO job_figures (job, position, figure, threshold) VALUES (3, 1, 'latency.p99', 0.05);
INSERT INTO queue_samples (run, position, time_us, device, netns, kind, handle, parent, backlog_bytes, backlog_packets, sent_bytes, sent_packets, drops, overlimits, requeues) VALUES (1, 0, 500000, 'wire', 'left', 'fq_codel', '8001:', 'root', 30280, 20, 9000000, 5945, 17, 2, 1);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'builds', 0, -3779177441541189449);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'call_edges', 0, 8213585949968523104);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'call_nodes', 0, 4284285410130709983);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'counters', 0, 3970122726859823534);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'counters_unknown', 0, -6517405325952246662);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'documents', 1, -1538685631032292857);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'documents', 2, 4990184791862858484);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'documents.content', 1, 1442165413610728509);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'documents.content', 2, 7573662993310642387);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'environment_unknown', 0, -6197285035451924086);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'environments', 0, 3742075337577311934);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'facts', 0, 1917022854434428695);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'fingerprints', 0, 3708243465672397356);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'flags', 0, 9134690890139416203);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'function_profiles', 0, -6917319358787188877);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'functions', 0, 4578364069680871408);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'functions.histogram', 0, -7146963730035247073);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'intervals', 0, -9097629726528053843);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'latency_intervals', 0, 3370942133650507518);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'latency_phases', 0, -4468908562476875819);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'latency_probes', 0, -6907271418441265697);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'latency_spans', 0, 7387625147396681102);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'latency_spans.histogram', 0, -7354204435081556751);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'queue_samples', 0, -1549768575853373880);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'run_figures', 0, -6737691320225178525);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'runs', 0, -1575607063847031335);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'streams', 0, -7211637505196434166);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'sums', 0, -8792990421084632192);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'tcp_samples', 0, 3487591584366081918);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_cpus', 0, -140951852318522137);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_drops', 0, 247658797831208039);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_events', 0, -1679915043411653203);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_marks', 0, 4983567974405209651);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_missing_functions', 0, 3698157419391932823);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_only_cpus', 0, -2302604389033580049);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_sample_fields', 0, -9154893747188739764);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_samples', 0, -9008637809902920618);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_slices', 0, 6261323733832892736);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'trace_stacks', 0, -7299934988192134611);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'traces', 0, -8211758803024372510);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (1, 'traffic', 0, -8951792184849528480);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (2, 'runs', 0, -1060034259225101036);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (3, 'imported_files', 0, 2223758136444899140);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (3, 'runs', 0, 4587502755752280588);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (3, 'traces', 0, -6513022511012316338);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'cpu_samples', 0, 4531227389431993036);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'documents', 3, -5742254036202206366);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'documents', 4, 5649463187707804478);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'documents.content', 3, 1442165413610728509);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'documents.content', 4, 7573662993310642387);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'flags', 0, -9164912756732663035);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'intervals', 0, 6939055759906569014);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'runs', 0, -8860627608352611842);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'streams', 0, 8023434581087553888);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (4, 'sums', 0, 3445390100976545694);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'documents', 5, -5903328990287046070);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'documents', 6, 3825776311278823077);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'documents.content', 5, 1442165413610728509);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'documents.content', 6, 7573662993310642387);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'flags', 0, -1680311050149266163);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'intervals', 0, 2786397862157106145);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'runs', 0, -1663962729526685585);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'streams', 0, -3179796332668703708);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (5, 'sums', 0, 3860022785046093312);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'documents', 7, -1922829478730081783);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'documents', 8, 3430314177239727639);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'documents.content', 7, 1442165413610728509);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'documents.content', 8, 7573662993310642387);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'flags', 0, -1993755296513563585);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'intervals', 0, -2750825176817012641);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'runs', 0, -3674874433941291111);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'streams', 0, -1151995990545058657);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (6, 'sums', 0, 1782799662870604980);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'documents', 10, 7331553352170257911);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'documents', 9, -585665456803418926);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'documents.content', 10, 7573662993310642387);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'documents.content', 9, 1442165413610728509);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'flags', 0, 6424651316293443553);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'intervals', 0, 151189373339917480);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'runs', 0, -6912535815188142277);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'streams', 0, -2395024051503621116);
INSERT INTO run_digests (run, part, chunk, digest) VALUES (7, 'sums', 0, 7402454757790640924);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (1, 'jobs', 0, -986100094030026249);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (2, 'jobs', 0, -3898232754197624781);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (3, 'boots', 0, -5956871192803032837);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (3, 'budget_functions', 0, -4850566673173402891);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (3, 'budgets', 0, -2956082583795672726);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (3, 'job_figures', 0, -2738923997929314664);
INSERT INTO job_digests (job, part, chunk, digest) VALUES (3, 'jobs', 0, -5333692715984427792);
INSERT INTO latency_phases (run, position, probe, phase, start_s, end_s, sent, missed, late_sends, max_send_delay_ns, received, lost, late, duplicates, reordered, jitter_ns) VALUES (1, 0, 'voice', 'load', 1.5, 2.25, 911, 912, 913, 914, 915, 916, 917, 918, 919, 920);
INSERT INTO run_figures (run, name, unit, better, value) VALUES (1, 'calls', 'per second', 'higher', 811.5);
INSERT INTO run_figures (run, name, unit, better, value) VALUES (1, 'delay.p99', '', 'lower', 0.25);
