# SPDX-License-Identifier: MIT
"""What trace= tells: moves of okram, CPUs, calls of UEFI's runtime services. And the screen."""

from okramlib.units import MIB
from system.harness import follow, named
from system.test_screen import check_picture


def traced(outcome, what):
    return [record for record in outcome.of_type("trace") if record["what"] == what]


def test_moves_cpus_and_calls_of_firmware(tmp_path):
    options = "bandwidth=off tests=address passes=1 trace=on"
    machine = named("uefi-128M", cmdline=options)
    outcome = follow(machine, screenshot=tmp_path / "screen.png")
    check_picture(tmp_path / "screen.png")
    cpus = traced(outcome, "cpu")
    assert [(r["cpu"], r["apic_id"], r["state"]) for r in cpus] == [
        (0, 0, "started"),
        (1, 1, "started"),
    ]
    out_of_range, away = traced(outcome, "move")
    assert (out_of_range["state"], out_of_range["to"]) == ("no place", None)
    assert away["state"] == "moved" and away["from"] == out_of_range["from"] != away["to"]
    assert 0 < away["bytes"] < 64 * MIB and 0 < away["seconds"] < 60

    calls = traced(outcome, "firmware")
    assert {r["cpu"] for r in calls} == {1}, "the last CPU calls"
    for begin, end in zip(calls[::2], calls[1::2], strict=True):
        assert (begin["state"], end["state"]) == ("called", "returned")
        assert begin["service"] == end["service"]
        assert begin.get("variable") == end.get("variable")
        assert end["seconds"] < 60
    written = [r for r in calls if r["service"] == "SetVariable" and r["state"] == "returned"]
    assert ("OkramReport00", "0x0") in [(r["variable"], r["status"]) for r in written]
