# SPDX-License-Identifier: GPL-2.0-or-later
"""How long the daemon takes to answer from a large store, beside a bare ping of it."""

import contextlib
import os
import pathlib
import random
import re
import statistics
import subprocess
import threading
import time

import big_store
import bus
import load_growth
from own_daemon import interval

NEW_RUN = """name: original
workload: {{iperf3: {{netns: {netns}, local: {{netns: {netns}, bind: 127.0.0.1}}, {length}}}}}
"""
BATCH = 1000  # resamplings


def list_runs(limit=20, **wanted):
    return bus.make_call("ListRuns", "a{sv}su", wanted, "", limit)


def calls(first, count, profiled):
    """What is asked: name, a call for each turn, and whether a process of its own answers."""
    last = first + count - 1
    some = [random.Random(1).randrange(first, last) for _ in range(100)]
    job = count // big_store.RUNS_OF_JOB // 2 + 10
    word, middle = "change-41", "change-80"
    listed = {
        "GetRun": ([bus.make_call("GetRun", "t", run) for run in some], False),
        "GetRun, the newest": ([bus.make_call("GetRun", "t", 0)], False),
        "ListIntervalPoints": ([bus.make_call("ListIntervalPoints", "tu", run, 1000) for run in some], False),
        "ListRuns, 20 rows": ([list_runs()], False),
        "ListRuns, 500 rows": ([list_runs(500)], False),
        "ListRuns, failed": ([list_runs(state=("s", "failed"))], False),
        "GetJob": ([bus.make_call("GetJob", "t", job)], False),
        "ListRuns, label": ([list_runs(label=("s", word))], True),
        "ListRuns, oldest label": ([list_runs(label=("s", "rare"))], True),
        "ListRuns, scenario": ([list_runs(scenario=("s", "scenario-3"))], True),
        "ListRuns, both": ([list_runs(scenario=("s", "scenario-1"), label=("s", "rare"))], True),
        "ListRuns, variant": ([list_runs(variant=("s", "old"))], True),
        "ListRuns, none fits": ([list_runs(traced=("b", not profiled))], True),
        "ListRuns, since the first": ([list_runs(since=("t", 1))], True),
        "ListRuns, pilots": ([list_runs(purpose=("s", "pilot"))], True),
        "ListJobs": ([bus.make_call("ListJobs", "a{sv}su", {}, "", 20)], True),
        "ListJobs, oldest label": ([bus.make_call("ListJobs", "a{sv}su", {"label": ("s", "rare")}, "", 20)], True),
        "Compare, 24 : 24": ([bus.make_call("Compare", "ssa{sv}", f"label:{word} last:24", f"label:{middle} last:24", {})], True),
        "Compare, oldest : newest": ([bus.make_call("Compare", "ssa{sv}", "label:rare last:20", f"label:{word} last:20", {})], True),
        "PlanRuns, 100": ([bus.make_call("PlanRuns", "sa{sv}", "scenario:scenario-3 last:100", {})], True),
    }
    if profiled:
        listed["ListRuns, traced"] = ([list_runs(traced=("b", True))], True)
        listed["GetFunctionProfile"] = ([bus.make_call("GetFunctionProfile", "t", run) for run in some], False)
    return listed


