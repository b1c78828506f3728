# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the store of a daemon as large as years make it: copies of runs that the daemon itself has stored.

Each copy has all rows of its original, only of the counters a few, and differs in its figures, its place and its
times. So the rows are valid for every version of the schema, whatever columns it has.
"""

import pathlib
import sqlite3
import subprocess

TRACE = pathlib.Path(__file__).parent.parent / "data/trace-functions/6.12/large/trace.txt"
RUNS_OF_JOB = 8  # two blocks of ABBA
SCENARIOS, LABELS, BOOTS = 20, 400, 200
RARE_JOBS = 3  # the oldest ones, with the label "rare"
MINUTE_US = 60_000_000
# SQL of the number of a job, from 0, or of a run within it.
LABEL = f"CASE WHEN n < {RARE_JOBS} THEN 'rare' WHEN n % 3 = 0 THEN '' ELSE 'change-' || (n % {LABELS}) END"
DESIGNED = "n % 4 = 0"
STATE = "CASE WHEN n % 97 = 13 THEN 'failed' WHEN n % 211 = 17 THEN 'canceled' ELSE 'finished' END"
VARIED = {"sums": "received_bits_per_second", "functions": "self_ns", "counters": "delta"}
OF_PROFILE = ("traces", "trace_cpus", "trace_events", "function_profiles", "functions", "call_edges", "call_nodes", "builds")
FEW_COUNTERS = "AND (t.source IN ('cpu', 'nic') OR t.name = 'TcpRetransSegs')"


class Copier:
    def __init__(self, path):
        self.store = sqlite3.connect(path, isolation_level=None)
        for each in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", "cache_size = -200000", "temp_store = MEMORY"):
            self.store.execute(f"PRAGMA {each}")

    def one(self, sql):
        return self.store.execute(sql).fetchone()[0]

    def columns(self, table):
        return [row[1] for row in self.store.execute(f"PRAGMA table_info({table})")]

    def copy(self, table, rest, replaced):
        """Copies the rows of `table` that `rest` joins and selects; an `id` that nothing replaces is given anew."""
        names = [name for name in self.columns(table) if name != "id" or name in replaced]
        values = ", ".join(replaced.get(name, f"t.{name}") for name in names)
        self.store.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} t {rest}")

    def tables_of_runs(self):
        tables = [name for (name,) in self.store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                  if "run" in self.columns(name) and name not in ("audit", "run_digests")]
        # Parents come first, for whoever checks foreign keys meanwhile.
        return sorted(tables, key=lambda name: OF_PROFILE.index(name) if name in OF_PROFILE else -1)

    def numbers(self, name, count):
        self.store.execute(f"CREATE TEMP TABLE {name} AS WITH RECURSIVE i (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i "
                           f"WHERE n + 1 < {count}) SELECT n FROM i")

    def copy_jobs(self, original, first, count, profiled):
        self.numbers("new_jobs", count)
        self.copy("jobs", f"CROSS JOIN new_jobs WHERE t.id = {original}", {
            "id": f"{first} + n", "name": f"'scenario-' || (n % {SCENARIOS})", "label": LABEL, "repeat": str(RUNS_OF_JOB),
            "created_us": f"t.created_us - ({count} - n) * {MINUTE_US}", "purpose": "iif(n % 101 = 7, 'pilot', 'measurement')",
            "seed": f"iif({DESIGNED}, '7', NULL)", "variant_a": f"iif({DESIGNED}, 'old', NULL)",
            "variant_b": f"iif({DESIGNED}, 'new', NULL)", "plain": f"iif({DESIGNED} AND {int(profiled)}, 1, 0)"})

    def copy_runs(self, original, first_job, first, count, profiled):
        self.numbers("new_runs", count)
        job, place = f"(n / {RUNS_OF_JOB})", f"(n % {RUNS_OF_JOB})"
        designed = DESIGNED.replace("n", job)
        start = f"t.started_us - ({count} - n) * {MINUTE_US} / {RUNS_OF_JOB}"
        self.copy("runs", f"CROSS JOIN new_runs WHERE t.id = {original}", {
            "id": f"{first} + n", "job": f"{first_job} + {job}", "idx": f"{place} + 1", "state": STATE,
            "error": f"iif({STATE} = 'failed', 'the server did not answer', '')",
            "started_us": start, "ended_us": f"{start} + t.ended_us - t.started_us", "traced": str(int(profiled)),
            "block": f"iif({designed}, {place} / 4 + 1, NULL)", "letter": f"iif({designed}, {place} % 4 + 1, NULL)",
            "variant": f"iif({designed}, substr('ABBA', {place} % 4 + 1, 1), NULL)"})

    def copy_environments(self, run):
        """A set of facts for each boot; returns the number of the first one."""
        (facts,) = self.store.execute(f"SELECT fingerprint FROM environments WHERE run = {run}").fetchone()
        first = self.one("SELECT max(id) + 1 FROM fingerprints")
        self.numbers("boots_seen", BOOTS)
        self.copy("fingerprints", f"CROSS JOIN boots_seen WHERE t.id = {facts}", {"id": f"{first} + n", "digest": f"{first} + n"})
        self.copy("facts", f"CROSS JOIN boots_seen WHERE t.fingerprint = {facts}", {
            "fingerprint": f"{first} + n", "value": "iif(t.fact_group = 'kernel' AND t.key = 'release', t.value || '-' || n, t.value)"})
        return first

    def copy_parts(self, original, profile, first, count):
        facts = self.copy_environments(original)
        replaced = {"run": f"{first} + n"}
        for table in self.tables_of_runs():
            changed = dict(replaced)
            if table in VARIED:
                figure = VARIED[table]
                changed[figure] = f"CAST(t.{figure} * (1 + (n * 7919 % 1000) / 1e5) AS {self.type_of(table, figure)})"
            if table == "environments":
                boot = f"(n * {BOOTS} / {count})"
                changed |= {"fingerprint": f"{facts} + {boot}", "boot_id": f"'boot-' || {boot}"}
            source = profile if table in OF_PROFILE else original
            if source is None:
                continue
            some = FEW_COUNTERS if table == "counters" else ""
            # The order of the numbers is that of the key, so that the file grows at its end.
            self.copy(table, f"CROSS JOIN new_runs WHERE t.run = {source} {some} ORDER BY n", changed)

    def type_of(self, table, column):
        return next(row[2] for row in self.store.execute(f"PRAGMA table_info({table})") if row[1] == column)

    def count_bytes(self, first_job, first_run):
        """What the triggers do while the daemon stores runs."""
        pages = self.one("PRAGMA page_count") * self.one("PRAGMA page_size")
        each = pages // max(1, self.one("SELECT count(*) FROM runs"))
        self.store.execute(f"UPDATE stored_by_owner SET stored_bytes = {pages}")
        self.store.execute("DROP TABLE new_jobs")
        self.store.execute("DROP TABLE new_runs")
        return each

    def close(self):
        self.store.execute("PRAGMA journal_mode = WAL")
        self.store.close()


def multiply(build, path, original, profile, count):
    """Adds `count` copies of the finished run `original`, if wanted with the function profile of the run `profile`, in jobs
    of eight runs. No daemon may have the store open. Returns the number of the first copy."""
    copier = Copier(path)
    first_job, first = copier.one("SELECT max(id) + 1 FROM jobs"), copier.one("SELECT max(id) + 1 FROM runs")
    (job,) = copier.store.execute(f"SELECT job FROM runs WHERE id = {original}").fetchone()
    copier.store.execute("BEGIN")
    copier.copy_jobs(job, first_job, -(-count // RUNS_OF_JOB), profile is not None)
    copier.copy_runs(original, first_job, first, count, profile is not None)
    copier.copy_parts(original, profile, first, count)
    copier.count_bytes(first_job, first)
    copier.store.execute("COMMIT")
    copier.close()
    subprocess.run([build / "tests" / "bench" / "add_digests", path], check=True)
    return first


def problems(path):
    """What SQLite finds wrong in the store: an empty list, if the copies are valid."""
    store = sqlite3.connect(path)
    found = [row for row in store.execute("PRAGMA quick_check") if row != ("ok",)]
    found += store.execute("PRAGMA foreign_key_check").fetchall()
    store.close()
    return found
