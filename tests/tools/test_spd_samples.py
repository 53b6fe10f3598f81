# SPDX-License-Identifier: MIT
"""The SPD images of tests/data/spd.py, as decode-dimms of i2c-tools reads them."""

import re
import shutil
import subprocess

import pytest

from data import spd

DECODER = shutil.which("decode-dimms") or "/usr/sbin/decode-dimms"
# It knows no DDR5.
KNOWN = [name for name, module in spd.MODULES.items() if module["type"] != "DDR5"]
MAKERS = {
    spd.KINGSTON: "Kingston",
    spd.SAMSUNG: "Samsung",
    spd.HYNIX: "Hynix",
    spd.MICRON: "Micron",
    spd.CORSAIR: "Corsair",
    spd.GSKILL: "G Skill",
}

# As tests/unit/spd/test_spd.c expects them of okram.
TIMINGS = {
    "ddr3-udimm": "11-11-11-28",
    "ddr3-xmp-12ths": "9-9-9-24",
    "ddr3-rdimm": "9-9-9-24",
    "ddr4-udimm": "19-19-19-43",
    "ddr4-sodimm": "22-22-22-52",
    "ddr4-rdimm-3ds": "21-21-21-47",
}


def hexdump(image):
    """As hexdump -C prints it."""
    return "".join(
        f"{at:08x}  {image[at : at + 8].hex(' ')}  {image[at + 8 : at + 16].hex(' ')}  |.|\n"
        for at in range(0, len(image), 16)
    )


@pytest.fixture
def decoded(tmp_path):
    """What decode-dimms says of an image, by label."""
    if not shutil.which(DECODER):
        pytest.skip("i2c-tools is not installed")

    def decode(image):
        path = tmp_path / "image"
        path.write_text(hexdump(image))
        ran = subprocess.run([DECODER, "-x", path], capture_output=True, text=True, check=True)
        return dict(re.findall(r"^(\S.*?)  +(\S.*?) *$", ran.stdout, re.MULTILINE))

    return decode


@pytest.mark.parametrize("name", KNOWN)
def test_another_program_reads_the_same(name, decoded):
    module = spd.MODULES[name]
    said = decoded(spd.image(name))
    year, week = module["date"]
    assert said["Fundamental Memory type"].startswith(module["type"])
    assert said["Module Type"] == module["form"]
    assert said["Size"] == f"{spd.size(module) >> 20} MB"
    assert said["Ranks"] == str(module["ranks"])
    assert said["SDRAM Device Width"] == f"{module['width']} bits"
    assert said["Primary Bus Width"] == f"{module['bus']} bits"
    assert said.get("Bus Width Extension", "0 bits") == f"{module['ecc']} bits"
    assert float(
        said[
            "Minimum Cycle Time (tCK)"
            if "DDR3" in module["type"]
            else "Minimum Cycle Time (tCKmin)"
        ].split()[0]
    ) == pytest.approx(module["tck"] / 1000, abs=0.0006)
    timings = "tCL-tRCD-tRP-tRAS" if module["type"] == "DDR3" else "AA-RCD-RP-RAS (cycles)"
    assert said[timings] == TIMINGS[name]
    assert MAKERS[module["maker"]] in said["Module Manufacturer"]
    assert MAKERS[module["dram_maker"]] in said["DRAM Manufacturer"]
    assert said["Part Number"] == module["part"]
    assert said["Assembly Serial Number"] == f"0x{module['serial']:08X}"
    assert said["Manufacturing Date"] == f"{year}-W{week:02}"
    assert all(said[label].startswith("OK") for label in said if "CRC" in label)


def test_another_program_sees_a_wrong_crc(decoded):
    image = bytearray(spd.image("ddr4-udimm"))
    image[126] ^= 1
    said = decoded(image)
    assert "Fundamental Memory type" not in said
