# SPDX-License-Identifier: MIT
"""The module that faults are in, by the memory controller's registers.

QEMU has no such controller: it hands over the registers of a Skylake desktop, and what timing would
show of its memory.
"""

import pytest

from data import tables
from okramlib.outcome import board_slots
from okramlib.qemu import Qemu
from okramlib.units import GIB, MIB
from system.harness import attach, follow, named, warnings_of
from system.own_tables import smbios
from system.test_screen import Reader

CHANNEL = 0xC3300  # XOR of these address bits (the map of DRAMA's Skylake)
BANKS = (0x4080, 0x48000, 0x90000, 0x120000)
ALL_BITS = 0xFFFFFC0

# 8 GiB in channel 0, and 16 GiB in channel 1, each in the channel's second slot.
REGISTERS = (
    "cpu.intel.6.94.3 pci.0.0=191f8086 pci.0.48=fed10001 pci.0.4c=0 pci.0.a0=0 pci.0.a4=6"
    " pci.0.a8=7fc00001 pci.0.ac=6 pci.0.bc=80400000 pci.0.90=0 pci.0.94=6 pci.0.98=7fb00000"
    " pci.0.9c=6 pci.0.e4=0 pci.0.e8=0 pci.0.ec=0 pci.0.f0=0"
    " mchbar.0.5000=8010 mchbar.0.5004=1 mchbar.0.5008=1 mchbar.0.500c=808 mchbar.0.5010=10"
    " mchbar.0.5024=120c3300 mchbar.0.4000=2c13 mchbar.0.4400=2c13 mchbar.0.4070=130000"
    " mchbar.0.4470=130000 mchbar.0.401c=8 mchbar.0.441c=8 mchbar.0.5e00=a mchbar.0.5e04=a"
)
SLOTS = (
    tables.smbios_device(0x1100, 0x1000, 0, b"ChannelA-DIMM0", b"BANK 0"),
    tables.smbios_device(0x1101, 0x1000, 16384, b"ChannelA-DIMM1", b"BANK 1"),
    tables.smbios_device(0x1102, 0x1000, 0, b"ChannelB-DIMM0", b"BANK 2"),
    tables.smbios_device(0x1103, 0x1000, 8192, b"ChannelB-DIMM1", b"BANK 3"),
)


def timing(*functions, part=0, bits=ALL_BITS):
    """What timing would show: the bits that it is about, and the functions that choose a bank."""
    words = [half for value in (bits, *functions) for half in (value & 0xFFFFFFFF, value >> 32)]
    return " ".join(f"timing.{part}.{i:x}={word:x}" for i, word in enumerate(words))


def start(tmp_path, registers, faults="stuck1@0x2000100.3", slots=SLOTS, order=""):
    return follow(
        named(
            "computed-1cpu",
            memory=256 * MIB,
            cmdline=f"range=32M-33M bandwidth=off spd=off tests=mats+ {order}",
            extra=smbios(tmp_path, slots) + attach("registers", text=registers),
            faults=faults,
        )
    )


def test_module_is_named(tmp_path):
    outcome = start(tmp_path, f"{REGISTERS} {timing(CHANNEL, *BANKS)}")
    controller = outcome.last("controller")
    assert controller["unknown"] is None
    sizes = [[dimm["bytes"] for dimm in channel["dimms"]] for channel in controller["channels"]]
    assert sorted(map(sum, sizes)) == [8 * GIB, 16 * GIB]
    assert controller["registers"][:2] == ["cpu.intel.6.94.3", "pci.0.0=191f8086"]
    names = [(one["channel"], one["dimm"], one["name"]) for one in controller["slots"]]
    assert names == [(0, 1, "ChannelB-DIMM1"), (1, 1, "ChannelA-DIMM1")]
    said = list(board_slots({"controller": [controller]}))
    assert said[0].endswith("slot.order=-+ChannelB-DIMM1,-+ChannelA-DIMM1")
    (fault,) = outcome.of_type("fault")[:1]
    assert fault["place"] == "channel 1, module 1"
    kind = outcome.last("kind")
    assert (kind["modules_by"], kind["modules_fitted"]) == ("timing", 2)
    assert kind["channels_counted"] is False
    (module,) = kind["modules"]
    assert (module["slot"], module["bank"], module["why"]) == ("ChannelA-DIMM1", "BANK 1", None)
    assert kind["channels"].startswith("the faulty word is in ChannelA-DIMM1: 16 GiB")
    assert outcome.last("diagnosis")["words"]  # the search begins with it as a suspect
    advice = outcome.last("advice")
    assert advice["case"] == "one-module"
    assert advice["text"].startswith("All faults are in one module: ChannelA-DIMM1: 16 GiB")
    assert any("QEMU hands over" in warning for warning in warnings_of(outcome))


