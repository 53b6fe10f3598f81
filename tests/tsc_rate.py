"""How fast this host's time stamp counter counts: what a guest's does, too, under TCG."""

import ctypes
import mmap
import time

_CODE = bytes.fromhex("0f31 48c1e220 4809d0 c3".replace(" ", ""))  # rdtsc; shl rdx,32; or rax,rdx; ret
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
