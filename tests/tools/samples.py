# SPDX-License-Identifier: MIT
"""A good record of every type, without its time; and the head of a report, which has none."""

import json

from okramlib import ROOT

HEAD = {"type": "saved", "version": 1, "state": "done", "bytes": 4096, "crc32c": "0x1234abcd"}

_LINES = (ROOT / "tests" / "data" / "good.jsonl").read_text().splitlines()
GOOD = [json.loads(line) for line in _LINES]
