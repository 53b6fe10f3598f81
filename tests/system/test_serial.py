# SPDX-License-Identifier: MIT
"""Serial ports other than COM1: COM2, PCI, and those that firmware's tables name."""

import time
from dataclasses import replace

import pytest

from data import tables as t
from okramlib.run import Watcher
from system.efi_stick import efi_stick
from system.harness import attach, follow, named

CMDLINE = "tests=mats+ range=32M-33M bandwidth=off"
COM2 = t.register(0x2F8)
SLOW = pytest.mark.slow


AS_COM2 = attach("isa-serial", index=1, chardev="com1")
AS_PCI = attach("pci-serial")
NOT_ANSWERING = "no serial port answers there; the default is used"


def machine(cmdline="", ports=(), tables=(), directory=None, uefi=False, com1=False):
    """okram's records are read from the port of the chardev com1, which the arguments place."""
    extra = [] if com1 else [*attach("stdio"), *ports]
    for number, table in enumerate(tables):
        path = directory / f"table{number}"
        path.write_bytes(table)
        extra += attach("acpi-table", source=f"file={path}")
    return named("small", uefi=uefi, serial=com1, cmdline=f"{CMDLINE} {cmdline}", extra=extra)


def boot(*args, watcher=None, **options):
    """The warnings of a run whose whole report came to the port that is read."""
    outcome = follow(machine(*args, **options), watcher=watcher)
    assert outcome.exit_code == 0
    return outcome.last("machine")["warnings"]


def of_port(warnings):
    return [text for text in warnings if "serial" in text or "SPCR" in text or "DBG2" in text]


@SLOW
def test_com2():
    assert of_port(boot("serial.port=com2 serial.baud=9600", AS_COM2)) == []


def into_file(path, index):
    """Arguments for a port whose output is to be looked at."""
    return [*attach("into-file", path=path), *attach("isa-serial", index=index, chardev="other")]


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=SLOW)], ids=["bios", "uefi"])
def test_the_port_in_the_spcr_is_the_default(tmp_path, uefi):
    """COM1 is there, too. OVMF writes to it, okram does not."""
    ports = AS_COM2 + into_file(tmp_path / "com1", 0)
    assert of_port(boot("", ports, [t.spcr(COM2)], tmp_path, uefi=uefi)) == []
    assert b'"type"' not in (tmp_path / "com1").read_bytes()


@SLOW
def test_com1_is_used_if_asked_for_whatever_the_spcr_says(tmp_path):
    asked = machine("serial.port=com1", (), [t.spcr(COM2)], tmp_path, com1=True)
    asked.extra += into_file(tmp_path / "com2", 1)
    assert of_port(follow(asked).last("machine")["warnings"]) == []
    assert (tmp_path / "com2").read_bytes() == b""


def test_pci_is_used_where_nothing_else_is():
    assert of_port(boot("", AS_PCI)) == []


@SLOW
@pytest.mark.parametrize(
    "cmdline,ports,table",
    [
        ("serial.port=pci", AS_PCI, None),
        ("serial.port=0x2f8", AS_COM2, None),
        ("serial.port=spcr", AS_COM2, t.spcr(COM2)),
        ("serial.port=dbg2", AS_COM2, t.dbg2(t.dbg2_port(COM2))),
        ("", AS_COM2, t.dbg2(t.dbg2_port(COM2))),  # COM1 is not there
        ("", AS_PCI, t.spcr(COM2)),  # neither is that, nor COM1
    ],
)
def test_other_ports(tmp_path, cmdline, ports, table):
    assert of_port(boot(cmdline, ports, [table] if table else [], tmp_path)) == []


BROKEN = {
    "short": (t.sealed(t.spcr(COM2)[:60]), "SPCR: 60 bytes are too short"),
    "impossible": (t.spcr(t.register(0xFFFE)), "SPCR: a serial port at 0xfffe of address space 1"),
    "in-memory-under-test": (
        t.spcr(t.register(0x2000000, 0, 32, 3)),
        "SPCR: a serial port at 0x2000000, where no registers can be",
    ),
    "dbg2": (t.dbg2(t.dbg2_port(t.register(0x2000000, 0))), "DBG2: a serial port at 0x2000000"),
    "dbg2-cut": (t.sealed(t.dbg2(t.dbg2_port(COM2))[:60]), "DBG2: port 1 of 1 is outside"),
}


@pytest.mark.parametrize(
    "name",
    [name if name == "in-memory-under-test" else pytest.param(name, marks=SLOW) for name in BROKEN],
)
def test_a_broken_table_gives_one_warning_and_com1_is_used(tmp_path, name):
    table, warning = BROKEN[name]
    (text,) = of_port(boot("", (), [table], tmp_path, com1=True))
    assert warning in text


@SLOW
def test_a_table_of_a_port_that_is_not_there_costs_nothing(tmp_path):
    for base in (COM2, t.register(0xFE030000, 0, 32, 3), t.register(0x9000000000, 0)):
        assert of_port(boot("", (), [t.spcr(base)], tmp_path, com1=True)) == []


@SLOW
@pytest.mark.parametrize(
    "asked", ["com4", "0x500", "mmio:0x2000000", "mmio:0xfe030000", "spcr", "dbg2", "pci"]
)
def test_a_port_that_is_asked_for_and_not_there_is_named(asked):
    (text,) = of_port(boot(f"serial.port={asked}", com1=True))
    assert text == f"serial.port={asked}: {NOT_ANSWERING}"


class PressesQ(Watcher):
    def __init__(self):
        self._due = 0

    def tick(self, qemu):
        if time.monotonic() > self._due:
            self._due = time.monotonic() + 1
            qemu.type("q")


@SLOW
def test_keys_come_from_that_port():
    outcome = follow(machine("serial.port=com2 passes=0", AS_COM2), watcher=PressesQ())
    assert outcome.last("result")["status"] in ("stopped", "pass")


@SLOW  # test_secure_boot.py: where it is on
@pytest.mark.parametrize("port", ["0x2f8", "mmio:0xfe030000", "com1", "pci"])
def test_addresses_are_refused_where_secure_boot_may_be_on(tmp_path, port):
    """Firmware that does not say so: whoever writes the options could write to any device."""
    image = efi_stick(tmp_path / "stick.img", "odd_secure_boot")
    given = machine(f"menu=0 save=off serial.port={port}", uefi=True, com1=True)
    outcome = follow(replace(given, image=image, usb=True, extra=attach("null-serial")))
    warnings = outcome.last("machine")["warnings"]
    refused = f"serial.port={port} is refused: Secure Boot is on, or UEFI does not say"
    assert any(refused in text for text in warnings) == (port[0] in "0m")
    assert outcome.exit_code == 0
