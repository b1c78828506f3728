# SPDX-License-Identifier: GPL-2.0-or-later
"""Which fault comes when. All of it is drawn from the seed before anything runs, so the same seed gives the same plan."""

import dataclasses
import random

LIMIT = 20.0  # seconds of a run that a fault may keep from its end

# What may become of a run that a fault met. `canceled`: the rest of a job is given up after some failures.
LOST = {"interrupted", "failed", "canceled"}
FAILED = {"failed", "canceled"}
NONE = set()


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    weight: int          # cards of it in the deck
    shortest: float      # seconds
    longest: float
    resource: str        # at most one fault at a time has it; empty: none
    allows: frozenset    # ends of runs beside `finished`
    after: float = 1.0   # seconds for which it may still have an effect


def kind(name, weight, shortest, longest, resource, allows, after=1.0):
    return Kind(name, weight, shortest, longest, resource, frozenset(allows), after)


KINDS = [
    kind("kill-daemon", 2, 0.1, 1.0, "daemon", LOST, 4),
    kind("stop-daemon", 1, 0.1, 1.0, "daemon", LOST, 10),
    kind("kill-bus", 1, 0.1, 1.0, "daemon", LOST, 10),
    kind("kill-query", 2, 1.0, 4.0, "", NONE),
    kind("kill-reader", 2, 2.0, 5.0, "", FAILED, 4),
    kind("kill-launcher", 1, 2.0, 5.0, "", FAILED, 4),
    kind("kill-client", 2, 0.5, 2.0, "", FAILED, 4),
    kind("kill-server", 2, 0.5, 2.0, "", FAILED, 4),
    kind("freeze-client", 1, 0.5, 2.0, "", FAILED, LIMIT + 5),
    kind("kill-echo", 2, 2.0, 6.0, "", FAILED, 4),
    kind("disk-full", 1, 0.5, 4.0, "disk", LOST, 3),
    kind("disk-full-restart", 1, 1.0, 3.0, "disk", LOST, 4),
    kind("disk-read-only", 1, 0.5, 4.0, "disk", LOST, 3),
    kind("disk-slow", 2, 1.0, 4.0, "disk", NONE, 2),
    kind("disk-dies", 1, 0.2, 2.0, "disk", LOST, 10),
    kind("netns-removed", 1, 0.3, 2.0, "net", FAILED, LIMIT + 5),
    kind("interface-removed", 1, 0.3, 2.0, "net", FAILED, LIMIT + 5),
    kind("link-down", 1, 0.3, 3.0, "net", FAILED, LIMIT + 5),
    kind("iperf3-hangs", 1, 1.0, 2.0, "iperf3", FAILED, 2),
    kind("iperf3-is-deaf", 1, 1.0, 2.0, "iperf3", FAILED, 2),
    kind("iperf3-floods", 1, 1.0, 2.0, "iperf3", FAILED, 2),
    kind("iperf3-forks", 1, 1.0, 4.0, "iperf3", NONE, 2),
    kind("iperf3-writes-garbage", 1, 1.0, 2.0, "iperf3", FAILED, 2),
    kind("iperf3-dies", 1, 1.0, 2.0, "iperf3", FAILED, 2),
    kind("iperf3-is-slow", 1, 1.0, 4.0, "iperf3", NONE, 2),
    kind("clock-forward", 2, 0.1, 5.0, "clock", NONE),
    kind("clock-back", 2, 0.1, 5.0, "clock", NONE),
    kind("reload", 1, 0.0, 0.0, "configuration", NONE),
    kind("reload-bad", 2, 0.1, 2.0, "configuration", NONE),
    kind("hostile-garbage", 1, 0.0, 0.0, "", NONE),
    kind("hostile-flood", 1, 0.0, 0.0, "", NONE),
    kind("hostile-fuzz", 2, 0.0, 0.0, "", NONE),
    kind("hostile-yaml", 1, 0.0, 0.0, "", NONE),
    kind("hostile-subscribers", 1, 0.0, 0.0, "", NONE),
    kind("hostile-stop", 2, 0.0, 0.0, "", NONE),
    kind("hostile-signals", 2, 0.0, 0.0, "", NONE),
    kind("hostile-replies", 1, 0.0, 0.0, "", NONE),
    kind("hostile-descriptors", 2, 0.0, 0.0, "", NONE),
    kind("memory-short", 1, 0.5, 3.0, "memory", LOST, 4),
]
BY_NAME = {each.name: each for each in KINDS}
# With only these, every run that was accepted finishes.
HARMLESS = {each.name for each in KINDS if not each.allows and each.name != "kill-query"}


def excuse_nothing(only):
    """Whether just such kinds were chosen."""
    return bool(only) and HARMLESS.issuperset(only)


@dataclasses.dataclass(frozen=True)
class Fault:
    at: float
    kind: Kind
    seconds: float
    seed: int            # for what is left to draw when it happens, such as which process

    def __str__(self):
        return f"{self.at:7.2f} s  {self.kind.name}" + (f" for {self.seconds:.2f} s" if self.kind.longest else "")


def draw(seed, seconds, per_second=0.8, only=()):
    """Faults in the order of their times. Each kind comes once before a deck of cards has been used up."""
    dice = random.Random(f"faults {seed}")
    kinds = [each for each in KINDS if not only or each.name in only]
    faults, busy, deck = [], {}, []
    at = dice.uniform(0.5, 2.0)
    while at < seconds:
        if not deck:
            deck = [each for each in kinds for _ in range(each.weight)]
            dice.shuffle(deck)
        # What would overlap another fault of the same thing waits for a later turn.
        place = next((i for i, each in enumerate(deck) if busy.get(each.resource, 0) <= at), None)
        if place is not None:
            card = deck.pop(place)
            length = dice.uniform(card.shortest, card.longest)
            faults.append(Fault(at, card, length, dice.getrandbits(32)))
            if card.resource:
                busy[card.resource] = at + length + 1.0
        at += dice.expovariate(per_second)
    return faults
