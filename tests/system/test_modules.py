# SPDX-License-Identifier: MIT
"""Memory modules: their SPDs are written to QEMU's EEPROMs before okram reads them."""

import json
import tempfile
from pathlib import Path

import pytest

from data import spd
from okramlib import spec
from okramlib.units import GIB, MIB
from system import qtest
from system.harness import attach, follow, named
from system.placement import symbols
from system.smbus import Bus
from system.stopped import stopping

SHORT = "tests=mats+ range=32M-33M bandwidth=off"
BLANK = bytes(256)


def with_serial(image, serial):
    """A DDR3 module's image; its CRC does not cover the number."""
    return image[:122] + serial.to_bytes(4, "big") + image[126:]


def run_with(
    images, board="q35", cmdline=SHORT, uefi=False, extra=(), faults=(), name="128M-1cpu", **more
):
    """What okram says of these images, by SMBus address; and whether firmware had the bus on."""
    with tempfile.TemporaryDirectory(prefix="okram-") as directory:
        path = Path(directory) / "qtest"
        faults = list(faults)
        machine = named(name, board=board, uefi=uefi, cmdline=cmdline, faults=faults, **more)
        machine.extra = [*attach("qtest", path=path), *extra]
        with stopping(machine) as stops, qtest.connected(path) as device:
            stops.run_until(symbols()["kernel_main"])
            bus = Bus(device, board)
            for address, image in images.items():
                bus.fill(address, image)
            stops.run_until(symbols()["describe_send"])
            left = {at: bytes(bus.read(at, i) for i in range(256)) for at in images}
            text = stops.rest()
    assert left == {at: image[:256] for at, image in images.items()}, "an EEPROM was changed"
    return text, bus.was_on


