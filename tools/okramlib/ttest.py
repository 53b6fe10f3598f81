# SPDX-License-Identifier: MIT
"""Whether two means, or two rates, differ by more than chance."""

import functools


@functools.cache
def welch_p(mean_a, stddev_a, n_a, mean_b, stddev_b, n_b):
    """The two-sided p-value of equal true means, by Welch's t-test; each n is 2 or more."""
    from scipy.stats import ttest_ind_from_stats  # takes a second to import

    largest = max(stddev_a, stddev_b)
    if largest == 0:
        return 1.0 if mean_a == mean_b else 0.0
    # In units of the larger deviation: squares of small numbers would be lost.
    a = (mean_a - mean_b) / largest, stddev_a / largest, n_a
    b = 0, stddev_b / largest, n_b
    return float(ttest_ind_from_stats(*a, *b, equal_var=False).pvalue)


def rate_p(errors_a, moved_a, errors_b, moved_b):
    """The two-sided p-value of equal true rates of errors, for what was moved. Exact: of all
    errors those of one run are binomial (Przyborowski and Wilenski, Biometrika 31, 1940)."""
    from scipy.stats import binomtest

    if not errors_a + errors_b or not moved_a or not moved_b:
        return 1.0
    return float(binomtest(errors_b, errors_a + errors_b, moved_b / (moved_a + moved_b)).pvalue)


def rate_ratio(errors_a, moved_a, errors_b, moved_b):
    """How many times a's rate b's is, at least and at most, with 95 % confidence: the exact limits
    of that binomial part (Clopper and Pearson). There is an error in one of them."""
    from scipy.stats import binomtest

    test = binomtest(errors_b, errors_a + errors_b, moved_b / (moved_a + moved_b))
    limits = test.proportion_ci(0.95, "exact")
    return tuple(
        part / (1 - part) * moved_a / moved_b if part < 1 else float("inf")
        for part in (limits.low, limits.high)
    )


def part_p(found_a, n_a, found_b, n_b):
    """The two-sided p-value of equal true parts, by Fisher's exact test."""
    from scipy.stats import fisher_exact

    table = [[found_a, n_a - found_a], [found_b, n_b - found_b]]
    return float(fisher_exact(table).pvalue)
