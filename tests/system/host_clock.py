# SPDX-License-Identifier: MIT
"""How fast this host's time stamp counter counts, as a guest's does under TCG; and load for it."""

import ctypes
import mmap
import re
import subprocess
import sys
import time
from contextlib import contextmanager

_CODE = bytes.fromhex("0f31 48c1e220 4809d0 c3")  # rdtsc; shl rdx,32; or rax,rdx; ret
_page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
_page.write(_CODE)
_rdtsc = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(_page)))

_LOOKS = 20


def _look():
    """Both clocks at one moment, (ns, tsc): the closest of several looks."""
    looks = []
    for _ in range(_LOOKS):
        before = _rdtsc()
        ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        after = _rdtsc()
        looks.append((after - before, ns, (before + after) // 2))
    return min(looks)[1:]


class HostTsc:
    """Counts from its making on; the longer, the more exact."""

    def __init__(self):
        self._ns, self._tsc = _look()

    def hz(self):
        ns, tsc = _look()
        return (tsc - self._tsc) * 1e9 / (ns - self._ns)


@contextmanager
def busy(jobs):
    """So many processes that keep a CPU of the host busy meanwhile, nicely."""
    line = ["nice", "-n", "5", sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(line) for _ in range(jobs)]
    try:
        yield
    finally:
        for job in running:
            job.kill()
            job.wait()


def told_hz(outcome):
    """okram's frequency, from the lines of serial=text; None: it has not printed one."""
    told = re.search(r"TSC ([0-9.]+) GHz", "\n".join(outcome.lines))
    return float(told[1]) * 1e9 if told else None


def clock_warnings(outcome):
    """What okram says of clocks, from the lines of serial=text."""
    said = re.findall(r"warning +(.*)", "\n".join(outcome.lines))
    return [text for text in said if re.search("clock|time stamp|HPET|PM timer", text)]
