# SPDX-License-Identifier: MIT
"""Keys of USB keyboards on xHCI, while okram tests; and what is said where there cannot be any."""

import json
import random
import re
import socket
import struct
import time
from functools import cache

import pytest

from okramlib import spec
from okramlib.qemu import Qemu
from okramlib.run import Watcher
from okramlib.units import MIB, PAGE
from system.harness import TIMEOUT_S, attach, follow, named, vga_text
from system.placement import symbols
from system.stopped import stopping

ENDLESS = "tests=mats+ passes=0 bandwidth=off"
WHY = "USB controllers write there for okram"
XHCI = attach("xhci")
KEYBOARD = attach("usb", name="usb-kbd,bus=x.0,id=k")
DIRECT_BASE = 0xFFFF800000000000  # kernel/cpu/arch/paging.h
USBCMD = 0x40  # of QEMU's controller, from its BAR
PLACE_BYTES_AT = 24  # in struct page_list, kernel/hw/memory/page_list.h
NO_I8042 = attach("no-8042")


class Presser(Watcher):
    """Presses q again and again once a test has ended: QEMU loses keys that no driver asks for."""

    def __init__(self):
        self._due = None

    def record(self, record):
        if record["type"] == "test" and self._due is None:
            self._due = 0

    def tick(self, qemu):
        if self._due is not None and time.monotonic() > self._due:
            self._due = time.monotonic() + 1
            self.act(qemu)

    def act(self, qemu):
        qemu.press("q")


def machine(extra, uefi=False, cmdline=ENDLESS, **options):
    return named("128M", uefi=uefi, cmdline=cmdline, extra=[*NO_I8042, *extra], **options)


def check_stopped(extra, watcher=None, **options):
    """Nothing but a key ends this run."""
    outcome = follow(machine(extra, **options), watcher=watcher or Presser())
    result = outcome.last("result")
    assert result["status"] in ("pass", "stopped") and result["bad_pages"] == 0
    assert any(part["why"] == WHY for part in result["untested"])
    return outcome


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_root_port(uefi):
    check_stopped([*XHCI, *KEYBOARD], uefi=uefi)


def hub(port, name="h"):
    return attach("usb", name=f"usb-hub,bus=x.0,port={port},id={name}")


def keyboard_at(port):
    return attach("usb", name=f"usb-kbd,bus=x.0,port={port},id=k")


def test_behind_two_hubs():
    check_stopped([*XHCI, *hub("1"), *hub("1.3", "i"), *keyboard_at("1.3.2")])


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
@pytest.mark.parametrize("port", ["2.8", "1.1.1.1"])
def test_behind_hubs(port, uefi):
    steps = port.split(".")
    hubs = [hub(".".join(steps[:n]), f"h{n}") for n in range(1, len(steps))]
    check_stopped([*XHCI, *sum(hubs, []), *keyboard_at(port)], uefi=uefi)


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_other_devices(uefi):
    """A stick that okram boots from, mice, a card reader, which has larger first packets."""
    others = ["usb-mouse,bus=x.0", "usb-tablet,bus=x.0", "usb-mouse,bus=x.0,port=1.1"]
    others.append("usb-ccid,bus=x.0,port=1.2")
    args = sum((attach("usb", name=name) for name in others), [])
    check_stopped([*XHCI, *hub("1"), *args, *KEYBOARD], uefi=uefi, on="stick-128M")


@pytest.mark.slow
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
@pytest.mark.parametrize("second", ["qemu-xhci", "nec-usb-xhci"])
def test_several_controllers(second, uefi):
    """The keyboard is at the last one, which may have no scratchpad, and a slot of its own bus."""
    second = attach("behind-a-bridge", name=second) + attach("usb", name="usb-kbd,bus=y.0,id=k")
    check_stopped([*XHCI, *second], uefi=uefi)


def test_ignored_mouse_at_a_hub(tmp_path):
    """It keeps its slot, for the keyboard must not get its address."""
    told = tmp_path / "told"
    args = attach("trace", events="usb_xhci_slot_*", path=told)
    args += [*hub("1"), *attach("usb", name="usb-mouse,bus=x.0,port=1.1"), *keyboard_at("1.2")]
    check_stopped([*XHCI, *args])
    kernel = told.read_text().rpartition("usb_xhci_slot_disable")[2]  # after firmware's driver
    assert kernel.count("usb_xhci_slot_enable") == 3


