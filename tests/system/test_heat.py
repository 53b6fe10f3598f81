# SPDX-License-Identifier: MIT
"""The heat of a run: a module that becomes warm while memory is moved (plugin/warm_module.c), with
its sensor in a DDR5 hub or in a chip next to a DDR4 module's EEPROM."""

import tempfile
from pathlib import Path

import pytest

from data import spd
from okramlib import spec
from system import qtest
from system.harness import attach, named
from system.placement import symbols
from system.smbus import Bus
from system.stopped import stopping
from system.test_modules import records

MARKER = b"okram sensor hub"
MODEL = {"ambient": 40, "rise": 60, "tau_ms": 4000}


def hub():
    """The registers of an SPD5118 with a sensor, and the first page of its SPD."""
    registers = bytearray(128)
    registers[0:2] = 0x51, 0x18
    registers[5] = 0x03
    registers[49:51] = (MODEL["ambient"] << 4).to_bytes(2, "little")
    registers[0x60 : 0x60 + len(MARKER)] = MARKER
    return bytes(registers) + spd.image("ddr5-udimm")[:128]


def run_hot(cmdline, sensor="hub", faults=(), look=None, **model):
    """The records of a run whose module gets warm; look: called while it runs, with the machine."""
    options = ",".join(f"{k}={v}" for k, v in {"sensor": sensor, **MODEL, **model}.items())
    chip = attach("i2c-chip", address=0x18) if sensor == "chip" else []
    machine = named("128M-1cpu", board="q35", cmdline=f"bandwidth=off {cmdline}", faults=faults)
    with tempfile.TemporaryDirectory(prefix="okram-") as directory:
        path = Path(directory) / "qtest"
        machine.extra = [
            *attach("qtest", path=path),
            *chip,
            *attach("warm-module", options=options),
        ]
        with stopping(machine) as stops, qtest.connected(path) as device:
            stops.run_until(symbols()["kernel_main"])
            bus = Bus(device, "q35")
            bus.fill(0x50, hub() if sensor == "hub" else spd.image("ddr4-rdimm-3ds"))
            if sensor == "hub":
                bus.block_writes()
            if look:
                stops.rest(until='"type":"machine"')
                look(stops)
                return records(stops.more())
            return records(stops.rest())