@pytest.mark.slow
def test_a_cpu_goes_wrong_in_both_modules(tmp_path):
    """Nearly all wrong bits are of one data line, and neither that line's fault nor a module is
    reported."""
    outcome = follow(
        named(
            "128M-4cpus",
            cmdline="bandwidth=off spd=off isa=sse2 tests=march-c-,march-mss+",
            extra=smbios(tmp_path, SLOTS)
            + attach("registers", text=f"{REGISTERS} {timing(CHANNEL, *BANKS)}"),
            faults=["cpu-vector@2:4000000"],
        )
    )
    kind = outcome.last("kind")
    assert (kind["cause"], kind["cause_cpu"]) == ("cpu", 2)
    assert ", in both modules" in kind["cause_evidence"]
    assert kind["kind"] == "unclear"
    assert not {"chip", "bit", "channels", "modules"} & kind.keys()


# All of these 24 GiB: QEMU has 2 GiB below 4 GiB, and the rest above. From 16 GiB of DRAM on the
# larger channel is alone, with banks of its own; the last 2 GiB of addresses are moved from below 4
# GiB, so that they are of both channels.
WHOLE = REGISTERS.replace("bc=80400000", "bc=80000000").replace("98=7fb00000", "98=7ff00000")
BITS_16G = 0x3FFFFFFC0
BOTH = timing(CHANNEL, *BANKS, bits=BITS_16G)
ALONE = timing(0x2040, 0x24000, 0x48000, 0x90000, part=1, bits=BITS_16G)
IN_BOTH, IN_ONE, MOVED = 0x2000100, 20 * GIB + 0x100, 25 * GIB + 0x100
OF_THE_OTHER = 0x2000300


def start_whole(tmp_path, timed, *faults):
    outcome = follow(
        named(
            "sparse-24G-1cpu",
            cmdline="bandwidth=off spd=off tests=mats+ range="
            + ",".join(f"{at // MIB}M-{at // MIB + 1}M" for at in (IN_BOTH, IN_ONE, MOVED)),
            extra=smbios(tmp_path, SLOTS) + attach("registers", text=f"{WHOLE} {timed}"),
            faults=[f"stuck1@{at:#x}.3" for at in faults],
        )
    )
    assert outcome.last("controller")["unknown"] is None
    return outcome


def places(outcome):
    return {int(f["addr"], 16) & ~7: f.get("place") for f in outcome.of_type("fault")}


@pytest.mark.slow
def test_channels_of_unequal_size(tmp_path):
    """Each part of memory is timed by itself; the module is in all of them."""
    outcome = start_whole(tmp_path, f"{BOTH} {ALONE}", IN_BOTH, IN_ONE, MOVED)
    parts = [(int(r["part_base"], 16), r["part_bytes"]) for r in outcome.of_type("rows")]
    assert parts == [(0, 16 * GIB), (16 * GIB, 8 * GIB)]
    assert places(outcome) == dict.fromkeys((IN_BOTH, IN_ONE, MOVED), "channel 1, module 1")
    kind = outcome.last("kind")
    (module,) = kind["modules"]
    assert (module["slot"], module["words"]) == ("ChannelA-DIMM1", 3)
    assert outcome.last("advice")["case"] == "one-module"
    assert not any("modules are named only" in warning for warning in warnings_of(outcome))


