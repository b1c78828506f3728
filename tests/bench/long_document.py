# SPDX-License-Identifier: GPL-2.0-or-later
"""A large document of iperf3, made of a recorded one."""

import json
import pathlib

RECORDING = pathlib.Path(__file__).parents[1] / "data/iperf3/3.12/tcp-both-16.out"


def long_document(mib):
    """The recorded one with its intervals again and again, a second later each."""
    document = json.loads(RECORDING.read_text())
    recorded, document["intervals"] = document["intervals"], []
    wanted = mib * 2**20 // (len(json.dumps(recorded, indent="\t")) // len(recorded))
    for second in range(wanted):
        row = json.loads(json.dumps(recorded[second % len(recorded)]))
        for figures in [*row["streams"], row["sum"], row.get("sum_bidir_reverse", {})]:
            figures["start"], figures["end"] = second, second + 1
        document["intervals"].append(row)
    document["start"]["test_start"]["duration"] = wanted
    return json.dumps(document, indent="\t")
