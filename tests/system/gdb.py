# SPDX-License-Identifier: MIT
"""QEMU's gdb stub, as far as needed to send a CPU elsewhere (GDB manual, appendix E)."""

import contextlib
import re
import socket

_ANSWER_S = 30
_DESCRIPTION_PART = 0x400  # of registers, at a time
_BREAKPOINT_S = 240  # from switching on: firmware, loader and all


class Gdb:
    RDX, RSI, RDI, RSP, RIP = 3, 4, 5, 7, 16

    def __init__(self, path):
        """path: where QEMU listens by -gdb unix:path=PATH,server=on,wait=off."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_ANSWER_S)
        self._socket.connect(str(path))
        self._in = self._socket.makefile("rb")
        self._names = {}  # of registers: number, bytes

    def send_astray(self, cpu, rip, rdi=None):
        """Stops the machine, sends the CPU elsewhere as jump does, and lets all go on."""
        self.jump(cpu, rip, rdi)
        self.detach()

    def jump(self, cpu, rip, rdi=None):
        """Sets the CPU's instruction pointer. rdi: the first argument of a function there."""
        self._ask_registers()
        assert self._ask(f"Hg{cpu + 1:x}") == "OK"
        self._set(self.RIP, rip)
        if rdi is not None:
            self._set(self.RDI, rdi)

    def run_until(self, address, timeout=_BREAKPOINT_S):
        """Lets the machine run until a CPU comes there; it stands still then."""
        assert self._ask(f"Z1,{address:x},1") == "OK"
        self._socket.settimeout(timeout)
        self._send("c")
        assert self._answer().startswith("T")
        self._socket.settimeout(_ANSWER_S)
        assert self._ask(f"z1,{address:x},1") == "OK"

    def stop_at(self, addresses):
        """Lets the machine run until a CPU comes to one of them again, which it returns."""
        self._send("s")
        assert self._answer().startswith("T")
        for address in addresses:
            assert self._ask(f"Z1,{address:x},1") == "OK"
        self._socket.settimeout(_BREAKPOINT_S)
        self._send("c")
        assert self._answer().startswith("T")
        self._socket.settimeout(_ANSWER_S)
        for address in addresses:
            assert self._ask(f"z1,{address:x},1") == "OK"
        return self._register(self.RIP)

    def register(self, number):
        """Of the CPU of the last stop."""
        return self._register(number)

    def add_to(self, register, value):
        """To a register of the CPU of the last stop."""
        self._set(register, (self._register(register) + value) % 2**64)

    def _set(self, register, value):
        assert self._ask(f"P{register:x}=" + value.to_bytes(8, "little").hex()) == "OK"

    def raise_vector(self, vector):
        """The CPU of the last stop takes an interrupt where it is: by an INT instruction, which is
        gone again when the handler begins."""
        rip = self._register(self.RIP)
        code = self.read(rip, 2)
        self.write(rip, bytes([0xCD, vector]))
        self._send("s")
        assert self._answer().startswith("T")
        self.write(rip, code)
        self.write(self._register(self.RSP), rip.to_bytes(8, "little"))

    def each_at(self, address, n):
        """Lets the machine run until n CPUs have come there, and stops at each: yields its thread,
        for which the other methods then are."""
        assert self._ask(f"Z1,{address:x},1") == "OK"
        for _ in range(n):
            self._socket.settimeout(_BREAKPOINT_S)
            self._send("c")
            thread = _thread_of(self._answer())
            self._socket.settimeout(_ANSWER_S)
            yield thread
            self._step(thread)
        assert self._ask(f"z1,{address:x},1") == "OK"

    def threads(self):
        """All CPUs, in their order."""
        found, answer = [], self._ask("qfThreadInfo")
        while answer != "l":
            found += answer[1:].split(",")
            answer = self._ask("qsThreadInfo")
        return found

    def execute(self, thread, code, scratch):
        """Has one CPU run instructions, which are written to scratch meanwhile; the others stand
        still. RAX and RDX as they are then; afterwards all is as before."""
        kept = {name: self.get(thread, name) for name in ("rip", "rax", "rcx", "rdx")}
        held = self.read(scratch, len(code))
        self.write(scratch, code)
        self.put(thread, "rip", scratch)
        while self.get(thread, "rip") != scratch + len(code):
            self._step(thread)
        result = self.get(thread, "rax"), self.get(thread, "rdx")
        self.write(scratch, held)
        for name, value in kept.items():
            self.put(thread, name, value)
        return result

    def get(self, thread, name):
        """A register of a CPU."""
        number, _ = self._select(thread, name)
        return int.from_bytes(bytes.fromhex(self._ask(f"p{number:x}")), "little")

    def put(self, thread, name, value):
        number, size = self._select(thread, name)
        assert self._ask(f"P{number:x}=" + value.to_bytes(size, "little").hex()) == "OK"

    def _select(self, thread, name):
        if not self._names:
            self._ask_registers()
            described = re.sub(r"<!--.*?-->", "", self._read_description(), flags=re.DOTALL)
            registers = re.findall(r'<reg name="(\w+)" bitsize="(\d+)"', described)
            sizes = [(name, int(bits) // 8) for name, bits in registers]
            self._names = {name: (i, size) for i, (name, size) in enumerate(sizes)}
        assert self._ask(f"Hg{thread}") == "OK"
        return self._names[name]

    def _read_description(self):
        described, answer = "", "m"
        while answer[0] == "m":
            where = f"{len(described):x},{_DESCRIPTION_PART:x}"
            answer = self._ask(f"qXfer:features:read:i386-64bit.xml:{where}")
            described += answer[1:]
        return described

    def _step(self, thread):
        """One instruction of one CPU."""
        self._send(f"vCont;s:{thread}")
        assert self._answer().startswith("T")

    def write_physical(self, phys, content):
        """Memory as devices see it, whatever the page tables say."""
        assert self._ask("Qqemu.PhyMemMode:1") == "OK"
        self.write(phys, content)
        assert self._ask("Qqemu.PhyMemMode:0") == "OK"

    def flip(self, virt, bits):
        """Turns bits of a byte over, as the CPU of the last stop sees memory."""
        byte = int(self._ask(f"m{virt:x},1"), 16)
        assert self._ask(f"M{virt:x},1:{byte ^ bits:02x}") == "OK"

    def below_stack(self, size):
        """So many bytes below the stack pointer of the CPU of the last stop: where they are."""
        return self._register(self.RSP) - size

    def read(self, virt, size):
        """Memory as the CPU of the last stop sees it."""
        return bytes.fromhex(self._ask(f"m{virt:x},{size:x}"))

    def write(self, virt, content):
        assert self._ask(f"M{virt:x},{len(content):x}:{content.hex()}") == "OK"

    def detach(self):
        """Lets all go on."""
        assert self._ask("D") == "OK"

    def close(self):
        self._in.close()
        self._socket.close()

    def _ask_registers(self):
        """Only who has asked for their list may read or write one."""
        assert self._ask("qXfer:features:read:target.xml:0,ff8")[0] in "lm"

    def _register(self, number):
        self._ask_registers()
        return int.from_bytes(bytes.fromhex(self._ask(f"p{number:x}")), "little")

    def _ask(self, text):
        self._send(text)
        while (answer := self._answer()).startswith("T"):
            pass  # that the machine has stopped
        return answer

    def _send(self, text):
        data = text.encode()
        self._socket.sendall(b"$" + data + b"#%02x" % (sum(data) % 256))

    def _answer(self):
        while True:
            byte = self._in.read(1)
            assert byte, "QEMU has ended"
            if byte == b"$":
                answer = b"".join(iter(lambda: self._in.read(1), b"#"))
                self._in.read(2)
                with contextlib.suppress(ConnectionError):  # after "D" QEMU may be at its end
                    self._socket.sendall(b"+")
                return answer.decode()


def _thread_of(stop):
    found = re.match(r"T..(?:.*;)?thread:([0-9a-f.p]+);", stop)
    assert found, stop
    return found[1]
