-- Version 12: a line of text about a run, which its owner may write and change after the run has ended.
ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';
