# SPDX-License-Identifier: MIT
"""The heat of a run: a module that becomes warm while memory is moved (plugin/warm_module.c), with
its sensor in a DDR5 hub or in a chip next to a DDR4 module's EEPROM."""

import re
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


def hub(degrees):
    """The registers of an SPD5118 with a sensor, and the first page of its SPD."""
    registers = bytearray(128)
    registers[0:2] = 0x51, 0x18
    registers[5] = 0x03
    registers[49:51] = (degrees << 4).to_bytes(2, "little")
    registers[0x60 : 0x60 + len(MARKER)] = MARKER
    return bytes(registers) + spd.image("ddr5-udimm")[:128]


def lies_first(model):
    return model.get("after_ms") == 0 and model["lie"] != "still"


def run_hot(cmdline, sensor="hub", faults=(), look=None, **model):
    """The records of a run whose module gets warm; look: called while it runs, with the machine."""
    options = ",".join(f"{k}={v}" for k, v in {"sensor": sensor, **MODEL, **model}.items())
    chip = attach("i2c-chip", address=0x18) if sensor == "chip" else []
    machine = named("128M-1cpu-q35", cmdline=f"bandwidth=off {cmdline}", faults=faults)
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
            first = int(model["lie"]) if lies_first(model) else MODEL["ambient"]
            bus.fill(0x50, hub(first) if sensor == "hub" else spd.image("ddr4-rdimm-3ds"))
            if sensor == "hub":
                bus.block_writes()
            if look:
                stops.rest(until='"type":"machine"')
                look(stops)
                return records(stops.more())
            return records(stops.rest())


def heat(found, when=None):
    return [r for r in found if r["type"] == "temperature" and when in (None, r["when"])]


def degrees(record):
    return record["modules"][0]["now"]


def result(found):
    (last,) = (r for r in found if r["type"] == "result")
    return last


def said(found):
    """All warnings, as one text."""
    machine, last = next(r for r in found if r["type"] == "machine"), result(found)
    return "; ".join([*machine["warnings"], *last.get("warnings", [])])


@pytest.mark.slow
@pytest.mark.parametrize("sensor", ["hub", "chip"])
def test_traffic_pauses_above_a_limit(sensor):
    """Until 10 degrees below; nothing is moved meanwhile, and a fault that was found stays."""
    cell = spec.parse("stuck1@0x2080000.3")
    run = "tests=random range=32M-64M passes=0 time=14s temperature.max=60"
    found = run_hot(run, sensor, cell, tau_ms=3000)
    pauses, resumed = heat(found, "pause"), heat(found, "resume")
    assert len(pauses) >= 2 and len(resumed) >= 1
    assert all(degrees(r) > 60 for r in pauses)
    assert all(40 < degrees(r) <= 50 and r["mb_s"] == 0 for r in resumed)
    (end,) = heat(found, "end")
    assert end["governs"] == "module" and end["module_max"] == 60
    assert end["pauses"] == len(pauses) and end["paused_s"] > 2
    assert result(found)["status"] == "fail" and result(found)["bad_pages"] == 1
    faults = [r for r in found if r["type"] == "fault"]
    assert faults and all(40 <= f["module_temperature"] <= 100 for f in faults)


@pytest.mark.slow
def test_the_level_hot():
    """Heated to 60, then tested, no hotter. A module as slow as real ones, for its sensor is read
    every few seconds."""
    found = run_hot("tests=hot hot=60 hammer=1 range=32M-64M", tau_ms=20000, rise=40)
    (hot, *_) = heat(found, "hot")
    tests = [r for r in found if r["type"] == "test"]
    assert [r["test"] for r in tests] == ["march-mss+", "retention", "random", "row-hammer"]
    assert 60 <= degrees(hot) < 66 and hot["t"] < tests[0]["t"]
    (end,) = heat(found, "end")
    assert end["module_max"] == 61 and end["modules"][0]["highest"] < 66
    assert "no hotter" not in said(found)


