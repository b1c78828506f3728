# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks the golden JSON of the client against schema/netperfctl-1.schema.json, and the schema against broken copies.

usage: check_schema.py SCHEMA DIRECTORY
"""
import copy
import json
import pathlib
import sys

import jsonschema


def one_of(validator, branches, instance, _):
    """`oneOf` that leaves a branch at its first error: some 40 branches refuse each document."""
    if sum(validator.evolve(schema=branch).is_valid(instance) for branch in branches) != 1:
        yield jsonschema.ValidationError("not one of the branches")


def documents(directory):
    for path in sorted(directory.glob("*.json")):
        yield path.name, json.loads(path.read_text())
    for path in sorted(directory.glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield f"{path.name}:{number}", json.loads(line)


def broken_copies(document):
    """The document with a null, an unknown key, without a required key, as another version and as another kind.

    Rows of a list are alike, so each of their keys is broken once.
    """
    for change in (
        {"version": 2},
        {"kind": "surprise"},
        {"version": None},
        {"an_unknown_key": 1},
    ):
        yield {**document, **change}
    yield {key: value for key, value in document.items() if key != "kind"}
    for key, value in document.items():
        rows = value if isinstance(value, list) else [value]
        known = set()
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                continue
            new = [name for name in ["an_unknown_key", *row] if name not in known]
            known.update(new)
            for name in new:
                copied = copy.deepcopy(document)
                target = copied[key][index] if isinstance(value, list) else copied[key]
                target[name] = None
                yield copied


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    quick = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"oneOf": one_of})(schema)
    failures, checked, kinds = 0, 0, set()
    for name, document in documents(pathlib.Path(sys.argv[2])):
        checked += 1
        kinds.add(document.get("event", document.get("kind")))
        for error in validator.iter_errors(document):
            failures += 1
            print(f"{name}: {error.message}")
            for cause in sorted(error.context or [], key=lambda e: -len(e.absolute_path))[:3]:
                print(f"    {'/'.join(map(str, cause.absolute_path))}: {cause.message}")
        for number, broken in enumerate(broken_copies(document)):
            if quick.is_valid(broken):
                failures += 1
                print(f"{name}: broken copy {number} is accepted")
    expected = {"runs", "run", "jobs", "scenarios", "start", "stopped", "held", "released", "undone", "deleted",
                "job_added", "job_changed", "job_removed", "interval", "trace_progress", "run_ended", "run_deleted", "marked",
                "doctor", "modules", "functions", "events", "kernel_event", "tracers", "imported", "exported", "comparison",
                "selftest", "plan", "log", "history", "job", "labelled", "noted", "store", "backup", "restored",
                "pruned", "sweep"}
    if kinds != expected:
        failures += 1
        print(f"kinds without a golden file: {sorted(expected - kinds)}")
    print(f"{checked} documents, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
