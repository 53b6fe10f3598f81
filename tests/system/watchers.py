# SPDX-License-Identifier: MIT
"""What a test does to a machine while it runs, once."""

import re
import time

from okramlib.run import Watcher


def press_q(qemu):
    qemu.type("q")


def end(qemu):
    qemu.qmp.command("quit")


class Once(Watcher):
    """Calls act(qemu) when a record of this type has come, or one with these fields, or the n-th
    of them; after_s seconds later."""

    def __init__(self, when, act, n=1, after_s=0):
        self._fields = when if isinstance(when, dict) else {"type": when}
        self._act, self._left, self._after_s = act, n, after_s
        self._at = None
        self.came = None  # what it waited for

    def record(self, record):
        if self._fields.items() <= record.items():
            self._see(record)

    def _see(self, what):
        self._left -= 1
        if self._left == 0:
            self.came, self._at = what, time.monotonic() + self._after_s

    def tick(self, qemu):
        if self._at is not None and time.monotonic() >= self._at:
            self._at = None
            self._act(qemu)


class Said(Once):
    """The same when the serial port has said this, a pattern; the machine ends, or act(qemu)."""

    def __init__(self, pattern, act=end):
        super().__init__(None, act)
        self._pattern = re.compile(pattern)

    def line(self, text):
        if self._pattern.search(text.strip()):
            self._see(text)


class Together(Watcher):
    def __init__(self, *watchers):
        self._watchers = watchers

    def record(self, record):
        for watcher in self._watchers:
            watcher.record(record)

    def tick(self, qemu):
        for watcher in self._watchers:
            watcher.tick(qemu)
