-- The schema of version 25, with which the first release begins. docs/database.md is the guide.
--
-- Names and units of iperf3's figures are its own. NULL is a figure that nobody knows; it is never stored as 0.
-- Columns ending in _us are microseconds: of time since 1970 UTC, or of CPU time. Times of a trace end in _ns and count
-- from the release of the client, negative before it; elsewhere, _ns are durations. Times ending in _s count from the
-- release too. No column holds a kernel address.
--
-- Large values would spoil the tree of a table without a rowid. So tables with such values have a number of their own;
-- in all others, the rows of a run lie side by side in their order, and no second tree repeats the key.
--
-- Views are for people.

-- ---- Jobs and runs ----------------------------------------------------------------------------------------

CREATE TABLE jobs (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,  -- AUTOINCREMENT: the number of a deleted job is never given again
  created_us    INTEGER NOT NULL,
  owner_uid     INTEGER NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT NOT NULL,
  label         TEXT NOT NULL,
  repeat        INTEGER NOT NULL,
  workload      TEXT NOT NULL,     -- any word: netperfd shows one that it does not know as it is
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
  seed          TEXT,              -- this to changed are a design's. What its order was drawn from: digits, since it may
                                   -- be more than an INTEGER holds
  variant_a     TEXT,              -- names of the sides
  variant_b     TEXT CHECK ((variant_a IS NULL) = (variant_b IS NULL)),
  plain         INTEGER NOT NULL DEFAULT 0 CHECK (plain IN (0, 1)),  -- whether plain runs were asked beside traced ones
  changed       TEXT NOT NULL DEFAULT '',  -- groups of facts that the sides are meant to differ in, a line each
  tied          INTEGER NOT NULL DEFAULT 0 CHECK (tied IN (0, 1)),  -- 1: it ends with its caller's connection, and so
                                   -- does not survive a restart of the daemon
  stored_bytes  INTEGER NOT NULL DEFAULT 0,  -- by how many bytes storing it made the database grow. Whole pages, so a
                                   -- small record may count 0 and the next one a page; the sum is right
  held          INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),  -- 1: somebody wants no reboot for now
  confirms      INTEGER REFERENCES jobs (id) ON DELETE SET NULL  -- the job whose suspected functions it measures again
) STRICT;

CREATE TABLE runs (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  job                 INTEGER NOT NULL REFERENCES jobs (id),
  idx                 INTEGER NOT NULL,              -- 1 to the job's repeat
  state               TEXT NOT NULL CHECK (state IN ('pending', 'preparing', 'running', 'collecting',
                                                     'finished', 'failed', 'canceled', 'interrupted')),
  error               TEXT NOT NULL DEFAULT '',
  started_us          INTEGER,                       -- when the client was released
  ended_us            INTEGER,                       -- when the client was seen to have ended
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
  client_system_us    INTEGER,
  block               INTEGER CHECK (block > 0),     -- this and letter: the place in the job's design, from 1
  letter              INTEGER CHECK ((block IS NULL) = (letter IS NULL)),
  variant             TEXT CHECK (variant IN ('A', 'B')),  -- which of the job's sides; NULL without variants
  traced              INTEGER NOT NULL DEFAULT 0 CHECK (traced IN (0, 1)),  -- whether the job's trace was to be
                                                     -- applied; 0: a plain run
  build               TEXT,                          -- that it measured, where its side has several: a word of the
                                                     -- scenario's `builds`
  stored_bytes        INTEGER NOT NULL DEFAULT 0,    -- as in jobs, of the record
  removing            INTEGER NOT NULL DEFAULT 0 CHECK (removing IN (0, 1)),  -- 1: a rule has decided that the job
                                                     -- goes. All of its runs are marked at once, which hides them, and
                                                     -- then removed one by one, also by the next daemon
  note                TEXT NOT NULL DEFAULT '',      -- which its owner may write and change after the run has ended
  point               INTEGER CHECK (point > 0),     -- of a sweep, from 1 in its order; NULL: the job has none
  point_name          TEXT CHECK ((point IS NULL) = (point_name IS NULL))  -- the values there: streams=4, length=512
) STRICT;

