# SPDX-License-Identifier: MIT
"""What okram says of a machine: slots, sockets, nodes, bad tables, its HMAT."""

import re
import struct

import pytest

from data import tables
from okramlib import EXIT_UNFINISHED
from okramlib.run import Watcher
from okramlib.units import GIB, MIB
from system.efi_stick import efi_stick
from system.harness import attach, follow, named, vga_text
from system.own_tables import smbios

QUICK = "tests=quick bandwidth=off"
FIRMWARE = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])

DDR4 = 0x1A
DDR5 = 0x22
DIMM = 9


def slot(name, size_mib, rated=3200, configured=3200, bits=(72, 64), kind=DDR4):
    """SMBIOS type 17 of version 2.7; bits: the total and data widths."""
    number = 0x1100 + slot.made
    slot.made += 1
    head = struct.pack("<BBHHHHHH", 17, 0x22, number, 0x1000, 0xFFFE, *bits, size_mib)
    named = struct.pack("<BBBBBHH", DIMM, 0, 1, 0, kind, 0x80, rated)
    rest = struct.pack("<BBBBBIH", 0, 0, 0, 0, 2, 0, configured)
    return head + named + rest + name.encode() + b"\0\0"


slot.made = 0


def warnings_of(machine):
    return follow(machine).last("machine")["warnings"]


class Screen(Watcher):
    """Whether the words come on the VGA screen, however its rows wrap them. Looks from the end
    of the first test on, and then presses q."""

    def __init__(self, words, path):
        self._words = words
        self._path = path
        self._due = self.shown = False

    def record(self, record):
        self._due |= record["type"] == "test"

    def tick(self, qemu):
        if self._due and not self.shown:
            rows = vga_text(qemu, self._path)
            self.shown = self._words in " ".join(" ".join(rows).split())
            if self.shown:
                qemu.press_twice("q")


TWELVE = [f"DIMM_{channel}{place}" for channel in "ABCDEF" for place in "12"]
# The whole of a 64 GiB guest would take long; 16 MiB of it are tested.
LARGE = f"{QUICK} range=1G-1040M"
SAID = "SMBIOS lists 96 GiB in 12 slots, but only 64 GiB is usable: 32 GiB is missing"


def twelve_slots(directory, **options):
    modules = [slot(name, 8 * 1024) for name in TWELVE]
    extra = smbios(directory, modules) + attach("lazy-memory", size="64G")
    return named("small-1cpu", extra=extra, **options)


@FIRMWARE
def test_96_gib_installed_64_usable(uefi, tmp_path):
    told = follow(twelve_slots(tmp_path, uefi=uefi, cmdline=LARGE)).last("machine")
    assert told["installed_bytes"] == 96 * GIB
    sentence = next(text for text in told["warnings"] if text.startswith(SAID))
    assert "the size of 4 modules" in sentence and sentence.endswith(", ".join(TWELVE))
    assert not any("MT/s" in text or "empty" in text for text in told["warnings"])


def test_modules_that_are_not_seen(tmp_path):
    """8 of 12 modules are there, and all of what they have is tested: the pass is incomplete."""
    outcome = follow(twelve_slots(tmp_path, cmdline=LARGE))
    result = outcome.last("result")
    assert (result["status"], result["complete"], result["bad_pages"]) == ("pass", False, 0)
    unseen = result["unseen"]
    assert (unseen["modules"], unseen["of"], unseen["installed_bytes"]) == (4, 12, 96 * GIB)
    assert not unseen["at_least"] and not unseen["may_be_mirrored"]
    assert outcome.exit_code == EXIT_UNFINISHED


@pytest.mark.parametrize(
    "sizes, memory, missing",
    [((16384,), 512, 15872), ((1024,), 512, 512), ((1024, 1024), 1792, 256)],
    ids=["nearly-all", "half-of-one", "an-eighth-of-two"],
)
def test_parts_of_modules_are_missing(tmp_path, sizes, memory, missing):
    """Not one module's worth, but more than firmware keeps: the pass is incomplete."""
    modules = [slot(name, size) for name, size in zip(TWELVE, sizes, strict=False)]
    extra = smbios(tmp_path, modules) + attach("lazy-memory", size=f"{memory}M")
    machine = named("small-1cpu", cmdline=f"{QUICK} range=32M-48M", extra=extra)
    outcome = follow(machine)
    result, advice = outcome.last("result"), outcome.last("advice")
    assert (result["status"], result["complete"]) == ("pass", False)
    unseen = result["unseen"]
    assert (unseen["modules"], unseen["of"]) == (0, len(sizes))
    assert unseen["installed_bytes"] == sum(sizes) * MIB
    assert abs(unseen["missing_bytes"] - missing * MIB) < 2 * MIB
    assert advice["case"] == "missing" and outcome.exit_code == EXIT_UNFINISHED


def test_what_is_missing_is_on_the_screen(tmp_path):
    screen = Screen(SAID, tmp_path / "vga")
    follow(twelve_slots(tmp_path, cmdline=f"{LARGE} passes=0 time=60s"), watcher=screen)
    assert screen.shown


def test_empty_and_slow_slots(tmp_path):
    slots = [
        slot("A1", 16 * 1024, configured=2133),
        slot("A2", 0),
        slot("B1", 16 * 1024),
    ]
    extra = smbios(tmp_path, slots) + attach("lazy-memory", size="16G")
    said = warnings_of(named("small-1cpu", cmdline=LARGE, extra=extra))
    assert any(re.match(r"SMBIOS lists 32 GiB in 2 of 3 slots.*16 GiB is missing", s) for s in said)
    assert "1 of 3 slots is empty or disabled: A2" in said
    assert "1 module runs at 2133 MT/s, rated 3200: A1" in said


