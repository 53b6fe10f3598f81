# SPDX-License-Identifier: MIT
"""The same sources, built in two places, give the same bytes: so a signature can be checked."""

import hashlib
import os
import shutil
import subprocess

import pytest

from okramlib import ROOT

BUILT = ["okram.iso", "okram.efi", "okram-ia32.efi", "okram.copy", "stripped.elf"]
EPOCH = "1700000000"


def copy_sources(folder):
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
            shutil.copymode(ROOT / name, folder / name)


def build(folder, **environment):
    copy_sources(folder)
    changed = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **environment}
    for name in "MAKEFLAGS", "MAKELEVEL", "MFLAGS":
        changed.pop(name, None)
    command = ["make", "-s", "-j2", "all", "sbom"]
    subprocess.run(command, cwd=folder, env=changed, check=True, capture_output=True)
    paths = [*(folder / "build" / name for name in BUILT), *(folder / "build").glob("*.efi")]
    paths.append(folder / "build" / "okram.spdx.json")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.slow
def test_two_folders(tmp_path):
    one = build(tmp_path / "one", TZ="UTC", LC_ALL="C")
    umask = os.umask(0o077)
    try:
        two = build(tmp_path / "another" / "longer_name", TZ="Asia/Tokyo")
    finally:
        os.umask(umask)
    assert one == two and set(BUILT) < set(one)
