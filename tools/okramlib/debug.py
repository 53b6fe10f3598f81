# SPDX-License-Identifier: MIT
"""A machine that is stopped at its first instruction, for gdb."""

import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace

from . import BUILD, EXIT_PASS
from .qemu import END, Qemu

_GDB = [
    *("gdb", "-q", str(BUILD / "okram.elf"), "-ex", "target remote localhost:1234"),
    # Until paging is on only a hardware breakpoint holds at the kernel's address.
    *("-ex", "hbreak kernel_main", "-ex", "continue"),
]


def debug(machine):
    """Runs gdb in the foreground if there is one and a terminal; QEMU ends with it."""
    machine = replace(machine, cmdline=f"serial=text {machine.cmdline}".strip())
    with Qemu(machine) as qemu:
        serial = threading.Thread(target=_print_serial, args=[qemu], daemon=True)
        serial.start()
        if shutil.which("gdb") and sys.stdin.isatty():
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for gdb
            subprocess.run(_GDB)
        else:
            print("QEMU waits for: gdb build/okram.elf -ex 'target remote localhost:1234'")
            serial.join()
    return EXIT_PASS


def _print_serial(qemu):
    while (line := qemu.line(None)) is not END:
        print(line, flush=True)
