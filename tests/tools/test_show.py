# SPDX-License-Identifier: MIT
"""The output during a run."""

import pytest

from okramlib.show import Show
from tools.samples import GOOD


@pytest.mark.parametrize(
    "kind, text",
    [
        ("start", "okram 0.1.0, options:"),
        ("machine", "2 CPUs, 1 node, 1 B RAM"),
        ("test", "pass 1  address"),
        ("fault", "fault at 0x1008: expected 0x0, found 0xffffffffffffffff"),
        ("external", "0x7040 was written by a device or by firmware (address)"),
        ("alias", "alias pair: 0x3040 and 0x1040, 1 page like it (address)"),
        ("mce", ""),
    ],
)
def test_records(capsys, kind, text):
    show = Show()
    show.record({"t": 1, **next(record for record in GOOD if record["type"] == kind)})
    printed = capsys.readouterr().out
    assert printed.startswith(text) and bool(printed) == bool(text)


def test_many_faults_are_summed_up(capsys):
    show = Show()
    fault = {"t": 1, **next(record for record in GOOD if record["type"] == "fault")}
    for _ in range(50):
        show.record(fault)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and lines[-1].startswith("more faults")
