# SPDX-License-Identifier: MIT
"""What the guard says of this boot: one JSON line in the variable OkramGuardStatus."""

import json

from . import STATUS, VENDOR

_BYTES_MAX = 4096


def read(variables):
    """{}: it is damaged; None: the guard has not run."""
    data = variables.data(STATUS, VENDOR)
    if data is None:
        return None
    try:
        record = json.loads(data[:_BYTES_MAX].decode().rstrip("\0\n"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) and record.get("type") == "guard" else {}
