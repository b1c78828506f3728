-- Version 4: the environment of each run, as facts in groups. docs/database.md is the guide.

-- One row for each set of facts that was met. Runs whose facts are all the same share it.
CREATE TABLE fingerprints (
  id      INTEGER PRIMARY KEY,
  digest  INTEGER NOT NULL          -- of its facts: to find it again; two sets may have the same
) STRICT;

CREATE INDEX fingerprints_by_digest ON fingerprints (digest);

CREATE TABLE facts (
  fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id) ON DELETE CASCADE,
  fact_group   TEXT NOT NULL,       -- kernel, module:NAME, sysctl:KEY, nic, cpu, irq, rps, xps, qdisc, clock, iperf3,
                                    -- topology or trace
  key          TEXT NOT NULL,
  value        TEXT NOT NULL,
  PRIMARY KEY (fingerprint, fact_group, key)
) STRICT, WITHOUT ROWID;

-- One row for each run whose environment was looked at.
CREATE TABLE environments (
  run          INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  fingerprint  INTEGER NOT NULL REFERENCES fingerprints (id),
  boot_id      TEXT NOT NULL        -- runs of one boot share it; empty where it is not known
) STRICT;

CREATE INDEX environments_by_fingerprint ON environments (fingerprint);
CREATE INDEX environments_by_boot_id ON environments (boot_id);

-- What could not be learnt of a run's environment, a clause each.
CREATE TABLE environment_unknown (
  run       INTEGER NOT NULL REFERENCES environments (run) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  clause    TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- Facts go with the last run that had them.
CREATE TRIGGER environments_after_delete AFTER DELETE ON environments
  WHEN NOT EXISTS (SELECT 1 FROM environments WHERE fingerprint = OLD.fingerprint)
BEGIN
  DELETE FROM fingerprints WHERE id = OLD.fingerprint;
END;

CREATE VIEW environment_overview AS
SELECT e.run, e.boot_id, f.fact_group, f.key, f.value
  FROM environments AS e
  JOIN facts AS f ON f.fingerprint = e.fingerprint
 ORDER BY e.run, f.fact_group, f.key;
