-- Version 17: what reading a trace took. docs/database.md is the guide.

-- CPU time of netperfd to read and decode the records while tracing was on; NULL: not known.
ALTER TABLE traces ADD COLUMN reading_ns INTEGER;
