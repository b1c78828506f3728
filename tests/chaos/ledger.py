# SPDX-License-Identifier: GPL-2.0-or-later
"""What the clients were told, and whether the store accounts for each job and run exactly once at the end.

The ledger knows nothing from the store. A job is known by its label, which only one attempt to start one has, and the
executions of iperf3 by their port, which only one attempt has too."""

import collections
import dataclasses
import json
import sqlite3
import threading

import contents

OPEN = {"pending", "preparing", "running", "collecting"}
FOREVER = 1e9
POLITE = ("limits.user", "try again")  # in refusals that need no fault: of whom has much already, and of who comes in a crowd
STOPS_WITHIN = 10.0  # seconds after the answer, in which a daemon that dies forgets the stop
MAY_RUN_AGAIN = {"disk-dies"}  # docs/database.md: a power failure may undo that a run has begun


@dataclasses.dataclass
class Attempt:
    """To start a job, or to import a file."""
    user: str
    uid: int
    template: str
    label: str
    repeat: int
    each: int                # runs for each `repeat`
    port: int
    begun: float
    answered: float = FOREVER
    outcome: str = "unknown"  # or accepted, or refused; unknown: the answer was lost
    job: int = 0
    runs: list = dataclasses.field(default_factory=list)
    refusal: str = ""
    tied: bool = False
    told_end: int = -1       # exit code of a client that followed it to its end
    stops: list = dataclasses.field(default_factory=list)    # (begun, answered, exit code)
    deleted: dict = dataclasses.field(default_factory=dict)  # run -> deleted or unknown

    def was_stopped(self):
        return self.tied or any(code != 4 for _, _, code in self.stops)


@dataclasses.dataclass
class Row:
    """A run of the store."""
    run: int
    job: int
    index: int
    state: str
    error: str
    label: str
    owner: int
    repeat: int
    note: str


@dataclasses.dataclass
class Happened:
    """A fault, as long as it may have an effect."""
    begin: float
    end: float
    kind: object


def key_of(label):
    """The label that the attempt began with: its user gives the job others, such as root-7.1."""
    return (label or "").split(".")[0]


def runs_of_import(out):
    return [row["run"] for row in json.loads(out)["runs"]]


