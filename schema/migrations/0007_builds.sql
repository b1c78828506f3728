-- Version 7: the build that a run measured, where its side has several: a word of the scenario's `builds`.
ALTER TABLE runs ADD COLUMN build TEXT;
