-- Version 14: the reboots of designs that reboot the machine, and jobs that are held before their next one.
-- docs/database.md is the guide.
CREATE TABLE boots (
  job         INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  number      INTEGER NOT NULL CHECK (number > 0),  -- of the job's reboots, from 1
  block       INTEGER CHECK (block > 0),            -- NULL, like the letter: the way back to the original side
  letter      INTEGER CHECK ((block IS NULL) = (letter IS NULL)),
  side        TEXT NOT NULL CHECK (side IN ('A', 'B')),  -- that the reboot was meant for
  asked_us    INTEGER NOT NULL,
  settled_us  INTEGER,               -- when the machine was ready for a run; NULL: it was not
  boot_id     TEXT NOT NULL,         -- of the boot that came; empty: none is known
  kernel      TEXT NOT NULL,         -- its release
  failure     TEXT NOT NULL,         -- why it was not on its side; empty: it was, or has not come yet
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;

-- 1: somebody wants no reboot for now.
ALTER TABLE jobs ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1));

-- For people: one line a boot.
CREATE VIEW boot_overview AS
SELECT boots.job AS job,
       boots.number AS number,
       jobs.name AS scenario,
       boots.block AS block,
       CASE boots.side WHEN 'A' THEN jobs.variant_a WHEN 'B' THEN jobs.variant_b END AS variant,
       nullif(boots.kernel, '') AS kernel,
       strftime('%Y-%m-%d %H:%M:%S', boots.asked_us / 1000000, 'unixepoch', 'localtime') AS asked,
       round((boots.settled_us - boots.asked_us) / 1e6, 1) AS seconds,
       nullif(boots.failure, '') AS failure
  FROM boots
  JOIN jobs ON jobs.id = boots.job;
