# SPDX-License-Identifier: MIT
"""The control connection, with a fake QEMU."""

import json
import socket
import threading
import time

import pytest

from okramlib import Trouble
from okramlib.qmp import NoAnswer, Qmp

GREETING = {"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 0}}, "capabilities": []}}

MUTE = {}


class FakeQemu(threading.Thread):
    """Answers each command by what the test has for it: at None it hangs up, at MUTE not at all."""

    def __init__(self, answers):
        super().__init__(daemon=True)
        self.ours, self._theirs = socket.socketpair()
        self._answers = iter([{"return": {}}, *answers])
        self.commands = []
        self.start()

    def run(self):
        with self._theirs:
            self._say(GREETING)
            while command := self._theirs.recv(4096):  # qemu.qmp sends no ends of lines
                self.commands.append(json.loads(command))
                answer = next(self._answers)
                if answer is None:
                    return
                if answer is MUTE:
                    continue
                if "id" in self.commands[-1]:  # not in the negotiation
                    self._say({"event": "STOP", "timestamp": {}, "data": {}})
                    answer |= {"id": self.commands[-1]["id"]}
                self._say(answer)

    def _say(self, message):
        self._theirs.sendall(json.dumps(message).encode() + b"\n")


def test_a_command():
    qemu = FakeQemu([{"return": {"status": "running"}}, {"return": "1 RAM block"}])
    qmp = Qmp(qemu.ours, 5)
    assert qmp.qemu_version == (7, 2)
    assert qmp.command("query-status", verbose=True) == {"status": "running"}
    assert qmp.monitor("info ramblock") == "1 RAM block"
    assert [c["execute"] for c in qemu.commands[1:]] == ["query-status", "human-monitor-command"]
    assert qemu.commands[1]["arguments"] == {"verbose": True}
    assert qemu.commands[2]["arguments"] == {"command-line": "info ramblock"}
    qmp.close()
    qmp.close()


def test_a_refusal_leaves_the_connection_usable():
    refusal = {"error": {"class": "GenericError", "desc": "no such file"}}
    qmp = Qmp(FakeQemu([refusal, {"return": {}}]).ours, 5)
    with pytest.raises(Trouble, match="QEMU refuses screendump: no such file."):
        qmp.command("screendump")
    assert qmp.command("stop") == {}
    qmp.close()


def test_qemu_that_has_ended():
    qmp = Qmp(FakeQemu([None]).ours, 5)
    for _ in range(2):
        with pytest.raises(Trouble, match="QEMU has ended"):
            qmp.command("quit")
    qmp.close()


def test_qemu_that_ends_at_once():
    ours, theirs = socket.socketpair()
    theirs.close()
    with pytest.raises(Trouble, match="QEMU has ended"):
        Qmp(ours, 5)


def test_deadlines():
    begin = time.monotonic()
    ours, theirs = socket.socketpair()
    with theirs, pytest.raises(Trouble, match="does not answer within 0.1 s"):
        Qmp(ours, 0.1)
    qmp = Qmp(FakeQemu([MUTE, {"return": {}}]).ours, 0.2)
    with pytest.raises(NoAnswer, match="does not answer within 0.2 s"):
        qmp.command("query-status")
    assert qmp.command("query-status") == {}
    qmp.close()
    assert time.monotonic() - begin < 5
