#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nobody on the bus is believed for what he says alone: each connection has a dbus::Peers, whose filter sees every
signal before a handler does, and handlers of replies on the daemon's connection ask who replied. Nor may anybody's
descriptors or large messages reach libsystemd: each connection has a dbus::SocketGuard.
usage: bus_peers_test.py SOURCE_TREE"""
import pathlib
import re
import sys
import unittest

TREE = pathlib.Path(sys.argv.pop())

OPENS = re.compile(r"\b(sd_bus_(?:open|default|new)\w*|create\w*(?:Connection|Bus)\w*) ?\(")
GUARDS = re.compile(r"peers_?(?:\.|->)guard\(")
KEEPS_OUT = re.compile(r"SocketGuard>?(?: \w+)?\(sd_bus_get_fd\(")
ASKS = re.compile(r"\b(sd_bus_call\w*_async|sd_bus_add_match_async|callMethodAsync)\b")
CHECKS = re.compile(r"\b(?:is_from_bus|is_answer)\(")


def sources(*folders):
    for folder in folders:
        for path in sorted((TREE / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp"):
                yield str(path.relative_to(TREE)), re.sub(r"//.*", "", path.read_text())


def opening_without(what, texts):
    return [path for path, text in texts if len(OPENS.findall(text)) > len(what.findall(text))]


def asking_without_check(texts):
    return [path for path, text in texts if ASKS.search(text) and not CHECKS.search(text)]


class BusPeers(unittest.TestCase):
    def test_every_connection_is_guarded(self):
        texts = list(sources("daemon", "client", "dbus", "manual"))
        self.assertEqual(opening_without(GUARDS, texts), [])
        self.assertEqual(opening_without(KEEPS_OUT, texts), [])
        self.assertEqual({path for path, text in texts if OPENS.search(text)},
                         {"dbus/asking_bus.cpp", "dbus/compat.hpp", "daemon/command/systemd_manager.hpp"})

    def test_every_reply_to_the_serving_connection_is_checked(self):
        texts = list(sources("daemon/bus"))
        self.assertEqual(asking_without_check(texts), [])
        self.assertEqual({path for path, text in texts if ASKS.search(text)},
                         {"daemon/bus/access/authorization.cpp", "daemon/bus/access/callers.cpp", "daemon/bus/access/polkit.cpp",
                          "daemon/bus/access/senders.cpp"})

    def test_what_is_missing_is_found(self):
        opened = "auto bus = sdbus::createSystemBusConnection();"
        self.assertEqual(opening_without(GUARDS, [("a", opened), ("b", opened + "peers.guard(bus, use, {});")]), ["a"])
        self.assertEqual(opening_without(GUARDS, [("a", "sd_bus_open_system(&bus);")]), ["a"])
        self.assertEqual(opening_without(KEEPS_OUT, [("a", opened), ("b", opened + "SocketGuard g(sd_bus_get_fd(bus));"),
                                                     ("c", opened + "sd_bus_negotiate_fds(bus, 0);")]), ["a", "c"])
        asked = "sd_bus_call_async(bus, &slot, call, on_reply, this, 0);"
        self.assertEqual(asking_without_check([("a", asked), ("b", asked + "if (!is_from_bus(reply)) return;")]), ["a"])


unittest.main()