-- The figures of a run that a workload or a scenario brings, by name.
CREATE TABLE run_figures (
  run     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  unit    TEXT NOT NULL,     -- empty: a number without a unit
  better  TEXT NOT NULL CHECK (better IN ('higher', 'lower')),
  value   REAL NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

-- The figures that a comparison of the job judges, if its scenario declares them.
CREATE TABLE job_figures (
  job        INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  position   INTEGER NOT NULL,                                    -- 0 is the primary
  figure     TEXT NOT NULL,                                       -- by its name, as in scenarios
  threshold  REAL CHECK (threshold > 0 AND threshold < 1),        -- a share; NULL: that of the comparison
  PRIMARY KEY (job, position),
  UNIQUE (job, figure)
) STRICT, WITHOUT ROWID;

-- A reboot of a design that reboots the machine.
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

-- Which functions the runs of a job trace, so that the tracer takes no more than a share of their CPU time.
CREATE TABLE budgets (
  job        INTEGER PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  asked      REAL NOT NULL CHECK (asked > 0 AND asked <= 1),
  predicted  REAL,     -- share of the functions that are traced; NULL: calls were not counted
  window_s   REAL,     -- in which they were counted, on each side
  failure    TEXT      -- why they were not counted: all functions are traced
) STRICT;

-- The functions that were called while calls were counted: those left out first, then the most calls first.
CREATE TABLE budget_functions (
  job       INTEGER NOT NULL REFERENCES budgets (job) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  function  TEXT NOT NULL,     -- with the clones that the compiler made of it
  calls     INTEGER NOT NULL,
  cost      REAL NOT NULL,     -- of tracing it, as a share of the CPU time without the tracer
  traced    INTEGER NOT NULL CHECK (traced IN (0, 1)),
  PRIMARY KEY (job, position)
) STRICT, WITHOUT ROWID;

-- ---- What iperf3 measured ---------------------------------------------------------------------------------

-- One row for each direction, over all its streams.
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

-- One row for each stream: the columns of sums, and the stream.
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

-- A run may have hundreds of thousands of these.
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

-- ---- What belongs to a run of any workload ----------------------------------------------------------------

-- Damage to a measurement, or a choice that a reader must know of: docs/quality-flags.md.
CREATE TABLE flags (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  code      TEXT NOT NULL,
  message   TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What the workload wrote, byte for byte.
CREATE TABLE documents (
  id       INTEGER PRIMARY KEY,
  run      INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name     TEXT NOT NULL,                            -- client.stdout, client.stderr, server.stdout, server.stderr
  size     INTEGER NOT NULL,                         -- uncompressed
  content  BLOB NOT NULL,                            -- one zstd frame
  UNIQUE (run, name)
) STRICT;

-- The files that an imported run came from.
CREATE TABLE imported_files (
  run          INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position     INTEGER NOT NULL,   -- from 0: its bytes, if they were kept, are the document import.1
  name         TEXT NOT NULL,      -- without its directories
  size         INTEGER NOT NULL,   -- bytes
  modified_us  INTEGER,            -- when it was last written; NULL: unknown
  sha256       TEXT NOT NULL,      -- of the bytes, in hexadecimal digits; empty: unknown
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What the figures of a function profile are divided by, of runs for which any of it is known. Unlike sums, it covers
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

-- ---- Traces -----------------------------------------------------------------------------------------------

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
  lost             INTEGER NOT NULL,                 -- records over all CPUs that nobody decoded
  recording_left_out  INTEGER NOT NULL DEFAULT 0,    -- bytes of raw sub-buffers that found no room in trace.dat
  reading_ns       INTEGER                           -- CPU time of netperfd to read and decode the records while
                                                     -- tracing was on; NULL: not known
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

-- Whole events: the first and the last few of each name.
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

-- ---- Functions --------------------------------------------------------------------------------------------

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
  calibration_entry_ns   REAL,                       -- what the tracer adds to a call, measured before the run
  calibration_callee_ns  REAL,                       -- what it adds to the caller, or to what an interrupt came over
  calibration_calls      INTEGER,                    -- that these are the median of; NULL: there is no calibration
  not_calibrated         TEXT NOT NULL,              -- why not
  calibration_entry_error_ns   REAL,                 -- this and the next: standard errors, from the spread of the
  calibration_callee_error_ns  REAL,                 -- measurement's rounds; NULL: not known
  tracer_share           REAL                        -- of the CPU time of the run; NULL: not known
) STRICT;

-- A traced function that was called. Its total time is without what interrupts took of it and without the time its
-- task was off the CPU; its self time is that without the traced functions it called. Times are NULL where
-- function_profiles.timed is 0.
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
  interrupted_ns     INTEGER,                        -- traced functions of interrupts took it; over the calls of total_ns
  off_cpu_ns         INTEGER,                        -- asleep or preempted, also in callees; over the calls of total_ns
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

-- What the CPUs were doing during an untraced run, sampled at a fixed rate.
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

-- ---- The environment and the counters ---------------------------------------------------------------------

-- One row for each set of facts that was met. Runs whose facts are all the same share it.
CREATE TABLE fingerprints (
  id      INTEGER PRIMARY KEY,
  digest  INTEGER NOT NULL          -- of its facts: to find it again; two sets may have the same
) STRICT;

CREATE TABLE facts (
  fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id) ON DELETE CASCADE,
  fact_group   TEXT NOT NULL,       -- kernel, module:NAME, sysctl:KEY, nic, cpu, irq, rps, xps, qdisc, clock, iperf3,
                                    -- topology or trace
  key          TEXT NOT NULL,
  value        TEXT NOT NULL,
  PRIMARY KEY (fingerprint, fact_group, key)
) STRICT, WITHOUT ROWID;

-- One row for each run whose environment was looked at.
CREATE TABLE environments (
  run          INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id),
  boot_id      TEXT NOT NULL        -- runs of one boot share it; empty where it is not known
) STRICT;

