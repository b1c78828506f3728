#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The stores that tests/bench/load makes are valid, and what it asks of them has answers: with a small one.

usage: load_test.py NETPERFD NETPERFCTL ADD_DIGESTS    (root)
"""

import os
import pathlib
import sqlite3
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import big_store  # noqa: E402
import bus  # noqa: E402
import load_answers  # noqa: E402
from own_daemon import Netperfd  # noqa: E402

COUNT = 1200
PROGRAMS = []


class SmallStore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(dir="/dev/shm")
        directory = pathlib.Path(cls.directory.name)
        for name, program in zip(("daemon/netperfd", "client/netperfctl", "tests/bench/add_digests"), PROGRAMS):
            (directory / name).parent.mkdir(parents=True)
            os.symlink(program, directory / name)
        cls.netperfd = Netperfd(directory, directory)
        cls.netperfd.wait_for_start(30)
        cls.original, cls.profile = load_answers.make_original(cls.netperfd, True)
        cls.netperfd.stop()
        cls.database = directory / "netperfd.db"
        cls.first = big_store.multiply(directory, cls.database, cls.original, cls.profile, COUNT)
        cls.problems = big_store.problems(cls.database)
        cls.rows = cls.count_rows()
        cls.netperfd.start()
        cls.netperfd.wait_for_start(30)

    @classmethod
    def tearDownClass(cls):
        cls.netperfd.end()
        cls.directory.cleanup()

    @classmethod
    def count_rows(cls):
        """Rows of the original and of the last copy, by table."""
        store = sqlite3.connect(cls.database)
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                  if "run" in [row[1] for row in store.execute(f"PRAGMA table_info({name})")] and name not in ("audit", "run_digests")]
        rows = {}
        for table in tables:
            source = cls.profile if table in big_store.OF_PROFILE else cls.original
            rows[table] = [store.execute(f"SELECT count(*) FROM {table} WHERE run = {run}").fetchone()[0]
                           for run in (source, cls.first + COUNT - 1)]
        store.close()
        return rows

    def test_sqlite_finds_nothing_wrong_in_it(self):
        self.assertEqual(self.problems, [])

    def test_a_copy_has_all_rows_of_its_original_but_for_counters(self):
        counters = self.rows.pop("counters")
        self.assertGreater(counters[1], 5)
        self.assertLess(counters[1], counters[0])
        self.assertTrue(all(self.rows[table][0] > 0 for table in ("sums", "functions", "environments", "documents")))
        for table, (of_original, of_copy) in self.rows.items():
            self.assertEqual(of_original, of_copy, table)

    def test_calls_of_the_bench_have_answers(self):
        connection = bus.Connection(str(self.netperfd.directory / "bus"))
        for name, (calls, is_process) in load_answers.calls(self.first, COUNT, True).items():
            if is_process and name not in ("ListRuns, oldest label", "Compare, 24 : 24"):  # each one takes its time
                continue
            with self.subTest(name):
                self.assertTrue(connection.call(calls[0])[0])
        connection.close()


if __name__ == "__main__":
    PROGRAMS = [str(pathlib.Path(path).resolve()) for path in sys.argv[1:4]]
    unittest.main(argv=sys.argv[:1], verbosity=2, warnings="ignore")