def test_all_memory_there_is_no_finding(tmp_path):
    extra = smbios(tmp_path, [slot("A1", 32), slot("B1", 0), slot("A2", 32)])
    said = warnings_of(named("small-2nodes", cmdline=QUICK, extra=extra))
    assert said == []


def memory_array(correction):
    """SMBIOS type 16 of version 2.1, to which the slots belong; correction: 3 none, 5 and 6 ECC."""
    return struct.pack("<BBHBBBIHH", 16, 0x0F, 0x1000, 3, 3, correction, 65536, 0xFFFE, 2) + b"\0\0"


UNUSED = "although the modules have it"


@pytest.mark.parametrize(
    "correction, bits, state, shown",
    [
        (6, (72, 64), "on", "ECC on"),
        (3, (64, 64), "off", "ECC off"),
        (3, (72, 64), "unused", f"ECC off, {UNUSED}"),
        (6, (0xFFFF, 0xFFFF), "unknown", None),
    ],
)
def test_ecc_by_smbios(tmp_path, correction, bits, state, shown):
    modules = [slot(name, 32, bits=bits) for name in ("A1", "B1")]
    extra = smbios(tmp_path, [memory_array(correction), *modules])
    screen = Screen(shown or "installed", tmp_path / "vga")
    machine = named("small-1cpu", cmdline=f"{QUICK} passes=0 time=60s", extra=extra)
    outcome = follow(machine, watcher=screen)
    told = outcome.last("machine")
    assert told["memory_ecc"] == {"state": state, "by": None if state == "unknown" else "smbios"}
    assert [UNUSED in text for text in told["warnings"]] == [True] * (state == "unused")
    assert screen.shown


def test_ddr5_has_ecc_of_its_own(tmp_path):
    extra = smbios(tmp_path, [slot("A1", 32, kind=DDR5), slot("B1", 32)])
    screen = Screen("on-die ECC", tmp_path / "vga")
    machine = named("small-1cpu", cmdline=f"{QUICK} passes=0 time=60s", extra=extra)
    outcome = follow(machine, watcher=screen)
    assert outcome.last("machine")["memory_repair"] == ["on-die ECC"]
    assert screen.shown


@pytest.mark.slow
def test_a_mirrored_range(tmp_path):
    """Firmware's memory map says so. By BIOS, and of DDR4 alone, nothing does."""
    image = efi_stick(tmp_path / "stick.img", "mirrored_range")
    machine = named("uefi-stick-128M", image=image, cmdline=f"{QUICK} time=1s")
    told = follow(machine).last("machine")
    assert told["memory_repair"] == ["address range mirroring"]
    assert "memory_repair" not in follow(named("small", cmdline=f"{QUICK} time=1s")).last("machine")


def test_two_sockets_but_one_node():
    machine = named("two-sockets", cmdline=QUICK)
    said = warnings_of(machine)
    assert any(text.startswith("2 sockets but one node: node interleaving") for text in said)


def test_nodes_with_unequal_cpus():
    said = warnings_of(named("128M-3cpus-2nodes", cmdline=QUICK))
    assert said == ["nodes are unequal: node 0 has 1 CPU, node 1 has 2"]


def hmat_options(side_cache):
    for to, latency, bandwidth in ((0, 90, "40G"), (1, 140, "20G")):
        for node in (0, 1):
            pair = f"hmat-lb,initiator={node},target={node ^ to},hierarchy=memory"
            yield f"{pair},data-type=access-latency,latency={latency}"
            yield f"{pair},data-type=access-bandwidth,bandwidth={bandwidth}"
    of_node = f"hmat-cache,node-id=1,size={side_cache},level=1"
    yield f"{of_node},associativity=direct,policy=write-back,line=64"


def hmat_machine(side_cache="16M", **options):
    numa = [attach("numa", options=option) for option in hmat_options(side_cache)]
    return named("hmat", extra=sum(numa, []), **options)


@FIRMWARE
def test_hmat_costs_no_warning(uefi):
    assert warnings_of(hmat_machine(uefi=uefi, cmdline=QUICK)) == []


MEASURED = "tests=quick bandwidth=quick bandwidth.runs=2"
CACHED = re.compile(
    r"node 1 has a memory-side cache of (\S+ .iB): arrays of (\d+) MiB were read there, so "
    r"bandwidth and latency are (partly )?those of the cache"
)


@pytest.mark.parametrize(
    "side_cache, said, part",
    [("16M", None, None), ("60M", "60 MiB", "partly "), ("1G", "1 GiB", None)],
    ids=["small", "in-part", "whole"],
)
def test_memory_side_cache(side_cache, said, part):
    """Arrays have 64 MiB or more, and find 128 MiB."""
    late = follow(hmat_machine(side_cache=side_cache, cmdline=MEASURED)).last("result")
    about = [text for text in late.get("warnings", []) if "side cache" in text]
    assert len(about) == (1 if said else 0)
    if said:
        size, array_mib, in_part = CACHED.fullmatch(about[0]).groups()
        assert size == said and in_part == part
        assert 64 <= int(array_mib) <= 128


def test_nodes_out_of_order(tmp_path):
    """Nodes 5 and 2, in this order; what may be wrong in tables: test_broken_tables.py."""
    path = tmp_path / "srat"
    path.write_bytes(
        tables.srat(
            tables.srat_memory(32 * MIB, 64 * MIB - 1, 5),
            tables.srat_cpu(1, 5),
            tables.srat_memory(0, 32 * MIB - 1, 2),
            tables.srat_cpu(0, 2),
        )
    )
    extra = attach("acpi-table", source=f"file={path}")
    outcome = follow(named("small", cmdline=QUICK, extra=extra))
    assert [node["node"] for node in outcome.of_type("node")] == [2, 5]
    assert outcome.last("machine")["warnings"] == []
