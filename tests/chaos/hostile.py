#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One hostile caller: hostile.py WHAT SEED DIRECTORY USER. It fails only if netperfd did what it must refuse."""

import os
import pathlib
import random
import re
import socket
import sys
import xml.etree.ElementTree

import forger
import wire

MANAGER = ("org.netperfd1", "/org/netperfd1", "org.netperfd1.Manager")
# What a member may do to the ledger's own jobs, or what starts jobs that the ledger does not know.
CHANGES = {"StartScenario", "StartJob", "ImportRun", "DeleteRun", "SetLabel", "SetNote", "StopJob", "Mark", "HoldJob", "ReleaseJob", "UndoJob"}


def methods(directory):
    root = xml.etree.ElementTree.parse(directory / "Manager.xml")
    found = {}
    for method in root.iter("method"):
        found[method.get("name")] = "".join(arg.get("type") for arg in method.iter("arg") if arg.get("direction") == "in")
    return {name: signature for name, signature in found.items() if "h" not in signature}


class Caller:
    def __init__(self, seed, directory, user):
        self.dice, self.directory, self.user = random.Random(seed), directory, user
        self.path = str(directory / "bus")
        self.methods = {name: signature for name, signature in methods(directory).items() if user == "nobody" or name not in CHANGES}

    def text(self, longest=300):
        kind = self.dice.randrange(6)
        if kind == 0:
            return "x" * self.dice.choice((0, 1, longest, 70_000))
        if kind == 1:
            return bytes(self.dice.randrange(1, 128) for _ in range(self.dice.randrange(longest))).decode("ascii")
        if kind == 2:
            return "".join(chr(self.dice.choice((0x202E, 0x200B, 0x1F600, 0x7F, 0xE9, 9, 10))) for _ in range(40))
        if kind == 3:
            return self.dice.choice(("last", "job:1", "scenario:*", "../../etc/passwd", "%s%n", "'; DROP TABLE runs; --", "label:" * 30))
        return str(self.dice.choice((0, 1, -1, 2**63, 2**64, 10**30, 0.5)))

    def value(self, kind, depth=0):
        if kind in wire.NUMBERS:
            if kind == "d":
                return self.dice.choice((0.0, -1.0, 1e308, float("nan"), float("inf"), 0.5))
            bits = {"y": 8, "n": 16, "q": 16, "b": 1, "i": 32, "u": 32, "x": 64, "t": 64}[kind]
            most = 2 ** (bits - (kind in "nix")) - 1
            return self.dice.choice((0, 1, most, self.dice.randint(0, most)))
        if kind == "s":
            return self.text()
        if kind == "o":
            return self.dice.choice(("/", "/org/netperfd1", "/org/netperfd1/job/1", "/a" * 100))
        if kind == "g":
            return self.dice.choice(("", "s", "a{sv}"))
        if kind == "v":
            inner = self.dice.choice(("s", "t", "u", "b", "d", "x") + (("as", "a{sv}", "v") if depth < 4 else ()))
            return inner, self.value(inner, depth + 1)
        if kind[0] == "a" and kind[1] == "{":
            key, value = wire.types_of(kind[2:-1])
            keys = ("limit", "label", "repeat", "overrides", "state", "scenario", "job", "sort", "effect", "figures", "purpose")
            return {self.dice.choice(keys) if self.dice.random() < 0.8 else self.value(key): self.value(value, depth + 1)
                    for _ in range(self.dice.choice((0, 1, 3) if depth else (0, 1, 3, 30)))}
        if kind[0] == "a":
            return [self.value(kind[1:], depth + 1) for _ in range(self.dice.choice((0, 1, 3) if depth else (0, 1, 3, 200)))]
        return tuple(self.value(part, depth + 1) for part in wire.types_of(kind[1:-1]))

    def any_call(self, connection, flags=0):
        name = self.dice.choice(list(self.methods))
        signature = self.methods[name]
        if self.dice.random() < 0.2:
            signature = self.dice.choice(("", "s", "t", "a{sv}", "asas", "vvv", "(st)", "ay"))
        values = [self.value(part) for part in wire.types_of(signature)]
        connection.send(*MANAGER, name, signature, values, flags)

    # ---- What they do ------------------------------------------------------------------------------------------------
    def garbage(self):
        for _ in range(20):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw:
                raw.settimeout(1)
                raw.connect(self.path)
                raw.sendall(self.dice.randbytes(self.dice.choice((1, 100, 10_000))))
            connection = wire.Connection(self.path)
            call = wire.message(wire.CALL, 7, [(wire.PATH, ("o", MANAGER[1])), (wire.MEMBER, ("s", "ListRuns")),
                                               (wire.DESTINATION, ("s", MANAGER[0]))], "a{sv}su", [{}, "", 5])
            damaged = bytearray(call)
            for _ in range(self.dice.choice((1, 5, 50))):
                damaged[self.dice.randrange(len(damaged))] = self.dice.randrange(256)
            connection.socket.sendall(damaged[:self.dice.choice((len(damaged), self.dice.randrange(len(damaged))))])
            connection.close()
        return "20 connections"

    def flood(self):
        connections = [wire.Connection(self.path) for _ in range(4)]
        for each in connections:
            each.socket.settimeout(3)
        sent = 0
        try:
            for sent in range(1_500):
                self.any_call(connections[sent % 4], flags=self.dice.choice((0, 1)))
        except (TimeoutError, ConnectionError):
            pass
        return f"{sent + 1} calls whose answers nobody reads"

    def fuzz(self):
        connection = wire.Connection(self.path, 60)
        answers = {wire.RETURN: 0, wire.ERROR: 0}
        for _ in range(60):
            self.any_call(connection)
            while (answer := connection.receive()).fields.get(wire.REPLY_SERIAL) != connection.serial:
                pass
            answers[answer.kind] += 1
        return f"{answers[wire.RETURN]} answers, {answers[wire.ERROR]} errors"

    def yaml(self):
        deep = self.dice.choice((100, 10_000, 30_000))
        aliases = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9 if i else ['x'] * 9)}]" for i in range(30))
        texts = ["[" * deep, "{a: " * deep, "- " * deep, aliases, "name: " + "x" * 65_000, "x" * (4 << 20), "\0" * 60_000, "&a [*a]",
                 "name: a\n" * 8_000, "? " * deep, "!!binary " * 5_000, "name: |\n" + " y\n" * 20_000, "%YAML 9.9\n---\n" * 4_000]
        refused = 0
        method = "CheckJob" if self.user != "nobody" else self.dice.choice(("StartJob", "CheckJob"))
        for text in self.dice.sample(texts, 6):
            connection = wire.Connection(self.path, 60)
            values = [re.sub("\0", "\1", text), "hostile", {}]
            answer = connection.call(*MANAGER, method, "ssa{sv}", values)
            if answer.kind != wire.ERROR:
                raise SystemExit(f"{method} took {text[:60]!r}")
            refused += 1
            connection.close()
        return f"{refused} texts refused"

    def subscribers(self):
        connections = [wire.Connection(self.path) for _ in range(30)]
        for each in connections:
            each.send(*MANAGER, "Subscribe")
        for each in connections[::2]:
            each.close()
        return "30, half of which left at once"

    def signals(self):
        return forger.Forger(self.path, self.dice).signals()

    def replies(self):
        return forger.Forger(self.path, self.dice).replies()

    def descriptors(self):
        return forger.Forger(self.path, self.dice).descriptors()

    def stop(self):
        """Jobs of others: each call must be refused."""
        tried = 0
        for job in range(1, 120):
            if self.dice.random() < 0.6:
                continue
            connection = wire.Connection(self.path)
            row = connection.call(*MANAGER, "GetJob", "t", [job])
            owner = dict(row.values()[0]).get("owner") if row.kind == wire.RETURN else None
            if owner not in (None, os.getuid()):
                name = self.dice.choice(("StopJob", "SetLabel"))
                signature, values = ("t", [job]) if name == "StopJob" else ("ts", [job, "mine"])
                answer = connection.call(*MANAGER, name, signature, values)
                if answer.kind != wire.ERROR:
                    raise SystemExit(f"{self.user} did {name} to job {job} of uid {owner}")
                tried += 1
            connection.close()
        return f"{tried} jobs of others"


def main():
    what, seed, directory, user = sys.argv[1:]
    caller = Caller(int(seed), pathlib.Path(directory), user)
    try:
        print(getattr(caller, what)())
    except (OSError, ConnectionError) as error:
        print(f"{type(error).__name__}: {error}")  # the bus or the daemon was down, or had had enough of it


if __name__ == "__main__":
    main()
