# SPDX-License-Identifier: MIT
"""Boots of okram, and the rules for the records of each."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from okramlib import BUILD, records, spec
from okramlib import machine as machines
from okramlib.machine import IMAGE, KERNEL
from okramlib.run import run
from okramlib.units import PAGE, parse_size

TIMEOUT_S = 240

NO_MEMORY = "no memory there: a range for hot-plug"  # why it is not tested
NO_CXL = "no memory there: a window for CXL memory"

_LINE = re.compile(r"badram=0x[0-9a-f]+,0x[0-9a-f]+(,0x[0-9a-f]+,0x[0-9a-f]+)*")
_PATTERN_BITS = 0x000FFFFFFFFFF000


# Among QEMU's arguments: what it boots from.
_BOOTS = re.compile(r"-boot|-kernel|-cdrom|.*\bbootindex=")


@dataclass
class Machine(machines.Machine):
    """With a BIOS, QEMU itself starts the kernel, a second faster than GRUB does from the CD,
    unless the machine has options that need the image."""

    def __post_init__(self):
        needs_image = (
            self.uefi
            or self.usb
            or self.menu
            or self.writable
            or self.firmware
            or self.image != IMAGE
            or self.board_name != "q35"
            or any(_BOOTS.match(word) for word in self.extra)
        )
        self.kernel = None if needs_image else KERNEL


_DECLARED = tomllib.loads((Path(__file__).parent / "machines.toml").read_text())


def named(name, **settings):
    """A machine of machines.toml. Settings are what a test's parameters vary, and what only a run
    has: options, files, and faults, which may be texts."""
    return Machine(**settings_of(name, **settings))


def from_image(name, **settings):
    """The same, but started by the image, as a PC is."""
    return machines.Machine(**settings_of(name, **settings))


def attach(name, /, **values):
    """QEMU's arguments for a device of machines.toml: values are those that only a run has."""
    values = {"build": BUILD, "options": "", **values}
    return [word.format(**values) for word in _DECLARED["device"][name]]


def settings_of(name, on=None, faults=(), extra=(), **settings):
    """`on`: another machine than a helper's usual one."""
    declared = dict(_DECLARED["machine"][on or name])
    by_uefi = declared.pop("uefi_memory", None)
    memory = by_uefi if by_uefi and settings.get("uefi") else declared.pop("memory", "512M")
    devices = [word for of in declared.pop("devices", ()) for word in attach(of)]
    given = spec.parse(faults) if isinstance(faults, str) else faults
    if "node_memory" in declared:
        declared["node_memory"] = [parse_size(size) for size in declared["node_memory"]]
    far = declared.pop("distances", {})
    declared["distances"] = {tuple(map(int, pair.split(","))): far[pair] for pair in far}
    return {
        **declared,
        "memory": parse_size(memory),
        **settings,
        "faults": [
            f for one in given for f in (spec.parse(one) if isinstance(one, str) else [one])
        ],
        "extra": [*devices, *extra],
    }


def follow(machine, **options):
    """The outcome of a run that must end as it should."""
    outcome = run(machine, **{"timeout": TIMEOUT_S, **options})
    assert not outcome.trouble
    check_records(outcome, machine)
    return outcome


def check_records(outcome, machine):
    """The contract's rules between records; the schema is checked as they are read."""
    assert outcome.bad_lines == []
    types = [record["type"] for record in outcome.records]
    assert types[0] == "start" and types[-1] == "result"
    assert all(types.count(once) == 1 for once in ("start", "machine", "result"))
    assert "badram" in types
    assert types.count("identity") == ("identity=off" not in machine.cmdline)
    assert ("trace" in types) == ("trace=" in machine.cmdline)
    times = [record["t"] for record in outcome.records]
    assert times == sorted(times) and times[0] >= 0

    start, result = outcome.last("start"), outcome.last("result")
    found = outcome.last("machine")
    assert start["boot"] == ("uefi" if machine.uefi else "bios")
    assert found["nodes"] == len(outcome.of_type("node"))
    assert result["tested_bytes"] + result["untested_bytes"] == found["ram_bytes"]
    untested = [u for u in result["untested"] if u["why"] not in (NO_MEMORY, NO_CXL)]
    sizes = [int(u["end"], 16) - int(u["base"], 16) for u in untested]
    assert sum(sizes) == result["untested_bytes"] and all(size > 0 for size in sizes)
    assert all(u["why"] for u in result["untested"])
    check_badram(outcome)


