# SPDX-License-Identifier: MIT
"""What a device or firmware writes to memory under test is not a fault, and no fault is lost."""

import random

import pytest

from okramlib import spec
from okramlib.units import MIB, PAGE
from system.device import LINE, Device
from system.harness import check_found, follow, from_image

BASE, END = 40 * MIB, 44 * MIB
CMDLINE = "tests=standard bandwidth=off range=40M-44M"

# Of each kind, and the pages that are bad for it.
FAULTS = {
    "stuck0@0x2801237.7": [0x2801000],
    "stuck1@0x2823456.0": [0x2823000],
    "stuck0@0x2bfffff.7": [0x2BFF000],
    "rise@0x2a02037.3": [0x2A02000],
    "rise@0x2900000.0": [0x2900000],
    "fall@0x2930fff.4": [0x2930000],
    "fall@0x2ad0010.1": [0x2AD0000],
    "invert@0x2841237.1>0x2a10f00.6": [0x2A10000],
    "invert@0x2b10f00.6>0x2851237.1": [0x2851000],
    "set0@0x2861237.1>0x2b20f00.6": [0x2B20000],
    "set1@0x2b30f00.1>0x2871237.6": [0x2871000],
    "alias@0x2811000>0x2ae1000": [0x2811000, 0x2AE1000],
    "fade@0x2bf1237.1:0.02": [0x2BF1000],
    "holes@0x2980ff8+0x4000*6.2": [0x2980000 + i * 0x4000 for i in range(6)],
}


RUNS = 3  # FOREIGN_RUNS: what a device has written is bad the third time

# Behind a controller that encrypts: a page that fails often; and pages of which a run stores some
# 2,500 lines, more where okram was for a while: one or two of these are garbled, until they are
# stored again, or for the first read only.
READ_ONCE = 0x2A30000
CHIPS = ["chip@0x2a00000.3:60"]
CHIPS += [f"chip@{0x2A10000 + i * PAGE:#x}.{i % 8}:2000" for i in range(16)]
CHIPS += [f"chip-read@{READ_ONCE + i * PAGE:#x}.{i % 8}:2000" for i in range(16)]


def faulty():
    return {page for pages in FAULTS.values() for page in pages}


def machine(faults, cmdline=CMDLINE):
    return from_image("small", cmdline=cmdline, faults=faults)


def lines(n, seed=7):
    """Of good pages, at most two of each: three runs make a page bad."""
    faults = [fault for text in FAULTS for fault in spec.parse(text)]
    faulty_pages = {cell.addr // PAGE * PAGE for fault in faults for cell in fault.cells}
    halves = [half for half in range(BASE, END, PAGE // 2) if half & -PAGE not in faulty_pages]
    choice = random.Random(seed)
    return [half + choice.randrange(PAGE // 2 // LINE) * LINE for half in choice.sample(halves, n)]


def page_of(record):
    return int(record["addr"], 16) // PAGE * PAGE


def check_external(outcome, device, but=()):
    """Each record is of a line that the device wrote, and says what it wrote."""
    found = [record for record in outcome.of_type("external") if page_of(record) not in but]
    assert all(record["test"] and record["pass"] == 1 for record in found)
    for record in found:
        address = int(record["addr"], 16)
        data = device.written[address // LINE * LINE]
        word = int.from_bytes(data[address % LINE : address % LINE + 8], "little")
        assert int(record["found"], 16) == word != int(record["expected"], 16)
    return {int(record["addr"], 16) // LINE * LINE for record in found}


@pytest.mark.slow
def test_a_device_and_faults():
    """200 lines, none of them in the badram line; 20 bad pages of every kind, all of them in it."""
    device = Device(lines(200), seconds=5)
    guest = machine(FAULTS)
    outcome = follow(guest, watcher=device, timeout=900)
    assert len(faulty()) == 20 and len(device.written) == 200
    check_found(outcome, guest, faulty())
    assert len(check_external(outcome, device)) >= 50
    assert any("written by a device" in text for text in outcome.last("result")["warnings"])


def pages_of(texts):
    return {fault.cell.addr // PAGE * PAGE for text in texts for fault in spec.parse(text)}


def test_a_chip_that_fails_once_in_encrypted_memory():
    """Each of its pages is bad the first time, lines that are garbled as a whole as well.

    But for the first page that each CPU meets: the look of its faults has to be seen before.
    """
    guest = machine(CHIPS)
    outcome = follow(guest)
    result = outcome.last("result")
    assert outcome.last("machine")["encryption"] == "unknown" and result["encryption"] == "look"
    assert any("memory looks encrypted" in text for text in result["warnings"])
    check_found(outcome, guest, pages_of(CHIPS))
    first = {page_of(record) for record in outcome.of_type("external")}
    assert first <= pages_of(CHIPS) and len(first) <= guest.cpus
    found = {}
    for fault in outcome.of_type("fault"):
        if page_of(fault) not in first | pages_of(CHIPS[:1]):
            line = int(fault["addr"], 16) // LINE * LINE
            found.setdefault(page_of(fault), {}).setdefault(line, []).append(fault["addr"])
    assert all(len(there) < RUNS for there in found.values())
    words = [words for there in found.values() for words in there.values()]
    assert sum(len(set(addresses)) == LINE // 8 for addresses in words) >= 5  # garbled as a whole
    once = [words for page, there in found.items() if page >= READ_ONCE for words in there.values()]
    assert all(len(addresses) == len(set(addresses)) for addresses in once)


def test_a_device_where_memory_is_encrypted_and_a_chip_fails():
    """What cannot be garbage is a device's there, too."""
    chips = CHIPS[:1]
    addresses = [line for line in lines(200) if line // PAGE * PAGE not in pages_of(chips)]
    device = Device(addresses, seconds=5, text=True)
    guest = machine(chips)
    outcome = follow(guest, watcher=device)
    assert outcome.last("result")["encryption"] == "look"
    check_found(outcome, guest, pages_of(chips))
    assert len(device.written) == len(addresses) >= 199
    assert len(check_external(outcome, device, but=pages_of(chips))) >= 50


def test_a_device_alone_does_not_look_like_encryption():
    """200 lines of random data, as garbage is, of sound memory with the same permutation."""
    device = Device(lines(200), seconds=5)
    outcome = follow(machine([f"chip@{BASE - PAGE:#x}.0:4000000000"]), watcher=device)
    result = outcome.last("result")
    assert result["bad_pages"] == 0 and "encryption" not in result
    assert len(device.written) == 200
    assert len(check_external(outcome, device)) >= 50
