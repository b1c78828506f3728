#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The public API only grows: whatever dbus/api.txt lists is in the tree as it is listed there, whatever the tree has is
listed, and no commit takes a line out of the list. dbus/*.xml names every key of every row that a method gives.

usage: api_lock_test.py API_ROWS TOP [--print]     --print: the list as the tree has it now

API_ROWS is the program of api_rows.cpp, TOP the top of the tree. A line of the list is one of

    method INTERFACE.NAME(argument type, ...) -> (argument type, ...)
    signal INTERFACE.NAME(argument type, ...)
    property INTERFACE.NAME type
    option METHOD.KEY type                        of an a{sv} that callers give
    row ROW.KEY type presence csv-header          a key of a row, on the bus as in JSON
    json DEFINITION.KEY                           a key of netperfctl's JSON documents
    error NAME                                    of an error on the bus
    exit NUMBER NAME                              an exit code of netperfctl
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

ROWS_PROGRAM, TOP = sys.argv[1], pathlib.Path(sys.argv[2])
LOCK = TOP / "dbus" / "api.txt"
INTERFACES = ("Manager", "Job")


def arguments(element, direction):
    return ", ".join(f"{argument.get('name')} {argument.get('type')}" for argument in element.findall("arg")
                     if argument.get("direction", "out") == direction)


def interface_lines():
    for name in INTERFACES:
        root = ElementTree.parse(TOP / "dbus" / f"org.netperfd1.{name}.xml").getroot()
        for interface in root.findall("interface"):
            for element in interface:
                full = f"{interface.get('name')}.{element.get('name')}"
                if element.tag == "method":
                    yield f"method {full}({arguments(element, 'in')}) -> ({arguments(element, 'out')})"
                elif element.tag == "signal":
                    yield f"signal {full}({arguments(element, 'out')})"
                elif element.tag == "property":
                    yield f"property {full} {element.get('type')}"


def option_lines():
    """The tables of keys that daemon/bus/options/options.cpp and filter_options.cpp check callers' dictionaries against."""
    text = "".join((TOP / "daemon" / "bus" / "options" / name).read_text(encoding="utf-8") for name in ("options.cpp", "filter_options.cpp"))
    for table, entries in re.findall(r"std::array<Key, \d+> k(\w+)\{\{(.*?)\}\};", text, re.DOTALL):
        for key, signature in re.findall(r'\{"([^"]+)", "([^"]+)"', entries):
            yield f"option {table}.{key} {signature}"


def of_rows(*words):
    return subprocess.run([ROWS_PROGRAM, *words], check=True, capture_output=True, text=True).stdout.splitlines()


def row_lines():
    return [f"row {line}" for line in of_rows()]


def json_lines():
    schema = json.loads((TOP / "schema" / "netperfctl-1.schema.json").read_text(encoding="utf-8"))
    for name, definition in schema["$defs"].items():
        for key in definition.get("properties", {}):
            yield f"json {name}.{key}"


def error_lines():
    text = (TOP / "dbus" / "names.hpp").read_text(encoding="utf-8")
    return [f"error {name}" for name in re.findall(r'"(\S+\.Error\.\w+)"', text)]


def exit_lines():
    text = (TOP / "client" / "base" / "outcome.hpp").read_text(encoding="utf-8")
    body = re.search(r"enum class Exit : int \{(.*?)\};", text, re.DOTALL).group(1)
    return [f"exit {number} {name}" for name, number in re.findall(r"(\w+) = (\d+),", body)]


def api():
    return [*interface_lines(), *option_lines(), *row_lines(), *json_lines(), *error_lines(), *exit_lines()]


def documented(element_name, argument):
    """The text that the XML has about an argument of a method, or about a property."""
    for name in INTERFACES:
        text = (TOP / "dbus" / f"org.netperfd1.{name}.xml").read_text(encoding="utf-8")
        for comment in re.findall(r"<!--(.*?)-->", text, re.DOTALL):
            if not comment.strip().startswith(element_name + ":"):
                continue
            if argument is None:
                return comment
            found = re.search(rf"^\s*@{argument}:(.*?)(?=^\s*@\w+:|^\s*$|\Z)", comment, re.DOTALL | re.MULTILINE)
            return found.group(1) if found else ""
    return ""


class ApiLock(unittest.TestCase):
    maxDiff = None

    def test_the_tree_has_what_is_locked_and_nothing_else(self):
        locked = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        there = api()
        self.assertGreater(len(there), 500)
        self.assertEqual([line for line in locked if line not in set(there)], [], "locked, but changed or gone")
        self.assertEqual([line for line in there if line not in set(locked)], [], "new: add these lines to dbus/api.txt")

    def test_no_commit_took_a_line_out(self):
        def git(*words):
            return subprocess.run(["git", "-C", TOP, *words], capture_output=True, text=True)

        log = git("log", "--format=", "--numstat", "--", "dbus/api.txt")
        if log.returncode:
            self.skipTest("this is no checkout of git")
        changes = [line.split() for line in (log.stdout + git("diff", "--numstat", "HEAD", "--", "dbus/api.txt").stdout).splitlines()]
        self.assertEqual([line for line in changes if line and line[1] != "0"], [], "lines added, lines taken out")

    def test_the_xml_names_every_key_of_every_row(self):
        rows = {}
        for line in row_lines():
            if line.startswith("row (client)"):
                continue
            row, key = line.split()[1].split(".")
            rows.setdefault(row, set()).add(key)
        self.assertGreater(len(rows), 50)
        places_of = {row: places for row, *places in map(str.split, of_rows("--places"))}
        self.assertEqual(set(rows), set(places_of))
        for row, places in places_of.items():
            words = set()
            for place in places:
                element, _, argument = place.partition(".")
                words |= set(re.findall(r"`(\w+)`", documented(element, argument or None)))
            with self.subTest(row):
                self.assertEqual(rows[row] - words, set(), "not in the XML")


if __name__ == "__main__":
    if "--print" in sys.argv:
        print("\n".join(api()))
    else:
        unittest.main(argv=sys.argv[:1])
