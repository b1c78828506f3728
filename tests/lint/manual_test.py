#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages that the build wrote: man and mandoc read them without a warning, and they have what other lists
of the tree have: every verb, every key, every method.

usage: manual_test.py PAGES TOP"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

PAGES, TOP = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def shown(name):
    """The text of a page as a reader has it, in one long line."""
    command = ["man", "--no-hyphenation", "--encoding=UTF-8", "--local-file", PAGES / name]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "MANWIDTH": "500", "LC_ALL": "C.UTF-8"}).stdout
    return " ".join(re.sub(".\b", "", text).replace("−", "-").split())


class Manual(unittest.TestCase):
    def pages(self):
        pages = sorted(PAGES.iterdir())
        self.assertGreater(len(pages), 20, PAGES)
        return pages

    def test_man_and_mandoc_read_every_page_without_a_warning(self):
        for page in self.pages():
            with self.subTest(page.name):
                man = subprocess.run(["man", "--warnings", "--encoding=UTF-8", "--local-file", page], capture_output=True, text=True,
                                     env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
                self.assertEqual((man.returncode, man.stderr), (0, ""))
                # STYLE is about sources that people write.
                lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
                findings = [line for line in lint.stdout.splitlines() if "referenced manual not found" not in line]
                self.assertEqual(findings, [])

    def test_every_verb_has_its_page_and_the_overview_names_it(self):
        source = (TOP / "client" / "help" / "verb_table.cpp").read_text(encoding="utf-8")
        verbs = re.findall(r'^      \{"(\w+)",', source, re.MULTILINE)
        self.assertGreater(len(verbs), 15)
        overview = shown("netperfctl.1")
        for verb in verbs:
            with self.subTest(verb):
                self.assertIn(f"netperfctl-{verb}(1)", overview)
                self.assertIn(f"netperfctl {verb}", shown(f"netperfctl-{verb}.1"))

    def test_a_page_of_a_verb_has_its_options_and_exit_codes(self):
        page = shown("netperfctl-start.1")
        for words in ("netperfctl start [--set KEY=VALUE]", "--cancel-on-interrupt The job ends with this command", "-o, --output FORMAT",
                      "10 somebody canceled the job.", "netperfctl start veth-tcp --label before --repeat 5"):
            self.assertIn(words, page)
        self.assertNotIn("somebody canceled", shown("netperfctl-show.1"))

    def test_the_page_of_netperfd_echo_has_every_option_with_its_words(self):
        page = shown("netperfd-echo.1")
        options = re.findall(r'OptionText\{\s*"(\w+)", "(.*?)"', (TOP / "daemon" / "echo" / "options.cpp").read_text(encoding="utf-8"),
                             re.MULTILINE)
        self.assertGreater(len(options), 9)
        self.assertEqual([name for name, value in options if f"--{name} {value} " not in page], [])
        self.assertIn("--to HOST host or address of the server.", page)
        lines = (TOP / "daemon" / "echo" / "lines.cpp").read_text(encoding="utf-8")
        events = re.findall(r'"event":"(\w+)"', lines)
        self.assertEqual(len(events), 5)
        self.assertEqual([event for event in events if f" {event} " not in page], [])

    def test_the_configuration_has_every_key_with_the_default_of_the_shipped_file(self):
        page = shown("netperfd.yaml.5")
        for words in ("store.min_free Type: bytes. Default: 64M.", "limits.user.stored Type: bytes or none. Default: 4G.",
                      "log.level Type: debug, info, warning, error. Default: info.", "keep[].age Type: duration"):
            self.assertIn(words, page)

    def test_the_scenario_page_has_every_key_of_the_documentation(self):
        page = shown("netperfd-scenario.5")
        keys = re.findall(r"^\| `([a-z0-9_.\[\]]+)` \|", (TOP / "docs" / "scenarios.md").read_text(encoding="utf-8").split("## Keys")[1],
                          re.MULTILINE)
        self.assertGreater(len(keys), 40)
        self.assertEqual([key for key in keys if f"{key} Type: " not in page], [])

    def test_the_page_of_the_bus_has_everything_of_the_api_with_its_words(self):
        page = shown("org.netperfd1.5")
        members = re.findall(r"^(method|signal|property) org\.netperfd1\.\w+\.(\w+)", (TOP / "dbus" / "api.txt").read_text(encoding="utf-8"),
                             re.MULTILINE)
        self.assertGreater(len(members), 40)
        self.assertEqual([name for kind, name in members if not re.search(rf"{kind} {name}\b", page)], [])
        self.assertIn("method StopJob(job t) -> () Cancels a live job in any state", page)
        self.assertIn("job the job's number", page)

    def test_every_page_of_the_documentation_is_in_its_index_and_linked_from_the_readme(self):
        index = (TOP / "docs" / "README.md").read_text(encoding="utf-8")
        readme = (TOP / "README.md").read_text(encoding="utf-8")
        pages = sorted(page.relative_to(TOP / "docs").as_posix() for page in (TOP / "docs").rglob("*.md"))
        self.assertGreater(len(pages), 10)
        pages.remove("README.md")
        self.assertEqual([page for page in pages if f"]({page})" not in index], [], "not in docs/README.md")
        self.assertEqual([page for page in pages if f"](docs/{page})" not in readme], [], "not in README.md")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
