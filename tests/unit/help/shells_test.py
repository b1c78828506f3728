#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion in bash, zsh and fish themselves: with netperfctl, and with a netperfctl whose daemon has hostile words.

usage: shells_test.py NETPERFCTL SCRIPTS"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NETPERFCTL, SCRIPTS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

# What bash-completion does for a command that is being typed; the function is called as readline calls it.
BASH = r"""
source /usr/share/bash-completion/bash_completion
source "$SCRIPTS/netperfctl.bash"
compopt() { :; }
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_netperfctl netperfctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
"""

# compadd, which works only while a person types, prints what it was given.
ZSH = r"""
compadd() { shift 4; print -rl -- "${(@P)1}"; }
_files() { print -r -- "(files)"; }
words=("$@") CURRENT=$#
source "$SCRIPTS/_netperfctl"
"""

HOSTILE = ["before lunch", "it's \"so\"", "$(touch evil)", "`touch evil`", "a;touch evil", "grün!", "*"]
FAKE = """#!/usr/bin/python3
import sys
# As netperfctl's own tests have it: quoted for bash, literal with a description for the others.
hostile = %r
print("words")
for word in hostile:
    print("".join("\\\\" + c if c.isascii() and not c.isalnum() else c for c in word) if sys.argv[2] == "bash" else word + "\\tlabel")
"""


class Shells(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        # No bus: the daemon is absent.
        self.environment = {"PATH": f"{NETPERFCTL.parent}:/usr/bin:/bin", "SCRIPTS": str(SCRIPTS), "HOME": str(self.directory),
                            "LC_ALL": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", "ASAN_OPTIONS": "detect_leaks=0"}

    def be_hostile(self):
        fake = self.directory / "netperfctl"
        fake.write_text(FAKE % (HOSTILE,))
        fake.chmod(0o755)
        self.environment["PATH"] = f"{self.directory}:/usr/bin:/bin"

    def run_shell(self, *command):
        done = subprocess.run(command, env=self.environment, cwd=self.directory, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def bash(self, *words):
        line = " ".join(words).replace(" = ", "=").replace(" : ", ":")
        return self.run_shell("bash", "--norc", "-c", BASH, "bash", line, *words)

    def zsh(self, *words):
        return self.run_shell("zsh", "-f", "-c", ZSH, "zsh", *words)

    def fish(self, line):
        lines = self.run_shell("fish", "--no-config", "-c", 'source "$SCRIPTS/netperfctl.fish"; complete -C $argv[1]', line)
        return [one.split("\t")[0] for one in lines]

    def test_bash_completes_verbs_options_and_values(self):
        self.assertEqual(self.bash("netperfctl", "sh"), ["show"])
        self.assertEqual(self.bash("netperfctl", "start", "--la"), ["--label"])
        self.assertEqual(self.bash("netperfctl", "runs", "-o", ""), ["table", "json", "csv"])
        # readline takes the parts on both sides of `=` and `:` for words
        self.assertEqual(self.bash("netperfctl", "runs", "--output", "=", "j"), ["json"])
        self.assertEqual(self.bash("netperfctl", "compare", "la"), ["label:"])

    def test_zsh_completes_verbs_options_and_values(self):
        self.assertEqual(self.zsh("netperfctl", "sh"), ["show"])
        self.assertEqual(self.zsh("netperfctl", "start", "--la"), ["--label"])
        self.assertEqual(self.zsh("netperfctl", "runs", "-o", ""), ["table", "json", "csv"])
        self.assertEqual(self.zsh("netperfctl", "import", ""), ["(files)"])

    def test_fish_completes_verbs_options_and_values(self):
        self.assertEqual(self.fish("netperfctl sh"), ["show"])
        self.assertEqual(self.fish("netperfctl start --la"), ["--label"])
        self.assertCountEqual(self.fish("netperfctl runs -o "), ["table", "json", "csv"])

    def test_without_a_daemon_there_are_no_words_and_no_complaints(self):
        self.assertEqual(self.bash("netperfctl", "show", ""), [])
        self.assertEqual(self.zsh("netperfctl", "show", ""), [])
        self.assertEqual(self.fish("netperfctl show "), [])

    def test_bash_takes_hostile_words_literally(self):
        self.be_hostile()
        offered = self.bash("netperfctl", "runs", "--label", "")
        self.assertEqual(len(offered), len(HOSTILE))
        for typed, word in zip(offered, HOSTILE):
            self.assertEqual(self.run_shell("bash", "--norc", "-c", f"printf '%s\\n' {typed}"), [word])
        self.assertFalse((self.directory / "evil").exists())

    def test_zsh_and_fish_take_hostile_words_literally(self):
        self.be_hostile()
        self.assertEqual(self.zsh("netperfctl", "runs", "--label", ""), HOSTILE)
        self.assertCountEqual(self.fish("netperfctl runs --label "), HOSTILE)
        self.assertFalse((self.directory / "evil").exists())

    def test_what_was_typed_is_not_executed(self):
        for typed in ("$(touch evil)", "`touch evil`", "\"$(touch evil)"):
            self.bash("netperfctl", "runs", "--label", typed)
            self.zsh("netperfctl", "runs", "--label", typed)
        self.assertFalse((self.directory / "evil").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
