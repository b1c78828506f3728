#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nobody but a workload's own folder, its pages and the tables of workloads names it: the daemon asks its traits, the client
its page.
usage: workloads_test.py SOURCE_TREE"""
import pathlib
import re
import sys
import unittest

TREE = pathlib.Path(sys.argv.pop())
TABLES = ("daemon/workload/job/table.cpp", "daemon/workload/workloads.cpp")
PAGES = "client/pages/workload/"

# `spec.workload.name == ...`, in either order, a name given for traits, and an enumeration of workloads.
COMPARES = re.compile(r"workload_?(?:\.name)?\)?\s*[!=]=(?!\s*nullptr)|[!=]=\s*[\w.>()-]*\bworkload_?(?:\.name\b|\s*[;)&|?{])")
CHOOSES = re.compile(r'\btraits_of\(\s*"|\bparts?\("|\b(?:traits|workload)_?\.name\s*[!=]=\s*"(?:%s)"')
ENUMERATES = re.compile(r"\bWorkload(?:Kind|Type|ByKind)\b")


def names():
    return sorted(path.parent.name for path in TREE.glob("daemon/workload/*/job"))


def sources():
    own = (PAGES, *(f"daemon/workload/{name}/" for name in names()))
    for folder in ("client", "daemon", "dbus", "manual"):
        for path in sorted((TREE / folder).rglob("*")):
            name = str(path.relative_to(TREE))
            if path.suffix in (".cpp", ".hpp") and not name.startswith(own) and name not in TABLES:
                yield name, path.read_text()


def naming(texts, known):
    chooses = re.compile(CHOOSES.pattern % "|".join(known))
    includes = re.compile(r'#include "daemon/workload/(?:%s)/(?:job/|workload\.hpp)' % "|".join(known))
    found = []
    for path, text in texts:
        for line in text.splitlines():
            code = line if line.startswith("#include") else re.sub(r"//.*", "", line)
            if any(rule.search(code) for rule in (COMPARES, chooses, ENUMERATES, includes)):
                found.append(f"{path}: {line.strip()}")
    return found


class Workloads(unittest.TestCase):
    def test_nobody_else_names_one(self):
        texts = list(sources())
        self.assertGreater(len(texts), 500)
        self.assertEqual(naming(texts, names()), [])

    def test_the_tables_have_each_folder(self):
        self.assertTrue({"iperf3", "latency", "none"} <= set(names()))
        for table in TABLES:
            text = (TREE / table).read_text()
            for name in names():
                self.assertIn(f'"daemon/workload/{name}/', text, table)
        pages = (TREE / PAGES / "table.cpp").read_text()
        for name in names():
            self.assertTrue((TREE / PAGES / f"{name}.cpp").exists(), name)
            self.assertIn(f'{{"{name}", ', pages)

    def test_who_names_one_is_found(self):
        for line in ('if (spec.workload.name == "none") return;', 'if (spec.workload == other.workload) return;',
                     'if ("none" == spec_.workload.name) return;', 'spec.workload = traits_of("iperf3");',
                     'if (traits.name != "latency") return;', "enum class WorkloadKind {",
                     'if (run.workload != "none") return;', '#include "daemon/workload/iperf3/job/part.hpp"'):
            self.assertEqual(len(naming([("a", line)], ["iperf3", "latency", "none"])), 1, line)
        for line in ("spec.workload = workload::traits_of(word);", "if (workload != nullptr) return;",
                     "// if (spec.workload.name == word)", 'row.workload = "none";'):
            self.assertEqual(naming([("a", line)], ["iperf3", "latency", "none"]), [], line)


if __name__ == "__main__":
    unittest.main()
