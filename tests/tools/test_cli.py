# SPDX-License-Identifier: MIT
"""tools/okram on the command line, without QEMU."""

import json

import pytest

from okramlib import version
from tools.command import okram
from tools.samples import GOOD


def test_version():
    assert okram("--version").stdout == f"okram {version()}\n"


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["--fault", "melt@0x1000.1"], "must start with"),
        (["--fault", "stuck0@1G.1"], "0x40000000 is not in RAM"),
        (["--fault", "stuck0@0x1000.9"], "bit '9'"),
        (["--memory", "12Q"], "'12Q' is not a number"),
        (["--memory", "100"], "--memory must be whole MiB"),
        (["--cpus", "0"], "--cpus must be"),
        (["--nodes", "0"], "--nodes must be"),
        (["--colour"], "unknown argument: --colour"),
        (["--bios", "--uefi"], "not allowed with"),
        (["--vars", "/tmp/vars.fd"], "--vars needs --uefi"),
    ],
)
def test_bad_arguments_get_one_sentence(arguments, why):
    ran = okram("run", *arguments)
    assert ran.returncode == 2 and ran.stdout == ""
    assert why in ran.stderr.splitlines()[-1]
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("command", ["run", "badram", "report"])
def test_help(command):
    ran = okram(command, "--help")
    assert ran.returncode == 0 and "%%" not in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 100


def test_no_command():
    assert okram().returncode == 2


def test_report_of_a_run(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"t": 1, **record}) + "\n" for record in GOOD))
    ran = okram("report", str(path))
    assert ran.returncode == 0 and ran.stderr == ""
    assert ran.stdout.splitlines()[-1] == "badram=0x1000,0xffffffffff000"
    assert "memmap=4K%0x1000-1+5" in ran.stdout.splitlines()
    for word in ("QEMU", "triad", "address", "0x1000", "0x3040", "bad pages found"):
        assert word in ran.stdout


def test_report_of_aliases():
    """An alias that has grown is reported again; one without common bits is 'various'."""
    alias = {"t": 1, **next(record for record in GOOD if record["type"] == "alias")}
    records = [alias, {**alias, "pages": 4321}, {**alias, "diff": None, "pages": 77}]
    ran = okram("report", input="".join(json.dumps(record) + "\n" for record in records))
    rows = [line.split() for line in ran.stdout.splitlines() if "0x3040" in line]
    assert rows == [
        ["4321", "0x3040", "0x1040", "0x2000", "address"],
        ["77", "0x3040", "0x1040", "various", "address"],
    ]


def test_report_names_bad_lines():
    good = json.dumps({"t": 1, **GOOD[-1]})
    ran = okram("report", input=f'{good}\n{{"t":1}}\nhello\n\n{good[:40]}')
    assert ran.returncode == 2
    errors = ran.stderr.splitlines()
    assert [line.split(": ")[1] for line in errors[:2]] == ["line 2", "line 5"]
    assert "cut off" in errors[1] and "such as line 3" in errors[2] and len(errors) == 3
    assert "bad pages found" in ran.stdout


def test_report_of_nothing():
    assert okram("report", "/nowhere").stderr.startswith("okram: /nowhere cannot be read")
    assert okram("report", input="").returncode == 2


def test_badram_of_addresses():
    ran = okram("badram", input="0x4a35128\n0x4a35ff8\n0x5201f40\n")
    assert ran.returncode == 0
    assert ran.stdout == "badram=0x4a35000,0xffffffffff000,0x5201000,0xffffffffff000\n"


def test_badram_hands_its_options_on():
    ran = okram("badram", "--json", "--patterns", "1", input="0x2000000\n0x2002000\n")
    made = json.loads(ran.stdout)
    assert made["bad_pages"] == 2
    assert made["patterns"] == [["0x2000000", "0xfffffffffd000"]]
