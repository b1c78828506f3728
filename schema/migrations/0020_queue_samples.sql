-- Version 20: how full the queues of a run's devices were. docs/database.md is the guide.

-- A queueing discipline of a device that the run's packets leave by, at one moment.
CREATE TABLE queue_samples (
  run              INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position         INTEGER NOT NULL,  -- by time
  time_us          INTEGER NOT NULL,  -- since the release
  device           TEXT NOT NULL,
  netns            TEXT NOT NULL,     -- empty: the host's own
  kind             TEXT NOT NULL,     -- fq_codel, pfifo_fast, tbf
  handle           TEXT NOT NULL,     -- as tc writes it: 1:
  parent           TEXT NOT NULL,     -- root, or the class of another one: 1:1
  backlog_bytes    INTEGER NOT NULL,
  backlog_packets  INTEGER NOT NULL,
  sent_bytes       INTEGER NOT NULL,  -- this to requeues: since the release
  sent_packets     INTEGER NOT NULL,
  drops            INTEGER NOT NULL,
  overlimits       INTEGER NOT NULL,
  requeues         INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- One line a sample of a device's root, which counts what its children hold.
CREATE VIEW queue_overview AS
SELECT s.run, j.name AS scenario, j.label, s.time_us / 1e6 AS time_s, s.device, s.netns, s.kind,
       round(s.backlog_bytes / 1e3, 3) AS backlog_kb, s.backlog_packets, s.drops
  FROM queue_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 WHERE s.parent = 'root'
 ORDER BY s.run, s.position;
