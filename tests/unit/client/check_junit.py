# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the golden JUnit files: XML, what CI systems require, and counts that fit the test cases.

usage: check_junit.py DIRECTORY
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


def counts(element):
    return {name: int(element.get(name)) for name in ("tests", "failures", "errors", "skipped")}


def check(path):
    root = xml.fromstring(path.read_bytes())
    assert root.tag == "testsuites", root.tag
    (suite,) = root
    assert suite.tag == "testsuite" and suite.get("name"), suite.attrib
    assert [child.tag for child in suite if child.tag != "testcase"] == ["properties", "system-out"]
    cases = suite.findall("testcase")
    results = [result.tag for case in cases for result in case]
    found = {"tests": len(cases), "failures": results.count("failure"), "errors": 0, "skipped": results.count("skipped")}
    assert counts(root) == counts(suite) == found, (counts(root), counts(suite), found)
    for case in cases:
        assert case.get("classname") and case.get("name"), case.attrib
        assert len(case) == 1, "one result"
        assert all(result.get("message") for result in case if result.tag != "system-out")
    assert all(entry.get("name") and entry.get("value") for entry in suite.find("properties"))


files = sorted(pathlib.Path(sys.argv[1]).glob("*.junit.xml"))
assert len(files) >= 3, files
for file in files:
    try:
        check(file)
    except Exception:
        print(file, file=sys.stderr)
        raise
