# SPDX-License-Identifier: MIT
"""Exact intervals and tests of counts. A data set may have any number of groups to look at, so what
is marked is corrected for how many they are (Bonferroni)."""

import math

import numpy
from scipy import special  # scipy.stats takes a second to load

LEVEL = 0.95
MARKED = 0.01  # at most this chance that anything at all of a table is marked wrongly


def share(found, of, level=LEVEL):
    """The interval of a share: Clopper and Pearson, Biometrika 26 (1934)."""
    tail = (1 - level) / 2
    low = special.betaincinv(found, of - found + 1, tail) if found else 0.0
    high = special.betaincinv(found + 1, of - found, 1 - tail) if found < of else 1.0
    return float(low), float(high)


def rate(found, exposure, level=LEVEL):
    """The interval of a rate of events: Garwood, Biometrika 28 (1936)."""
    tail = (1 - level) / 2
    low = special.gammaincinv(found, tail) if found else 0.0
    high = special.gammaincinv(found + 1, 1 - tail)
    return float(low / exposure), float(high / exposure)


def at_least(found, of, all_found, all_of):
    """The logarithm of the chance that a group has as many or more, if it is like all (Fisher's
    exact test, one-sided). of, all_of: how many are in the group, and in all."""
    first = max(found, of - (all_of - all_found))
    counts = numpy.arange(first, min(of, all_found) + 1)
    ways = _log_ways(all_found, counts) + _log_ways(all_of - all_found, of - counts)
    return float(min(0.0, special.logsumexp(ways - _log_ways(all_of, of))))


def is_marked(log_chance, looked_at):
    """looked_at: how many groups were compared."""
    return bool(log_chance + math.log(looked_at) < math.log(MARKED))


def _log_ways(n, k):
    """The logarithm of the binomial coefficient."""
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def is_higher_rate(found, exposure, found_before, exposure_before, looked_at):
    """Whether a rate is higher than it was: given the sum, the count is binomial (Przyborowski and
    Wilenski, Biometrika 31, 1940)."""
    expected = exposure / (exposure + exposure_before)
    chance = special.bdtrc(found - 1, found + found_before, expected) if found else 1.0
    return bool(chance * looked_at < MARKED)
