# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the daemon runs: a bus, two network namespaces, a disk for the store, a cgroup, users; and who starts it again."""

import contextlib
import fcntl
import os
import pathlib
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent

BUS = """<busconfig>
  <type>system</type><listen>unix:path={site}/bus</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><deny own="*"/><deny send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/><allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/><allow receive_type="method_return"/><allow receive_type="error"/>
    <allow receive_type="signal"/><allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <include>{source}/dbus/org.netperfd1.conf</include>
  <policy user="daemon">
    <allow send_destination="org.netperfd1" send_type="method_call" send_interface="org.netperfd1.Manager" send_member="ImportRun" max_fds="2"/>
  </policy>
  <policy user="bin">
    <allow send_destination="org.netperfd1" send_type="method_call" send_interface="org.netperfd1.Manager" send_member="ImportRun" max_fds="2"/>
  </policy>
  {more}
</busconfig>
"""

# As without netperfd's policy: it must hold there too.
SIGNALS_PASS = '<policy context="default"><allow send_destination="org.netperfd1" send_type="signal"/></policy>'

CONFIGURATION = """scenarios: {site}/scenarios.d
shipped_scenarios: {site}/shipped.d
store: {{database: {site}/disk/netperfd.db, min_free: 4M}}
iperf3: {{path: {site}/iperf3, user: {uid}}}
readers: {{user: {reader}}}
latency: {{path: {site}/netperfd-echo}}
authorization: {{group: {group}}}
log: {{level: debug}}
"""

# Before the real iperf3: writes down each execution, then does what the file says.
IPERF3 = """#!/bin/sh
PATH=/usr/bin:/bin
case "$*" in *--client*) role=client;; *--server*) role=server;; *) exec {iperf3} "$@";; esac
read -r up rest </proc/uptime
echo "$up $role $*" >>{site}/executions
read -r whom mood <{site}/mood
[ "$whom" = both ] || [ "$whom" = "$role" ] || mood=
case $mood in
  hangs) exec sleep 1000;;
  is-deaf) trap '' TERM INT HUP; while :; do sleep 1; done;;
  floods) exec yes '{{"start": [';;
  forks) for i in 1 2 3; do (setsid sh -c 'exec sleep 1000' >/dev/null 2>&1 </dev/null &); done;;
  writes-garbage) exec head -c 300000 /dev/urandom;;
  dies) kill -KILL $$;;
  is-slow) sleep 1;;
esac
exec {iperf3} "$@"
"""

# The sides are a word in a file, and the check reads it.
SIDES = """name: sides
repeat: 1
workload: {{iperf3: {{netns: left, local: {{netns: right, bind: 10.77.0.2}}, bytes: 2M}}}}
limits: {{timeout: {limit:.0f}s}}
design:
  a: {{name: a, switch: [/bin/sh, -c, 'echo a >{site}/side'], check: [/bin/sh, -c, 'read -r side <{site}/side && test "$side" = a']}}
  b: {{name: b, switch: [/bin/sh, -c, 'echo b >{site}/side'], check: [/bin/sh, -c, 'read -r side <{site}/side && test "$side" = b']}}
"""

EXT4_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2  # linux/ext4.h: what the journal does not have yet is lost
DISK_MIB = 48
HANGS = 300.0  # seconds after which something that is waited for hangs: far longer than it takes on a busy host
LEFT, RIGHT = "left", "right"


def run(*words, check=True, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=check, **more)


def cgroup2():
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        if " - cgroup2 " in line:
            return pathlib.Path(line.split()[4])
    raise SystemExit("chaos: no cgroup hierarchy of version 2 is mounted")


