# SPDX-License-Identifier: MIT
"""In Bochs, which shares no code with QEMU, okram finds the same: CPU models from the K8 to Tiger
Lake, each instruction set, one CPU and four, two BIOSes."""

import re
import time
from pathlib import Path

import pytest

from okramlib.bochs import BIOS, Bochs, BochsMachine
from okramlib.qemu import END
from system.harness import follow
from system.same_results import (
    FAULTY_CELL,
    LEVEL,
    RANGE,
    check_clean,
    check_faulty,
    check_warnings,
    reference,
)

SEABIOS = Path("/usr/share/seabios/bios.bin")
ISA = ["scalar", "sse2", "avx2", "avx512"]

# Bochs' models with 64 bits, and the instruction set that okram has for them.
MODELS = {
    "p4_prescott_celeron_336": "sse2",
    "athlon64_clawhammer": "sse2",
    "athlon64_venice": "sse2",
    "turion64_tyler": "sse2",
    "phenom_8650_toliman": "sse2",
    "core2_penryn_t9600": "sse2",
    "corei5_lynnfield_750": "sse2",
    "corei5_arrandale_m520": "sse2",
    "corei7_sandy_bridge_2600k": "sse2",
    "zambezi": "sse2",
    "trinity_apu": "sse2",
    "corei7_ivy_bridge_3770k": "sse2",
    "corei7_haswell_4770": "avx2",
    "broadwell_ult": "avx2",
    "ryzen": "avx2",
    "corei7_skylake_x": "avx512",
    "corei3_cnl": "avx512",
    "corei7_icelake_u": "avx512",
    "tigerlake": "avx512",
}
OF_32_BITS = ["pentium", "p3_katmai", "core_duo_t2400_yonah", "atom_n270"]

_TIMEOUT_S = 900


def in_bochs(machine):
    """At the end okram switches it off."""
    outcome = follow(machine, timeout=_TIMEOUT_S, emulator=Bochs)
    assert outcome.qemu_exit == 0
    return outcome


def find(model, isa, **options):
    """A run over the range, with a byte that sticks there; with these instructions."""
    machine = BochsMachine(
        model=model, cmdline=f"{RANGE} isa={isa}", stuck_byte=FAULTY_CELL, **options
    )
    outcome = in_bochs(machine)
    check_faulty(outcome, reference(False, faulty=True))
    check_no_warning(outcome)
    assert len(outcome.of_type("node")[0]["cpus"]) == machine.cpus


# What okram rightly says of Bochs: the time stamp counter does not run as its CPUID says, CPU
# models with one core are in a socket each, and the SMBus of its PIIX4 ends no transaction.
_OF_BOCHS = re.compile(
    r"the time stamp counter runs at .* by the CPUID|4 sockets but one node|the SMBus is hanging"
)


def check_no_warning(outcome):
    """The CPU has the instructions, and there is nothing else to say."""
    warnings = outcome.last("machine")["warnings"]
    check_warnings(outcome, reference(False), list(filter(_OF_BOCHS.match, warnings)))


def check(model, isa, cpus):
    outcome = in_bochs(BochsMachine(model=model, cpus=cpus, cmdline=LEVEL))
    check_clean(outcome, reference(False))
    check_no_warning(outcome)
    find(model, isa, cpus=cpus)


@pytest.mark.slow
def test_measures_with_avx512():
    machine = BochsMachine(model="corei7_icelake_u", cmdline=f"{LEVEL} bandwidth=quick")
    caches = in_bochs(machine).of_type("cache")
    assert caches and {cache["isa"] for cache in caches} == {"avx512"}


# Registers that okram takes to be there, as this model says or all of its family have them.
REGISTERS = dict.fromkeys((0x8B, 0x179, 0x17A, 0x19C, 0x1A2, 0x1B1), 0)
# Intel's MSR_MISC_FEATURE_CONTROL, with a bit that is not about prefetchers.
CONTROL = {0x1A4: 0x800}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("registers", "state"),
    [(REGISTERS | CONTROL, "off"), (REGISTERS, "not known"), (None, "not known")],
    ids=["there", "missing", "takes no value"],
)
def test_prefetchers_off(registers, state):
    options = f"{RANGE} bandwidth=quick bandwidth.ms=1 bandwidth.prefetch=off"
    machine = BochsMachine(model="corei7_icelake_u", cpus=2, registers=registers, cmdline=options)
    outcome = in_bochs(machine)
    found = [r for kind in ("cache", "bandwidth") for r in outcome.of_type(kind)]
    assert {r["prefetch"] for r in found} == {state}
    told = [w for w in outcome.last("result")["warnings"] if "bandwidth.prefetch=off" in w]
    assert len(told) == (state != "off")


def test_finds_the_same_as_in_qemu():
    find("corei7_icelake_u", "avx512")


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("model", MODELS)
def test_cpu_model(model, cpus):
    check(model, MODELS[model], cpus)


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA)
def test_instructions(isa):
    find("tigerlake", isa, cpus=4)


@pytest.mark.slow
def test_instructions_that_the_cpu_lacks():
    outcome = in_bochs(BochsMachine(model="athlon64_clawhammer", cmdline=f"{RANGE} isa=avx2"))
    assert any("isa=avx2" in text for text in outcome.last("machine")["warnings"])
    assert outcome.last("result")["status"] == "pass"


@pytest.mark.slow
@pytest.mark.parametrize("disk", [False, True], ids=["cd", "disk"])
@pytest.mark.parametrize("bios", [BIOS, SEABIOS], ids=["bochs-bios", "seabios"])
def test_firmware(bios, disk):
    find("corei7_haswell_4770", "avx2", bios=bios, disk=disk)


@pytest.mark.slow
@pytest.mark.parametrize("model", OF_32_BITS)
def test_cpu_without_long_mode(model):
    """It says so, and stays where it is."""
    said, deadline = "", time.monotonic() + _TIMEOUT_S
    with Bochs(BochsMachine(model=model)) as bochs:
        while "Nothing was tested." not in said and time.monotonic() < deadline:
            line = bochs.line(1)
            assert line is not END
            said += line or ""
    assert "okram needs a 64-bit CPU" in said
