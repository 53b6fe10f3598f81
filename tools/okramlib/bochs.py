# SPDX-License-Identifier: MIT
"""A running Bochs, an emulator that shares no code with QEMU: BIOS only, COM1 only written to.

It has no device that hands over okram's options, so they are put into GRUB's menu of a copy of the
image. Its clock counts instructions, so that a run repeats exactly, whatever the host's load is.
"""

import functools
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import ROOT, Trouble
from .machine import IMAGE
from .qemu import END, ends_with_us
from .units import MIB

BOCHS = "bochs"
STUCK_VALUE = 0x10
BIOS = Path("/usr/share/bochs/BIOS-bochs-latest")
VGA_BIOS = Path("/usr/share/bochs/VGABIOS-lgpl-latest")

_MENU = ROOT / "iso" / "grub.cfg"
_POLL_S = 0.05
_STUCK_WRITES = 1000  # of one byte: more than a run of a few tests makes
_CYLINDER = 16 * 63 * 512  # bytes, as Bochs counts them: a disk has only whole ones
_POWER_OFF = "ACPI control: soft power off"  # Bochs calls that a panic


@dataclass
class BochsMachine:
    model: str = "corei7_haswell_4770"  # `bochs --help cpu` lists them
    cpus: int = 1
    memory: int = 32 * MIB
    cmdline: str = ""  # okram's options
    stuck_byte: int | None = None  # the address of a byte that every write leaves as STUCK_VALUE
    bios: Path = BIOS
    disk: bool = False  # the image is a disk, not a CD
    image: Path = IMAGE
    # MSRs that it has beside the model's, and their values; others raise an exception. None: they
    # are 0, and take no value.
    registers: dict[int, int] | None = None

    # What run() asks of a machine of QEMU.
    uefi = False
    serial = True
    slow = True

    def check(self):
        """Trouble if there can be no such machine."""
        if not shutil.which(BOCHS):
            raise Trouble("bochs is not installed: run `tools/setup check`.")


class Bochs:
    """A context manager like Qemu: at its end Bochs and its files are gone."""

    def __init__(self, machine):
        machine.check()
        self.machine = machine
        self._process = None
        self._read = 0
        self._rest = b""

    def __enter__(self):
        self._directory = Path(tempfile.mkdtemp(prefix="okram-"))
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._directory, ignore_errors=True)

    def line(self, timeout):
        """The next line of the serial port without its end, None when none came, or END."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._rest:
            ended = self._process.poll() is not None
            with open(self._serial, "rb") as file:
                file.seek(self._read)
                new = file.read()
            self._read += len(new)
            self._rest += new
            if not new:
                if ended:
                    return END
                if time.monotonic() >= deadline:
                    return None
                time.sleep(_POLL_S)
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode(errors="replace").rstrip("\r")

    def type(self, text):
        """Nothing can be sent."""

    def wait(self, timeout):
        """Its exit code; 0 if okram switched the machine off. None: it still runs."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        return 0 if _POWER_OFF in self.complaint() else code

    def complaint(self):
        """The last serious message in its log."""
        log = self._directory / "log"
        text = log.read_text(errors="replace") if log.exists() else ""
        panics = re.findall(r"^\d+p(\[.*)", text, re.MULTILINE)
        return panics[-1] if panics else ""

    def _start(self):
        machine, directory = self.machine, self._directory
        self._serial = directory / "com1"
        self._serial.touch()
        image = directory / "image"
        content = image_with_options(machine)
        image.write_bytes(content + bytes(-len(content) % _CYLINDER if machine.disk else 0))
        (directory / "bochsrc").write_text(configuration(machine, directory))
        (directory / "commands").write_text(debugger_commands(machine))
        with open(directory / "messages", "wb") as messages:
            self._process = subprocess.Popen(
                [
                    *ends_with_us(),
                    *(BOCHS, "-q", "-f", directory / "bochsrc"),
                    *(*_debugger_option(), "-rc", directory / "commands"),
                ],
                cwd=directory,
                env={**os.environ, "TERM": "vt100"},  # its display wants one, but shows nothing
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


@functools.cache
def _debugger_option():
    """Bochs 3.0 starts its debugger only if asked to; 2.7 always, and has no such option."""
    helped = subprocess.run([BOCHS, "--help"], capture_output=True, text=True)
    return ["-debugger"] if "-debugger" in helped.stdout + helped.stderr else []


def image_with_options(machine):
    """The image, but GRUB boots at once, with the machine's options; at its end okram switches the
    machine off."""
    menu = _MENU.read_bytes()
    entry = (
        f"multiboot2 /boot/okram.elf {machine.cmdline} exit=poweroff\n"
        "module2 /boot/okram.copy\nboot\n"
    ).encode()
    content = machine.image.read_bytes()
    if len(entry) > len(menu) or menu not in content:
        raise Trouble(f"{machine.image} does not hold {_MENU}, or the options are too long.")
    return content.replace(menu, entry.ljust(len(menu), b"\n"))


def configuration(machine, directory):
    """Bochs' bochsrc."""
    mib = machine.memory // MIB
    msrs = ""
    if machine.registers is not None:
        lines = [f"{msr:#x} 0 0 {value:x} 0 0 0 0\n" for msr, value in machine.registers.items()]
        (directory / "msrs").write_text("".join(lines))
        msrs = f", ignore_bad_msrs=0, msrs={directory}/msrs"
    drive = "disk, mode=flat" if machine.disk else "cdrom, status=inserted"
    return f"""\
config_interface: textconfig
display_library: term
cpu: model={machine.model}, count=1:{machine.cpus}:1, ips=50000000, reset_on_triple_fault=0{msrs}
memory: guest={mib}, host={mib}
romimage: file={machine.bios}
vgaromimage: file={VGA_BIOS}
ata0-master: type={drive}, path={directory}/image
boot: {"disk" if machine.disk else "cdrom"}
com1: enabled=1, mode=file, dev={directory}/com1
clock: sync=none
log: {directory}/log
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
"""


def debugger_commands(machine):
    """Debian's Bochs has its debugger, which lets the machine run when told to."""
    if machine.stuck_byte is None:
        return "c\n"
    byte = f"{machine.stuck_byte:#x}"
    after_a_write = f"c\nsetpmem {byte} 1 {STUCK_VALUE}\n"
    return f"watch w {byte}\n{after_a_write * _STUCK_WRITES}unwatch\nc\n"
