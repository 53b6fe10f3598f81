# SPDX-License-Identifier: MIT
"""A device that writes to the guest's RAM while it is tested, as DMA that nobody has stopped."""

import mmap
import os
import random
import threading
from pathlib import Path

from okramlib.run import Watcher

LINE = 64


class Device(Watcher):
    """Writes each of the lines once, at random times from the first test on.

    What it writes is random data, or text: random, too, but bytes of one kind.

    The machine's RAM must be a file, as with --fault. `written`: address to data.
    """

    def __init__(self, addresses, seconds, seed=1, text=False):
        self._random = random.Random(seed)
        self._text = text
        self._addresses = list(addresses)
        self._random.shuffle(self._addresses)
        self._pause_s = seconds / max(1, len(self._addresses))
        self._may_begin = False
        self._thread = None
        self.written = {}

    def record(self, record):
        self._may_begin |= record["type"] == "machine"

    def tick(self, qemu):
        if self._may_begin and self._thread is None:
            ram = _map_ram(qemu.pid)
            self._thread = threading.Thread(target=self._write, args=(ram,), daemon=True)
            self._thread.start()

    def _write(self, ram):
        pause = threading.Event()
        for address in self._addresses:
            pause.wait(self._random.uniform(0, 2 * self._pause_s))
            data = self._data()
            self.written[address] = data
            ram[address : address + LINE] = data

    def _data(self):
        if self._text:
            return bytes(self._random.randrange(ord(" "), ord("~") + 1) for _ in range(LINE))
        return self._random.randbytes(LINE)


def _map_ram(pid):
    """The file is deleted already; QEMU has it open."""
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        if "okram-ram-" in os.readlink(fd):
            with fd.open("r+b") as file:
                return mmap.mmap(file.fileno(), 0)
    raise AssertionError("the machine's RAM is not a file")
