# SPDX-License-Identifier: MIT
"""The module that faults are in, by the memory controller's registers.

QEMU has no such controller: it hands over the registers of a Skylake desktop, and what timing would
show of its memory.
"""

import pytest

from data import tables
from okramlib.units import GIB, MIB
from system.harness import attach, follow, named, warnings_of
from system.own_tables import smbios

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


def timing(*functions):
    """What timing would show: the bits that it is about, and the functions that choose a bank."""
    words = [half for value in (ALL_BITS, *functions) for half in (value & 0xFFFFFFFF, value >> 32)]
    return " ".join(f"timing.0.{i:x}={word:x}" for i, word in enumerate(words))


def start(tmp_path, registers, faults="stuck1@0x2000100.3"):
    return follow(
        named(
            "computed-1cpu",
            memory=256 * MIB,
            cmdline="range=32M-33M bandwidth=off spd=off tests=mats+",
            extra=smbios(tmp_path, SLOTS) + attach("registers", text=registers),
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
    (fault,) = outcome.of_type("fault")[:1]
    assert fault["place"] == "channel 1, module 1"
    kind = outcome.last("kind")
    assert (kind["modules_by"], kind["modules_fitted"]) == ("timing", 2)
    (module,) = kind["modules"]
    assert (module["slot"], module["bank"], module["why"]) == ("ChannelA-DIMM1", "BANK 1", None)
    assert kind["channels"].startswith("the faulty word is in ChannelA-DIMM1: 16 GiB")
    assert outcome.last("diagnosis")["words"]  # the search begins with it as a suspect
    advice = outcome.last("advice")
    assert advice["case"] == "one-module"
    assert advice["text"].startswith("All faults are in one module: ChannelA-DIMM1: 16 GiB")
    assert any("QEMU hands over" in warning for warning in warnings_of(outcome))


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
