-- Version 15: what the CPUs were doing during an untraced run, sampled at a fixed rate. docs/database.md is the guide.
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

-- One line for each sampled run.
CREATE VIEW cpu_sample_overview AS
SELECT s.run, j.name AS scenario, j.label, s.event, s.rate, s.cpus, round(s.duration_ns / 1e9, 3) AS seconds,
       s.samples, s.samples - s.idle AS busy, s.lost, s.throttled, s.unknown, s.skipped
  FROM cpu_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY s.run;