class Site:
    def __init__(self, directory, build, tell, limit, signals_pass=False):
        self.limit = limit              # of a run, in seconds
        self.signals_pass = signals_pass
        self.directory, self.build, self.tell = directory, build, tell
        self.begin = time.monotonic()
        self.iperf3_uid = 20_001 + 3 * (os.getpid() % 15_000)
        self.reader_uid = self.iperf3_uid + 1
        self.group = self.iperf3_uid - 1
        self.users = {"root": (0, []), "daemon": (pwd.getpwnam("daemon").pw_uid, [self.group]),
                      "bin": (pwd.getpwnam("bin").pw_uid, [self.group]), "nobody": (pwd.getpwnam("nobody").pw_uid, [])}
        self.address = f"unix:path={directory}/bus"
        self.disk = directory / "disk"
        self.database = self.disk / "netperfd.db"
        self.side_file = directory / "side"
        self.cgroup = cgroup2() / f"netperfd-chaos-{os.getpid()}"
        v1 = pathlib.Path("/sys/fs/cgroup/memory")
        self.memory = v1 / self.cgroup.name if (v1 / "memory.limit_in_bytes").exists() else None
        self.bus = None
        self.daemon = None
        self.holds = 0                  # while > 0 nobody starts the daemon
        self.lock = threading.RLock()
        self.stopping = threading.Event()
        self.unexpected = []            # what no fault explains
        self.starts = []                # seconds
        self.late = 0.0                 # by how much the host has let a thread wait, in seconds
        self.ready = threading.Event()
        self.said_ready = threading.Condition()

    def now(self):
        return time.monotonic() - self.begin

    def comes(self, fact):
        """Whether this becomes true before it must be said to hang."""
        end = time.monotonic() + HANGS
        while not fact():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    # ---- Setting up --------------------------------------------------------------------------------------------------
    def set_up(self):
        os.chmod(self.directory, 0o755)
        for name in ("scenarios.d", "shipped.d", "disk", "elsewhere", *(f"own-{user}" for user in self.users)):
            (self.directory / name).mkdir()
        for user, (uid, _) in self.users.items():
            os.chown(self.directory / f"own-{user}", uid, -1)
        for program in ("client/netperfctl", "daemon/echo/netperfd-echo"):
            shutil.copy(self.build / program, self.directory)
        for name in ("tests/chaos/hostile.py", "tests/chaos/forger.py", "tests/chaos/wire.py", "dbus/org.netperfd1.Manager.xml"):
            shutil.copy(SOURCE / name, self.directory / pathlib.Path(name).name.replace("org.netperfd1.", ""))
        shutil.copy(SOURCE / "tests/data/iperf3/3.12/tcp-send.out", self.directory / "document.json")
        run("cc", "-shared", "-fPIC", "-O1", "-o", self.directory / "clock.so", HERE / "clock.c")
        (self.directory / "clock").write_bytes(bytes(8))
        (self.directory / "bus.conf").write_text(BUS.format(site=self.directory, source=SOURCE, more=SIGNALS_PASS if self.signals_pass else ""))
        self.write_configuration()
        (self.directory / "scenarios.d/sides.yaml").write_text(SIDES.format(site=self.directory, limit=self.limit))
        self.side_file.write_text("a\n")
        script = self.directory / "iperf3"
        script.write_text(IPERF3.format(site=self.directory, iperf3=shutil.which("iperf3")))
        script.chmod(0o755)
        (self.directory / "executions").touch()
        (self.directory / "executions").chmod(0o666)
        self.set_mood("")
        run("mkfs.ext4", "-q", "-F", self.directory / "image", f"{DISK_MIB}M")
        self.mount_disk()
        run("mount", "-t", "tmpfs", "-o", "mode=755", "chaos", "/run/netns")  # names of our own
        self.cgroup.mkdir()
        if self.memory:
            self.memory.mkdir()
        self.make_network()
        self.start_bus()
        self.log = open(self.directory / "log", "ab")
        self.notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notified.bind(str(self.directory / "notify"))
        self.notified.settimeout(0.2)

    def write_configuration(self, more=""):
        text = CONFIGURATION.format(site=self.directory, uid=self.iperf3_uid, reader=self.reader_uid, group=self.group)
        (self.directory / "netperfd.yaml").write_text(text + more)

    def set_mood(self, words):
        (self.directory / "mood").write_text(words + "\n")

    def set_clock(self, nanoseconds):
        with open(self.directory / "clock", "r+b") as file:
            file.write(struct.pack("<q", nanoseconds))

    # ---- The disk ----------------------------------------------------------------------------------------------------
    def mount_disk(self):
        run("mount", "-o", "loop", self.directory / "image", self.disk)

    def freeze_disk(self, frozen):
        run("fsfreeze", "-f" if frozen else "-u", self.disk, check=False)

    def cut_disk(self):
        """As if its power was cut: what was not synced is lost, and nothing can be read or written any more."""
        directory = os.open(self.disk, os.O_RDONLY)
        try:
            fcntl.ioctl(directory, EXT4_SHUTDOWN, struct.pack("<I", NO_LOG_FLUSH))
        finally:
            os.close(directory)

    def repair_disk(self):
        self.end_group()
        if not self.comes(lambda: run("umount", self.disk, check=False).returncode == 0):
            raise RuntimeError("the disk stays busy: " + " ".join(map(str, self.group_processes())))
        run("e2fsck", "-fy", self.directory / "image", check=False)
        self.mount_disk()

    # ---- The network -------------------------------------------------------------------------------------------------
    def make_network(self):
        for name in (LEFT, RIGHT):
            if not os.path.exists(f"/run/netns/{name}"):
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
        self.make_link()

    def make_link(self):
        # The kernel removes the devices of a namespace that has ended some time later.
        def make():
            run("ip", "-n", LEFT, "link", "delete", "veth0", check=False)
            made = run("ip", "link", "add", "veth0", "netns", LEFT, "type", "veth", "peer", "name", "veth0", "netns", RIGHT, check=False)
            return made.returncode == 0
        if not self.comes(make):
            raise RuntimeError("no link between the namespaces")
        for name, address in ((LEFT, "10.77.0.1/24"), (RIGHT, "10.77.0.2/24")):
            run("ip", "-n", name, "address", "add", address, "dev", "veth0")
            run("ip", "-n", name, "link", "set", "veth0", "up")

    def namespaces(self):
        return {f"net:[{os.stat(f'/run/netns/{name}').st_ino}]" for name in (LEFT, RIGHT) if os.path.exists(f"/run/netns/{name}")}

    # ---- Processes ---------------------------------------------------------------------------------------------------
    def start_bus(self):
        (self.directory / "bus").unlink(missing_ok=True)
        self.bus = subprocess.Popen(["dbus-daemon", f"--config-file={self.directory}/bus.conf", "--nofork", "--print-address"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.bus.stdout.readline()  # it listens

    def group_processes(self):
        found = []
        for file in self.cgroup.glob("**/cgroup.procs"):
            try:
                found += [int(word) for word in file.read_text().split()]
            except OSError:
                pass  # the cgroup has been removed
        return found

    def run_groups(self):
        return [str(path) for path in self.cgroup.iterdir() if path.is_dir()] if self.cgroup.exists() else []

    def end_group(self):
        (self.cgroup / "cgroup.kill").write_text("1")
        self.comes(lambda: not self.group_processes())

    def enter_groups(self):
        for group in filter(None, (self.cgroup, self.memory)):
            with open(group / "cgroup.procs", "w") as file:
                file.write(str(os.getpid()))

    def run_daemon(self, configuration, environment):
        environment = {"PATH": os.environ["PATH"], "DBUS_SYSTEM_BUS_ADDRESS": self.address,
                       "ASAN_SYMBOLIZER_PATH": "/usr/lib/llvm-19/bin/llvm-symbolizer", **environment}
        return subprocess.Popen([self.build / "daemon/netperfd", "--config", configuration], env=environment,
                                stdout=self.log, stderr=self.log, preexec_fn=self.enter_groups)

    def start_daemon(self):
        self.ready.clear()
        self.starts.append(self.now())
        self.daemon = self.run_daemon(self.directory / "netperfd.yaml", {
            "NOTIFY_SOCKET": str(self.directory / "notify"), "CHAOS_CLOCK": str(self.directory / "clock"),
            "LD_PRELOAD": str(self.directory / "clock.so")})

    def listen(self):
        """Until the daemon says that it is ready."""
        while not self.stopping.is_set():
            try:
                if b"READY=1" in self.notified.recv(4096):
                    with self.said_ready:
                        self.ready.set()
                        self.said_ready.notify_all()
            except TimeoutError:
                pass

    def wait_for_start(self, before, seconds):
        """Whether the daemon is ready, after more starts than `before`."""
        with self.said_ready:
            return self.said_ready.wait_for(lambda: len(self.starts) > before and self.ready.is_set(), seconds)

    def supervise(self, explains):
        delay, pause = 0.0, 0.05
        begin = time.monotonic()
        while not self.stopping.wait(pause):
            self.late = max(self.late, time.monotonic() - begin - pause)
            delay = self.look_after(explains, delay)
            begin = time.monotonic()

    def look_after(self, explains, delay):
        """What systemd does: starts the daemon again. `explains(time)`: whether a fault may have ended it."""
        with self.lock:
            code = self.daemon.poll() if self.daemon else None
            if code is not None:
                at = self.now()
                self.daemon = None
                self.ready.clear()
                died = code < 0 and -code not in (signal.SIGKILL, signal.SIGTERM)  # such as by abort()
                if died or not explains(at):
                    self.unexpected.append(f"netperfd ended by itself at {at:.1f} s, exit code {code}")
                self.tell(f"netperfd ended: {signal.Signals(-code).name if code < 0 else code}")
                return at + 0.2
            if not self.daemon and not self.holds and self.now() >= delay:
                self.start_daemon()
            elif self.daemon and not self.ready.is_set() and self.now() > self.starts[-1] + HANGS:
                self.unexpected.append(f"netperfd was not ready {HANGS:.0f} s after its start at {self.starts[-1]:.1f} s")
                self.daemon.kill()
        return delay

    def signal_daemon(self, number):
        with self.lock:
            if self.daemon and self.daemon.poll() is None:
                self.daemon.send_signal(number)
                return True
        return False

    def hold(self):
        with self.lock:
            self.holds += 1

    def release(self):
        with self.lock:
            self.holds -= 1

    def as_user(self, name):
        uid, groups = self.users[name]
        return {} if uid == 0 else {"user": uid, "group": uid, "extra_groups": groups}

    def environment(self):
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": self.address, "HOME": "/nonexistent"}

    def ctl(self, user, *words, text=None, timeout=HANGS):
        """(exit code, stdout, stderr); the code is None if it did not end in time."""
        process = subprocess.Popen([self.directory / "netperfctl", *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment(), cwd="/", errors="replace",
                                   **self.as_user(user))
        try:
            out, err = process.communicate(text, timeout)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "", "no answer in time"

    def follow(self, user, *words, text=None):
        process = subprocess.Popen([self.directory / "netperfctl", *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment(), cwd="/", errors="replace",
                                   **self.as_user(user))
        try:
            process.stdin.write(text or "")
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdin = None  # communicate() would use it again
        return process

    @contextlib.contextmanager
    def other_daemon(self, store):
        """Another netperfd, on the same bus after the end of the daemon; with a copy of the store, if there is one."""
        place = self.directory / "elsewhere"
        shutil.rmtree(place)
        place.mkdir()
        if store:
            shutil.copy(store, place / "netperfd.db")
        text = CONFIGURATION.format(site=self.directory, uid=self.iperf3_uid, reader=self.reader_uid, group=self.group)
        (place / "netperfd.yaml").write_text(text.replace(f"{self.directory}/disk/", f"{place}/"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(str(place / "notify"))
            notified.settimeout(0.1)
            log = (self.directory / "log").stat().st_size
            process = self.run_daemon(place / "netperfd.yaml", {"NOTIFY_SOCKET": str(place / "notify")})
            ready, end = False, time.monotonic() + HANGS
            while not ready and process.poll() is None and time.monotonic() < end:
                with contextlib.suppress(TimeoutError):
                    ready = b"READY=1" in notified.recv(4096)
            try:
                if not ready:
                    raise RuntimeError((self.directory / "log").read_bytes()[log:][-1000:].decode(errors="replace"))
                yield
            finally:
                process.terminate()
                if process.wait(HANGS) != 0 and ready:
                    self.unexpected.append(f"another netperfd ended with {process.returncode} after SIGTERM")

    def heal(self):
        """No fault is left."""
        self.freeze_disk(False)
        for name in ("netperfd.db", "netperfd.db-wal", "."):
            run("chattr", "-i", self.disk / name, check=False)
        (self.disk / "ballast").unlink(missing_ok=True)
        self.set_mood("")
        self.set_memory(None)

    def set_memory(self, limit):
        files = {True: "memory.limit_in_bytes", False: "memory.max"}
        file = (self.memory or self.cgroup) / files[self.memory is not None]
        if not file.exists():
            return False
        try:
            file.write_text(str(limit) if limit else ("-1" if self.memory else "max"))
        except OSError:
            return False  # what is used already cannot be reclaimed
        return True

    def memory_used(self):
        file = (self.memory / "memory.usage_in_bytes") if self.memory else (self.cgroup / "memory.current")
        return int(file.read_text()) if file.exists() else 0

    def tear_down(self):
        self.stopping.set()
        self.freeze_disk(False)
        for process in (self.daemon, self.bus):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        if self.cgroup.exists():
            self.end_group()
            for group in [*self.cgroup.glob("*/"), self.cgroup]:
                if group.is_dir():
                    group.rmdir()
        if self.memory and self.memory.exists():
            self.memory.rmdir()
        run("umount", "-l", self.disk, check=False)
        for name in (LEFT, RIGHT):
            run("ip", "netns", "delete", name, check=False)
        run("umount", "/run/netns", check=False)
        for own in (self.log, self.notified):
            own.close()