def warnings_of(outcome):
    """Of the whole run."""
    return [*outcome.last("machine")["warnings"], *outcome.last("result").get("warnings", [])]


def check_line(line):
    """Of a serial port that okramlib.run does not read: a JSON object must be a valid record."""
    try:
        records.parse(line)
    except records.InvalidRecord:
        raise
    except records.BadLine:
        pass


def check_badram(outcome):
    badram, result = outcome.last("badram"), outcome.last("result")
    hidden = result.get("hidden_pages", 0)
    assert badram["bad_pages"] == result["bad_pages"] + hidden
    ends = {"fail": 1, "corrected": 4, "stopped": 3, "pass": 0 if result["complete"] else 3}
    assert outcome.exit_code == ends[result["status"]]
    uncorrected = result["ecc"]["uncorrected"]
    assert (result["status"] == "fail") == (result["bad_pages"] + uncorrected > 0)
    if not badram["bad_pages"]:
        assert badram["line"] == "" and badram["patterns"] == [] and not outcome.of_type("fault")
        assert not outcome.of_type("pages")
        return
    assert _LINE.fullmatch(badram["line"])
    flat = ",".join(f"{addr},{mask}" for addr, mask in badram["patterns"])
    assert badram["line"] == "badram=" + flat
    for addr, mask in patterns(outcome):
        assert addr & mask == addr and mask & ~_PATTERN_BITS == 0
    assert badram["sacrificed_pages"] >= badram["bad_pages"]
    covered = {int(fault["addr"], 16) // PAGE for fault in outcome.of_type("fault")}
    assert all(is_covered(outcome, page * PAGE) for page in covered)
    check_pages(outcome, covered)


def check_pages(outcome, faulty):
    """The bad pages one by one: as many as the result counts, in order, and all that had faults."""
    told = outcome.of_type("pages")
    runs = [[int(at, 16) // PAGE for at in run] for record in told for run in record["runs"]]
    sizes = [end - base for base, end in runs]
    assert all(size > 0 for size in sizes)
    assert all(end < after for (_, end), (after, _) in zip(runs, runs[1:], strict=False))
    assert sum(record["pages"] for record in told) == sum(sizes)
    assert all(len(record["runs"]) == 250 for record in told[:-1])
    if told[-1].get("more"):
        assert len(runs) == 4000
        return
    assert sum(sizes) == outcome.last("badram")["bad_pages"]
    assert all(any(base <= page < end for base, end in runs) for page in faulty)
    assert all(is_covered(outcome, base * PAGE) for base, _ in runs)


def patterns(outcome):
    return [(int(a, 16), int(m, 16)) for a, m in outcome.last("badram")["patterns"]]


def is_covered(outcome, addr):
    return any((addr ^ base) & mask == 0 for base, mask in patterns(outcome))


def check_found(outcome, machine, addresses):
    """Exactly the pages of these addresses are bad and covered, and no other page of RAM is."""
    expected = {addr // PAGE for addr in addresses}
    for part in outcome.last("result")["untested"]:
        inside = range(int(part["base"], 16) // PAGE, -(-int(part["end"], 16) // PAGE))
        assert not any(page in inside for page in expected), (
            f"wrong address in the test: {part} is not tested"
        )
    assert outcome.exit_code == 1
    faulty = {int(fault["addr"], 16) // PAGE for fault in outcome.of_type("fault")}
    assert faulty <= expected
    assert outcome.last("result")["bad_pages"] == len(expected)
    assert covered_pages(outcome, machine) == expected
    assert outcome.last("badram")["sacrificed_pages"] == len(expected)


def vga_text(qemu, path):
    """The 25 lines of the VGA text screen; QEMU writes path."""
    qemu.qmp.command("pmemsave", val=0xB8000, size=80 * 25 * 2, filename=str(path))
    cells = path.read_bytes()
    return [cells[i : i + 160 : 2].decode("cp437").rstrip(" \0") for i in range(0, 4000, 160)]


def covered_pages(outcome, machine):
    pages = set()
    for base, mask in patterns(outcome):
        for start, _, size in machine.layout.guest_ranges:
            pages |= set(_covered_in(base, mask, start, start + size))
    return pages


def _covered_in(base, mask, start, end):
    """The pages of [start, end) that a pattern covers; steps over runs that it cannot."""
    addr = start
    while addr < end:
        differs = (addr ^ base) & mask
        if differs == 0:
            yield addr // PAGE
            addr += PAGE
        else:
            # Nothing matches before the highest bit that differs has changed.
            step = 1 << (differs.bit_length() - 1)
            addr = (addr & -step) + step