def records(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"t":')]


def modules(found):
    return {m["address"]: m for m in found if m["type"] == "module"}


def warnings(found):
    return [m for m in found if m["type"] == "machine"][0]["warnings"]


def check(record, name):
    module = spd.MODULES[name]
    assert record["kind"] == module["type"] and record["form"] == module["form"]
    assert record["size_bytes"] == spd.size(module)
    assert record["part"] == module["part"]
    assert record["serial"] == f"{module['serial']:08X}"
    assert (record["year"], record["week"]) == module["date"]
    assert record["chip_bits"] == module["width"] and record["ranks"] == module["ranks"]
    assert (record["data_bits"], record["ecc_bits"]) == (module["bus"], module["ecc"])
    assert record["problems"] == []


@pytest.mark.parametrize("board", ["q35", "pc"])
def test_modules_on_the_bus(board):
    """A module firmware has a slot for; one with a wrong CRC; two with the same serial number; one
    without a number; blank EEPROMs, which are none; and the raw bytes in the support record."""
    udimm, rdimm = spd.image("ddr3-udimm"), spd.image("ddr3-rdimm")
    wrong = bytearray(spd.image("ddr3-xmp-12ths"))
    wrong[4] ^= 1
    images = {
        0x50: udimm,
        0x51: bytes(wrong),
        0x52: rdimm,
        0x53: rdimm,
        0x54: with_serial(udimm, 0),
        0x55: BLANK,
    }
    slot = "type=17,loc_pfx=DIMM_A,serial=1A2B3C4D,manufacturer=M,part=P,speed=1866"
    text, was_on = run_with(
        images, board, f"{SHORT} support=on", extra=attach("smbios-text", text=slot)
    )
    assert was_on
    found = records(text)
    by_address = modules(found)
    assert sorted(by_address) == ["0x50", "0x51", "0x52", "0x53", "0x54"]
    first = by_address["0x50"]
    check(first, "ddr3-udimm")
    assert first["maker"] == "Kingston" and first["maker_code"] == "0x118"
    assert first["chip_maker"] == "SK hynix" and first["jedec_mt_s"] == 1600
    assert [p["mt_s"] for p in first["profiles"]] == [1866, 2133]
    assert first["slot"].startswith("DIMM_A") and first["slot_by"] == "serial"
    assert first["configured_mt_s"] == 1866
    assert by_address["0x51"]["problems"] == [
        "the CRC of type, size and speed is wrong",
        "its rows, columns and banks do not make its size",
    ]
    assert by_address["0x51"]["size_bytes"] == 16 * GIB  # one bit of it is wrong
    check(by_address["0x52"], "ddr3-rdimm")
    assert by_address["0x52"]["slot"] is None
    assert by_address["0x54"]["serial"] is None
    assert by_address["0x54"]["problems"] == ["it has no serial number"]
    *about, missing = [w for w in warnings(found) if "SPD" in w or "serial" in w]
    assert about == [
        "SPD of the module at SMBus address 0x51: the CRC of type, size and speed is wrong;"
        " its rows, columns and banks do not make its size",
        "the modules at SMBus address 0x52 and at SMBus address 0x53 have the same serial number,"
        " 80C1D2E3: only their slots distinguish them",
    ]
    assert missing.startswith("the SPDs of the modules add up to ")
    assert "but SMBIOS lists only 128 MiB, and only 127 MiB is usable" in missing
    assert ": the modules at SMBus addresses 0x52, 0x53, 0x54; " in missing
    support = [m for m in found if m["type"] == "support"][0]
    assert {int(raw["address"], 16): raw["bytes"] for raw in support["spd"]} == {
        at: image.hex() for at, image in images.items() if image != BLANK
    }
    names = {fact["name"]: fact["value"] for fact in support["ports"]}
    assert names["SMBus"].endswith(": used")
    (advice,) = (m for m in found if m["type"] == "advice")
    result = found[-1]
    assert (result["status"], result["complete"]) == ("pass", False)
    assert result["unseen"]["addresses"] == ["0x52", "0x53", "0x54"]  # 0x51's size is not believed
    assert result["unseen"]["installed_bytes"] == sum(
        by_address[at]["size_bytes"] for at in ("0x50", "0x52", "0x53", "0x54")
    )
    assert advice["case"] == "missing"


def test_fast_settings_are_to_blame_first():
    """A module with XMP, at a speed above JEDEC's, and faults: what to do next."""
    slot = "type=17,loc_pfx=DIMM_A,serial=1A2B3C4D,manufacturer=M,part=P,speed=1866"
    images = {0x50: spd.image("ddr3-udimm")}
    cell = spec.parse("stuck1@0x2080000.3")
    text, _ = run_with(images, extra=attach("smbios-text", text=slot), faults=cell)
    (advice,) = (m for m in records(text) if m["type"] == "advice")
    assert advice["case"] == "settings"
    assert "at 1866 MT/s, faster than its standard speed of 1600: switch off XMP" in advice["text"]


# One channel of Haswell with 1 GiB, at 1600 MT/s and 11-11-11-28 with a command each second clock.
HASWELL = (
    "cpu.intel.6.60.3 pci.0.0=c008086 pci.0.48=fed10001 pci.0.4c=0 pci.0.a0=40000000 pci.0.a4=0"
    " pci.0.bc=40000000 pci.0.90=fff00000 pci.0.94=7f pci.0.98=0 pci.0.9c=0 pci.0.e4=0 pci.0.e8=0"
    " mchbar.0.5000=24 mchbar.0.5004=4 mchbar.0.5008=0 mchbar.0.5014=0 mchbar.0.5024=0"
    " mchbar.0.4014=b mchbar.0.4000=716b mchbar.0.4004=80000000 mchbar.0.5e04=6"
)


def test_as_the_controllers_have_them():
    """Timings beside the SPD's; and a size other than the SPD states."""
    registers = attach("registers", text=HASWELL)
    text, _ = run_with({0x50: spd.image("ddr3-udimm")}, extra=registers)
    found = records(text)
    (module,) = (m for m in found if m["type"] == "module" and m["address"])
    running = module["running"]
    assert (running["mt_s"], running["command_rate"], running["gear"]) == (1600, 2, None)
    assert [running[name] for name in ("cl", "rcd", "rp", "ras")] == [11, 11, 11, 28]
    assert module["setting"] == "below-profile"  # that of 2133
    (geometry,) = (m for m in found if m["type"] == "geometry")
    assert (geometry["finding"], geometry["alias_bytes"]) == ("controller", None)
    assert (geometry["stated_bytes"], geometry["controller_bytes"]) == (4 * GIB, GIB)
    assert (
        "states 4 GiB, 1 rank in its SPD, but the memory controller is set to 1 GiB"
        in (geometry["text"])
    )


# Of one channel, a module with 512 MiB.
HALF_GIB = HASWELL.replace("=40000000", "=20000000").replace("5004=4", "5004=2")


def test_a_forged_spd_with_its_controller_and_aliases():
    """Half of what the SPD states, and the controller is set to, has cells: SPD, registers, map and
    the pages that share cells, in one run."""
    node, n_nodes = 32 * MIB, 16
    stated = spd.MODULES["ddr3-udimm"] | {"mbit": 512}
    text, _ = run_with(
        {0x50: spd.MAKE["DDR3"](stated)},
        cmdline="tests=address bandwidth=off range=96M-128M,352M-384M",
        extra=attach("registers", text=HALF_GIB),
        name="computed",
        memory=n_nodes * node,
        nodes=n_nodes,
        mirrors={11: 3},
    )
    found = records(text)
    (controller,) = (m for m in found if m["type"] == "controller")
    assert controller["unknown"] is None
    (module,) = (m for m in found if m["type"] == "module" and m["address"])
    assert (module["size_bytes"], module["problems"]) == (512 * MIB, [])
    assert {m["diff"] for m in found if m["type"] == "alias"} == {hex(8 * node)}
    (geometry,) = (m for m in found if m["type"] == "geometry")
    assert (geometry["finding"], geometry["stated_bytes"]) == ("spd", 512 * MIB)
    assert (geometry["alias_bytes"], geometry["controller_bytes"]) == (node, None)
    assert "acts as one of 256 MiB" in geometry["text"]
    (advice,) = (m for m in found if m["type"] == "advice")
    assert advice["case"] == "false-size"


def test_off():
    """Nothing is asked; what firmware says of its slot is left."""
    image = {0x50: spd.image("ddr3-udimm")}
    text, _ = run_with(image, cmdline=f"{SHORT} spd=off support=on")
    found = records(text)
    assert list(modules(found)) == [None]
    slot = modules(found)[None]
    assert slot["slot_by"] == "slot" and slot["size_bytes"] == 128 * MIB
    support = [m for m in found if m["type"] == "support"][0]
    assert support["spd"] == [] and "SMBus" not in str(support["ports"])


@pytest.mark.slow
def test_uefi_leaves_the_controller_off():
    outcome = follow(named("uefi-128M", cmdline=f"{SHORT} support=on"))
    ports = {fact["name"]: fact["value"] for fact in outcome.last("support")["ports"]}
    assert ports["SMBus"].endswith(": off")
    assert [m["slot_by"] for m in outcome.of_type("module")] == ["slot"]
    assert "SMBus" not in str(outcome.last("machine")["warnings"])


@pytest.mark.slow
def test_ddr4_of_which_half_can_be_read():
    """QEMU's EEPROMs have 256 bytes, and nothing answers where a page is selected."""
    text, _ = run_with({0x50: spd.image("ddr4-udimm"), 0x57: spd.image("ddr4-sodimm")})
    by_address = modules(records(text))
    for address, name in (("0x50", "ddr4-udimm"), ("0x57", "ddr4-sodimm")):
        record = by_address[address]
        assert record["problems"] == ["a part of it cannot be read"]
        assert record["size_bytes"] == spd.size(spd.MODULES[name])
        assert record["serial"] is None and record["profiles"] == []
    assert [w for w in warnings(records(text)) if w.startswith("SPD")] == [
        f"SPD at SMBus address {address}: 256 of its bytes can be read: the bus is without"
        " an answer"
        for address in ("0x50", "0x57")
    ]


@pytest.mark.slow
def test_text():
    images = {0x50: spd.image("ddr3-udimm"), 0x51: spd.image("ddr3-rdimm")}
    text, _ = run_with(images, cmdline=f"{SHORT} serial=text")
    for line in (
        "0x50: DDR3 UDIMM, 4 GiB, 1 rank of x8 chips, 64 bits",
        "Kingston KHX1866C9D3/4G, serial 1A2B3C4D, week 7 of 2013; chips by SK hynix",
        "JEDEC 1600 MT/s (11-11-11-28)",
        "XMP 1866 (9-11-9-27), 2133 (11-13-13-31)",
        "0x51: DDR3 RDIMM, 16 GiB, 2 ranks of x4 chips, 64+8 bits",
    ):
        assert line in text, line
