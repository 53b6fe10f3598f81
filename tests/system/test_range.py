# SPDX-License-Identifier: MIT
"""okram uses what range= and nodes= leave out: the rest is tested completely, and together."""

import random

import pytest

from okramlib import spec
from okramlib.run import run
from okramlib.units import GIB, MIB, PAGE
from system.harness import TIMEOUT_S, attach, check_found, follow, from_image
from system.placement import PLACE_MAX
from system.test_mce import CORRECTED, Inject, mce
from system.test_moving import FIRMWARES_OWN, SWEEPS, check_all_tested, spans_of
from system.watched_place import FindPlace, first_place

QUICK = "tests=quick bandwidth=off"
FIRMWARE = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


def ranges(spans):
    return ",".join(f"{base:#x}-{end:#x}" for base, end in spans)


def overlaps(part, spans):
    base, end = int(part["base"], 16), int(part["end"], 16)
    return sum(max(0, min(end, e) - max(base, b)) for b, e in spans)


def check_whole(outcome, spans):
    """All of the spans is tested, but what firmware keeps, and in one part."""
    result = outcome.last("result")
    left_out = [u for u in result["untested"] if overlaps(u, spans)]
    assert {u["why"] for u in left_out} <= FIRMWARES_OWN
    kept = sum(overlaps(u, spans) for u in left_out)
    assert result["tested_bytes"] == sum(end - base for base, end in spans) - kept > 0
    assert result["complete"] and "unpaired" not in result
    for test in outcome.of_type("test"):
        assert test["swept_bytes"] == SWEEPS[test["test"]] * result["tested_bytes"]