@pytest.mark.slow
def test_faults_of_a_hot_module():
    """A cell that loses its data within a second, which only shows once modules are hot, by the
    retention test: its faults have the temperature; the curve is there."""
    found = run_hot(
        "tests=retention hot=80 range=32M-64M",
        faults=spec.parse("fade@0x2080000.3:1"),
        tau_ms=6000,
        rise=90,
    )
    faults = [r for r in found if r["type"] == "fault"]
    assert faults and all(f["module_temperature"] > 60 for f in faults)
    assert [r["when"] for r in heat(found)][0] == "start" and len(heat(found)) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("lie, doubt", [("127", "jumps"), ("0", "jumps")])
def test_a_sensor_that_lies(lie, doubt):
    """After a second of traffic: it is named, and no limit holds the run but one by time."""
    run = "tests=random range=32M-64M passes=0 time=10s temperature.max=90"
    found = run_hot(run, lie=lie, after_ms=1000, tau_ms=60000)
    (end,) = heat(found, "end")
    assert end["modules"][0]["doubt"] == doubt
    assert f"says {lie} C after 4" in said(found)
    assert end["governs"] == "time" and end["pauses"] == 0


@pytest.mark.slow
def test_a_sensor_that_lies_from_the_start():
    """The limit goes by time; the warnings agree, and the records have the doubt."""
    run = "tests=random range=32M-64M passes=0 time=105s temperature.max=60"
    found = run_hot(run, lie="127", after_ms=0)
    for record in (heat(found, "start")[0], heat(found, "end")[0]):
        (module,) = record["modules"]
        assert module["doubt"] == "jumps" and record["governs"] == "time"
        assert module["start"] is module["now"] is module["highest"] is None
    assert heat(found, "end")[0]["pauses"] == 1
    assert "says 127 C, which cannot be true" in said(found)
    assert "that can be trusted: pauses are timed" in said(found)
    assert "can read" not in said(found) and "no effect" not in said(found)


@pytest.mark.slow
def test_a_limit_below_what_the_module_has_already():
    found = run_hot("tests=random range=32M-64M passes=0 time=5s temperature.max=30")
    assert re.search(r"may be too low: modules are at 4\d C already, .* until 20 C", said(found))


@pytest.mark.slow
def test_a_sensor_that_stays_the_same():
    run = "tests=random range=32M-64M passes=0 time=75s temperature.max=90"
    found = run_hot(run, lie="still", after_ms=0)
    (end,) = heat(found, "end")
    assert end["modules"][0]["doubt"] == "unchanged" and end["governs"] == "time"
    assert "says 40 C all the time, whatever the traffic" in said(found)


@pytest.mark.slow
def test_q_in_a_pause():
    """One that would take five minutes: it is 40 degrees where it is to cool down to 35."""
    paused = []

    def stop(stops):
        paused.extend(heat(records(stops.more('"when":"pause"')), "pause"))
        stops.press("q")

    run = "tests=random range=32M-64M passes=0 temperature.max=45"
    found = run_hot(run, look=stop, tau_ms=3000)
    (end,) = heat(found, "end")
    assert end["pauses"] == 1 and degrees(paused[0]) > 45
    assert result(found)["seconds"] - paused[0]["t"] < 5


@pytest.mark.slow
def test_hot_above_the_limit():
    """Held two degrees below it."""
    run = "tests=random range=32M-64M passes=0 time=20s hot=80 temperature.max=60"
    found = run_hot(run, tau_ms=20000)
    (end,) = heat(found, "end")
    assert heat(found, "hot") and end["module_max"] == 59 and end["modules"][0]["highest"] < 64
    assert "hot=80 is less than 2 degrees below the limit: modules are held at 58 C" in said(found)


@pytest.mark.slow
def test_hot_below_what_the_module_has_already():
    found = run_hot("tests=random range=32M-64M passes=0 time=5s hot=35")
    (end,) = heat(found, "end")
    assert end["pauses"] == 0 and end["module_max"] == 95
    assert re.search(r"hot= has no effect: modules are at 4\d C already", said(found))