-- What could not be learnt of a run's environment, a clause each.
CREATE TABLE environment_unknown (
  run       INTEGER NOT NULL REFERENCES environments (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  clause    TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- One row for each counter of a run: after minus before. Of those that did not move only a few are here.
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

-- What could not be read, a clause a row.
CREATE TABLE counters_unknown (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  clause    TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- TCP_INFO of one of the client's connections at one moment.
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

-- A queueing discipline of a device that the run's packets leave by, at one moment.
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

-- ---- Latency ----------------------------------------------------------------------------------------------

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
  clock_steps      INTEGER NOT NULL, -- how often the wall clock was set while a request was on its way
  foreign_packets  INTEGER NOT NULL, -- packets that were no answer to any request
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What became of the requests of a probe in each phase. A request belongs to the phase in which it was sent.
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
  p999_ns    INTEGER,
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

-- ---- The store itself -------------------------------------------------------------------------------------

-- The sum of jobs.stored_bytes and runs.stored_bytes for each owner; triggers keep it.
CREATE TABLE stored_by_owner (
  owner_uid     INTEGER PRIMARY KEY,
  stored_bytes  INTEGER NOT NULL
) STRICT;

-- What somebody asked of netperfd, or what it did by itself.
CREATE TABLE audit (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  first_us  INTEGER NOT NULL,
  last_us   INTEGER NOT NULL,        -- of the last one of `count` like it
  count     INTEGER NOT NULL,
  uid       INTEGER,                 -- NULL: netperfd itself, or a caller who had left
  action    TEXT NOT NULL,           -- start, stop, delete, import, mark: docs/database.md has all
  outcome   TEXT NOT NULL CHECK (outcome IN ('allowed', 'refused', 'failed')),
  job       INTEGER,                 -- this and run: no references, for they outlive what they name
  run       INTEGER,
  detail    TEXT NOT NULL,           -- why, or of what; of the last one
  digest    INTEGER                  -- of the other columns
) STRICT;

-- Digests of the rows of one table that belong to a run, by which netperfd notices bytes that have changed on the disk.
-- Rows that have a place in a list are taken 32 at a time, and each document alone; long columns have digests of their
-- own.
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

-- ---- Indexes ----------------------------------------------------------------------------------------------

CREATE INDEX jobs_by_name ON jobs (name);
CREATE INDEX jobs_by_label ON jobs (label);
CREATE INDEX jobs_by_created_us ON jobs (created_us);
-- Pilots and self-tests are few, and found without a walk over all measurements.
CREATE INDEX jobs_by_purpose ON jobs (purpose, name);
CREATE INDEX jobs_with_variants ON jobs (id) WHERE variant_a IS NOT NULL;
CREATE INDEX jobs_by_confirmed ON jobs (confirms) WHERE confirms IS NOT NULL;
CREATE INDEX jobs_by_owner ON jobs (owner_uid);
CREATE INDEX jobs_by_name_and_label ON jobs (name, label);

CREATE INDEX runs_by_job ON runs (job);
CREATE INDEX runs_by_state ON runs (state);
-- For the running time of the last day.
CREATE INDEX runs_by_ended_us ON runs (ended_us) WHERE ended_us IS NOT NULL;
CREATE INDEX runs_being_removed ON runs (id) WHERE removing = 1;
-- A list that finds nothing looks at no row.
CREATE INDEX runs_by_traced ON runs (traced);
CREATE INDEX runs_by_traced_and_state ON runs (traced, state);

-- For the question whether a file was imported before.
CREATE INDEX imported_files_by_sha256 ON imported_files (sha256);
CREATE INDEX fingerprints_by_digest ON fingerprints (digest);
CREATE INDEX environments_by_fingerprint ON environments (fingerprint);
CREATE INDEX environments_by_boot_id ON environments (boot_id);
CREATE INDEX counters_by_name ON counters (name);
CREATE INDEX audit_by_uid ON audit (uid, id);
CREATE INDEX audit_by_outcome ON audit (outcome, id);

-- ---- Views ------------------------------------------------------------------------------------------------

-- One line for each run. Figures are those of the first direction, and of the trace that was made.
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

-- One line for each interval, in iperf3's order.
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

-- One line for each trace.
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

-- One line for each event of a run, and when it was most frequent.
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

-- One line for each time slice of an event; slices without the event have none.
CREATE VIEW slice_overview AS
SELECT trace_slices.run AS run,
       trace_events.name AS event,
       round(trace_slices.slice * traces.slice_width_ns / 1e9, 3) AS start_s,
       trace_slices.count AS count
  FROM trace_slices
  JOIN trace_events ON trace_events.run = trace_slices.run AND trace_events.position = trace_slices.event_position
  JOIN traces ON traces.run = trace_slices.run
 ORDER BY trace_slices.run, trace_slices.event_position, trace_slices.slice;

-- One line for each event that was kept whole, its fields as name=value.
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

-- One line for each reason and place of dropped packets.
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

-- One line for each function of a run. What is told of a call, a byte and a share is of the self time, without the
-- tracer's own cost where that is known.
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

-- One line for each path of calls, indented below its caller.
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

-- One line for each pair of caller and callee.
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

-- One line for each function that was counted for a budget.
CREATE VIEW budget_overview AS
SELECT b.job AS job, j.name AS scenario, j.label AS label, round(100 * b.asked, 1) AS asked_percent,
       round(100 * b.predicted, 1) AS predicted_percent, f.function AS function, f.calls AS calls, f.traced AS traced
  FROM budgets AS b
  JOIN jobs AS j ON j.id = b.job
  JOIN budget_functions AS f ON f.job = b.job
 ORDER BY b.job, f.position;

CREATE VIEW environment_overview AS
SELECT e.run, e.boot_id, f.fact_group, f.key, f.value
  FROM environments AS e
  JOIN facts AS f ON f.fingerprint = e.fingerprint
 ORDER BY e.run, f.fact_group, f.key;

-- One line for each counter, with its rate.
CREATE VIEW counter_overview AS
SELECT c.run, j.name AS scenario, j.label, c.source, c.netns, c.name, c.delta, c.unit,
       iif(r.ended_us > r.started_us, round(c.delta * 1e6 / (r.ended_us - r.started_us), 3), NULL) AS per_second
  FROM counters AS c
  JOIN runs AS r ON r.id = c.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY c.run, c.position;

-- One line for each sample, in the units of interval_overview.
CREATE VIEW tcp_overview AS
SELECT s.run, j.name AS scenario, j.label, s.time_us / 1e6 AS time_s, s.local_port, s.remote_port, s.snd_cwnd,
       s.rtt_us / 1e3 AS rtt_ms, s.retransmits, round(s.delivery_rate_bps / 1e6, 3) AS delivery_mbit_s,
       round(s.pacing_rate_bps / 1e6, 3) AS pacing_mbit_s
  FROM tcp_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY s.run, s.position;

-- One line for each sample of a device's root, which counts what its children hold.
CREATE VIEW queue_overview AS
SELECT s.run, j.name AS scenario, j.label, s.time_us / 1e6 AS time_s, s.device, s.netns, s.kind,
       round(s.backlog_bytes / 1e3, 3) AS backlog_kb, s.backlog_packets, s.drops
  FROM queue_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 WHERE s.parent = 'root'
 ORDER BY s.run, s.position;

-- One line for each probe and phase, in milliseconds.
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

-- One line for each sampled run.
CREATE VIEW cpu_sample_overview AS
SELECT s.run, j.name AS scenario, j.label, s.event, s.rate, s.cpus, round(s.duration_ns / 1e9, 3) AS seconds,
       s.samples, s.samples - s.idle AS busy, s.lost, s.throttled, s.unknown, s.skipped
  FROM cpu_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY s.run;

-- One line for each boot.
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

-- One line for each entry, in the order of their first moment.
CREATE VIEW audit_overview AS
SELECT strftime('%Y-%m-%d %H:%M:%S', first_us / 1000000, 'unixepoch', 'localtime') AS time,
       ifnull(uid, 'netperfd') AS user, action, outcome, count, job, run, nullif(detail, '') AS detail
  FROM audit
 ORDER BY id;

-- ---- Triggers ---------------------------------------------------------------------------------------------

-- Facts go with the last run that had them.
CREATE TRIGGER environments_after_delete AFTER DELETE ON environments
  WHEN NOT EXISTS (SELECT 1 FROM environments WHERE fingerprint = OLD.fingerprint)
BEGIN
  DELETE FROM fingerprints WHERE id = OLD.fingerprint;
END;

-- These keep stored_by_owner.
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
