# SPDX-License-Identifier: GPL-2.0-or-later
"""What grows in a daemon over many jobs, or over hours."""

import contextlib
import fcntl
import os
import pathlib
import re
import statistics
import subprocess
import time

import bus

PORT = 5201
QUERIES = (
    bus.make_call("ListRuns", "a{sv}su", {}, "", 20),
    bus.make_call("GetRun", "t", 0),
    bus.make_call("Compare", "ssa{sv}", "label:even last:50", "label:odd last:50", {}),
    bus.make_call("PlanRuns", "sa{sv}", "scenario:short last:100", {}),
    bus.make_call("ListRuns", "a{sv}su", {"label": ("s", "odd")}, "", 20),
    bus.make_call("GetCounters", "t", 1),
)


def job_text(netns):
    """The shortest job that does all that a job does: iperf3 sends 64 KiB, and its document is read."""
    return (f"name: short\nworkload: {{iperf3: {{netns: {netns}, local: {{netns: {netns}, bind: 127.0.0.1}}, "
            f"port: {PORT}, bytes: 64K}}}}\n")


@contextlib.contextmanager
def network_namespace():
    name = f"load-{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


@contextlib.contextmanager
def locked(path, waits=True):
    """While other programs of this machine must not see processes of queries, nor tracing. Whether it is locked."""
    if not path:
        yield True
        return
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def kib(pid, key):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{key}:\s+(\d+)", status).group(1))


def cpu_seconds(pid):
    """Of a process, with its threads; not that of other processes that it started."""
    return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) forms it, which Python lacks


class Look:
    """At a daemon, at one moment."""

    HEADER = "   RUNS  HOURS  RSS MiB  OF ITS OWN  PEAK  DESCRIPTORS  FILE MiB  LOG MiB  CPU s  QUERIES"

    def __init__(self, netperfd, jobs, begun):
        pid, database = netperfd.daemon.pid, netperfd.directory / "netperfd.db"
        self.runs, self.queries, self.hours = jobs.count, jobs.queries, (time.monotonic() - begun) / 3600
        self.rss, self.own, self.peak = (kib(pid, key) / 1024 for key in ("VmRSS", "RssAnon", "VmHWM"))
        self.descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        self.file, self.log = (os.stat(f"{database}{suffix}").st_size / 2**20 for suffix in ("", "-wal"))
        self.cpu = cpu_seconds(pid)

    def line(self):
        return (f"{self.runs:7,} {self.hours:6.2f} {self.rss:8.1f} {self.own:11.1f} {self.peak:5.1f} {self.descriptors:12} "
                f"{self.file:9.1f} {self.log:8.1f} {self.cpu:6.1f} {self.queries:8,}")


class Jobs:
    """Starts short jobs, one after another."""

    def __init__(self, netperfd, netns, lock=None):
        self.connection = bus.Connection(str(netperfd.directory / "bus"))
        self.connection.match("type='signal',interface='org.netperfd1.Manager',member='RunEnded'")
        self.connection.call(bus.make_call("Subscribe"))
        self.calls = [bus.make_call("StartJob", "ssa{sv}", job_text(netns), "bench", {"label": ("s", label)})
                      for label in ("even", "odd")]
        self.lock, self.count, self.queries = lock, 0, 0

    def run(self):
        """Seconds from the call to the end of the run."""
        begin = time.monotonic()
        self.connection.call(self.calls[self.count % len(self.calls)])
        _, job, state, error = self.connection.next_signal("RunEnded")
        took = time.monotonic() - begin
        if state != "finished":
            raise SystemExit(f"job {job}: {state}: {error}")
        self.count += 1
        return took

    def query(self, number):
        question = QUERIES[number % len(QUERIES)]
        with locked(self.lock, waits=False) as alone:
            if not alone:
                question = QUERIES[0]  # the daemon itself answers it
            with contextlib.suppress(bus.Failure):  # such as too few runs to compare
                self.connection.call(question)
                self.queries += 1


def growth(netperfd, count, points):
    """Prints a line after each part of the jobs."""
    print(f"growth over {count:,} jobs, each a run of iperf3 over 64 KiB")
    print(f"{Look.HEADER}  MEDIAN ms  99 % ms")
    with network_namespace() as netns:
        jobs, begun = Jobs(netperfd, netns), time.monotonic()
        for point in range(points):
            times = [jobs.run() for _ in range(count * (point + 1) // points - jobs.count)]
            late = statistics.quantiles(times, n=100)[98] if len(times) > 1 else times[0]
            look = Look(netperfd, jobs, begun)
            print(f"{look.line()} {1e3 * statistics.median(times):10.1f} {1e3 * late:8.1f}", flush=True)


def soak(netperfd, seconds, lock, job_every=10.0, query_every=1.0):
    """Jobs and queries at a low rate; prints a line for each twentieth of the time."""
    print(f"soak: a job every {job_every:g} s, a query every {query_every:g} s")
    print(Look.HEADER)
    with network_namespace() as netns:
        jobs, begun = Jobs(netperfd, netns, lock), time.monotonic()
        next_look, number, next_job = begun, 0, begun
        while (now := time.monotonic()) < begun + seconds:
            if now >= next_look:
                print(Look(netperfd, jobs, begun).line(), flush=True)
                next_look = now + seconds / 20
            if now >= next_job:
                jobs.run()
                next_job = max(next_job + job_every, time.monotonic())
            jobs.query(number)
            number += 1
            time.sleep(query_every)
        print(Look(netperfd, jobs, begun).line(), flush=True)
