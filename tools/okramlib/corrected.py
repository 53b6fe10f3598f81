# SPDX-License-Identifier: MIT
"""Machine checks of reads that ECC corrects: from the plugin to QEMU's monitor.

The plugin holds the CPU that reads until it has its answer (tools/plugin/monitor.h). The monitor's
command runs on the CPU whose bank it fills, so that is another one; with a single CPU the answer
has to come first. The error has no address, as on AMD's scalable banks.
"""

import json
import socket
import threading

_VALID, _ENABLED, _MEMORY_READ = 1 << 63, 1 << 60, 0x90
STATUS = _VALID | _ENABLED | _MEMORY_READ
BANK = 5

_ACCEPT_S = 30
_WAITS_S = 0.2  # for the command, while that CPU itself may wait for an answer
_SINGLE_S = 0.01  # until the command is sure to be on its way


class Corrected:
    """Listens on one socket, and speaks QMP on another, both paths, until it is closed."""

    def __init__(self, plugin_path, qmp_path, cpus):
        self._cpus = cpus
        self._qmp_path = str(qmp_path)
        self._qmp = None
        self.n_reads = 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(plugin_path))
        self._listener.listen(1)
        self._listener.settimeout(_ACCEPT_S)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        """QEMU has ended, or is about to."""
        self._listener.close()

    def _serve(self):
        try:
            plugin, _ = self._listener.accept()
            with plugin, plugin.makefile("r") as reads:
                for line in reads:
                    self._inject(int(line), plugin)
        except OSError:
            pass  # QEMU has ended
        finally:
            if self._qmp:
                self._qmp.close()

    def _inject(self, cpu, plugin):
        self.n_reads += 1
        target = (cpu + 1) % self._cpus
        self._open()
        command = f"mce {target} {BANK} {STATUS:#x} 0 0 0"
        self._send("human-monitor-command", **{"command-line": command})
        if target == cpu:
            self._await(_SINGLE_S)
            plugin.send(b".")
            self._await(_WAITS_S)
        else:
            self._await(_WAITS_S)
            plugin.send(b".")

    def _open(self):
        if self._qmp:
            return
        self._qmp = socket.socket(socket.AF_UNIX)
        self._qmp.connect(self._qmp_path)
        self._pending = b""
        self._send("qmp_capabilities")
        self._await(_ACCEPT_S)

    def _send(self, name, **arguments):
        command = {"execute": name, "arguments": arguments}
        self._qmp.sendall(json.dumps(command).encode() + b"\n")

    def _await(self, seconds):
        """Returns when a command is done, or it takes longer."""
        self._qmp.settimeout(seconds)
        try:
            while True:
                line, newline, rest = self._pending.partition(b"\n")
                if not newline:
                    if not (more := self._qmp.recv(4096)):
                        return
                    self._pending += more
                    continue
                self._pending = rest
                if b'"return"' in line or b'"error"' in line:
                    return
        except TimeoutError:
            return
