# SPDX-License-Identifier: MIT
"""A run as metrics for node_exporter's textfile collector (Prometheus' exposition format 0.0.4)."""

import io
import re

from okramlib import prometheus
from tools.sample_runs import make_run
from tools.samples import GOOD

GOOD_RUN = [{"t": 1, **record} for record in GOOD]
LABELS = r'\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\}'
SAMPLE = re.compile(rf"^(okram_[a-z_]+)({LABELS})? (-?[0-9.e+-]+|NaN)$")


def written(run, problems=()):
    text = io.StringIO()
    prometheus.write(text, run, problems)
    return text.getvalue()


def samples(text):
    """name -> values; each has its help and its type before it, once."""
    found, described = {}, []
    for line in text.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            described.append(tuple(line.split(" ", 3)[1:3]))
            continue
        match = SAMPLE.match(line)
        assert match, line
        assert ("HELP", match[1]) in described and ("TYPE", match[1]) in described
        found.setdefault(match[1], {})[match[2] or ""] = float(match[3])
    assert len(set(described)) == len(described)
    return found


def test_every_record():
    found = samples(written(GOOD_RUN))
    result = next(record for record in GOOD if record["type"] == "result")
    assert found["okram_bad_pages"][""] == result["bad_pages"]
    assert found["okram_tested_bytes"][""] == result["tested_bytes"]
    assert found["okram_result"][f'{{status="{result["status"]}"}}'] == 1
    assert sum(found["okram_result"].values()) == 1
    assert list(found["okram_run_info"].values()) == [1]


def test_hidden_pages_are_not_found():
    """The badram line covers them, but this run did not test them."""
    run = [dict(record) for record in GOOD_RUN if record["type"] not in ("fault", "state")]
    for record in run:
        if record["type"] == "result":
            record |= {"status": "pass", "complete": False, "bad_pages": 0, "hidden_pages": 3}
        if record["type"] == "badram":
            record["bad_pages"] = 3
    found = samples(written(run))
    assert found["okram_bad_pages"][""] == 0
    assert found["okram_result"]['{status="incomplete"}'] == 1
    next(r for r in run if r["type"] == "badram")["bad_pages"] = 4  # one more was found
    found = samples(written(run))
    assert found["okram_bad_pages"][""] == 1 and found["okram_result"]['{status="fail"}'] == 1


def test_a_pass_of_a_part_is_incomplete():
    """By range=, nodes= or lowmem=."""
    result = {"status": "pass", "complete": True, "bad_pages": 0, "part_of_bytes": 255 << 20}
    run = [
        record | (result if record["type"] == "result" else {})
        for record in GOOD_RUN
        if record["type"] not in ("fault", "state", "badram")
    ]
    assert samples(written(run))["okram_result"]['{status="incomplete"}'] == 1


def test_base_units():
    found = samples(written(make_run()))
    assert all(value > 1e6 for value in found["okram_bandwidth_bytes_per_second"].values())
    assert all(0 < value < 1e-3 for value in found["okram_latency_seconds"].values())


def test_what_is_unknown_is_left_out():
    found = samples(written([], ["line 1 is not JSON"]))
    assert "okram_bad_pages" not in found
    assert found["okram_report_problems"][""] == 1


def test_hostile_words():
    hostile = 'a"b\\c\nokram_bad_pages 0\n'
    run = [
        {
            name: hostile if isinstance(value, str) and name != "type" else value
            for name, value in r.items()
        }
        for r in GOOD_RUN
        if r["type"] in ("start", "machine", "support")
    ]
    assert "okram_bad_pages" not in samples(written(run))
