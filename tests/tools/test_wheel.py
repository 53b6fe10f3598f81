# SPDX-License-Identifier: MIT
"""`make wheel`: the command okram as pip installs it, in an environment with nothing else."""

import json
import subprocess
import sys
import tomllib

import pytest

from okramlib import BUILD, ROOT, version
from tools.installed import make
from tools.samples import GOOD

FLEET = ROOT / "tools" / "requirements-fleet.in"


@pytest.fixture(scope="module")
def okram(tmp_path_factory):
    """The command; what it needs comes from PyPI."""
    ran = make("wheel")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (wheel,) = BUILD.glob(f"okram-{version()}-*.whl")
    folder = tmp_path_factory.mktemp("wheel") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", wheel], check=True)
    return folder / "bin" / "okram"


def run(okram, *arguments, input=""):
    command = [okram, *arguments]
    return subprocess.run(command, input=input, capture_output=True, text=True, cwd="/")


@pytest.mark.slow
def test_what_it_does(okram):
    lines = [json.dumps({"t": 1, **record}) + "\n" for record in GOOD]
    ran = run(okram, "--version")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"okram {version()}\n", "")
    ran = run(okram, "badram", input="0x5000123\n")
    assert (ran.returncode, ran.stdout) == (0, "badram=0x5000000,0xffffffffff000\n")
    ran = run(okram, "report", input="".join(lines))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == "badram=0x1000,0xffffffffff000"
    ran = run(okram, "report", "--html", input="".join(lines))
    assert ran.returncode == 0 and ran.stdout.startswith("<!DOCTYPE html>")
    ran = run(okram, "report", input="".join([*lines, '{"t":1,"type":"x"}\n']))
    assert ran.returncode == 2 and 'unknown type "x"' in ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, why",
    [
        (["run"], "okram run is not part of this installation: it needs a checkout of okram."),
        (["guard", "status"], "okram guard is not part of what pip installs: "),
        (["esp", "install"], "okram esp is not part of what pip installs: "),
    ],
)
def test_what_it_does_not(okram, arguments, why):
    ran = run(okram, *arguments)
    assert ran.returncode == 2 and why in ran.stderr and len(ran.stderr.splitlines()) == 1


@pytest.mark.skipif(not FLEET.exists(), reason="there is no tools/requirements-fleet.in")
def test_the_extra_is_what_fleet_needs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [line.split("==")[0] for line in FLEET.read_text().splitlines()]
    listed = [name for name in listed if name and not name.startswith(("#", "-"))]
    assert project["optional-dependencies"]["fleet"] == listed
