# SPDX-License-Identifier: MIT
"""What the guard says of this boot: one JSON line in the variable OkramGuardStatus."""

import json

from . import STATUS, VENDOR

_BYTES_MAX = 4096
_TEXTS = ("version", "state", "source", "why", "made")
_COUNTS = (
    "pages",
    "masked",
    "held",
    "reserved",
    "outside",
    "between",
    "microseconds",
)
_COUNT_END = 1 << 64


def read(variables):
    """{}: it is damaged; None: the guard has not run."""
    data = variables.data(STATUS, VENDOR)
    if data is None:
        return None
    try:
        record = json.loads(data[:_BYTES_MAX].decode().rstrip("\0\n"))
    except (ValueError, RecursionError):
        return {}
    return record if _is_valid(record) else {}


def _is_valid(record):
    """Its fields are what docs/guard.md says, as far as they are used; each may be missing."""
    if not isinstance(record, dict) or record.get("type") != "guard":
        return False
    patrol = record.get("patrol")
    return (
        all(isinstance(record.get(name), str | None) for name in _TEXTS)
        and all(_is_count(record.get(name)) for name in _COUNTS)
        and (patrol is None or _is_patrol(patrol))
    )


def _is_patrol(patrol):
    return (
        isinstance(patrol, dict)
        and all(_is_count(patrol.get(name)) for name in ("bytes", "faults"))
        and isinstance(patrol.get("next"), str | None)
    )


def _is_count(value):
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value is None or (is_whole and 0 <= value < _COUNT_END)
