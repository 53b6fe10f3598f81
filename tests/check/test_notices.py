# SPDX-License-Identifier: MIT
"""The image carries the notices and licences of what is on it, in both of its file systems."""

import re
import subprocess

import pytest

from okramlib import BUILD, ROOT

ISO = BUILD / "okram.iso"
PARTITION_LBA = 446 + 8  # in the MBR


def on_iso9660(name, folder):
    command = ["xorriso", "-osirrox", "on", "-indev", ISO, "-extract", f"/{name}", folder / name]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / name).read_text()


def on_fat(name, _):
    with ISO.open("rb") as image:
        image.seek(PARTITION_LBA)
        start = int.from_bytes(image.read(4), "little") * 512
    command = ["mtype", "-i", f"{ISO}@@{start}", f"::/{name}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(params=[on_iso9660, on_fat], ids=["iso9660", "fat"])
def read(request, tmp_path):
    return lambda name: request.param(name, tmp_path)


def test_licence(read):
    assert read("LICENSE.txt") == (ROOT / "LICENSE").read_text()


def test_notice(read):
    notice = read("NOTICE.txt")
    assert notice.startswith((ROOT / "NOTICE").read_text())
    for licence in (ROOT / "iso" / "licenses").glob("*.txt"):
        assert licence.read_text() in notice


def test_versions_of_the_packages(read):
    built_with = re.search(r"with these packages:\n((?:    .+\n)+)", read("NOTICE.txt"))[1]
    listed = [line.split()[0] for line in built_with.splitlines()]
    assert len(listed) == len({*listed}) >= 6
    for line in built_with.splitlines():
        assert re.fullmatch(r"    \S+ \S*\d\S*, source package \S+.*", line)


def test_each_file_of_another_project_is_of_a_listed_package(read):
    """What goes onto the image as a package has it: shim and MokManager."""
    files = (BUILD / "iso" / "files").read_text().split()
    foreign = [path for _, _, path in (file.partition("=") for file in files) if path[0] == "/"]
    assert len(foreign) == 2
    for path in foreign:
        owner = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True).stdout
        assert owner and f"    {owner.partition(':')[0]} " in read("NOTICE.txt"), path


def test_file_of_no_package():
    command = [ROOT / "iso" / "notices.sh", ROOT / "VERSION"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"    {ROOT}/VERSION (no package manager knows where it comes from)\n" in said
