# SPDX-License-Identifier: MIT
"""QEMU's machines, firmware and CPU models: on each of them okram finds the same."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from okramlib.machine import QEMU
from okramlib.units import MIB
from system.same_results import (
    check_clean,
    check_faulty,
    check_warnings,
    clean_run,
    faulty_run,
    ordinary,
    reference,
)

_SEABIOS = Path("/usr/share/seabios")
_SMM_KEEPS = 32 * MIB  # SMM has 16 MiB of RAM, and OVMF calls 15 MiB more ACPI NVS

_NO_CLOCK = "no clock to measure the time stamp counter by"
_NO_ACPI = "no usable ACPI tables: only the boot CPU is used"


def microvm(properties=""):
    """QEMU's own choice for it, qboot, boots no drive."""
    return {
        "board": f"microvm,acpi=on,graphics=off{properties}",
        "firmware": _SEABIOS / "bios-microvm.bin",
    }


# A name, what differs from an ordinary machine, and what warnings say of it.
MACHINES = [
    ("pc-without-8042", {"board": "pc,i8042=off"}, []),
    ("pc", {"board": "pc"}, []),
    # There QEMU's CPU "max" has no extended CPUID leaves, and so no long mode.
    ("pc-2.0", {"board": "pc-i440fx-2.0", "cpu": "Nehalem"}, []),
    ("pc-without-hpet", {"board": "pc,hpet=off"}, []),
    ("pc-without-smm", {"board": "pc,smm=off"}, []),
    ("pc-small-seabios", {"board": "pc", "firmware": _SEABIOS / "bios.bin"}, []),
    ("pc-uefi", {"board": "pc", "uefi": True}, []),
    ("pc-uefi-without-8042", {"board": "pc,i8042=off", "uefi": True}, []),
    ("q35-2.10", {"board": "pc-q35-2.10"}, []),
    ("q35-smm", {"board": "q35,smm=on"}, []),
    ("q35-without-smm", {"board": "q35,smm=off"}, []),
    ("q35-without-8042", {"board": "q35,i8042=off"}, []),
    ("q35-without-pit", {"board": "q35,pit=off"}, []),
    ("q35-without-sata", {"board": "q35,sata=off,smbus=off", "usb": True}, []),
    ("q35-uefi-smm", {"board": "q35,smm=on", "uefi": True}, []),
    ("q35-uefi-variables-in-smm", {"uefi": True, "smm": True}, []),
    ("q35-uefi-without-8042", {"board": "q35,i8042=off", "uefi": True}, []),
    ("q35-uefi-without-pit", {"board": "q35,pit=off", "uefi": True}, []),
    ("microvm", microvm(), []),
    ("microvm-pcie", microvm(",pcie=on"), []),
    ("microvm-without-clocks", microvm(",pic=off,pit=off,rtc=off"), [_NO_CLOCK]),
    ("isapc", {"board": "isapc", "cpu": "qemu64", "cpus": 1}, [_NO_ACPI]),
]

_CPUS_OF_32_BITS = {"486", "athlon", "coreduo", "kvm32", "n270", "pentium", "pentium2", "pentium3"}
_NO_MODELS = {"base", "host", "qemu32"}


def cpu_models():
    """Those of 64 bits that this QEMU knows, each in the version that the machine takes."""
    if not shutil.which(QEMU):
        return []
    listed = subprocess.run([QEMU, "-cpu", "help"], capture_output=True, text=True, check=True)
    models = listed.stdout.partition("Recognized CPUID flags")[0].splitlines()
    names = [line.split()[1] for line in models if line.startswith("x86 ") and "-v" not in line]
    own = [line.split()[1] for line in models if "(alias of " in line]  # versions with a name
    return sorted(set(names) - set(own) - _CPUS_OF_32_BITS - _NO_MODELS)


def check(machine, warnings=()):
    usual = reference(machine.uefi)
    outcome = clean_run(machine)
    assert not any("Unknown command" in line for line in outcome.lines)  # of GRUB, on microvm
    check_clean(outcome, usual, _SMM_KEEPS if machine.smm else 2 * MIB)
    check_warnings(outcome, usual, warnings)
    check_faulty(faulty_run(machine), reference(machine.uefi, faulty=True))


def machine_cases():
    for name, differs, warnings in MACHINES:
        yield pytest.param(differs, warnings, id=name)


@pytest.mark.slow
@pytest.mark.parametrize("differs, warnings", list(machine_cases()))
def test_machine(differs, warnings):
    check(replace(ordinary(differs.get("uefi", False)), **differs), warnings)


def cpu_cases():
    for cpu in cpu_models():
        for uefi in False, True:
            for cpus in 1, 3:
                name = f"{cpu}-{'uefi' if uefi else 'bios'}-{cpus}"
                yield pytest.param(cpu, uefi, cpus, id=name)


@pytest.mark.slow
@pytest.mark.parametrize("cpu, uefi, cpus", list(cpu_cases()))
def test_cpu_model(cpu, uefi, cpus):
    check(replace(ordinary(uefi), cpu=cpu, cpus=cpus))
