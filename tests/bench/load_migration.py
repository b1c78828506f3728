# SPDX-License-Identifier: GPL-2.0-or-later
"""What the newest migration takes from a large store: time and bytes."""

import os
import pathlib
import sqlite3
import time

import big_store
import load_answers

MIGRATIONS = pathlib.Path(__file__).parent.parent.parent / "schema/migrations"


def pages(path):
    store = sqlite3.connect(path)
    counted = tuple(store.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_size", "page_count", "freelist_count", "user_version"))
    store.close()
    return counted


def statements_alone(path, migration):
    """Seconds that the statements take, and that the check of references takes after them. Nothing is kept."""
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA foreign_keys = OFF")
    begin = time.monotonic()
    store.executescript(f"BEGIN IMMEDIATE; {migration.read_text()}")
    done = time.monotonic()
    store.execute("SELECT count(*) FROM pragma_foreign_key_check").fetchone()
    checked = time.monotonic()
    store.execute("ROLLBACK")
    store.close()
    return done - begin, checked - done


def timed_start(netperfd):
    begin = time.monotonic()
    netperfd.start()
    netperfd.wait_for_start(600)
    return time.monotonic() - begin


def measure(netperfd):
    """Of the store of a daemon that runs, and does so again afterwards. Returns the free pages after the migration."""
    netperfd.stop()
    database = netperfd.directory / "netperfd.db"
    big_store.undo_newest(database)
    size, before, free, version = pages(database)
    newest = sorted(MIGRATIONS.glob("*.sql"))[-1]
    own, references = statements_alone(database, newest)
    seconds = timed_start(netperfd)
    netperfd.stop()
    _, after, free_after, now = pages(database)
    copy = os.stat(f"{database}.before-v{now}").st_size
    again = timed_start(netperfd)
    print(f"migration {version} to {now} ({newest.name}) of {before * size / 2**20:,.0f} MiB:\n"
          f"  its statements {1e3 * own:.1f} ms, the check of references {references:.2f} s\n"
          f"  start of the daemon with it {seconds:.2f} s, without {again:.2f} s; the copy before it has {copy / 2**20:,.0f} MiB\n"
          f"  the file grew by {(after - before) * size} bytes; free pages {free} before, {free_after} after", flush=True)
    return free_after


def migration(netperfd, count):
    load_answers.fill(netperfd, count, True)
    measure(netperfd)
