# SPDX-License-Identifier: MIT
"""Exact intervals and tests of counts. Of the data set's own counts there may be any number, so
what is marked is corrected for how many were looked at (Bonferroni)."""

from scipy import stats

LEVEL = 0.95
MARKED = 0.01  # at most this chance that anything at all of a table is marked wrongly


def share(found, of, level=LEVEL):
    """The interval of a share: Clopper and Pearson, Biometrika 26 (1934)."""
    tail = (1 - level) / 2
    low = stats.beta.ppf(tail, found, of - found + 1) if found else 0.0
    high = stats.beta.ppf(1 - tail, found + 1, of - found) if found < of else 1.0
    return float(low), float(high)


def rate(found, exposure, level=LEVEL):
    """The interval of a rate of events: Garwood, Biometrika 28 (1936)."""
    tail = (1 - level) / 2
    low = stats.chi2.ppf(tail, 2 * found) / 2 if found else 0.0
    high = stats.chi2.ppf(1 - tail, 2 * (found + 1)) / 2
    return float(low / exposure), float(high / exposure)


def is_more(found, of, all_found, all_of, looked_at):
    """Whether a group has more than its part of all that were found (Fisher's exact test, one
    side), of so many groups that were looked at."""
    chance = stats.hypergeom.sf(found - 1, all_of, all_found, of)
    return bool(chance * looked_at < MARKED)


def is_higher_rate(found, exposure, found_before, exposure_before, looked_at):
    """Whether a rate is higher than it was: given the sum, the count is binomial (Przyborowski and
    Wilenski, Biometrika 31, 1940)."""
    expected = exposure / (exposure + exposure_before)
    chance = stats.binom.sf(found - 1, found + found_before, expected)
    return bool(chance * looked_at < MARKED)
