# SPDX-License-Identifier: MIT
"""The report in the files on the stick, which the kernel writes in the course of the run."""

import hashlib
import re
import shutil
import subprocess
import time

import pytest

from okramlib import stick as mtools
from okramlib.qemu import Qemu
from okramlib.records import parse
from okramlib.run import Watcher, run
from system.harness import TIMEOUT_S, attach, follow, named, vga_text
from system.sticks import on
from system.watchers import press_q
from tools.browser import Browser, records_of

SHORT = "tests=mats+ range=64M-65M bandwidth=off"
NAMES = [f"run-{n}.html" for n in range(1, 5)]
_KERNEL = re.compile(rb"( kernel=0x)([0-9a-f]{8})(?= offset=\d+ )")
_NUMBER = re.compile(rb"<!-- run (\d{10}) -->\n")


def pages(stick):
    """{name: bytes} of the files that a run has taken."""
    found = {name: mtools.content(stick, f"::/okram/{name}") for name in NAMES}
    return {name: page for name, page in found.items() if _NUMBER.search(page)}


def records(page):
    """The records that the page shows: the number of the run is in a comment."""
    text = _NUMBER.sub(b"", page).decode()
    return records_of(re.sub(r" +\n?(?=[{ ]|</pre>)", "", text))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def told_until_named(machine, path):
    """The records that come until the screen names the file."""
    deadline = time.monotonic() + TIMEOUT_S
    lines = []
    with Qemu(machine) as qemu:
        while "on the stick: okram\\run-1.html" not in "\n".join(vga_text(qemu, path)):
            assert time.monotonic() < deadline
            lines.append(qemu.line(0.5) or "")
        while line := qemu.line(0.5):
            lines.append(line)
    return [parse(line) for line in lines if line.startswith("{")]


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_the_report_is_on_the_stick(uefi, stick, tmp_path):
    """By UEFI the image is as it is: the loader's menu waits, for a second."""
    other = tmp_path / "other"
    other.write_bytes(bytes(range(256)) * 4096)
    before = digest(other)
    extra = attach("usb-stick", path=other, options="bus=xhci.0")
    options = {"extra": extra, **on(stick)}
    if uefi:
        menu = named("uefi-128M", menu=True, cmdline=f"{SHORT} menu=1", **options)
        told = follow(menu).records
    else:
        waits = named("128M", cmdline=f"serial=jsonl {SHORT} exit=wait", **options)
        told = told_until_named(waits, tmp_path / "vga")
    found = pages(stick)
    assert list(found) == ["run-1.html"]
    state, *rest = records(found["run-1.html"])
    assert state["type"] == "state" and state["status"] == "pass"
    assert rest == [record for record in told if record["type"] != "progress"]
    assert digest(other) == before
    if not uefi:
        check_in_browser(tmp_path / "run-1.html", found["run-1.html"])


def check_in_browser(page, content):
    page.write_bytes(content)
    browser = Browser()
    try:
        browser.open(page)
        assert browser.errors() == [] and browser.text("p.error") == ""
        assert "PASS" in browser.text()
    finally:
        browser.close()


@pytest.mark.parametrize("options", ["save=off", "usb=off"])
def test_off(options, stick):
    before = digest(stick)
    follow(named("128M", cmdline=f"{SHORT} {options}", **on(stick)))
    assert digest(stick) == before


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
@pytest.mark.parametrize("board", ["q35", "pc"])
@pytest.mark.parametrize("model", ["qemu-xhci", "nec-usb-xhci"])
@pytest.mark.parametrize("port", ["2", "1.2"])
def test_machines(board, model, port, uefi, stick):
    """Beside a keyboard at a hub, and behind that hub. It boots from a CD."""
    extra = attach("usb", name=f"{model},id=y") + attach("usb", name="usb-hub,bus=y.0,port=1")
    extra += attach("usb", name="usb-kbd,bus=y.0,port=1.1")
    extra += attach("usb-stick", path=stick, options=f"bus=y.0,port={port}")
    follow(named("128M", uefi=uefi, board=board, cmdline=SHORT, extra=extra))
    assert records(pages(stick)["run-1.html"])[-1]["status"] == "pass"


def test_files_that_are_not_its_own(stick, tmp_path):
    """Neither a stick of another kernel is written, nor a file that a person has renamed."""
    other = tmp_path / "other"
    content, n = _KERNEL.subn(rb"\g<1>00000000", stick.read_bytes())
    assert n == len(NAMES) + 1  # and next.cfg
    other.write_bytes(content)
    for name in NAMES:
        names = [f"::/okram/{name}", f"::/okram/kept-{name}"]
        subprocess.run(["mren", "-i", mtools.drive(stick), *names], check=True)
    before = digest(stick), digest(other)
    extra = attach("usb-stick", path=other, options="bus=xhci.0")
    follow(named("128M", cmdline=SHORT, extra=extra, **on(stick)))
    assert (digest(stick), digest(other)) == before


def has_fault(page):
    return any(record["type"] == "fault" for record in records(page))


class Swapper(Watcher):
    """Has another stick in the first one's place once that has the first fault; then stops."""

    def __init__(self, stick, other):
        self._stick, self._other = stick, other
        self.is_there = False

    def tick(self, qemu):
        if self.is_there:
            press_q(qemu)
        if self.is_there or not any(has_fault(page) for page in pages(self._stick).values()):
            return
        self.is_there = True
        disk = {"driver": "file", "filename": str(self._other)}
        qemu.qmp.command("device_del", id="stick")
        qemu.qmp.command("blockdev-add", **{"driver": "raw", "node-name": "new", "file": disk})
        qemu.qmp.command("device_add", driver="usb-storage", id="next", drive="new", bus="y.0")


def test_another_stick_keeps_its_reports(stick, tmp_path):
    """One with another machine's report, of the same number but another time, comes in the course
    of the run; the first has the first fault before the end."""
    other = tmp_path / "other"
    shutil.copyfile(stick, other)
    clock = attach("clock", date="2026-11-24T13:14:34")
    follow(named("128M", cmdline=SHORT, extra=clock, **on(other)))
    before = pages(other)
    extra = attach("usb", name="qemu-xhci,id=y")
    extra += attach("usb-stick", path=stick, options="bus=y.0,id=stick")
    machine = named(
        "128M",
        cmdline="tests=mats+ passes=0 range=64M-66M bandwidth=off",
        faults="stuck0@0x4100000.3",
        extra=extra,
    )
    watcher = Swapper(stick, other)
    assert not run(machine, timeout=TIMEOUT_S, watcher=watcher).trouble and watcher.is_there
    found = pages(other)
    assert found.pop("run-1.html") == before["run-1.html"]
    assert list(found) == ["run-2.html"]
    assert records(found["run-2.html"])[-1]["status"] == "fail"
    state, *rest = records(pages(stick)["run-1.html"])
    assert state["type"] == "state" and "status" not in state
    assert state["bad_pages"] == 1 and state["faults"] >= 1
    assert any(r["type"] == "fault" and r["addr"].startswith("0x4100000") for r in rest)
