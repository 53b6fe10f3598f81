# SPDX-License-Identifier: MIT
"""An owner's way by README's words, with Secure Boot on and Microsoft's keys alone: the release's
files onto a stick, MokManager's keys as the manual lists them, a test of bad memory, the report on
the stick, and a start that asks nothing. With -s it prints how long each step took."""

import re
import subprocess
import time

import pytest

from okramlib import ROOT, version
from okramlib import stick as mtools
from system.secure_boot import microsoft
from system.test_cycle import Cycle, check_cleared, check_files, run_to_the_end
from system.test_dist import DIST, copied_to, made  # noqa: F401

pytestmark = pytest.mark.slow

FAULTS = "stuck1@0x6000040.4", "stuck0@0x9000123.1", "stuck1@0xa001ff8.7"
STARTING = f"okram {version()}: starting"
BEFORE_KEYS_S, BETWEEN_KEYS_S = 10, 3

# OK; any key; Enroll hash from disk; the stick. Then the file; Continue; Yes; Reboot.
BEFORE, AFTER = ["ret", "a", "down", "down", *["ret"] * 2], ["ret", *["down", "ret"] * 2, "ret"]


class Steps:
    """Seconds of each, by name."""

    def __init__(self):
        self.taken, self._begin = {}, time.monotonic()

    def end(self, name):
        now = time.monotonic()
        self.taken[name], self._begin = now - self._begin, now

    def table(self):
        return "\n".join(f"{name}: {seconds:.0f} s" for name, seconds in self.taken.items())


def commands():
    """Of README's row for Linux."""
    (row,) = re.findall(r"^\| Linux \|.*", (ROOT / "README.md").read_text(), re.MULTILINE)
    return re.findall(r"`(.*?)`", row)


def written(stick):
    """By README's dd; a file has the place of the stick."""
    (copy,) = [c for c in commands() if c.startswith("sudo dd ")]
    script = (
        copy.removeprefix("sudo ").replace("VERSION", version()).replace("/dev/sdX", str(stick))
    )
    subprocess.run(["sh", "-ec", script], cwd=DIST, check=True, capture_output=True)


def unpacked(stick):
    """By README's way for Windows."""
    copied_to(stick, "MY STICK")


def down_to_the_file(stick):
    """MokManager lists files as they are in the directory: on copied files EFI is the first."""
    command = ["mdir", "-b", "-i", mtools.drive(stick), "::/"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return ["down"] * listed.index("::/ENROLL-THIS-okram.efi")


def enroll(owner):
    """What the manual's table says; MokManager draws its screens without ends of lines."""
    owner.wait_for("BdsDxe: starting", of="firmware")
    owner.listen(BEFORE_KEYS_S)
    for key in [*BEFORE, *down_to_the_file(owner.stick), *AFTER]:
        owner.press(key)
        owner.listen(BETWEEN_KEYS_S)


@pytest.mark.parametrize("put", [written, unpacked])
def test_from_the_release_to_the_line(made, tmp_path, put):  # noqa: F811
    steps = Steps()
    subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=DIST,
        check=True,
        capture_output=True,
    )
    store = microsoft(tmp_path / "microsoft.fd")
    owner = Cycle(tmp_path, "", on="owner", vars=store, faults=list(FAULTS))
    owner.variables = store
    put(owner.stick)
    steps.end("checksum and stick")
    with owner:
        enroll(owner)
        steps.end("enrolling, from power-on")
        owner.wait_for(STARTING)
        line = run_to_the_end(owner, "3")
        steps.end("start again, quick test")
        assert owner.last("result")["bad_pages"] == len(FAULTS) and line.startswith("badram=0x6")
        owner.restart()
        owner.wait_for(STARTING)
        owner.wait_for("The report was written to")
        assert "Security Violation" not in owner.said
        assert f"okram: last report: FAIL, {len(FAULTS)} bad pages" in owner.said
        owner.press("spc", "0")
        steps.end("start again, report on the stick")
    print(f"\n{steps.table()}")
    check_files(owner, line, "FAIL")
    check_cleared(owner)
