-- Version 6: designs. How the runs of a job are ordered so that its sides can be compared, and why the job was asked
-- for.
--
-- NULL in a column of a design says that the job has none, or none with variants. docs/database.md is the guide.

ALTER TABLE jobs ADD COLUMN purpose TEXT NOT NULL DEFAULT 'measurement'
  CHECK (purpose IN ('measurement', 'pilot', 'selftest'));
-- Of every job with a design: what its order was drawn from. Digits, since it may be more than an INTEGER holds.
ALTER TABLE jobs ADD COLUMN seed TEXT;
-- Names of the sides.
ALTER TABLE jobs ADD COLUMN variant_a TEXT;
ALTER TABLE jobs ADD COLUMN variant_b TEXT CHECK ((variant_a IS NULL) = (variant_b IS NULL));
-- Whether plain runs were asked for beside the traced ones.
ALTER TABLE jobs ADD COLUMN plain INTEGER NOT NULL DEFAULT 0 CHECK (plain IN (0, 1));
-- Groups of facts that the sides are meant to differ in, a line each; empty: not declared.
ALTER TABLE jobs ADD COLUMN changed TEXT NOT NULL DEFAULT '';

-- Pilots and self-tests are few, and found without a walk over all measurements.
CREATE INDEX jobs_by_purpose ON jobs (purpose, name);
CREATE INDEX jobs_with_variants ON jobs (id) WHERE variant_a IS NOT NULL;

-- The place of a run in its job's design, from 1: the block, and the letter within it.
ALTER TABLE runs ADD COLUMN block INTEGER CHECK (block > 0);
ALTER TABLE runs ADD COLUMN letter INTEGER CHECK ((block IS NULL) = (letter IS NULL));
-- Which of the job's sides; NULL without variants.
ALTER TABLE runs ADD COLUMN variant TEXT CHECK (variant IN ('A', 'B'));
-- Whether the job's trace was to be applied; 0: a plain run.
ALTER TABLE runs ADD COLUMN traced INTEGER NOT NULL DEFAULT 0 CHECK (traced IN (0, 1));

-- Until now a job's trace was meant for all of its runs, whichever of them came as far as to have one.
UPDATE runs SET traced = 1
 WHERE job IN (SELECT runs.job FROM traces JOIN runs ON runs.id = traces.run);

-- For people: one line a run. Figures are those of the first direction, and of the trace that was made.
DROP VIEW run_overview;
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
