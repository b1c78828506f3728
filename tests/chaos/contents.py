# SPDX-License-Identifier: GPL-2.0-or-later
"""What the users saw: figures, documents, notes, labels, backups and bundles. It must be the same, or whole, at the end."""

import collections
import contextlib
import dataclasses
import hashlib
import json
import pathlib
import sqlite3
import threading

MOST_DOCUMENTS = 8  # are read again at the end
MOST_FILES = 2      # backups and bundles of each user are kept


@dataclasses.dataclass
class Backup:
    path: pathlib.Path
    runs: set           # those that had finished before it began


@dataclasses.dataclass
class Bundle:
    path: pathlib.Path
    job: int
    figures: collections.Counter


def figure_of(row):
    """None: the run has none, or not yet."""
    return row.get("received_bits_per_second") if row["state"] == "finished" else None


def figures_of(rows):
    return collections.Counter(figure for row in rows if (figure := figure_of(row)) is not None)


def rows_of(out):
    return json.loads(out)["runs"]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def newest(files):
    """The files that are kept; the others are removed."""
    for old in files[:-MOST_FILES]:
        old.path.unlink(missing_ok=True)
    return files[-MOST_FILES:]


class Contents:
    def __init__(self):
        self.figures = {}     # run -> received bits per second, as first told
        self.documents = {}   # (run, name) -> digest, as first told
        self.notes = {}       # run -> texts, of which one must be stored: the last one is unknown if its answer was lost
        self.labels = {}      # job -> likewise
        self.backups = []
        self.bundles = collections.defaultdict(list)  # user -> bundles
        self.lock = threading.Lock()

    # ---- While the users work ----------------------------------------------------------------------------------------
    def look(self, rows):
        """What differs from what was told before."""
        told = []
        with self.lock:
            for row in rows:
                figure = figure_of(row)
                if figure is not None and self.figures.setdefault(row["run"], figure) != figure:
                    told.append(f"figure: run {row['run']} received {self.figures[row['run']]} bit/s, and now it is {figure}")
        return told

    def read_document(self, run, name, text):
        with self.lock:
            if self.documents.setdefault((run, name), digest(text)) != digest(text):
                return [f"document: {name} of run {run} is not what it was: {text[:200]!r}"]
        return []

    def set_text(self, texts, number, before, text, outcome):
        """Of a note or a label: `outcome` is accepted, unknown or refused."""
        with self.lock:
            if outcome == "accepted":
                texts[number] = {text}
            elif outcome == "unknown":
                texts[number] = texts.get(number, {before}) | {text}

    def add_backup(self, backup):
        with self.lock:
            self.backups = newest([*self.backups, backup])

    def add_bundle(self, user, bundle):
        with self.lock:
            self.bundles[user] = newest([*self.bundles[user], bundle])

    # ---- The end -----------------------------------------------------------------------------------------------------
    def check_told(self, site, deleted):
        """Asks the daemon once more."""
        code, out, err = site.ctl("root", "runs", "--all", "-o", "json")
        if code != 0:
            return [f"figure: runs cannot be listed: {err}"]
        rows = rows_of(out)
        told = self.look(rows)
        now = {row["run"] for row in rows if figure_of(row) is not None}
        told += [f"figure: of run {run} is gone" for run in self.figures if run not in now | deleted]
        kept = [key for key in self.documents if key[0] not in deleted]
        for run, name in kept[-MOST_DOCUMENTS:]:
            code, out, err = site.ctl("root", "show", run, "--document", name)
            told += self.read_document(run, name, out) if code == 0 else [f"document: {name} of run {run} cannot be read: {err.strip()}"]
        return told

    def check_texts(self, rows):
        told = []
        for row in rows:
            notes = self.notes.get(row.run, {""})
            if row.note not in notes:
                told.append(f"note: run {row.run} has {row.note!r}, and the last that was accepted is {sorted(notes)}")
            if row.job in self.labels and row.label not in self.labels[row.job]:
                told.append(f"label: job {row.job} has {row.label!r}, and the last that was accepted is {sorted(self.labels[row.job])}")
        return told

    def check_backups(self, deleted):
        told = []
        for backup in self.backups:
            try:
                with contextlib.closing(sqlite3.connect(f"file:{backup.path}?mode=ro", uri=True)) as store:
                    told += [f"backup: integrity_check: {line}" for (line,) in store.execute("PRAGMA integrity_check") if line != "ok"]
                    stored = {run for (run,) in store.execute("SELECT id FROM runs WHERE state = 'finished'")}
                    told += [f"backup: run {run} had finished and is not in it" for run in sorted(backup.runs - stored - deleted)]
            except sqlite3.DatabaseError as error:
                told.append(f"backup: cannot be read: {error}")
        return told

    def check_elsewhere(self, site, deleted):
        """Another netperfd has the last backup as its store, and takes in the bundles."""
        backup = self.backups[-1] if self.backups else None
        try:
            with site.other_daemon(backup and backup.path):
                told = self.check_backup_elsewhere(site, backup.runs - deleted) if backup else []
                for bundle in [each for own in self.bundles.values() for each in own]:
                    told += self.check_bundle_elsewhere(site, bundle)
                return told
        except RuntimeError as error:
            return [f"backup: netperfd does not start with it: {error}"]

    def check_backup_elsewhere(self, site, expected):
        code, out, err = site.ctl("root", "db", "check")
        told = [f"backup: db check ends with {code}: {err}{out}"] if code != 0 else []
        code, out, err = site.ctl("root", "runs", "--all", "-o", "json")
        if code != 0:
            return told + [f"backup: its runs cannot be listed: {err}"]
        rows = {row["run"]: row for row in rows_of(out)}
        for run in sorted(expected):
            if run not in rows or figure_of(rows[run]) != self.figures.get(run, figure_of(rows[run])):
                told.append(f"backup: run {run} received {self.figures.get(run)} bit/s, and there it is {rows.get(run)}")
        return told

    def check_bundle_elsewhere(self, site, bundle):
        code, out, err = site.ctl("root", "import", bundle.path, "-o", "json")
        if code != 0 and "is stored already" in err:
            return []  # another bundle of the job, which was taken
        if code != 0:
            return [f"bundle: of job {bundle.job} is not taken: {err.strip()}"]
        first = {row["run"] for row in rows_of(out)}  # of each job
        code, out, err = site.ctl("root", "runs", "--all", "-o", "json")
        rows = rows_of(out) if code == 0 else []
        jobs = {row["job"] for row in rows if row["run"] in first}
        shown = figures_of(row for row in rows if row["job"] in jobs)
        if shown != bundle.figures:
            return [f"bundle: of job {bundle.job} received {dict(bundle.figures)} bit/s, and elsewhere it is {shown}"]
        return []