@pytest.mark.slow
def test_both_modules_of_unequal_channels(tmp_path):
    outcome = start_whole(tmp_path, f"{BOTH} {ALONE}", OF_THE_OTHER, IN_ONE)
    modules = outcome.last("kind")["modules"]
    assert {m["slot"]: m["words"] for m in modules} == {"ChannelA-DIMM1": 1, "ChannelB-DIMM1": 1}


@pytest.mark.slow
@pytest.mark.parametrize("at, named_there", [(IN_BOTH, True), (IN_ONE, False)])
def test_part_that_timing_does_not_show(tmp_path, at, named_there):
    """Modules are named up to it."""
    outcome = start_whole(tmp_path, BOTH, at)
    assert ("modules" in outcome.last("kind")) == named_there
    assert any("named only below 16 GiB" in warning for warning in warnings_of(outcome))


# 16 GiB in each channel, so 32 GiB in all.
EQUAL = (
    REGISTERS.replace("5000=8010", "5000=10000")
    .replace("500c=808", "500c=10")
    .replace("=6 ", "=8 ")
)
EQUAL_SLOTS = (
    *SLOTS[:3],
    tables.smbios_device(0x1103, 0x1000, 16384, b"ChannelB-DIMM1", b"BANK 3"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "order, slot", [("", None), ("slot.order=-,-+ChannelA-DIMM1", "ChannelA-DIMM1")]
)
def test_equal_modules_on_a_board_that_an_earlier_run_has_shown(tmp_path, order, slot):
    outcome = start(tmp_path, f"{EQUAL} {timing(CHANNEL, *BANKS)}", slots=EQUAL_SLOTS, order=order)
    (module,) = outcome.last("kind")["modules"]
    assert module["slot"] == slot
    assert outcome.last("advice")["case"] == ("one-module" if slot else "find-module")


# One module of DDR4 with 1 GiB: 16 banks, and rows from bit 17 on.
ONE_MODULE = (
    REGISTERS.replace("5000=8010", "5000=0")
    .replace("5004=1 ", "5004=100 ")
    .replace("5008=1 ", "5008=0 ")
    .replace("500c=808", "500c=1")
    .replace("5010=10", "5010=0")
    .replace("pci.0.a0=0 pci.0.a4=6", "pci.0.a0=40000000 pci.0.a4=0")
    .replace(
        "pci.0.bc=80400000 pci.0.90=0 pci.0.94=6", "pci.0.bc=40000000 pci.0.90=fff00000 pci.0.94=7f"
    )
    .replace("pci.0.98=7fb00000 pci.0.9c=6", "pci.0.98=0 pci.0.9c=0")
)
OF_ONE_MODULE = (0x2040, 0x24000, 0x48000, 0x90000)


@pytest.mark.parametrize("functions, by", [(OF_ONE_MODULE, "registers"), (BANKS, "guess")])
def test_rows_are_hammered_by_the_registers(functions, by):
    """Where timing shows the banks alone; or others, which contradicts the registers."""
    outcome = follow(
        named(
            "computed-1cpu",
            memory=256 * MIB,
            cmdline="bandwidth=off spd=off tests=row-hammer hammer=2",
            extra=attach("registers", text=f"{ONE_MODULE} {timing(*functions)}"),
        )
    )
    assert outcome.last("controller")["unknown"] is None
    rows = outcome.last("rows")
    assert (rows["found"], rows["neighbours_by"]) == (False, by)
    (test,) = outcome.of_type("test")
    assert 0 < test["hammered_bytes"] < 256 * MIB
    assert outcome.last("result")["bad_pages"] == 0
    assert ("guessed" in test.get("note", "")) == (by == "guess")


@pytest.mark.slow
def test_timing_contradicts(tmp_path):
    outcome = start(tmp_path, f"{REGISTERS} {timing(CHANNEL ^ 0x2000, *BANKS)}")
    assert "modules" not in outcome.last("kind")
    assert outcome.last("advice")["case"] == "find-module"
    assert any("contradicts the memory controller" in warning for warning in warnings_of(outcome))


@pytest.mark.slow
def test_registers_alone_name_nothing(tmp_path):
    outcome = start(tmp_path, REGISTERS)
    assert outcome.last("controller")["family"]
    assert "modules" not in outcome.last("kind")
    assert outcome.last("advice")["case"] == "find-module"


@pytest.mark.slow
@pytest.mark.parametrize(
    "registers, why",
    [
        ("mchbar.0.5024=ffffffff", "a register of the memory controllers does not answer"),
        ("mchbar.0.5010=0", "the host bridge says another size of all modules"),
        ("mchbar.0.5000=4010", "the registers say two sizes of the smaller channel"),
        ("pci.0.48=fed10000", "the registers of the memory controllers are off"),
    ],
)
def test_why_no_module_is_known(tmp_path, registers, why):
    """Ones alone, a channel that is half configured, sizes that contradict each other, registers
    that firmware has locked away: on the page of key s, and without it as a search."""
    text = f"{registers} {REGISTERS} {timing(CHANNEL, *BANKS)}"
    machine = named(
        "computed-1cpu",
        memory=256 * MIB,
        cmdline="range=32M-33M bandwidth=off spd=off tests=mats+ exit=wait",
        extra=smbios(tmp_path, SLOTS) + attach("registers", text=text),
        faults="stuck1@0x2000100.3",
    )
    said = ""
    with Qemu(machine) as qemu:
        screen = Reader(qemu, tmp_path / "vga")
        screen.until("The run has ended.", row=24)
        rows = screen.press("s", "details", row=0)
        for page in range(2, 2 + int(rows[0].split("page 1 of ")[1].split()[0])):
            said += " ".join(row.strip() for row in rows) + " "
            if "The module of an address is not known" in said:
                break
            rows = screen.press("spc", f"page {page} of", row=0)
    assert f"The module of an address is not known: {why}." in " ".join(said.split())


# Two channels of Sandy Bridge with 256 MiB each, which alternate at bit 6.
SANDY_BRIDGE = (
    "cpu.intel.6.42.7 pci.0.0=1008086 pci.0.48=fed10001 pci.0.4c=0 pci.0.a0=20000000 pci.0.a4=0"
    " pci.0.bc=20000000 pci.0.90=fff00000 pci.0.94=7f pci.0.98=0 pci.0.9c=0 pci.0.e4=0 pci.0.e8=0"
    " mchbar.0.5000=24 mchbar.0.5004=1 mchbar.0.5008=1 mchbar.0.5014=1020000"
    " mchbar.0.4000=1b0999 mchbar.0.4400=1b0999 mchbar.0.4004=80000000 mchbar.0.4404=80000000"
    " mchbar.0.5e04=5"
)


def test_module_with_half_of_what_it_states(tmp_path):
    """As with a forged SPD, and with BadRAM's: cells of both halves are there twice."""
    node, n_nodes = 32 * MIB, 16
    slots = [
        tables.smbios_device(0x1100 + i, 0x1000, 256, b"DIMM_%c1" % (65 + i), b"BANK 0")
        for i in range(2)
    ]
    machine = named(
        "computed",
        memory=n_nodes * node,
        nodes=n_nodes,
        mirrors={11: 3},
        cmdline="tests=address bandwidth=off spd=off range=96M-128M,352M-384M",
        extra=smbios(tmp_path, slots) + attach("registers", text=SANDY_BRIDGE),
    )
    outcome = follow(machine)
    assert outcome.last("controller")["unknown"] is None
    assert {alias["diff"] for alias in outcome.of_type("alias")} == {hex(8 * node)}
    geometry = outcome.last("geometry")
    assert (geometry["finding"], geometry["stated_bytes"]) == ("spd", 256 * MIB)
    assert geometry["alias_bytes"] == node and geometry["controller_bytes"] is None
    assert "acts as one of 128 MiB" in geometry["text"]
    assert outcome.last("kind")["kind"] == "address-line"
    advice = outcome.last("advice")
    assert advice["case"] == "false-size" and "keep secrets off this machine" in advice["text"]
    (module, _) = outcome.of_type("module")
    running = module["running"]
    assert (running["mt_s"], running["command_rate"], running["gear"]) == (1333, 2, None)
    assert [running[name] for name in ("cl", "rcd", "rp", "ras")] == [9, 9, 9, 27]