def test_beside_a_ps2_keyboard():
    """By BIOS: firmware does not drive this controller, so okram does, by default."""
    given = machine([*XHCI, *KEYBOARD])
    given.extra = given.extra[len(NO_I8042) :]
    watcher = Presser()
    outcome = follow(given, watcher=watcher)
    assert any(part["why"] == WHY for part in outcome.last("result")["untested"])


class PressesPower(Presser):
    def act(self, qemu):
        qemu.qmp.command("system_powerdown")


NO_KEY = (
    "no keyboard will work: okram drives USB keyboards on xHCI controllers alone, and this "
    "machine's USB controllers are older; a short press of the power button ends the run"
)


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_older_controllers_alone(uefi):
    """It is said at the start, and so is what ends the run, which does."""
    extra = attach("usb", name="usb-ehci,id=e") + attach("usb", name="usb-kbd,bus=e.0")
    outcome = follow(machine(extra, uefi=uefi), watcher=PressesPower())
    assert NO_KEY in outcome.last("machine")["warnings"]
    assert outcome.last("result")["status"] in ("pass", "stopped")


@pytest.mark.slow
def test_older_controllers_and_a_ps2_keyboard():
    given = machine(attach("usb", name="usb-ehci"), cmdline="tests=mats+ bandwidth=off")
    given.extra = given.extra[len(NO_I8042) :]
    assert NO_KEY not in follow(given).last("machine")["warnings"]


@pytest.mark.slow
def test_many_keyboards_and_hubs():
    """One more than okram keeps: those at the root ports come first."""
    args = hub("1") + hub("2", "second") + hub("3", "third")
    for port in range(1, 9):
        args += hub(f"1.{port}", f"h{port}")
    for port in range(1, 5):
        args += hub(f"3.{port}", f"k{port}")
    args += [*attach("usb", name="usb-kbd,bus=x.0,port=2.1"), *keyboard_at("4")]
    check_stopped([*XHCI, *args])


class Replugger(Presser):
    """Unplugs the keyboard once it was heard, plugs it in again, and only then presses q."""

    def __init__(self, gone, again):
        super().__init__()
        self._gone, self._again = gone, again
        self.step = "hear"

    def record(self, record):
        super().record(record)
        if record["type"] == "badram" and self.step == "hear" and self._due:
            self.step = "unplug"

    def act(self, qemu):
        if self.step == "hear":
            qemu.press("r")
        elif self.step == "unplug":
            for name in self._gone:
                qemu.qmp.command("device_del", id=name)
            self.step = "plug"
        elif self.step == "plug":
            for driver, name, port in self._again:
                qemu.qmp.command("device_add", driver=driver, id=name, bus="x.0", port=port)
            self.step = "press"
        else:
            qemu.press("q")


@pytest.mark.slow
@pytest.mark.parametrize("before, after", [("1", "1"), ("1", "3"), ("2.1", "2.1"), ("2.1", "1")])
def test_replug(before, after):
    watcher = Replugger(["k"], [("usb-kbd", "k", after)])
    check_stopped([*XHCI, *hub("2"), *keyboard_at(before)], watcher)
    assert watcher.step == "press"


@pytest.mark.slow
def test_replug_of_a_hub():
    again = [("usb-hub", "h", "1"), ("usb-hub", "i", "1.1"), ("usb-kbd", "l", "1.1.1")]
    watcher = Replugger(["k", "i", "h"], again)
    check_stopped([*XHCI, *hub("1"), *hub("1.1", "i"), *keyboard_at("1.1.1")], watcher)
    assert watcher.step == "press"


class Listener(Presser):
    """Presses q at the keyboard ten times, then at the serial port."""

    def __init__(self):
        super().__init__()
        self.presses = 0

    def act(self, qemu):
        self.presses += 1
        if self.presses <= 10:
            qemu.press("q")
        else:
            qemu.type("q")


@pytest.mark.slow
def test_off():
    """No key is heard, and all memory is tested."""
    watcher = Listener()
    outcome = follow(machine([*XHCI, *KEYBOARD], cmdline=f"{ENDLESS} usb=off"), watcher=watcher)
    assert watcher.presses > 10
    assert not any(part["why"] == WHY for part in outcome.last("result")["untested"])


