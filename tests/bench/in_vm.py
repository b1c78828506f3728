# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benches share that measure TCP over an HSR ring in the VM, a run of each side a block."""

import itertools
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ("perf", "bpftrace")  # sides that need tests/vm/run --tools


def measure(sides, blocks, seconds, options):
    """A run of every side a block, as guest/readers tells them. It leaves out a side that this netperfd does not know."""
    with tempfile.TemporaryDirectory() as directory:
        script = pathlib.Path(directory) / "script"
        script.write_text(f"#!/bin/bash\nexec ./readers {blocks} {seconds} {' '.join(sides)}\n")
        script.chmod(0o755)
        if any(side.split(":")[0] in TOOLS for side in sides):
            options = [*options, "--tools"]
        # Emulated time is slower than ours, the more so the more is traced.
        limit = 600 + blocks * (seconds + 2) * len(sides) * 20
        vm = subprocess.Popen([TOP / "tests" / "vm" / "run", "--minimal", *options, "--timeout", str(limit), script,
                               TOP / "tests" / "bench" / "guest" / "readers"], stdout=subprocess.PIPE, text=True)
        runs = []
        for line in vm.stdout:
            if not line.startswith("{"):
                print(line, end="", file=sys.stderr)
                continue
            runs.append(json.loads(line))
            print(f"  block {runs[-1]['block']:>2}  {runs[-1]['side']:<11}  {rate(runs[-1]) / 1e6:7.2f} Mbit/s",
                  file=sys.stderr)
        if vm.wait():
            sys.exit(f"the VM ended with {vm.returncode}")
    return runs


def add_options(parser, blocks, seconds):
    parser.add_argument("--blocks", type=int, default=blocks)
    parser.add_argument("--seconds", type=int, default=seconds, help="of each run")
    parser.add_argument("--icount", action="store_true", help="count instructions instead of time")
    parser.add_argument("--cpus", type=int, default=1, help="of the VM: two that the emulator runs by turns, each for long, look half "
                        "idle and are late for their timers")
    parser.add_argument("--keep", type=pathlib.Path, help="also write the runs to this file, a line of JSON each")
    parser.add_argument("--from", dest="kept", type=pathlib.Path, help="report the runs of such a file again")


def runs_of(parser, arguments, sides):
    """Measures, or reads what was kept."""
    if arguments.kept:
        return [json.loads(line) for line in arguments.kept.read_text().splitlines()]
    if arguments.blocks < 6:
        parser.error("a 95 % interval needs 6 blocks")
    options = ["--cpus", str(arguments.cpus), *(["--icount"] if arguments.icount else [])]
    runs = measure(sides, arguments.blocks, arguments.seconds, options)
    if arguments.keep:
        arguments.keep.write_text("".join(json.dumps(run) + "\n" for run in runs))
    return runs


def signed_rank_interval(values):
    """(estimate, low, high, exact level) of the centre of symmetric values: Walsh averages, cut where the distribution of the
    signed rank sum under every choice of signs leaves at most 2.5 % a side."""
    n = len(values)
    walsh = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2))
    counts = [1]
    for rank in range(1, n + 1):
        counts = [sum(pair) for pair in itertools.zip_longest(counts, [0] * rank + counts, fillvalue=0)]
    outside, left_out = counts[0], 0
    while 2 * (outside + counts[left_out + 1]) <= 0.05 * 2**n:
        left_out += 1
        outside += counts[left_out]
    return statistics.median(walsh), walsh[left_out], walsh[-1 - left_out], 1 - 2 * outside / 2**n


def ratio(runs, figure, side, other):
    """Of a figure of one side to that of another, block by block: (estimate, low, high, exact level)."""
    by_block = {(run["block"], run["side"]): run for run in runs}
    blocks = sorted({run["block"] for run in runs})
    logarithms = [math.log(figure(by_block[block, side]) / figure(by_block[block, other])) for block in blocks]
    estimate, low, high, level = signed_rank_interval(logarithms)
    return math.exp(estimate), math.exp(low), math.exp(high), level


def sides_of(runs):
    return list(dict.fromkeys(run["side"] for run in runs))


def median_of(runs, side, figure):
    return statistics.median(figure(run) for run in runs if run["side"] == side)


def rate(run):
    return run["bits_per_second"]


def judge(goal, met):
    print(f"  goal: {goal}: {'met' if met else 'NOT met'}")
