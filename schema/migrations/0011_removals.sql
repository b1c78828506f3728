-- Version 11: the rules of `keep` remove a job with all of its runs, in steps.

-- 1: a rule has decided that the run's job goes. All runs of the job are marked at once, which hides them from
-- netperfd's callers, and then removed one by one; the next daemon goes on with what is left.
ALTER TABLE runs ADD COLUMN removing INTEGER NOT NULL DEFAULT 0 CHECK (removing IN (0, 1));
CREATE INDEX runs_being_removed ON runs (id) WHERE removing = 1;
