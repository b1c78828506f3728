-- Version 19: the figures that a comparison of a job judges, if its scenario declares them. docs/database.md is the
-- guide.
CREATE TABLE job_figures (
  job        INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  position   INTEGER NOT NULL,                                    -- 0 is the primary
  figure     TEXT NOT NULL,                                       -- by its name, as in scenarios
  threshold  REAL CHECK (threshold > 0 AND threshold < 1),        -- a share; NULL: that of the comparison
  PRIMARY KEY (job, position),
  UNIQUE (job, figure)
) STRICT, WITHOUT ROWID;
