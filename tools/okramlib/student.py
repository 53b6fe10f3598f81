# SPDX-License-Identifier: MIT
"""Whether two means differ by more than chance: Welch's t-test.

B. L. Welch, "The generalization of 'Student's' problem when several different population variances
are involved", Biometrika 34, 1947. The probability is that of Student's t distribution, by the
incomplete beta function and its continued fraction (NIST Digital Library of Mathematical Functions,
8.17.22).
"""

import math

_ROUNDS_MAX = 1000
_TINY = 1e-300
_EXACT = 1e-14


def welch_p(mean_a, stddev_a, n_a, mean_b, stddev_b, n_b):
    """The probability of so large a difference, to either side, when the true means are equal.

    Each row has 2 values or more. Rows without any spread differ for certain or not at all.
    """
    error_a, error_b = stddev_a**2 / n_a, stddev_b**2 / n_b
    if error_a + error_b == 0:
        return 1.0 if mean_a == mean_b else 0.0
    # As shares of the larger, or the squares of small errors would be lost.
    share_a, share_b = (e / max(error_a, error_b) for e in (error_a, error_b))
    freedom = (share_a + share_b) ** 2 / (share_a**2 / (n_a - 1) + share_b**2 / (n_b - 1))
    squared = (mean_a - mean_b) ** 2 / (error_a + error_b)
    return _beta(freedom / (freedom + squared), freedom / 2, 0.5)


def _beta(x, a, b):
    """The regularized incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, by symmetry
        return 1 - _beta(1 - x, b, a)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return math.exp(log_front) / (a * _fraction(x, a, b))


def _fraction(x, a, b):
    """1 + d1/(1 + d2/(1 + …)), by Lentz's method."""
    value = c = 1.0
    d = 0.0
    for i in range(1, _ROUNDS_MAX):
        m = i // 2
        if i % 2:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + step * d or _TINY)
        c = 1 + step / c or _TINY
        value *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return value
