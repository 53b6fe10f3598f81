# SPDX-License-Identifier: MIT
"""A TPM 2.0 for QEMU, by swtpm, and what it was given: the event log, and PCR 12."""

import hashlib
import struct
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass

from okramlib.qemu import END, Qemu
from system.harness import attach

PCR = 12
EV_IPL, EV_NO_ACTION = 13, 3
SHA256 = 11
_DIGEST_BYTES = {4: 20, SHA256: 32, 12: 48, 13: 64}
_DEADLINE_S = 240
_STARTS_WITHIN_S = 20


@dataclass
class Event:
    pcr: int
    type: int
    sha256: bytes
    data: bytes

    @property
    def text(self):
        return self.data.rstrip(b"\0").decode(errors="replace")


@contextmanager
def tpm(folder):
    """QEMU's arguments for one that lasts as long."""
    socket = folder / "tpm.socket"
    command = ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={folder}", "--terminate"]
    command += ["--ctrl", f"type=unixio,path={socket}"]
    with subprocess.Popen(command) as process:
        try:
            end = time.monotonic() + _STARTS_WITHIN_S
            while not socket.exists():
                assert process.poll() is None and time.monotonic() < end, "swtpm does not start"
                time.sleep(0.05)
            yield attach("tpm", path=socket)
        finally:
            process.kill()


def shown(machine):
    """(the events of PCR 12, its value) as tests/system/efi/show_log.c prints them."""
    lines, end = [], time.monotonic() + _DEADLINE_S
    with Qemu(machine) as qemu:
        while (line := qemu.line(1)) is not END:
            assert time.monotonic() < end, "\n".join(lines[-50:])
            lines += [line] if line is not None else []
    assert "log end" in lines, "\n".join(lines[-50:])
    (log,) = (line[4:] for line in lines if line.startswith("log ") and line != "log end")
    (answer,) = (line[4:] for line in lines if line.startswith("pcr "))
    events = [e for e in _events(bytes.fromhex(log)) if e.pcr == PCR and e.type != EV_NO_ACTION]
    return events, _pcr(bytes.fromhex(answer))


def replayed(events):
    """The value that a PCR has after them."""
    value = bytes(32)
    for event in events:
        value = hashlib.sha256(value + event.sha256).digest()
    return value


def _events(log):
    """TCG PC Client Platform Firmware Profile, 10.2: the first entry has another form."""
    (at,) = struct.unpack_from("<28xI", log)
    at += 32
    while at < len(log):
        pcr, kind, n_digests = struct.unpack_from("<III", log, at)
        at, digests = at + 12, {}
        for _ in range(n_digests):
            (algorithm,) = struct.unpack_from("<H", log, at)
            size = _DIGEST_BYTES[algorithm]
            digests[algorithm] = log[at + 2 : at + 2 + size]
            at += 2 + size
        (size,) = struct.unpack_from("<I", log, at)
        yield Event(pcr, kind, digests[SHA256], log[at + 4 : at + 4 + size])
        at += 4 + size


def _pcr(answer):
    """TPM 2.0 Library, part 3, 22.4: the one digest of the answer to TPM2_PCR_Read."""
    _, _, code = struct.unpack_from(">HII", answer)
    assert code == 0
    at = 10 + 4 + 4 + 2 + 1 + 3
    n, size = struct.unpack_from(">IH", answer, at)
    assert (n, size) == (1, 32)
    return answer[at + 6 : at + 6 + size]
