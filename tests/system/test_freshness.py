# SPDX-License-Identifier: MIT
"""While pages keep being found, the line on the screen keeps up with them."""

import re
import time

import pytest

from okramlib import spec
from okramlib.run import Watcher
from system.harness import follow, from_image, vga_text

STALE_S = 5
LOOK_EVERY_S = 0.25

_FOUND = re.compile(r"faults in (\d+) bad pages?")
_COVERED = re.compile(r"(\d+) pages? \(.*\) sacrificed")


class Reader(Watcher):
    """Notes what the screen says: bad pages found, and pages that its line gives up."""

    def __init__(self, path):
        self.looks = []
        self._path = path

    def tick(self, qemu):
        now = time.monotonic()
        if self.looks and now < self.looks[-1][0] + LOOK_EVERY_S:
            return
        text = "\n".join(vga_text(qemu, self._path))
        found, covered = _FOUND.search(text), _COVERED.search(text)
        self.looks.append((now, int(found[1]) if found else 0, int(covered[1]) if covered else 0))


@pytest.mark.slow
def test_the_line_on_the_screen_is_never_old(tmp_path):
    """Every fourth page of 1 GiB is bad: one pattern does when all are known."""
    faulty_cells = spec.parse("holes@0x4000000+0x4000*65536.3")
    options = "tests=mats+ bandwidth=off range=64M-1088M ranges=65536"
    machine = from_image("1152M-1cpu", faults=faulty_cells, cmdline=options)
    reader = Reader(tmp_path / "vga")
    outcome = follow(machine, watcher=reader)
    assert outcome.last("result")["bad_pages"] == 65536
    assert outcome.last("badram")["sacrificed_pages"] == 65536
    growing = {found for _, found, _ in reader.looks}
    assert len(growing) > 4, "too fast to tell"
    for at, found, _ in reader.looks:
        later = [covered for then, _, covered in reader.looks if then >= at + STALE_S]
        assert not later or later[0] >= found
