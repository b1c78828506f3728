# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands and outputs of a tutorial, and whether a program still prints what the tutorial shows.

A step is an indented block that begins with "$ ". The command goes on to the end of its here-document, or of its lines that end with
a backslash. What follows is the output. A line "..." stands for any number of lines.
"""
import dataclasses
import re

_INDENT = "    "
_HERE_DOCUMENT = re.compile(r"<<'?(\w+)'?")
# In order: a number that says which job or run, or how many, and so is compared as it is; then what differs from run to run.
_TOKENS = re.compile(
    r"""(?P<kept>\b(?:jobs?|runs?|show|export|stop|compare|block)[ :]\d+\b
              | \b\d+(?:/\d+)?(?=\ (?:\w+\ )?(?:runs?|blocks?)\b)
              | \b(?:ring-[ab]\ )?10\.9\.0\.\d\b)
      | (?P<day>\b(?:today|yesterday)\b)
      | (?P<build>\b[0-9a-f]{8}\b)
      | (?P<glyphs>[\u2580-\u259f\u00b7]+(?:\ *[\u2580-\u259f\u00b7]+)*)
      | (?P<number>(?<![A-Za-z_0-9])[+-]?\d[\d,]*(?:\.\d+)?(?:[kMG]\b)?)""",
    re.VERBOSE,
)
_UNITS = (
    (re.compile(r"# (?:ns|us|ms|s|min|h)\b(?: # (?:ms|s|min)\b)*"), "# s"),
    (re.compile(r"# [KMG]?bit/s"), "# bit/s"),
    (re.compile(r"# [KMG]iB\b"), "# B"),
)


@dataclasses.dataclass
class Step:
    section: str
    line: int  # of the command, in the tutorial
    command: str
    output: list[str]


def steps_of(text):
    section, steps, block = "", [], None
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith(_INDENT):
            block = block or (number, [])
            block[1].append(line[len(_INDENT) :])
        elif line:
            steps += _steps_of_block(section, block)
            block = None
            section = line.lstrip("# ") if line.startswith("#") else section
        elif block:
            block[1].append("")
    return steps + _steps_of_block(section, block)


def _steps_of_block(section, block):
    if not block or not block[1][0].startswith("$ "):
        return []
    first, lines = block
    steps, end = [], None
    for number, line in enumerate(lines, first):
        if end is None and line.startswith("$ "):
            steps.append(Step(section, number, line[2:], []))
        elif end is not None or steps[-1].command.endswith("\\"):
            steps[-1].command += "\n" + line
        else:
            steps[-1].output.append(line)
            continue
        here = _HERE_DOCUMENT.search(line) if end is None else None
        end = here[1] if here else None if line == end else end
    return steps


def shape(text):
    """The words of a text, with figures, days, build IDs and graphs by their kind alone."""
    kinds = {"day": "DAY", "glyphs": "GRAPH"}
    named = _TOKENS.sub(lambda found: found[0] if found["kept"] else kinds.get(found.lastgroup, "#"), " ".join(text.split()))
    for pattern, by in _UNITS:
        named = pattern.sub(by, named)
    return named.split()


def drift(expected, printed):
    """What of the expected lines was not printed, or what was printed without them; None where all is as expected."""
    parts = [[]]
    for line in expected:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    seen = shape(printed)
    at = 0
    for index, part in enumerate(parts):
        wanted = shape("\n".join(part))
        if index == len(parts) - 1 and (index == 0 or wanted):
            start = max(at, len(seen) - len(wanted)) if index else 0
            if seen[start:] != wanted:
                return _difference(wanted, seen[start:])
        elif index == 0:
            if seen[: len(wanted)] != wanted:
                return _difference(wanted, seen[: len(wanted)])
            at = len(wanted)
        else:
            found = next((i for i in range(at, len(seen) - len(wanted) + 1) if seen[i : i + len(wanted)] == wanted), None)
            if found is None:
                nearest = max(range(at, len(seen) + 1), key=lambda i: _common(wanted, seen[i:]))
                return _difference(wanted, seen[nearest:])
            at = found + len(wanted)
    return None


def _common(wanted, seen):
    """How many words they begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(wanted, seen)) if a != b), min(len(wanted), len(seen)))


def _difference(wanted, seen):
    same = _common(wanted, seen)
    around = max(0, same - 8)
    return f"expected ... {' '.join(wanted[around : same + 8])}\nseen     ... {' '.join(seen[around : same + 8])}"
