# SPDX-License-Identifier: GPL-2.0-or-later
"""What each fault does. A fault that lasts ends in the function that began it."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

import machine
import lab

DAY = 86_400


class Missed(Exception):
    """The fault did not happen, and why: it explains nothing."""


class Faults:
    def __init__(self, site):
        self.site = site
        self.filling = threading.Lock()

    def happen(self, fault):
        """Returns what there is to tell about it."""
        dice = random.Random(fault.seed)
        name = fault.kind.name
        if name.startswith("iperf3-"):
            return self.mood(fault, dice, name.removeprefix("iperf3-"))
        if name.startswith("hostile-"):
            return self.hostile(fault, dice, name.removeprefix("hostile-"))
        return getattr(self, name.replace("-", "_"))(fault, dice)

    # ---- Processes ---------------------------------------------------------------------------------------------------
    def kill_daemon(self, fault, _dice):
        self.site.hold()
        try:
            killed = self.site.signal_daemon(signal.SIGKILL)
            time.sleep(fault.seconds)
        finally:
            self.site.release()
        if not killed:
            raise Missed("was down already")
        return ""

    def stop_daemon(self, fault, _dice):
        daemon = self.site.daemon
        if not daemon or not self.site.signal_daemon(signal.SIGTERM):
            raise Missed("was down already")
        self.site.hold()
        try:
            begin = time.monotonic()
            if not self.site.comes(lambda: daemon.poll() is not None):
                self.site.unexpected.append(f"netperfd did not end within {lab.HANGS:.0f} s after SIGTERM")
                daemon.kill()
            elif daemon.poll() not in (0, -signal.SIGKILL, -signal.SIGTERM):
                self.site.unexpected.append(f"netperfd ended with {daemon.poll()} after SIGTERM")
            time.sleep(fault.seconds)
        finally:
            self.site.release()
        return f"ended with {daemon.poll()} after {time.monotonic() - begin - fault.seconds:.1f} s"

    def kill_bus(self, fault, _dice):
        self.site.bus.kill()
        self.site.bus.wait()
        time.sleep(fault.seconds)
        self.site.start_bus()
        return ""

    def catch(self, fault, number, *words):
        """Sends the signal to the first process of the daemon that has these words, if one comes in time."""
        end = time.monotonic() + fault.seconds
        while time.monotonic() < end:
            for pid in self.site.group_processes():
                command = machine.command_of(pid)
                if all(word in command for word in words):
                    try:
                        os.kill(pid, number)
                        return ""
                    except ProcessLookupError:
                        continue
            time.sleep(0.01)
        raise Missed("none came")

    def kill_query(self, fault, _dice):
        return self.catch(fault, signal.SIGKILL, "netperfd", "--query")

    def kill_reader(self, fault, _dice):
        return self.catch(fault, signal.SIGKILL, "netperfd", "--read-file")

    def kill_launcher(self, fault, _dice):
        return self.catch(fault, signal.SIGKILL, "netperfd", "--child")

    def kill_client(self, fault, _dice):
        return self.catch(fault, signal.SIGKILL, "iperf3", "--client")

    def kill_server(self, fault, _dice):
        return self.catch(fault, signal.SIGKILL, "iperf3", "--server")

    def freeze_client(self, fault, _dice):
        return self.catch(fault, signal.SIGSTOP, "iperf3", "--client")

    def kill_echo(self, fault, dice):
        return self.catch(fault, signal.SIGKILL, "netperfd-echo", dice.choice((" serve ", " --to ")))

    # ---- The disk ----------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def no_space(self):
        if not self.filling.acquire(blocking=False):
            raise Missed("there is no space already")  # the fault before took longer than planned
        ballast = self.site.disk / "ballast"
        with open(ballast, "wb", buffering=0) as file:
            for size in (1 << 16, 1 << 9, 1):  # to the last byte
                try:
                    while file.write(bytes(size)):
                        pass
                except OSError:
                    pass
        try:
            yield
        finally:
            ballast.unlink(missing_ok=True)
            self.filling.release()

    def disk_full(self, fault, _dice):
        with self.no_space():
            time.sleep(fault.seconds)
        return ""

    def disk_full_restart(self, fault, _dice):
        """Killed while there is no space: it starts and answers all the same."""
        with self.no_space():
            begin, starts = self.site.now(), len(self.site.starts)
            if not self.site.signal_daemon(signal.SIGKILL):
                raise Missed("was down already")
            ready = self.site.wait_for_start(starts, lab.HANGS)
            code, _, err = self.site.ctl("root", "runs")
            # Another fault may have met it.
            others = [each for each in self.site.ledger.happened if each.kind != fault.kind and "interrupted" in each.kind.allows
                      and each.begin <= self.site.now() and each.end >= begin]
            if (not ready or code != 0) and not others:
                log = (self.site.directory / "log").read_bytes().decode(errors="replace").splitlines()
                self.site.unexpected.append(f"netperfd did not {'answer' if ready else 'start'} on a full disk: {err or log[-1:]}")
            time.sleep(fault.seconds)
        return "started and answered" if ready and code == 0 else "did not start"

    def disk_read_only(self, fault, _dice):
        files = [self.site.disk / name for name in ("netperfd.db", "netperfd.db-wal", ".")]
        for file in files:
            lab.run("chattr", "+i", file, check=False)
        time.sleep(fault.seconds)
        for file in files:
            lab.run("chattr", "-i", file, check=False)
        return ""

    def disk_slow(self, fault, dice):
        end = time.monotonic() + fault.seconds
        while time.monotonic() < end:
            self.site.freeze_disk(True)
            time.sleep(dice.uniform(0.05, 1.0))
            self.site.freeze_disk(False)
            time.sleep(0.02)
        return ""

    def disk_dies(self, fault, _dice):
        self.site.hold()
        try:
            self.site.cut_disk()
            time.sleep(fault.seconds)
            self.site.signal_daemon(signal.SIGKILL)
            self.site.repair_disk()
        finally:
            self.site.release()
        return ""

    # ---- The network -------------------------------------------------------------------------------------------------
    def netns_removed(self, fault, dice):
        name = dice.choice((lab.LEFT, lab.RIGHT))
        lab.run("ip", "netns", "delete", name)
        time.sleep(fault.seconds)
        self.site.make_network()
        return name

    def interface_removed(self, fault, _dice):
        lab.run("ip", "-n", lab.LEFT, "link", "delete", "veth0")
        time.sleep(fault.seconds)
        self.site.make_link()
        return ""

    def link_down(self, fault, _dice):
        lab.run("ip", "-n", lab.RIGHT, "link", "set", "veth0", "down")
        time.sleep(fault.seconds)
        lab.run("ip", "-n", lab.RIGHT, "link", "set", "veth0", "up")
        return ""

    # ---- iperf3, clock, configuration, memory ------------------------------------------------------------------------
    def mood(self, fault, dice, mood):
        whom = dice.choice(("client", "client", "server", "both"))
        self.site.set_mood(f"{whom} {mood}")
        time.sleep(fault.seconds)
        self.site.set_mood("")
        return whom

    def clock_forward(self, fault, dice):
        return self.jump(fault, dice.choice((1, 60, 3_600, 30 * DAY, 400 * DAY)))

    def clock_back(self, fault, dice):
        return self.jump(fault, -dice.choice((1, 60, 3_600, 30 * DAY, 400 * DAY)))

    def jump(self, fault, seconds):
        self.site.set_clock(seconds * 10**9)
        time.sleep(fault.seconds)
        self.site.set_clock(0)
        return f"{seconds:+d} s, and back"

    def reload(self, _fault, _dice):
        self.site.write_configuration("keep: []\n")
        self.site.signal_daemon(signal.SIGHUP)
        return ""

    def reload_bad(self, fault, dice):
        bad = dice.choice(("limits: {queue: many}\n", "store: [\n", "unknown: 1\n", "\0\0\0", "iperf3: {path: ../iperf3}\n", "x" * 200_000))
        self.site.hold()  # a start with it would fail
        try:
            self.site.write_configuration(bad)
            for _ in range(dice.choice((1, 1, 20))):
                self.site.signal_daemon(signal.SIGHUP)
            time.sleep(fault.seconds)
            self.site.write_configuration()
            self.site.signal_daemon(signal.SIGHUP)
        finally:
            self.site.release()
        return repr(bad[:20])

    def memory_short(self, fault, dice):
        spare = dice.choice((0, 1, 4, 16)) << 20
        if not self.site.set_memory(self.site.memory_used() + spare):
            raise Missed("no limit could be set")
        time.sleep(fault.seconds)
        self.site.set_memory(None)
        return f"{spare >> 20} MiB more than in use"

    # ---- Callers -----------------------------------------------------------------------------------------------------
    def hostile(self, fault, dice, what):
        user = dice.choice(("nobody", "bin"))
        done = subprocess.run([sys.executable, "-B", self.site.directory / "hostile.py", what, str(fault.seed), self.site.directory, user],
                              env=self.site.environment(), cwd="/", capture_output=True, text=True, timeout=lab.HANGS, check=False,
                              **self.site.as_user(user))
        if done.returncode:
            self.site.unexpected.append(f"{fault.kind.name}: {done.stderr.strip()[-300:]}")
        return done.stdout.strip()
