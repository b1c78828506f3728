#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints golden.txt: what SciPy says of fixed figures. Needs python3-scipy.

SciPy has the tests but not their intervals, so an interval is found the long way: the shifts that its exact test does
not reject, tried between each two neighbouring candidates. That shares nothing with how the daemon finds it.
"""
import math
import sys

import numpy
import scipy
from scipy import stats


def exact_signed_rank(values):
    return stats.wilcoxon(values, mode="exact").pvalue


def exact_mann_whitney(a, b):
    return stats.mannwhitneyu(a, b, method="exact").pvalue


def invert(candidates, p_at, level):
    """The interval that the test does not reject, and its own level, which has no meaning where candidates are tied."""
    tied = len(candidates) > len(numpy.unique(candidates))
    candidates = numpy.unique(candidates)
    span = candidates[-1] - candidates[0] + 1
    gaps = [candidates[0] - span] + [(x + y) / 2 for x, y in zip(candidates, candidates[1:])] + [candidates[-1] + span]
    ps = [p_at(shift) for shift in gaps]
    alpha = (1 - level) * (1 + 1e-9)
    centre = numpy.median(candidates)
    below = [i for i, gap in enumerate(gaps) if ps[i] <= alpha and gap < centre]
    above = [i for i, gap in enumerate(gaps) if ps[i] <= alpha and gap > centre]
    if not below or not above:
        return None
    return candidates[below[-1]], candidates[above[0] - 1], None if tied else 1 - max(ps[below[-1]], ps[above[0]])


def least_favourable(p_with_ties_below, p_with_ties_above, below_is_nearer, above_is_nearer):
    """Ties broken against the finding: the greater p, or 1 where the two ways point to different sides."""
    return max(p_with_ties_below, p_with_ties_above) if below_is_nearer == above_is_nearer else 1.0


def show(kind, name, **fields):
    print(kind, name)
    for key, value in fields.items():
        if value is not None:
            print(" ", key, *(f"{x:.17g}" for x in numpy.atleast_1d(value)))


def show_location(kind, name, estimate, interval, p, level, **values):
    low, high, own = interval or (None, None, None)
    show(kind, name, **values, level=level, estimate=estimate, low=low, high=high, own=own, p=p)


def signed_rank(name, values, level=0.95):
    values = numpy.asarray(values, dtype=float)
    i, j = numpy.triu_indices(len(values))
    averages = (values[i] + values[j]) / 2
    interval = invert(averages, lambda shift: exact_signed_rank(values - shift), level)
    step = 1e-7
    below, above = values - step, values + step
    p = least_favourable(exact_signed_rank(below), exact_signed_rank(above),
                         (averages > step).mean() > 0.5, (averages > -step).mean() > 0.5)
    show_location("signed_rank", name, numpy.median(averages), interval, p, level, values=values)


def mann_whitney(name, a, b, level=0.95):
    a, b = numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)
    differences = numpy.subtract.outer(b, a).ravel()
    interval = invert(differences, lambda shift: exact_mann_whitney(a, b - shift), level)
    step = 1e-7
    p = least_favourable(exact_mann_whitney(a, b - step), exact_mann_whitney(a, b + step),
                         (differences > step).mean() > 0.5, (differences > -step).mean() > 0.5)
    delta = (differences > 0).mean() - (differences < 0).mean()
    show_location("mann_whitney", name, numpy.median(differences), interval, p, level, a=a, b=b)
    show("cliffs_delta", name, a=a, b=b, delta=delta)


def power(test, n, effect, alpha, freedom, information):
    """A t test of that level and 3 / pi of the information."""
    limit = stats.t.isf(alpha / 2, freedom)
    value = stats.nct.sf(limit, freedom, effect * math.sqrt(information * 3 / math.pi))
    show("power", test, n=n, effect=effect, power=value)


def main():
    print(f"# SciPy {scipy.__version__}, NumPy {numpy.__version__}, Python {sys.version.split()[0]}")
    draw = numpy.random.default_rng(20240611)
    for n in (2, 5, 6, 7, 8, 9, 12, 20, 30):
        signed_rank(f"normal_{n}", draw.normal(0.4, 1, n).round(6))
    signed_rank("lognormal_11", draw.lognormal(0, 1, 11).round(6) - 1)
    signed_rank("level_90_of_5", [0.011, 0.024, 0.019, -0.002, 0.031], 0.9)
    signed_rank("level_99_of_12", draw.normal(1, 1, 12).round(6), 0.99)
    signed_rank("all_of_one_sign", [3, 1, 4, 1.5, 9, 2.6, 5])
    signed_rank("darwin", [6.125, -8.375, 1, 2, 0.75, 2.875, 3.5, 5.125, 1.75, 3.625, 7, 3, 9.375, 7.5, -6])
    signed_rank("zero_and_opposites", [0, 1, -1, 2, 3.5, 4.25, 7, 8.125])
    signed_rank("more_zeros", [0, 0, 0, 1.5, 2.25, 4, 7.125, 11])
    for n_a, n_b in ((3, 3), (4, 4), (4, 12), (6, 6), (8, 5), (8, 8), (12, 12), (20, 20), (3, 30)):
        mann_whitney(f"normal_{n_a}_{n_b}", draw.normal(0, 1, n_a).round(6), draw.normal(0.8, 1, n_b).round(6))
    mann_whitney("lognormal_9_10", draw.lognormal(0, 1, 9).round(6), draw.lognormal(0.3, 1, 10).round(6))
    mann_whitney("level_90_of_3", [1, 2, 3.5], [4, 6, 9.25], 0.9)
    mann_whitney("level_99_of_8", draw.normal(0, 1, 8).round(6), draw.normal(2, 1, 8).round(6), 0.99)
    mann_whitney("apart", [1, 2.5, 3, 4.125, 5], [11, 12.25, 13.5, 14, 17])
    mann_whitney("ties", [1, 2, 2, 3, 5, 6], [2, 3, 4, 7, 8, 9.5])
    mann_whitney("mostly_zero", [0, 0, 0, 0, 0, 1, 0], [0, 3, 2, 0, 5, 1, 4])
    mann_whitney("all_equal", [1, 1, 1, 1, 1], [1, 1, 1, 1, 1])
    for n in (7, 8, 12, 20, 40):
        for effect in (0.3, 0.8, 1.4):
            power("blocks", [n], effect, own_alpha(signed_rank_ps(n)), n - 1, n)
    for n_a, n_b in ((4, 4), (6, 6), (5, 12), (20, 20)):
        for effect in (0.5, 1.2, 2):
            power("runs", [n_a, n_b], effect, own_alpha(mann_whitney_ps(n_a, n_b)), n_a + n_b - 2,
                  n_a * n_b / (n_a + n_b))
    for name, values in (("odd", [5, 1, 4]), ("even", [9, 1, 4, 6]), ("one", [7])):
        show("median", name, values=values, median=numpy.median(values))


def own_alpha(ps):
    return max(p for p in ps if p <= 0.05)


def signed_rank_ps(n):
    """Of the ranks 1 to n, with negative ones that add up to each sum in turn."""
    for total in range(n * (n + 1) // 4):
        values, left = numpy.arange(1, n + 1.0), total
        for rank in range(n, 0, -1):
            if rank <= left:
                values[rank - 1], left = -rank, left - rank
        yield exact_signed_rank(values)


def mann_whitney_ps(n_a, n_b):
    """Of n_a values among 0 to n_b - 1, of which so many pairs in turn are inverted."""
    for inverted in range(n_a * n_b // 2):
        above_all, rest = divmod(inverted, n_b)
        a = numpy.full(n_a, -1.0)
        a[:above_all] = n_b
        if rest:
            a[above_all] = rest - 0.5
        yield exact_mann_whitney(a, numpy.arange(n_b, dtype=float))


main()
