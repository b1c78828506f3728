#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything in dbus/*.xml is documented: a comment before each interface, method, signal and property that begins
with its name, and in that comment a line `@NAME: ...` for exactly each of its arguments.

usage: dbus_docs_test.py XML..."""

import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

FILES = sys.argv[1:]


def findings(text):
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    root = ElementTree.fromstring(text, parser)
    result = []
    for parent in root.iter():
        comment = ""
        for element in parent:
            if element.tag is ElementTree.Comment:
                comment = element.text
                continue
            if element.tag in ("interface", "method", "signal", "property"):
                result += undocumented(element, comment)
            comment = ""
    return result


def undocumented(element, comment):
    name = element.get("name")
    if not comment.strip().startswith(name + ":"):
        return [f"{element.tag} {name} has no comment that begins with its name"]
    if element.tag == "interface":
        return []
    documented = set(re.findall(r"^\s*@([\w-]+):", comment, re.MULTILINE))
    arguments = {argument.get("name") for argument in element.findall("arg")}
    return [f"{element.tag} {name} has no @{argument}" for argument in sorted(arguments - documented)] + [
        f"{element.tag} {name} documents @{argument}, which it does not have"
        for argument in sorted(documented - arguments)
    ]


class DbusDocs(unittest.TestCase):
    def test_the_shipped_interfaces_are_documented(self):
        self.assertTrue(FILES)
        for name in FILES:
            with open(name, encoding="utf-8") as file, self.subTest(name):
                self.assertEqual(findings(file.read()), [])

    def check(self, body, *expected):
        self.assertEqual(findings(f"<node><!-- a.B: --><interface name='a.B'>{body}</interface></node>"), [*expected])

    def test_a_full_comment_passes(self):
        self.check("<!-- M: does\n @x: the x\n --><method name='M'><arg name='x'/></method>")

    def test_no_comment_is_found(self):
        self.check("<property name='P'/>", "property P has no comment that begins with its name")

    def test_a_comment_of_the_element_before_does_not_count(self):
        self.check("<!-- P: --><property name='P'/><property name='Q'/>", "property Q has no comment that begins with its name")

    def test_an_argument_without_words_is_found(self):
        self.check("<!-- S: --><signal name='S'><arg name='x'/></signal>", "signal S has no @x")

    def test_words_about_no_argument_are_found(self):
        self.check("<!-- S:\n @y: why --><signal name='S'/>", "signal S documents @y, which it does not have")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
