# SPDX-License-Identifier: MIT
"""QEMU's control protocol (QMP), one command at a time: qemu.qmp without its asyncio."""

import asyncio
import contextlib
import logging

from qemu.qmp import ExecuteError, QMPClient, QMPError

from . import Trouble

# What goes wrong is in exceptions, too.
logging.getLogger("qemu.qmp").addHandler(logging.NullHandler())


class NoAnswer(Trouble):
    """Not in time. The host may be busy: the next command may be answered."""


class Qmp:
    def __init__(self, connection, timeout):
        """Negotiates over a connected socket. NoAnswer if QEMU takes longer than timeout, in s."""
        self._timeout = timeout
        self._loop = asyncio.new_event_loop()
        self._client = QMPClient()
        try:
            self._wait_for(self._client.connect(connection))
        except BaseException:
            self.close()
            raise
        version = self._client.greeting.QMP.version["qemu"]
        self.qemu_version = (version["major"], version["minor"])

    def command(self, name, **arguments):
        """The command's return value."""
        try:
            return self._wait_for(self._client.execute(name, arguments))
        except ExecuteError as error:
            raise Trouble(f"QEMU refuses {name}: {error}.") from None

    def monitor(self, line):
        """What the human monitor prints for a line."""
        return self.command("human-monitor-command", **{"command-line": line})

    def close(self):
        if self._loop.is_closed():
            return
        with contextlib.suppress(Trouble, EOFError):
            self._wait_for(self._client.disconnect())
        self._loop.close()

    def _wait_for(self, doing):
        try:
            return self._loop.run_until_complete(asyncio.wait_for(doing, self._timeout))
        except ExecuteError:
            raise
        except TimeoutError:
            raise NoAnswer(f"QEMU does not answer within {self._timeout:g} s.") from None
        except (QMPError, OSError) as error:
            raise Trouble(f"QEMU has ended: {error}.") from None
