-- Version 16: which functions the runs of a job trace, so that the tracer takes no more than a share of their CPU time,
-- the share that it took in each run, and jobs that confirm another one. docs/database.md is the guide.
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

-- Of the CPU time of the run; NULL: not known.
ALTER TABLE function_profiles ADD COLUMN tracer_share REAL;

-- The job whose suspected functions this one measures again.
ALTER TABLE jobs ADD COLUMN confirms INTEGER REFERENCES jobs (id) ON DELETE SET NULL;
CREATE INDEX jobs_by_confirmed ON jobs (confirms) WHERE confirms IS NOT NULL;

-- For people: one line a function.
CREATE VIEW budget_overview AS
SELECT b.job AS job, j.name AS scenario, j.label AS label, round(100 * b.asked, 1) AS asked_percent,
       round(100 * b.predicted, 1) AS predicted_percent, f.function AS function, f.calls AS calls, f.traced AS traced
  FROM budgets AS b
  JOIN jobs AS j ON j.id = b.job
  JOIN budget_functions AS f ON f.job = b.job
 ORDER BY b.job, f.position;
