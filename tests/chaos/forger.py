# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that pretend to come from the bus, from netperfd or from systemd, or that nobody asked for, also with descriptors."""

import os
import time

import wire

OBJECT = "/org/netperfd1"
JOB = "org.netperfd1.Job"
SECONDS = 1.5  # how long one forger goes on: calls and runs of others begin and end meanwhile
MOST = 16      # descriptors that the bus lets through in one message


class Forger:
    def __init__(self, path, dice):
        self.connection = wire.Connection(path)
        self.dice = dice
        self.sent = 0

    def look(self):
        """(netperfd, clients): unique names."""
        daemon = self.connection.owner_of("org.netperfd1")
        names = self.connection.call(*wire.BUS, "ListNames").values()[0]
        return daemon, [name for name in names if name.startswith(":") and name not in (daemon, self.connection.name)]

    def jobs(self):
        """Object paths of the live jobs."""
        answer = self.connection.call("org.netperfd1", OBJECT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return [path for path, _ in answer.values()[0]] if answer.kind == wire.RETURN else []

    def signal(self, *words):
        self.connection.signal(*words)
        self.sent += 1

    def until_late(self, act):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            act()
            time.sleep(0.05)

    # ---- Signals -----------------------------------------------------------------------------------------------------
    def to_daemon(self, daemon, names):
        """As if its clients, the helper of its rights and systemd's jobs had ended."""
        for name in [*names, "org.freedesktop.PolicyKit1", "org.freedesktop.systemd1"]:
            self.signal(daemon, *wire.BUS[1:], "NameOwnerChanged", "sss", [name, name if name[0] == ":" else ":1.1", ""])
        self.signal(daemon, *wire.BUS[1:], "NameLost", "s", ["org.netperfd1"])
        for number in range(1, 4):
            self.signal(daemon, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "JobRemoved", "uoss",
                        [number, f"/org/freedesktop/systemd1/job/{number}", f"netperfd-command-1-{number}.service", "done"])

    def to_client(self, client, daemon, jobs):
        """As if netperfd was gone, and the jobs had ended well."""
        for path in jobs:
            number = int(path.rsplit("/", 1)[1])
            self.signal(client, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                        [JOB, {"State": ("s", self.dice.choice(("finished", "failed", "canceled"))), "CurrentRun": ("t", 0),
                               "RunState": ("s", "finished")}, []])
            for run in (number, number + 1, self.dice.randrange(1, 200)):
                self.signal(client, OBJECT, "org.netperfd1.Manager", "RunEnded", "ttss", [run, number, "finished", ""])
                self.signal(client, OBJECT, "org.netperfd1.Manager", "RunDeleted", "tt", [run, number])
            self.signal(client, OBJECT, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas", [path, [JOB]])
        if daemon:
            self.signal(client, *wire.BUS[1:], "NameOwnerChanged", "sss", ["org.netperfd1", daemon, ""])

    def signals(self):
        def act():
            daemon, names = self.look()
            jobs = self.jobs()
            if daemon:
                self.to_daemon(daemon, names)
            for client in ["", *names]:  # the empty one: to all that listen
                self.to_client(client, daemon, jobs)
        self.until_late(act)
        return f"{self.sent} signals"

    # ---- Replies -----------------------------------------------------------------------------------------------------
    def replies(self):
        """To the first calls of each connection, and to later ones of the daemon."""
        bodies = [("", []), ("s", ["finished"]), ("a{sv}", [{}]), ("tat", [1, [1]]), ("b", [1]), ("(bba{ss})", [(1, 0, {})])]

        def act():
            daemon, names = self.look()
            for name in filter(None, [daemon, *names]):
                for serial in [*range(1, 20), *(self.dice.randrange(20, 100_000) for _ in range(20))]:
                    self.connection.reply(self.dice.choice((wire.RETURN, wire.ERROR)), name, serial, *self.dice.choice(bodies))
                    self.sent += 1
        self.until_late(act)
        return f"{self.sent} replies"

    # ---- Descriptors -------------------------------------------------------------------------------------------------
    def descriptors(self):
        """Signals, calls that are refused and replies, each with as many as the bus lets through."""
        own = os.open("/dev/null", os.O_RDWR)
        two = os.pipe()
        many = [own, *two, *(os.dup(own) for _ in range(MOST - 3))]
        daemon, _ = self.look()
        for number in range(300):
            if number % 3 == 0:
                self.connection.send("org.netperfd1", OBJECT, "org.netperfd1.Manager", "ListScenarios", flags=1, descriptors=many)
            self.connection.signal(daemon or "org.netperfd1", OBJECT, "org.example.Many", "Descriptors", "ah", [list(range(MOST))], many)
            # Too few arguments, so that it is refused; from a member it arrives.
            self.connection.send("org.netperfd1", OBJECT, "org.netperfd1.Manager", "ImportRun", "ahas", [[0, 1], ["a"]], 1, many[:2])
            self.sent += 2
        return f"{self.sent} messages with {2 * 300 + 300 * MOST} descriptors"
