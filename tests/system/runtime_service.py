# SPDX-License-Identifier: MIT
"""UEFI firmware with a runtime service that is somebody else's: code that replaces it.

The code is in memory that stays mapped at run time, after the address of the real service and 8
bytes of data (tests/system/efi/bad_runtime.c). It is called as a service is (ms_abi).
"""

import struct
import subprocess
import tempfile
from pathlib import Path

from system.efi_stick import efi_stick
from system.harness import attach

# Offsets in EFI_RUNTIME_SERVICES (UEFI 2.10, 4.5).
SET_VARIABLE, RESET_SYSTEM, QUERY_VARIABLE_INFO = 88, 104, 128
ALL_SERVICES = 0xFFFFFFFF

HANG = b"\xeb\xfe"
HANG_WITHOUT_INTERRUPTS = b"\xfa\xeb\xfe"
UD2 = b"\x0f\x0b"
RET = b"\xc3"

_REAL, _DATA, _CODE = 0, 8, 16  # where they are
_CALLS_PORT = 0xE9


def returns(status):
    """mov rax, status; ret"""
    return b"\x48\xb8" + struct.pack("<Q", status) + RET


def after(calls, code):
    """The real service so often, then the code: dec byte [data]; js; jmp [real]."""
    return calls, b"\xfe\x0d\xf2\xff\xff\xff" + b"\x78\x06" + b"\xff\x25\xe2\xff\xff\xff" + code


def of_list(code):
    """SetVariable of the list for the guard, OkramGuardNew: cmp word [rcx + 10], 'G'; je."""
    begin = b"\x66\x83\x79\x0a" + b"G" + b"\x74\x06"
    return begin + _jump_to_real(len(begin)) + code


def touching_boot_services_memory():
    """mov rax, [data]; inc byte [rax]; jmp [real]: as a driver that has not been told"""
    begin = b"\x48\x8b\x05" + struct.pack("<i", _DATA - (_CODE + 7)) + b"\xfe\x00"
    return 2**64 - 1, begin + _jump_to_real(len(begin))


def _jump_to_real(at):
    """jmp [real], as the code's bytes from `at` on"""
    return b"\xff\x25" + struct.pack("<i", _REAL - (_CODE + at + 6))


# Writes the name of the variable, which is the first argument, to a port, and a line feed.
_TELL = (
    b"\x50\x51"  # push rax; push rcx
    b"\x8a\x01\x84\xc0\x74\x08"  # next: mov al, [rcx]; test al, al; jz done
    b"\xe6\xe9\x48\x83\xc1\x02\xeb\xf2"  # out 0xe9, al; add rcx, 2; jmp next
    b"\xb0\x0a\xe6\xe9"  # done: mov al, 10; out 0xe9, al
    b"\x59\x58"  # pop rcx; pop rax
)

# Waits until the RTC's second has changed so often: the time is not that of any CPU.
_WAIT = (
    b"\x50\x51\x53\xb9%s"  # push rax; push rcx; push rbx; mov ecx, seconds
    b"\x31\xc0\xe6\x70\xe4\x71\x88\xc3"  # next: xor eax, eax; out 0x70, al; in al, 0x71; mov bl, al
    b"\x31\xc0\xe6\x70\xe4\x71\x38\xd8\x74\xf6"  # again: the same; cmp al, bl; je again
    b"\xff\xc9\x75\xea"  # dec ecx; jnz next
    b"\x5b\x59\x58"  # pop rbx; pop rcx; pop rax
)


def telling():
    """SetVariable that says what it writes: see calls_of()."""
    return _TELL + _jump_to_real(len(_TELL))


def slow(call, seconds):
    """The same, but one call takes so long; call 1 is the first."""
    count = b"\xfe\x0d" + struct.pack("<i", _DATA - (_CODE + len(_TELL) + 6))  # dec byte [data]
    begin = _TELL + count + b"\x74\x06"  # jz over the jump
    begin += _jump_to_real(len(begin))
    begin += _WAIT % struct.pack("<I", seconds)
    return call, begin + _jump_to_real(len(begin))


def waiting_once(seconds):
    """Any service; its first call takes so long."""
    count = b"\xfe\x0d" + struct.pack("<i", _DATA - (_CODE + 6))  # dec byte [data]
    begin = count + b"\x74\x06"  # jz over the jump
    begin += _jump_to_real(len(begin))
    begin += _WAIT % struct.pack("<I", seconds)
    return 1, begin + _jump_to_real(len(begin))


def always_slow(seconds):
    begin = _TELL + _WAIT % struct.pack("<I", seconds)
    return begin + _jump_to_real(len(begin))


# An interrupt table of its own, by which an NMI ends at once, and no end.
_DEAF = """
bits 64
default rel
    cli
    lea rax, [handler]
    mov [gate], ax
    shr rax, 16
    mov [gate + 6], ax
    shr rax, 16
    mov [gate + 8], eax
    mov [gate + 2], cs
    mov word [gate + 4], 0x8e00
    lea rax, [table]
    mov [pointer + 2], rax
    lidt [pointer]
    jmp $
handler:
    iretq
pointer:
    dw 3 * 16 - 1
    dq 0
table:
    times 2 * 16 db 0
gate:
    times 16 db 0
"""


def deaf_to_nmis():
    with tempfile.TemporaryDirectory(prefix="okram-") as directory:
        source, code = Path(directory) / "deaf.asm", Path(directory) / "deaf"
        source.write_text(_DEAF)
        subprocess.run(["nasm", "-f", "bin", "-o", code, source], check=True)
        return code.read_bytes()


def listening(path):
    """QEMU's arguments to keep what such a service says."""
    return attach("debug-port", path=path, port=_CALLS_PORT)


def calls_of(path):
    """The names of the variables in the order of the calls."""
    return path.read_text().splitlines() if path.exists() else []


def stick(path, offset, code, services=ALL_SERVICES):
    """A FAT file system whose boot loader replaces a runtime service and starts okram.efi."""
    data, code = code if isinstance(code, tuple) else (0, code)
    patch = path / "patch"
    patch.write_bytes(struct.pack("<IIQQ", offset, services, 0, data) + code)
    return efi_stick(path / "stick.img", "bad_runtime", {"patch": patch})
