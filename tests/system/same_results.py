# SPDX-License-Identifier: MIT
"""What okram finds must not depend on the machine: runs of clean and of faulty memory, and what of
them is compared with the same runs on an ordinary machine."""

from dataclasses import replace
from functools import cache

from okramlib import spec
from okramlib.units import MIB
from system.harness import check_found, follow, from_image

LEVEL = "tests=quick bandwidth=off"
# In RAM of every machine, and kept by no firmware.
RANGE = f"{LEVEL} range=24M-30M"
RANGE_BYTES = 6 * MIB
FAULTY_CELL = 0x1A00123

# Why memory is left out that an ordinary machine has not: with USB; with BIOSes that name it so.
_NOT_EVERYWHERE = {"USB controllers write there for okram", "ACPI tables"}

_TIMEOUT_S = 600


def ordinary(uefi):
    """128 MiB for UEFI: OVMF leaves little of less."""
    return from_image("small", uefi=uefi)


def clean_run(machine):
    return follow(replace(machine, cmdline=f"{LEVEL} {machine.cmdline}"), timeout=_TIMEOUT_S)


def faulty_run(machine):
    """With one stuck bit; nothing else may be found."""
    faulty = replace(
        machine,
        cmdline=f"{RANGE} {machine.cmdline}",
        faults=spec.parse(f"stuck1@{FAULTY_CELL:#x}.4"),
    )
    outcome = follow(faulty, timeout=_TIMEOUT_S)
    check_found(outcome, faulty, [FAULTY_CELL])
    return outcome


@cache
def reference(uefi, faulty=False):
    return (faulty_run if faulty else clean_run)(ordinary(uefi))


def check_clean(outcome, usual, keeps=2 * MIB):
    """As on an ordinary machine. Firmware may keep so much more or less, but of no other kind."""
    result, of_usual = outcome.last("result"), usual.last("result")
    assert result["status"] == of_usual["status"] == "pass"
    assert result["complete"] and result["passes"] == 1
    assert sweeps(outcome) == sweeps(usual)
    assert abs(left_out(outcome) - left_out(usual)) <= keeps
    kinds = {part["why"] for part in result["untested"]} - _NOT_EVERYWHERE
    assert kinds <= {part["why"] for part in of_usual["untested"]}


def left_out(outcome):
    return outcome.last("machine")["installed_bytes"] - outcome.last("result")["tested_bytes"]


def check_faulty(outcome, usual):
    result, of_usual = outcome.last("result"), usual.last("result")
    assert result["status"] == of_usual["status"] == "fail"
    assert result["tested_bytes"] == of_usual["tested_bytes"] == RANGE_BYTES
    assert outcome.last("badram")["line"] == usual.last("badram")["line"] != ""
    assert sweeps(outcome) == sweeps(usual)


def check_warnings(outcome, usual, also=()):
    """Each of `also` is in one warning; no other is there that an ordinary machine has not."""
    warnings = outcome.last("machine")["warnings"]
    expected = [text for text in warnings if any(part in text for part in also)]
    assert len(expected) == len(also)
    rest = [text for text in warnings if text not in expected]
    assert set(rest) <= set(usual.last("machine")["warnings"])
    assert "warnings" not in outcome.last("result")


def sweeps(outcome):
    """(test, how often it went through all memory under test) of each test."""
    tested = outcome.last("result")["tested_bytes"]
    counts = [(test["test"], test["swept_bytes"] / tested) for test in outcome.of_type("test")]
    assert counts and all(count == int(count) for _, count in counts)
    return counts
