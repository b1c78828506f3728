-- Version 22: the phase `ending` of a probe, between the end of iperf3's test and that of its processes. SQLite changes no
-- constraint of a table, so the table is made anew, and with it the view on it.

DROP VIEW latency_overview;
CREATE TEMP TABLE old_latency_phases AS SELECT * FROM latency_phases;
DROP TABLE latency_phases;

CREATE TABLE latency_phases (
  run                INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position           INTEGER NOT NULL,
  probe              TEXT NOT NULL,
  phase              TEXT NOT NULL CHECK (phase IN ('idle', 'omitted', 'load', 'ending', 'after')),
  start_s            REAL NOT NULL,
  end_s              REAL NOT NULL,
  sent               INTEGER NOT NULL,
  missed             INTEGER NOT NULL,  -- not sent, because the prober had no CPU or its socket no room
  late_sends         INTEGER NOT NULL,  -- of `sent`: over 1 ms after their time
  max_send_delay_ns  INTEGER NOT NULL,
  received           INTEGER NOT NULL,  -- answered in time, each counted once
  lost               INTEGER NOT NULL,  -- not answered in time
  late               INTEGER NOT NULL,  -- answers that came after the timeout: their requests are lost
  duplicates         INTEGER NOT NULL,
  reordered          INTEGER NOT NULL,  -- answered after a request that was sent later (RFC 4737)
  jitter_ns          INTEGER,           -- mean difference of the round trips of consecutive answers (RFC 3393)
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

INSERT INTO latency_phases SELECT * FROM old_latency_phases;
DROP TABLE old_latency_phases;

CREATE VIEW latency_overview AS
SELECT p.run AS run, j.name AS scenario, j.label AS label, p.probe AS probe, p.phase AS phase, p.sent AS sent,
       round(100.0 * p.lost / nullif(p.sent, 0), 3) AS lost_percent, p.missed AS missed,
       round(s.min_ns / 1e6, 4) AS min_ms, round(s.p50_ns / 1e6, 4) AS p50_ms, round(s.p90_ns / 1e6, 4) AS p90_ms,
       round(s.p99_ns / 1e6, 4) AS p99_ms, round(s.p999_ns / 1e6, 4) AS p999_ms, round(s.max_ns / 1e6, 4) AS max_ms,
       round(p.jitter_ns / 1e6, 4) AS jitter_ms
  FROM latency_phases AS p
  JOIN runs AS r ON r.id = p.run
  JOIN jobs AS j ON j.id = r.job
  LEFT JOIN latency_spans AS s
    ON s.run = p.run AND s.probe = p.probe AND s.phase = p.phase AND s.span = 'round-trip'
 ORDER BY p.run, p.position;
