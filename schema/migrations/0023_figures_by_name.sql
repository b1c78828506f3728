-- Version 23: figures of a run by name, and workloads of any kind. docs/database.md is the guide.

-- A new kind of workload needs no migration any more: the column takes any word, and netperfd shows one that it does not
-- know as it is. SQLite has no statement that drops a constraint. No stored row depends on this one, so its text alone is
-- taken out of the schema (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes"): no job is written
-- anew, whatever the store's size.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (workload IN (''iperf3'', ''latency'', ''none'', ''import''))', '')
 WHERE type = 'table' AND name = 'jobs';
PRAGMA writable_schema = RESET;  -- off, and this connection reads the schema again

-- What a workload or a scenario measured beside the figures that netperfd knows.
CREATE TABLE run_figures (
  run     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  name    TEXT NOT NULL,
  unit    TEXT NOT NULL,     -- empty: a number without a unit
  better  TEXT NOT NULL CHECK (better IN ('higher', 'lower')),
  value   REAL NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