def read_store(path):
    """(rows, what is wrong with the file itself)."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        wrong = [f"integrity_check: {line}" for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"]
        wrong += [f"foreign_key_check: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
        rows = [Row(*row) for row in connection.execute(
            "SELECT runs.id, jobs.id, idx, state, error, label, owner_uid, repeat, note FROM runs LEFT JOIN jobs ON jobs.id = job "
            "ORDER BY runs.id")]
        wrong += [f"job {job} has no runs" for (job,) in connection.execute("SELECT id FROM jobs WHERE id NOT IN (SELECT job FROM runs)")]
        return rows, wrong
    except sqlite3.DatabaseError as error:
        return [], [f"the store cannot be read: {error}"]
    finally:
        connection.close()


def read_executions(path, begin=0.0):
    """Port -> when a client was executed with it, in seconds since `begin`."""
    found = collections.defaultdict(list)
    for line in path.read_text(errors="replace").splitlines():
        words = line.split()
        if len(words) > 2 and words[1] == "client" and "--port" in words:
            found[int(words[words.index("--port") + 1])].append(float(words[0]) - begin)
    return found


class Ledger:
    def __init__(self, strict=False, late=lambda: 0.0):
        self.late = late         # by how many seconds a busy host may have delayed the effect of a fault
        self.strict = strict     # only faults happen that excuse no end, and no user stops a job
        self.contents = contents.Contents()
        self.attempts = []
        self.happened = []       # of class Happened
        self.announced = collections.defaultdict(list)  # run -> [(time, state)] of RunEnded
        self.heard = threading.Condition()  # of another end
        self.told_deleted = set()
        self.wrongs = []         # what the clients found
        self.lock = threading.Lock()

    def add(self, attempt):
        with self.lock:
            self.attempts.append(attempt)

    def wrong(self, text):
        with self.lock:
            if text not in self.wrongs:
                self.wrongs.append(text)

    # ---- What explains an end ----------------------------------------------------------------------------------------
    def explains(self, state, begin, end):
        return any(state in each.kind.allows and each.begin <= end and each.end + self.late() >= begin for each in self.happened)

    def met(self, names, begin=0.0, end=FOREVER):
        return any(each.kind.name in names and each.begin <= end and each.end >= begin for each in self.happened)

    def disk_refused(self, at):
        """Whether an end of this time may not have been stored at once."""
        return any(each.kind.resource == "disk" and each.begin <= at + 1 and each.end + self.late() >= at - 5 for each in self.happened)

    def ended_before(self, moment):
        """The end of the last run that was executed and ended before the moment: runs are executed one at a time. One that was canceled may
        never have begun."""
        return max((at for ends in self.announced.values() for at, state in ends if at < moment - 0.001 and state != "canceled"), default=0.0)

    def finished_before(self, moment):
        return {run for run, ends in self.announced.items() if ends[-1][0] < moment and ends[-1][1] == "finished"}

    def deleted(self):
        """Also those that may be."""
        return {run for attempt in self.attempts for run in attempt.deleted}

    # ---- The accounts ------------------------------------------------------------------------------------------------
    def check(self, rows, executions):
        told = list(self.wrongs)
        by_label = collections.defaultdict(list)
        for row in rows:
            by_label[key_of(row.label)].append(row)
        known = {attempt.label: attempt for attempt in self.attempts}
        told += [f"job {rows[0].job} of label {label!r}, uid {rows[0].owner}: nobody asked for it"
                 for label, rows in by_label.items() if label not in known]
        for run, count in collections.Counter(row.run for row in rows).items():
            if count > 1:
                told.append(f"run {run} is stored {count} times")
        for attempt in self.attempts:
            told += [f"{attempt.label} ({attempt.template}, {attempt.outcome}): {text}"
                     for text in self.check_attempt(attempt, by_label.get(attempt.label, []), executions)]
        told += self.check_announcements({row.run: row for row in rows})
        told += self.contents.check_texts(rows) + self.contents.check_backups(self.deleted())
        return told

    def check_attempt(self, attempt, rows, executions):
        told = []
        jobs = sorted({row.job for row in rows})
        if len(jobs) > 1:
            return [f"one start made the jobs {jobs}"]
        if attempt.outcome == "refused":
            told = [f"was refused ({attempt.refusal[:200]}), but is job {jobs[0]}"] if jobs else []
            if self.strict and attempt.user != "nobody" and not any(words in attempt.refusal for words in POLITE):
                told.append(f"was refused without a fault: {attempt.refusal[:200]}")
            return told
        if attempt.outcome == "accepted":
            told += self.check_accepted(attempt, rows)
        elif rows and len(rows) != attempt.repeat * attempt.each and not attempt.deleted:
            told.append(f"job {jobs[0]} has {len(rows)} runs instead of {attempt.repeat * attempt.each}")
        indexes = [row.index for row in rows]
        if len(set(indexes)) != len(indexes):
            told.append(f"job {jobs[0]} has a run twice: {indexes}")
        for row in rows:
            if row.owner != attempt.uid:
                told.append(f"run {row.run} belongs to uid {row.owner}")
            told += self.check_end(attempt, row)
        told += self.check_told_end(attempt, rows)
        told += self.check_executions(attempt, rows, executions)
        return told

    def check_accepted(self, attempt, rows):
        told = []
        if attempt.template != "import" and len(attempt.runs) != attempt.repeat * attempt.each:
            told.append(f"job {attempt.job} was accepted with the runs {attempt.runs}")
        stored = {row.run for row in rows}
        for run in attempt.runs:
            deleted = attempt.deleted.get(run)
            if run not in stored and not deleted:
                told.append(f"run {run} is lost")
            if run in stored and deleted == "deleted":
                told.append(f"run {run} was deleted and is there")
        if extra := stored - set(attempt.runs):
            told.append(f"has runs that were not announced: {sorted(extra)}")
        if attempt.job and any(row.job != attempt.job for row in rows):
            told.append(f"was job {attempt.job} and is job {rows[0].job}")
        return told

    def check_end(self, attempt, row):
        name = f"run {row.run}"
        if row.state in OPEN:
            return [f"{name} is still {row.state}"]
        if row.state == "finished":
            return [f"{name} finished, although there is no server"] if attempt.template == "absent" else []
        if self.strict and attempt.tied and row.state == "canceled":
            return []
        if self.strict:
            return [f"{name} is {row.state}, and no fault excuses that: {row.error[:300]}"]
        told = [] if row.error else [f"{name} is {row.state} without a reason"]
        if attempt.template == "absent" and row.state == "failed":
            return told
        ends = [at for at, _ in self.announced.get(row.run, [])]
        begin, end = attempt.begun, (ends[-1] if ends else FOREVER)
        if row.state == "failed":
            begin = max(begin, self.ended_before(end) - 0.5) if ends else begin
        stopped = row.state in ("canceled", "failed") and attempt.was_stopped()
        if not stopped and not (attempt.tied and row.state == "interrupted") and not self.explains(row.state, begin, end):
            told.append(f"{name} is {row.state}, which no fault from {begin:.1f} to {min(end, 9999):.1f} s explains: {row.error[:300]}")
        return told

    def check_told_end(self, attempt, rows):
        """What the client that followed the job said by its exit code."""
        states = {row.state for row in rows}
        wrong = {0: states - {"finished"}, 7: states and states <= {"finished"}, 10: states and "canceled" not in states}
        if attempt.told_end in wrong and wrong[attempt.told_end] and not attempt.deleted:
            return [f"its client ended with {attempt.told_end}, and its runs are {sorted(states)}"]
        return []

    def check_executions(self, attempt, rows, executions):
        count = len(executions.get(attempt.port, []))
        finished = sum(row.state == "finished" for row in rows)
        if attempt.template in ("probes", "watch", "import"):
            return []
        if count < finished:
            return [f"{finished} runs finished, but iperf3 was executed {count} times"]
        if count > attempt.repeat * attempt.each and not self.met(MAY_RUN_AGAIN, attempt.begun):
            return [f"{attempt.repeat * attempt.each} runs, but iperf3 was executed {count} times"]
        if attempt.outcome == "refused" and count:
            return [f"was refused, but iperf3 was executed {count} times"]
        last = max(executions.get(attempt.port, []), default=0.0)
        return [f"was stopped at {end:.1f} s, and iperf3 was executed at {last:.1f} s" for begin, end, code in attempt.stops
                if code == 0 and last > end + STOPS_WITHIN + self.late() and not self.explains("interrupted", begin, end + STOPS_WITHIN)]

    def check_announcements(self, rows):
        told = []
        # The bus and the watcher may be gone when a run ends, but not for most of them.
        heard = sum(run in self.announced for run in rows)
        if len(rows) >= 10 and heard < len(rows) / 2:
            told.append(f"the ends of {heard} of {len(rows)} runs were announced")
        for run, ends in self.announced.items():
            if len(ends) > 1 and not self.explains("interrupted", ends[0][0] - 1, ends[-1][0]):
                told.append(f"the end of run {run} was announced {len(ends)} times: {ends}")
            row = rows.get(run)
            at, state = ends[-1]
            # docs/database.md: netperfd keeps an end that the disk refuses, and forgets it if it is killed.
            refused = state in ("failed", "canceled") and self.disk_refused(at)
            if row and row.state != state and not refused:
                told.append(f"run {run} was announced as {state} at {at:.1f} s and is {row.state}: {row.error[:200]}")
        return told
