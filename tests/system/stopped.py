# SPDX-License-Identifier: MIT
"""A machine stopped at chosen addresses, and its memory there."""

import re
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from okramlib import BUILD
from okramlib.qemu import END, Qemu
from okramlib.units import PAGE
from system.gdb import Gdb
from system.harness import attach, check_line

_REST_S = 240
_SCREEN_S = 60


class Memory:
    """The RAM below the 4 GiB hole, and registers of all CPUs, as they are at this moment."""

    def __init__(self, qemu):
        with tempfile.TemporaryDirectory(prefix="okram-", dir=BUILD) as directory:
            path, size = Path(directory) / "memory", qemu.machine.layout.low
            qemu.qmp.command("pmemsave", val=0, size=size, filename=str(path))
            self.bytes = path.read_bytes()
        told = qemu.qmp.monitor("info registers -a")
        self.cr3 = _numbers(told, r"CR3=([0-9a-f]+)")[0]
        self.stack_pointers = _numbers(told, r"RSP=([0-9a-f]+)")
        self.gs_bases = _numbers(told, r"GS =[0-9a-f]+ ([0-9a-f]+)")

    def page(self, phys):
        return self.bytes[phys : phys + PAGE]

    def used(self):
        """The pages that are not zero throughout, as all were when the machine was switched on."""
        zero = bytes(PAGE)
        return {at for at in range(0, len(self.bytes), PAGE) if self.page(at) != zero}

    def find(self, content):
        """Where pages begin with this."""
        found, at = [], self.bytes.find(content)
        while at >= 0:
            found += [at] if at % PAGE == 0 else []
            at = self.bytes.find(content, at + 1)
        return found


class Stops:
    """Lets the machine go on to one address after the other."""

    def __init__(self, qemu, gdb):
        self.qemu, self._gdb = qemu, gdb

    def memory_at(self, address):
        """When a CPU is about to run the instruction there."""
        self._gdb.run_until(address)
        return Memory(self.qemu)

    def reaches(self, address, timeout):
        """Whether the machine gets there within that many seconds; if not, it is of no more use."""
        try:
            self._gdb.run_until(address, timeout)
        except (AssertionError, OSError):
            return False
        return True

    def stop_at(self, addresses):
        """The address that a CPU comes to first."""
        return self._gdb.stop_at(addresses)

    def add_to(self, register, value):
        """To a register (of Gdb) of the CPU that came there."""
        self._gdb.add_to(register, value)

    def register(self, number):
        """Of the CPU that came there, by its number in Gdb."""
        return self._gdb.register(number)

    def run_until(self, address):
        """Until a CPU comes there; again, if one has."""
        self._gdb.stop_at([address])

    def read(self, virt, size):
        """Memory as the CPU that came there sees it."""
        return self._gdb.read(virt, size)

    def number(self, virt):
        """The 64-bit word there."""
        return int.from_bytes(self.read(virt, 8), "little")

    def write(self, virt, content):
        """In parts that QEMU has room for."""
        for at in range(0, len(content), 1024):
            self._gdb.write(virt + at, content[at : at + 1024])

    @property
    def gdb(self):
        """For registers of single CPUs."""
        return self._gdb

    def flip_at(self, address, virt, bits):
        """The same, but turns bits of a byte over that the CPU sees at virt."""
        self._gdb.run_until(address)
        self._gdb.flip(virt, bits)

    def stays_below_stack(self, address, monitor, handler, content):
        """Whether these bytes below the stack pointer survive what a monitor's command causes: the
        CPU that came to the address goes through the handler and returns there."""
        self._gdb.run_until(address)
        where = self._gdb.below_stack(len(content))
        self._gdb.write(where, content)
        self.qemu.qmp.monitor(monitor)
        self._gdb.run_until(handler)
        self._gdb.run_until(address)
        assert self._gdb.below_stack(len(content)) == where
        return self._gdb.read(where, len(content)) == content

    def raise_vector(self, vector):
        """An interrupt on the CPU that came there."""
        self._gdb.raise_vector(vector)

    def call_at(self, address, function, argument):
        """Lets the boot CPU go on to an address, and from there to a function instead."""
        self._gdb.run_until(address)
        self._gdb.jump(0, function, rdi=argument)

    def monitor(self, command):
        """What QEMU's monitor answers."""
        return self.qemu.qmp.monitor(command)

    def await_screen(self, is_right):
        """Until is_right() says so of the screen, which is drawn after the serial port."""
        deadline = time.monotonic() + _SCREEN_S
        while not is_right():
            assert time.monotonic() < deadline, "not on the screen"
            time.sleep(0.2)

    def rest(self, until=None):
        """Lets the machine go on to its end, or to a line that holds this text; what it has said on
        the serial port."""
        self._gdb.detach()
        return self.more(until)

    def press(self, key):
        self.qemu.type(key)

    def more(self, until=None):
        """What comes after rest(), in the same way."""
        lines, deadline = [], time.monotonic() + _REST_S
        while (line := self.qemu.line(1)) is not END:
            assert time.monotonic() < deadline, "no end"
            if line:
                check_line(line)
                lines.append(line)
            if until and line and until in line:
                break
        return "\n".join(lines)


def _numbers(text, pattern):
    return [int(number, 16) for number in re.findall(pattern, text)]


@contextmanager
def stopping(machine):
    """The machine as okramlib.run makes it, switched on, before its first instruction."""
    with tempfile.TemporaryDirectory(prefix="okram-") as directory:
        path = Path(directory) / "gdb"
        machine = replace(
            machine,
            cmdline=f"serial=jsonl exit=qemu {machine.cmdline}",
            extra=[*machine.extra, *attach("stopped"), *attach("gdb", path=path)],
        )
        with Qemu(machine) as qemu, closing(Gdb(path)) as gdb:
            yield Stops(qemu, gdb)
