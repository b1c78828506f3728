#!/usr/bin/python3
"""Measures a scenario and prints the throughput of each run. usage: measure.py SCENARIO"""
import sys

from gi.repository import Gio, GLib


def proxy(path, interface):
    return Gio.DBusProxy.new_for_bus_sync(Gio.BusType.SYSTEM, 0, None, "org.netperfd1", path, interface)


# Prints how the run ended. False if it has not.
def has_ended(run):
    row, sums, _flags = manager.GetRun("(t)", run)
    state = row["state"]
    if state not in ("finished", "failed", "canceled", "interrupted"):
        return False
    for figures in sums:
        print(f"run {run} {state}: {figures['received_bits_per_second'] / 1e6:.0f} Mbit/s")
    if row.get("error"):
        print(f"run {run} {state}: {row['error']}")
    return True


# Runs end one after the other.
def ask():
    while runs and has_ended(min(runs)):
        runs.remove(min(runs))
    if not runs:
        loop.quit()
    return True


# Any local user can send such a signal, and one may be lost. So it only says when to ask, as the time does, and
# netperfd's answer tells what happened.
def on_signal(_proxy, _sender, name, _arguments):
    if name == "RunEnded":
        ask()


manager = proxy("/org/netperfd1", "org.netperfd1.Manager")
manager.connect("g-signal", on_signal)
loop = GLib.MainLoop()
job = manager.StartScenario("(sa{sv})", sys.argv[1], {"label": GLib.Variant("s", "python")})
runs = set(proxy(job, "org.netperfd1.Job").get_cached_property("Runs").unpack())
GLib.timeout_add_seconds(5, ask)
loop.run()
