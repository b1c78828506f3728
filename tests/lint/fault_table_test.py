#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each row of the table of faults in docs/database.md names a test, and each test that it names exists.

usage: fault_table_test.py TOP     TOP: the top of the tree
"""

import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(sys.argv.pop(1))


def rows():
    text = (TOP / "docs" / "database.md").read_text(encoding="utf-8")
    section = text.split("\n## Faults of the disk\n", 1)[1].split("\n## ", 1)[0]
    table = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1:]]


def tests():
    """Suite.name of every GoogleTest, fixtures and parameters included."""
    found = set()
    for path in (TOP / "tests").rglob("*.cpp"):
        text = path.read_text(encoding="utf-8")
        found |= {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.MULTILINE)}
    return found


class FaultTable(unittest.TestCase):
    def test_names_tests_that_exist(self):
        known = tests()
        self.assertGreater(len(rows()), 20)
        for fault, _, named in rows():
            names = re.findall(r"`(\w+\.\w+)`", named)
            self.assertTrue(names, f"no test for: {fault}")
            for name in names:
                self.assertIn(name, known, fault)
            for path in re.findall(r"`(tests/[\w/]+)`", named):
                self.assertTrue((TOP / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
