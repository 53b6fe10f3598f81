# SPDX-License-Identifier: MIT
"""`okram guard` in a running Linux: installed on a real EFI system partition and in real
variables, seen to mask at the next boot, and removed without a trace."""

import json
import shutil

import pytest
from virt.firmware.varstore.edk2 import Edk2VarStore

from okramlib.machine import OVMF_VARS
from system.linux.guard_guest import files_on, make_disk, run

# Free memory at any boot, each alone and together.
BAD = [0x10000000 + at for at in (0, 0x1000, 0x5000, 0x312000)]
LINE = "badram=" + ",".join(f"{page:#x},0xffffffffff000" for page in BAD) + "\n"
MORE = 0x12345000

# Firmware counts boots, and keeps the device paths of partitions that a load option has named.
CHANGES_BY_ITSELF = {"MTC", "HDDP"}


def variables(store):
    listed = Edk2VarStore(str(store)).get_varlist()
    return {
        (str(v.guid), str(name)): (v.attr, bytes(v.data))
        for name, v in listed.items()
        if str(name) not in CHANGES_BY_ITSELF
    }


@pytest.mark.slow
def test_installed_changed_and_removed(tmp_path):
    disk, store = make_disk(tmp_path / "disk"), tmp_path / "vars.fd"
    shutil.copyfile(OVMF_VARS, store)

    def boot(*commands):
        files = [("bad", LINE.encode()), ("more", f"{MORE:#x}\n".encode())]
        return run(commands, disk, store, tmp_path, files)

    (none,) = boot("status")
    assert none.code == 1 and none.lines[0] == "not installed."
    before = variables(store), files_on(disk)

    tested, shown, installed, status = boot(
        "test --list /bad", "install --list /bad", "install --list /bad --yes", "status --json"
    )
    assert tested.code == 0 and all(line.startswith("ok ") for line in tested.lines)
    assert shown.code == 0 and shown.lines[-1] == "Nothing is written: --yes does it."
    assert installed.code == 0, installed.lines
    assert status.code == 1 and json.loads(status.lines[-1])["guard"] is None

    # At the next boot the guard has masked. The list, which Linux marks immutable, is replaced.
    status, words, again = boot("status --json", "status", "install --list /more --yes")
    found = json.loads(status.lines[-1])
    assert status.code == 0, words.lines
    assert found["guard"]["state"] == "masked" and found["guard"]["masked"] == len(BAD)
    assert (found["listed"], found["masked"], found["unusable"]) == (len(BAD),) * 3
    assert found["in_use"] == found["unknown"] == []
    assert again.code == 0 and any("replace OkramGuard (NV+BS+RT): 5 bad" in x for x in again.lines)

    status, removed = boot("status --json", "remove --yes")
    found = json.loads(status.lines[-1])
    assert status.code == 0 and found["masked"] == len({*BAD, MORE})
    assert removed.code == 0, removed.lines

    (none,) = boot("status")
    assert none.lines == ["not installed.", "the guard has not run at this boot."]
    assert (variables(store), files_on(disk)) == before