def fixed_pages(stops):
    """Addresses of the first page that the controller writes to, and of the last one's end."""
    where = symbols()
    (first,) = struct.unpack("<Q", stops.read(where["fixed_run"], 8))
    (size,) = struct.unpack("<Q", stops.read(where["arena"] + PLACE_BYTES_AT, 8))
    return first * PAGE, first * PAGE + size


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_garbage_in_its_memory(seed):
    """While devices are attached, and later: the run goes on, and no page is called bad."""
    rng = random.Random(seed)
    args = [*XHCI, *hub("1"), *keyboard_at("1.1")]
    with stopping(machine(args, cmdline="tests=mats+ passes=3 bandwidth=off")) as stops:
        where = symbols()
        stops.run_until(where["passes_run"])
        first, end = fixed_pages(stops)
        assert 0 < end - first <= MIB
        for _ in range(4):
            for page in rng.sample(range(first, end, PAGE), 8):
                stops.write(DIRECT_BASE + page, rng.randbytes(PAGE))
            for _ in range(rng.randrange(1, 20)):
                stops.run_until(where["usb_read_key"])
        lines = stops.rest().splitlines()
    result = json.loads(lines[-1])
    assert result["status"] == "pass" and result["passes"] == 3


def guest_with_alias(faults, cmdline):
    extra = [*NO_I8042, *XHCI, *KEYBOARD]
    return named("small", faults=faults, cmdline=cmdline, extra=extra)


@cache
def first_fixed():
    """The first page that the controller writes to: on one machine always the same."""
    outcome = follow(guest_with_alias([], "tests=mats+ bandwidth=off"))
    (mine,) = (part for part in outcome.last("result")["untested"] if part["why"] == WHY)
    return int(mine["base"], 16)


@pytest.mark.slow
@pytest.mark.parametrize("page", [0, 1, 9], ids=["tables", "events", "device"])
def test_page_that_shares_its_memory(page):
    """It is found before a test writes to it, so that the keyboard works on."""
    free = 0x2A10000
    faults = spec.parse(f"alias@{free:#x}>{first_fixed() + page * PAGE:#x}")
    outcome = follow(guest_with_alias(faults, ENDLESS), watcher=Presser())
    (alias,) = outcome.of_type("alias")
    assert alias["test"] == "own memory" and int(alias["addr"], 16) // PAGE == free // PAGE
    assert any(
        int(part["base"], 16) == first_fixed() for part in outcome.last("result")["untested"]
    )
    assert outcome.last("result")["bad_pages"] == 2


class Halter(Presser):
    """Halts the controller behind okram's back once the keyboard was heard, then q by serial."""

    def __init__(self, path):
        super().__init__()
        self._path = path
        self._heard = self._halted = False

    def record(self, record):
        super().record(record)
        self._heard |= record["type"] == "badram" and bool(self._due)

    def act(self, qemu):
        if not self._heard:
            qemu.press("r")
        elif not self._halted:
            (bar,) = re.findall(
                r"BAR0: 64 bit memory at (0x[0-9a-f]+)", qemu.qmp.monitor("info pci")
            )
            with socket.socket(socket.AF_UNIX) as qtest:
                qtest.connect(str(self._path))
                qtest.sendall(f"writel {int(bar, 16) + USBCMD:#x} 0\n".encode())
                assert qtest.recv(64).startswith(b"OK")
            self._halted = True
        else:
            qemu.type("q")


@pytest.mark.slow
def test_controller_that_halts(tmp_path):
    qtest = attach("qtest", path=tmp_path / "qtest")
    outcome = check_stopped([*XHCI, *KEYBOARD, *qtest], Halter(tmp_path / "qtest"))
    (warning,) = (w for w in outcome.last("result")["warnings"] if "USB" in w)
    assert warning.startswith("the USB controller at 0x")
    assert warning.endswith(
        " reports an error: it is switched off, and its keyboards no longer work"
    )


def shows(qemu, path, text):
    return any(text in row for row in vga_text(qemu, path))


@pytest.mark.slow
@pytest.mark.parametrize("port", ["1", "2.1"])
def test_at_the_end(port, tmp_path):
    """Keys work on the screen of the result, when no CPU works any more."""
    options = "tests=mats+ range=32M-33M bandwidth=off exit=wait"
    path, end = tmp_path / "vga", "x  restart"
    with Qemu(machine([*XHCI, *hub("2"), *keyboard_at(port)], cmdline=options)) as qemu:
        deadline = time.monotonic() + TIMEOUT_S
        while not shows(qemu, path, end):
            assert time.monotonic() < deadline
            time.sleep(0.5)
        while shows(qemu, path, end):
            assert time.monotonic() < deadline
            qemu.press("c")  # the page of codes
            time.sleep(1)
