-- Version 25: the point of a sweep that a run measured. docs/database.md is the guide.

-- From 1, in the order of the sweep; NULL: the job has none.
ALTER TABLE runs ADD COLUMN point INTEGER CHECK (point > 0);
-- The values there: "streams=4, length=512".
ALTER TABLE runs ADD COLUMN point_name TEXT CHECK ((point IS NULL) = (point_name IS NULL));
