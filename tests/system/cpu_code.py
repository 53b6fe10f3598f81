# SPDX-License-Identifier: MIT
"""Instructions for a stopped CPU (Gdb.execute), to reach registers that gdb does not."""

import struct

MSR_APIC_BASE, MSR_PAT = 0x1B, 0x277

_RDMSR, _WRMSR = b"\x0f\x32", b"\x0f\x30"
_XGETBV, _XSETBV = b"\x0f\x01\xd0", b"\x0f\x01\xd1"


def _mov_ecx(value):
    return b"\xb9" + struct.pack("<I", value)


def _mov_eax_edx(value):
    return b"\xb8" + struct.pack("<I", value % 2**32) + b"\xba" + struct.pack("<I", value >> 32)


def read_msr(gdb, thread, msr, scratch):
    low, high = gdb.execute(thread, _mov_ecx(msr) + _RDMSR, scratch)
    return low | high << 32


def write_msr(gdb, thread, msr, value, scratch):
    gdb.execute(thread, _mov_ecx(msr) + _mov_eax_edx(value) + _WRMSR, scratch)


def read_xcr0(gdb, thread, scratch):
    low, high = gdb.execute(thread, _mov_ecx(0) + _XGETBV, scratch)
    return low | high << 32


def write_xcr0(gdb, thread, value, scratch):
    gdb.execute(thread, _mov_ecx(0) + _mov_eax_edx(value) + _XSETBV, scratch)


def write_memory(gdb, thread, at, value, scratch):
    """32 bits, as the CPU writes them: registers of devices, too."""
    code = b"\x48\xb8" + struct.pack("<Q", at) + b"\xc7\x00" + struct.pack("<I", value)
    gdb.execute(thread, code, scratch)
