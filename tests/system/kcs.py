# SPDX-License-Identifier: MIT
"""A KCS interface (IPMI 2.0, 9.15) on I/O ports, used from outside of the guest."""

import time

_DATA, _STATUS = 0xCA2, 0xCA3
_OUTPUT_FULL, _INPUT_FULL = 1, 2
_IDLE, _READ, _WRITE = 0, 1, 2
_WRITE_START, _WRITE_END, _READ_NEXT = 0x61, 0x62, 0x68
_ANSWER_S = 10


class Kcs:
    """device: of system.qtest."""

    def __init__(self, device):
        self._device = device

    def ask(self, netfn, command, data=b""):
        """The data of the answer; its completion code must be 0."""
        request = bytes([netfn << 2, command]) + bytes(data)
        self._drop()
        self._device.out8(_STATUS, _WRITE_START)
        for byte in request[:-1]:
            self._taken(_WRITE)
            self._device.out8(_DATA, byte)
        self._taken(_WRITE)
        self._device.out8(_STATUS, _WRITE_END)
        self._taken(_WRITE)
        self._device.out8(_DATA, request[-1])
        answer = self._answer()
        assert answer[:3] == bytes([netfn + 1 << 2, command, 0]), answer
        return answer[3:]

    def _answer(self):
        answer = b""
        while self._wait(lambda status: not status & _INPUT_FULL) >> 6 == _READ:
            self._wait(lambda status: status & _OUTPUT_FULL)
            answer += bytes([self._device.in8(_DATA)])
            self._device.out8(_DATA, _READ_NEXT)
        self._drop()
        return answer

    def _taken(self, state):
        assert self._wait(lambda status: not status & _INPUT_FULL) >> 6 == state
        self._drop()

    def _drop(self):
        if self._device.in8(_STATUS) & _OUTPUT_FULL:
            self._device.in8(_DATA)

    def _wait(self, is_right):
        deadline = time.monotonic() + _ANSWER_S
        while not is_right(status := self._device.in8(_STATUS)):
            assert time.monotonic() < deadline, f"status {status:#x}"
        return status