class QueryMemory(threading.Thread):
    """Looks for the largest memory of the processes that the daemon starts for queries."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        self.peak, self.seen, self.ending = 0, set(), threading.Event()

    def run(self):
        while not self.ending.wait(0.001):
            for child in self.children.read_text().split():
                with contextlib.suppress(OSError, AttributeError):
                    if b"--query" not in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                        continue
                    status = pathlib.Path(f"/proc/{child}/status").read_text()
                    self.peak = max(self.peak, int(re.search(r"VmHWM:\s+(\d+)", status).group(1)))
                    self.seen.add(child)


def resampled(rounds, pings):
    """The ratio of the 99th percentiles, over all rounds: (ratio, low, high), the interval by resampling whole rounds."""
    def late(lists):
        values = sorted(value for each in lists for value in each)
        return values[min(len(values) - 1, int(len(values) * 0.99))]
    dice, ratios = random.Random(2), []
    for _ in range(BATCH):
        drawn = dice.choices(range(len(rounds)), k=len(rounds))
        ratios.append(late([rounds[i] for i in drawn]) / late([pings[i] for i in drawn]))
    ratios.sort()
    return late(rounds) / late(pings), ratios[BATCH // 40], ratios[-1 - BATCH // 40]


def measure(connection, listed, rounds, times, lock):
    """Each call by turns with a ping: name -> (rounds of seconds of the call, rounds of those of the ping)."""
    measured = {name: ([], []) for name in listed}
    for turn in range(rounds):
        for name, (each, is_process) in listed.items():
            own, pings = [], []
            with load_growth.locked(lock if is_process else None):
                for i in range(times // 5 if is_process else times):
                    call = each[(turn * times + i) % len(each)]
                    for which, asked in ((pings, bus.PING), (own, call)):
                        begin = time.monotonic()
                        if not connection.is_answered(asked):
                            connection.call(asked)  # raises its error
                        which.append(time.monotonic() - begin)
            measured[name][0].append(own)
            measured[name][1].append(pings)
    return measured


def print_table(measured):
    print("                              p50 ms  p99 ms   p50 TO PING            INTERVAL   p99 TO PING            INTERVAL")
    every_ping = [value for _, pings in measured.values() for each in pings for value in each]
    shares = statistics.quantiles(every_ping, n=100)
    print(f"  {'Ping':26} {1e3 * shares[49]:7.3f} {1e3 * shares[98]:7.3f}")
    for name, (rounds, pings) in measured.items():
        values = sorted(value for each in rounds for value in each)
        late = values[min(len(values) - 1, int(len(values) * 0.99))]
        ratios = [statistics.median(own) / statistics.median(ping) for own, ping in zip(rounds, pings)]
        low, high, _ = interval(ratios)
        far, far_low, far_high = resampled(rounds, pings)
        print(f"  {name:26} {1e3 * statistics.median(values):7.2f} {1e3 * late:7.2f} {statistics.median(ratios):13.1f} "
              f"{low:9.1f} to {high:6.1f} {far:13.1f} {far_low:9.1f} to {far_high:6.1f}", flush=True)


def make_original(netperfd, quickly):
    """A run of iperf3 and an imported function profile: their numbers."""
    with load_growth.network_namespace() as netns:
        jobs = load_growth.Jobs(netperfd, netns)
        text = NEW_RUN.format(netns=netns, length="bytes: 64M" if quickly else "duration: 1s, streams: 2")
        jobs.calls = [bus.make_call("StartJob", "ssa{sv}", text, "bench", {})]
        jobs.run()
    netperfd.ctl("import", str(big_store.TRACE))
    return 1, 2


def fill(netperfd, count, profiled):
    """Fills the store of a new daemon and starts that again: the number of the first of the runs."""
    original, profile = make_original(netperfd, count < 10_000)
    netperfd.stop()
    database = netperfd.directory / "netperfd.db"
    before, begin = os.stat(database).st_size, time.monotonic()
    first = big_store.multiply(netperfd.build, database, original, profile if profiled else None, count)
    size = os.stat(database).st_size
    print(f"store: {count:,} runs {'with' if profiled else 'without'} function profiles, made in {time.monotonic() - begin:.0f} s; "
          f"{size / 2**20:,.0f} MiB, {(size - before) / count:,.0f} bytes a run")
    begin = time.monotonic()
    netperfd.start()
    netperfd.wait_for_start(120)
    print(f"  start of the daemon: {time.monotonic() - begin:.2f} s until it answers", flush=True)
    return first


def ask(netperfd, listed, rounds, times, lock):
    """Prints what the answers take."""
    connection = bus.Connection(str(netperfd.directory / "bus"))
    measure(connection, listed, 1, 5, lock)  # warms up
    print_table(measure(connection, listed, rounds, times, lock))
    begin = time.monotonic()
    subprocess.run([netperfd.ctl_path, "show", "last"], env=netperfd.environment, check=True, stdout=subprocess.DEVNULL)
    print(f"  netperfctl show last: {1e3 * (time.monotonic() - begin):.0f} ms")
    pid = netperfd.daemon.pid
    watch = QueryMemory(pid)
    watch.start()
    measure(connection, {name: each for name, each in listed.items() if each[1]}, 1, 25, lock)
    watch.ending.set()
    watch.join()
    print(f"  memory: daemon {load_growth.kib(pid, 'VmRSS') / 1024:.1f} MiB, at most {load_growth.kib(pid, 'VmHWM') / 1024:.1f}; "
          f"a query's process at most {watch.peak / 1024:.1f}, of {len(watch.seen)} seen", flush=True)


def answers(netperfd, count, profiled, rounds, times, lock):
    first = fill(netperfd, count, profiled)
    ask(netperfd, calls(first, count, profiled), rounds, times, lock)