@FIRMWARE
def test_okram_leaves_what_is_to_be_tested(uefi):
    """It was loaded there; all of it goes, and stays away."""
    image = first_place(uefi).image
    spans = [(min(image) // MIB * MIB, max(image) // MIB * MIB + 2 * MIB)]
    finder = FindPlace("machine")
    machine = from_image("small", uefi=uefi, cmdline=f"{QUICK} range={ranges(spans)}")
    outcome = follow(machine, watcher=finder)
    assert outcome.exit_code == 0 and outcome.qemu_exit == 1
    check_whole(outcome, spans)
    assert not any(base <= page < end for page in finder.place.pages for base, end in spans)


def test_exactly_where_it_would_live():
    spans = spans_of(first_place().pages)
    outcome = follow(from_image("small", cmdline=f"{QUICK} range={ranges(spans)}"))
    assert outcome.exit_code == 0
    check_whole(outcome, spans)


@pytest.mark.parametrize("memory", ["512M", pytest.param("6G", marks=pytest.mark.slow)])
@FIRMWARE
def test_a_part_of_much_memory(uefi, memory):
    spans = [(MIB, 5 * MIB), (16 * MIB, 32 * MIB), (100 * MIB, 101 * MIB)]
    cmdline = f"{QUICK} range={ranges(spans)}"
    machine = from_image(
        "computed", uefi=uefi, cmdline=cmdline, extra=attach("lazy-memory", size=memory)
    )
    outcome = follow(machine)
    assert outcome.exit_code == 0
    check_whole(outcome, spans)


def test_it_leaves_the_node():
    machine = from_image("128M-2nodes", cmdline=f"{QUICK} nodes=0")
    outcome = follow(machine)
    assert outcome.exit_code == 0
    result = outcome.last("result")
    whys = {u["why"] for u in result["untested"] if int(u["base"], 16) >= MIB}
    assert whys == {"its node is not in nodes="}
    assert result["complete"] and "unpaired" not in result


@pytest.mark.slow
@pytest.mark.parametrize("cpu, most", [("max", PLACE_MAX), ("qemu64", PLACE_MAX + 1536 * PAGE)])
def test_a_small_part_of_1_tib(cpu, most):
    """okram is as large as what is tested, not as what there is. A CPU without pages of 1 GiB needs
    a page table for each GiB as well, and room to list them."""
    spans = [(16 * MIB, 64 * MIB)]
    cmdline = f"{QUICK} range={ranges(spans)}"
    finder = FindPlace("machine")
    machine = from_image(
        "computed",
        cpu=f"{cpu},phys-bits=46",
        cmdline=cmdline,
        extra=attach("lazy-memory", size="1T"),
    )
    outcome = follow(machine, watcher=finder, timeout=900)
    assert outcome.exit_code == 0
    check_whole(outcome, spans)
    assert len(finder.place.pages) * PAGE < most


def test_bad_pages_where_it_would_go():
    """No good run is longer than 60 KiB there: okram uses many, and all is tested."""
    spans = [(MIB, 40 * MIB), (56 * MIB, 95 * MIB)]
    faulty_cells = spec.parse("holes@0x2800040+0x10000*256.3")
    machine = from_image("96M-1cpu", faults=faulty_cells)
    machine.cmdline = f"{QUICK} ranges=1000 range={ranges(spans)}"
    finder = FindPlace("machine")
    outcome = follow(machine, watcher=finder)
    check_whole(outcome, spans)
    assert outcome.exit_code == 1 and not outcome.of_type("fault")
    assert not any(base <= page < end for page in finder.place.pages for base, end in spans)
    assert not any(page % 0x10000 == 0 for page in finder.place.pages if page < 56 * MIB)


@pytest.mark.slow
def test_a_bad_page_far_outside():
    """A machine check names a page that is neither tested nor near: it is kept, and in the line."""
    faulty_cell = 6 * GIB + 0x5240
    given = from_image("computed", extra=attach("lazy-memory", size="8G"))
    given.cmdline = f"{QUICK} range=16M-20M passes=0 time=60s"
    outcome = follow(given, watcher=Inject(mce(1, CORRECTED, addr=faulty_cell)))
    assert outcome.exit_code == 1 and outcome.last("result")["bad_pages"] == 1
    page = faulty_cell // PAGE * PAGE
    assert outcome.last("badram")["line"] == f"badram={page:#x},0xffffffffff000"
    assert outcome.last("badram")["sacrificed_pages"] == 1


def test_no_room_outside():
    """All but a page is to be tested: okram moves after each test, and all is."""
    outcome = follow(from_image("small", cmdline=f"{QUICK} passes=2 range=0x1000-64M"))
    result = outcome.last("result")
    assert outcome.exit_code == 0 and result["complete"] and "unpaired" not in result
    whys = {u["why"] for u in result["untested"]}
    assert whys == {"outside range=", "kept for CPUs that fail"}


def test_what_one_round_has_apart():
    """A single round leaves one place unpaired, which every report says."""
    outcome = follow(from_image("small", cmdline=QUICK))
    check_all_tested(outcome)
    sizes = [int(a["end"], 16) - int(a["base"], 16) for a in outcome.last("result")["unpaired"]]
    assert MIB < sum(sizes) < PLACE_MAX and outcome.exit_code == 0
    text = run(from_image("small", cmdline=f"{QUICK} serial=text"), timeout=TIMEOUT_S)
    assert any("never together with other memory" in line for line in text.lines)


@pytest.mark.parametrize(
    "tests, sweeps", [("march-mss", 7 * 18), pytest.param("standard", 84, marks=pytest.mark.slow)]
)
def test_two_parts_leave_nothing_apart(tests, sweeps):
    machine = from_image("small", cmdline=f"tests={tests} bandwidth=off")
    outcome = follow(machine)
    result = outcome.last("result")
    assert outcome.exit_code == 0 and "unpaired" not in result
    swept = sum(test["swept_bytes"] for test in outcome.of_type("test"))
    assert sweeps <= swept / result["tested_bytes"] < 1.1 * sweeps


def test_a_pass_of_too_little_is_no_whole_pass():
    """okram fits in, but has nowhere to move."""
    machine = from_image("10M-1cpu", cmdline=QUICK)
    outcome = follow(machine)
    result = outcome.last("result")
    assert result["status"] == "pass" and not result["complete"]
    assert outcome.exit_code == 3 and outcome.qemu_exit == 7
    assert any(u["why"] == "okram itself" for u in result["untested"])
    machine.cmdline += " serial=text"
    text = run(machine, timeout=TIMEOUT_S)
    assert text.exit_code == 3
    assert any("PASS, BUT INCOMPLETE" in line for line in text.lines)


def coupling(seed):
    """Two ranges, one of them often where okram is loaded, and a line that disturbs another."""
    chance = random.Random(seed)
    low = chance.randrange(0x100, 0x400) * PAGE
    high = chance.randrange(0x1000, 0x3C00) * PAGE
    spans = [(low, low + 0x201000), (high, high + 0x202000)]
    (a, a_end), (v, v_end) = chance.sample(spans, 2)
    kind = chance.choice(["invert", "set0", "set1"])
    aggressor, victim = chance.randrange(a, a_end), chance.randrange(v, v_end)
    bits = chance.randrange(8), chance.randrange(8)
    return spans, f"{kind}@{aggressor:#x}.{bits[0]}>{victim:#x}.{bits[1]}", victim


# One that was not seen where okram could not leave the first range.
KNOWN = (
    [(0x15B000, 0x35C000), (0x39D8000, 0x3BDA000)],
    "invert@0x25bbba.7>0x39d9ebd.3",
    0x39D9EBD,
)


def check_coupling(spans, fault, victim, tests):
    machine = from_image("small-1cpu", faults=fault)
    machine.cmdline = f"tests={tests} bandwidth=off range={ranges(spans)}"
    outcome = follow(machine)
    check_found(outcome, machine, [victim])
    assert outcome.last("result")["complete"] and "unpaired" not in outcome.last("result")


@pytest.mark.parametrize("case", [KNOWN, coupling(0), coupling(3)], ids=["known", "0", "3"])
def test_coupling_between_small_ranges(case):
    check_coupling(*case, "quick")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_coupling_in_standard(seed):
    check_coupling(*coupling(seed), "standard")


def test_a_part_is_not_the_whole():
    """All that was asked for was tested, but the result and the advice say which part it is."""
    outcome = follow(from_image("128M", cmdline=f"{QUICK} range=32M-64M"))
    result, advice = outcome.last("result"), outcome.last("advice")
    assert (result["status"], result["complete"]) == ("pass", True)
    assert result["tested_bytes"] == 32 * MIB
    assert 126 * MIB < result["part_of_bytes"] < 128 * MIB
    assert advice["case"] == "rest" and "32 MiB of 127 MiB" in advice["text"]
    whole = follow(from_image("small", cmdline=f"{QUICK} range=0-1G"))
    assert "part_of_bytes" not in whole.last("result")
    assert whole.last("advice")["case"] == "good"


def test_no_memory_there():
    """No pass, and the reason is not an internal error."""
    machine = from_image("small", cmdline=f"{QUICK} range=4G-8G")
    outcome = run(machine, timeout=TIMEOUT_S)
    result = outcome.last("result")
    assert outcome.exit_code == 2 and not outcome.bad_lines and result["tested_bytes"] == 0
    assert (result["status"], result["reason"]) == ("error", "nothing-tested")
    assert result["passes"] == 0
