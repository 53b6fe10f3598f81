# SPDX-License-Identifier: MIT
"""Keys once the run has ended: they are answered on the screen, and the report stays as it is."""

import time

import pytest

from okramlib import spec
from okramlib.run import Watcher, run
from system.harness import TIMEOUT_S, from_image


class KeysAfterTheResult(Watcher):
    """All keys but the one that restarts, a second each, then the end."""

    def __init__(self):
        self._keys = None

    def record(self, record):
        if record["type"] == "result":
            self._keys = list("rqlsbcr")

    def tick(self, qemu):
        if self._keys:
            qemu.type(self._keys.pop(0))
            time.sleep(1)
        elif self._keys is not None:
            qemu.qmp.command("quit")


@pytest.mark.parametrize("faults", ["", "stuck1@0x2801237.3"], ids=["pass", "fail"])
def test_the_result_is_the_last_record(faults):
    machine = from_image("small-1cpu", cmdline="tests=mats+ bandwidth=off exit=wait")
    machine.faults = spec.parse(faults) if faults else []
    outcome = run(machine, KeysAfterTheResult(), timeout=TIMEOUT_S)
    assert outcome.bad_lines == []
    types = [record["type"] for record in outcome.records]
    assert types[-1] == "result" and types.count("result") == 1
