-- Version 5: what the kernel counted while a run went on. docs/database.md is the guide.

-- One row for each counter of a run: after minus before. Of those that did not move only a few are here.
CREATE TABLE counters (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,      -- by source, netns and name
  source    TEXT NOT NULL,         -- snmp, netstat, snmp6, softnet, softirqs, interrupts, cpu, nic, ethtool, perf
  netns     TEXT NOT NULL,         -- empty: the host's own, or a counter of the whole machine
  name      TEXT NOT NULL,         -- the kernel's own words: TcpRetransSegs, cpu0 NET_RX, veth0 tx_packets
  delta     INTEGER NOT NULL,
  unit      TEXT NOT NULL,         -- empty: a number; ns, bytes
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX counters_by_name ON counters (name);

-- TCP_INFO of one of the client's connections at one moment.
CREATE TABLE tcp_samples (
  run                INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position           INTEGER NOT NULL,  -- by time
  time_us            INTEGER NOT NULL,  -- since the release
  local_port         INTEGER NOT NULL,
  remote_port        INTEGER NOT NULL,
  snd_cwnd           INTEGER NOT NULL,  -- segments, other than in intervals
  rtt_us             INTEGER NOT NULL,
  rttvar_us          INTEGER NOT NULL,
  retransmits        INTEGER NOT NULL,  -- of the connection, so far
  delivery_rate_bps  INTEGER,           -- bits per second
  pacing_rate_bps    INTEGER,           -- NULL too where nothing limits it
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- What could not be read, a clause a row.
CREATE TABLE counters_unknown (
  run       INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  clause    TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- One line a counter, with its rate.
CREATE VIEW counter_overview AS
SELECT c.run, j.name AS scenario, j.label, c.source, c.netns, c.name, c.delta, c.unit,
       iif(r.ended_us > r.started_us, round(c.delta * 1e6 / (r.ended_us - r.started_us), 3), NULL) AS per_second
  FROM counters AS c
  JOIN runs AS r ON r.id = c.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY c.run, c.position;

-- One line a sample, in the units of interval_overview.
CREATE VIEW tcp_overview AS
SELECT s.run, j.name AS scenario, j.label, s.time_us / 1e6 AS time_s, s.local_port, s.remote_port, s.snd_cwnd,
       s.rtt_us / 1e3 AS rtt_ms, s.retransmits, round(s.delivery_rate_bps / 1e6, 3) AS delivery_mbit_s,
       round(s.pacing_rate_bps / 1e6, 3) AS pacing_mbit_s
  FROM tcp_samples AS s
  JOIN runs AS r ON r.id = s.run
  JOIN jobs AS j ON j.id = r.job
 ORDER BY s.run, s.position;
