#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads documents of iperf3 of every kind and compares what was read with the truth.

usage: documents_test.py READ_DOCUMENTS RECORDINGS [--table]
A quarter of the documents of each kind is read, with --all or --table each. With --table, it succeeds whatever it
finds: to compare the counts by kind of two readers.
"""

import collections
import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile

import documents

OUTCOMES = ("read right", "read wrongly", "refused rightly", "refused with a wrong reason", "refused wrongly")


def agrees(told, true):
    if isinstance(true, tuple):
        return any(agrees(told, one) for one in true[1:])
    if true is None or told is None:
        return told is None and true is None
    # A sum that holds the omitted part, or streams that disagree with it, is corrected.
    return abs(told - true) <= 0.03 * max(abs(true), 1)


def difference(document, told):
    """What the reader tells wrongly; empty if nothing."""
    truth = document.truth
    for key in ("protocol", "direction"):
        if told[key] != truth[key]:
            return f"{key} {told[key]} instead of {truth[key]}"
    for direction, figures in truth["sums"].items():
        sums = told["sums"].get(direction)
        if sums is None:
            return f"nothing of {direction}"
        for key, true in figures.items():
            if not agrees(sums[key], true):
                return f"{direction}: {key} {sums[key]} instead of {true}"
        for side in ("sent", "received"):
            if sums[side] is not None and sums["seconds"]:
                rate = 8 * sums[side] / sums["seconds"]
                if sums[side + "_rate"] is None or abs(sums[side + "_rate"] - rate) > 0.15 * rate:
                    return f"{direction}: rate {sums[side + '_rate']} of {sums[side]} bytes"
    if "impossible-figures" in told["flags"] and "impossible-figures" not in document.flags:
        return "flagged as impossible, which it is not"
    missing = [flag for flag in document.flags if flag not in told["flags"]]
    return f"without the flag {missing[0]}" if missing else ""


def judge(document, told):
    if "error" in told:
        if document.truth is not None:
            return "refused wrongly", told["error"]
        right = re.search(document.reason, told["error"])
        return ("refused rightly", "") if right else ("refused with a wrong reason", told["error"])
    if document.truth is None:
        return "read wrongly", "read, though it must be refused"
    more = told.get("more", [])
    if len(more) != len(document.more):
        return "read wrongly", f"{1 + len(more)} runs instead of {1 + len(document.more)}"
    wrong = difference(document, told)
    for truth, told_next in zip(document.more, more):
        wrong = wrong or difference(dataclasses.replace(document, truth=truth), told_next)
    return ("read wrongly", wrong) if wrong else ("read right", "")


def read_all(program, made):
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for i, document in enumerate(made):
            paths.append(os.path.join(directory, str(i)))
            with open(paths[-1], "wb") as file:
                file.write(document.data)
        output = subprocess.run([program, *paths], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def some_of(made):
    """Every fourth of each kind, and all of servers, of which there are few."""
    counts = collections.Counter()
    chosen = []
    for document in made:
        if counts[document.kind] % 4 == 0 or document.kind.startswith("a server's"):
            chosen.append(document)
        counts[document.kind] += 1
    return chosen


def main():
    program, recordings = sys.argv[1:3]
    made = documents.make(recordings)
    if "--all" not in sys.argv and "--table" not in sys.argv:
        made = some_of(made)
    counts = collections.defaultdict(collections.Counter)
    complaints = []
    for document, told in zip(made, read_all(program, made), strict=True):
        outcome, why = judge(document, told)
        counts[document.kind][outcome] += 1
        if why:
            complaints.append(f"{document.kind}: {document.name}: {outcome}: {why}")
    print(f"{'kind':44}" + "".join(f"{name:>14.13}" for name in OUTCOMES))
    for kind, of_kind in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"{kind:44}" + "".join(f"{of_kind[name] or '':>14}" for name in OUTCOMES))
    for complaint in complaints:
        print(complaint)
    return 0 if "--table" in sys.argv else len(complaints) > 0


if __name__ == "__main__":
    sys.exit(main())
