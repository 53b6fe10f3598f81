# SPDX-License-Identifier: MIT
"""The Debian package: built twice it is the same, lintian and piuparts find nothing, and on a disk
with GRUB its entry starts okram by BIOS and by UEFI. `tools/setup package` installs what this
needs."""

import json
import os
import platform
import shutil
import subprocess

import pytest

from okramlib import BUILD, ROOT, version
from system.harness import attach, follow, from_image
from tools.samples import GOOD

EPOCH = "1700000000"
NEEDED = ("dpkg-buildpackage", "lintian", "debootstrap", "piuparts")
ROOT_PACKAGES = (
    "grub-pc-bin,grub-efi-amd64-bin,grub2-common,"
    "python3,python3-rich,python3-jinja2,python3-jsonschema"
)
SOURCE = (".dsc", ".debian.tar.xz")
DEBIAN_ROOT = BUILD / "deb" / "root"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason="run `tools/setup package`"),
]


def build(folder, **environment):
    changed = {**os.environ, **environment}
    for name in "MAKEFLAGS", "MAKELEVEL", "MFLAGS":
        changed.pop(name, None)
    command = [
        ROOT / "packaging" / "build_deb",
        folder,
        version(),
        "1",
        EPOCH,
        "A Builder <a@example.com>",
    ]
    ran = subprocess.run(command, cwd=ROOT, env=changed, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return folder / f"okram_{version()}-1_amd64.deb"


@pytest.fixture(scope="module")
def deb(tmp_path_factory):
    return build(tmp_path_factory.mktemp("deb"), TZ="UTC")


def test_two_builds_are_equal(deb, tmp_path):
    umask = os.umask(0o077)
    try:
        another = build(tmp_path / "another" / "longer_name", TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    finally:
        os.umask(umask)
    for made in (deb, *(deb.with_name(deb.name.replace("_amd64.deb", end)) for end in SOURCE)):
        assert (another.parent / made.name).read_bytes() == made.read_bytes(), made.name


@pytest.mark.parametrize("end", ["_amd64.deb", ".dsc"], ids=["binary", "source"])
def test_lintian(deb, end):
    made = deb.with_name(deb.name.replace("_amd64.deb", end))
    command = ["lintian", "--no-cfg", "--allow-root", "--fail-on", "error,warning"]
    # The number of that bug is of whoever takes the package into a distribution.
    command += ["--suppress-tags", "initial-upload-closes-no-bugs", made]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0 and not ran.stdout, ran.stdout + ran.stderr


def test_piuparts(deb, tmp_path):
    """Installed, removed, purged: nothing is left, no link is broken."""
    if os.geteuid() != 0:
        pytest.skip("only root changes its root folder")
    command = ["piuparts", "--existing-chroot", debian(), "--distribution", codename()]
    command += ["--no-upgrade-test", "--tmpdir", tmp_path, deb]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-5000:]


def codename():
    return platform.freedesktop_os_release()["VERSION_CODENAME"]


def debian():
    """A folder with a small Debian of this system's version; made once."""
    if not DEBIAN_ROOT.exists():
        fresh = DEBIAN_ROOT.with_name("root.new")
        shutil.rmtree(fresh, ignore_errors=True)
        command = [
            "debootstrap",
            "--variant=minbase",
            f"--include={ROOT_PACKAGES}",
            codename(),
            fresh,
        ]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            pytest.skip(f"debootstrap failed: {ran.stderr[-200:]}")
        fresh.rename(DEBIAN_ROOT)
    return DEBIAN_ROOT


@pytest.fixture(scope="module")
def installed(deb, tmp_path_factory):
    """A folder with a disk that has the package, and a CD that boots it; and what is printed."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts disks")
    folder = tmp_path_factory.mktemp("disk")
    log = folder / "log"
    log.mkdir()
    (log / "good.jsonl").write_text("".join(lines(GOOD)))
    damaged = [{**record, "t": -1} for record in GOOD]
    (log / "damaged.jsonl").write_text("".join([*lines(GOOD[:1]), *lines(damaged[1:])]))
    program = ROOT / "tests" / "system" / "package" / "disk"
    command = [program, debian(), deb, folder / "disk.img", folder / "cd.iso", log]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return folder, log


def lines(records):
    return [json.dumps({"t": 1, **record}) + "\n" for record in records]


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_its_entry_starts_okram(installed, uefi):
    folder, _ = installed
    # OVMF connects only what it may boot.
    disk = attach("disk", path=f"{folder / 'disk.img'},snapshot=on", options=",bootindex=9")
    machine = from_image("128M", uefi=uefi, image=folder / "cd.iso", extra=disk)
    machine.cmdline = "tests=address bandwidth=off"
    start = follow(machine).last("start")
    assert start["boot"] == ("uefi" if uefi else "bios")
    assert uefi or "GRUB" in start["loader"]


def test_purge_leaves_nothing(installed):
    _, log = installed
    assert (log / "purged.list").read_text() == (log / "before.list").read_text()
    assert (log / "purged.cfg").read_text() == (log / "before.cfg").read_text()
    for name in ("upgraded.cfg", "installed.cfg"):
        assert (log / name).read_text().count("menuentry 'Memory test (okram)'") == 1


def test_the_command(installed):
    """In Debian's Python, which has neither jsonschema-rs nor qemu.qmp."""
    _, log = installed
    assert (log / "badram.out").read_text() == "badram=0x5000000,0xffffffffff000\n"
    assert (log / "good.jsonl.err").read_text() == "" and not (log / "good.jsonl.code").exists()
    assert (log / "good.jsonl.out").read_text().endswith("badram=0x1000,0xffffffffff000\n")
    assert (log / "damaged.jsonl.code").read_text() == "2\n"
    assert "t is -1: it is less than the minimum of 0" in (log / "damaged.jsonl.err").read_text()
    for name, sentence in (
        ("run", "okram run is not part of this installation: it needs a checkout of okram."),
        ("guard", "okram: "),
        ("esp", "okram: "),
    ):
        (line,) = (log / f"{name}.out").read_text().splitlines()
        assert sentence in line
