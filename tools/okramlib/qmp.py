# SPDX-License-Identifier: MIT
"""QEMU's control protocol, one command at a time, over a connected socket.

The protocol: docs/interop/qmp-spec.rst in QEMU's source; one JSON object a line. Events, which may
come between a command and its answer, are skipped.
"""

import json

from . import Trouble


class Qmp:
    def __init__(self, connection, timeout):
        """Reads the greeting and leaves negotiation. Trouble when QEMU does not answer."""
        connection.settimeout(timeout)
        self._connection = connection
        self._stream = connection.makefile("rb")
        greeting = self._receive()["QMP"]
        version = greeting["version"]["qemu"]
        self.qemu_version = (version["major"], version["minor"])
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        """The command's return value."""
        request = {"execute": name, "arguments": arguments}
        try:
            self._connection.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise Trouble(f"QEMU does not take commands any more: {error}.") from None
        while True:
            answer = self._receive()
            if "error" in answer:
                raise Trouble(f"QEMU refuses {name}: {answer['error']['desc']}.")
            if "return" in answer:
                return answer["return"]

    def monitor(self, line):
        """What the human monitor prints for a line."""
        return self.command("human-monitor-command", **{"command-line": line})

    def close(self):
        self._stream.close()
        self._connection.close()

    def _receive(self):
        try:
            line = self._stream.readline()
        except OSError as error:
            raise Trouble(f"QEMU does not answer: {error}.") from None
        if not line:
            raise Trouble("QEMU has ended.")
        return json.loads(line)
