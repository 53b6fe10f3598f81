# SPDX-License-Identifier: MIT
"""A management controller that a test plays, for QEMU's ipmi-bmc-extern (OpenIPMI's VM protocol).

A message is `number, netfn << 2 | lun, command, data..., checksum`, an answer the same with the
completion code before its data; 0xa0 ends a message, 0xa1 a command about the line itself; 0xaa
says that bit 4 of the next byte was set to hide one of these three.
"""

import contextlib
import socket
import threading

from system.harness import attach

_MESSAGE_END, _COMMAND_END, _ESCAPE = 0xA0, 0xA1, 0xAA
_HIDDEN = 0x10
OUT_OF_SPACE = 0xC4
GET_WATCHDOG = 0x06, 0x25
_NOT_RUNNING = bytes([4, 1, 0, 0, 0, 0, 0, 0])


class Bmc:
    """Answers with `completion` and a record's number, but says that its watchdog is not running;
    None: it does not answer at all."""

    def __init__(self, folder, completion=0):
        self._path = folder / "bmc"
        self._completion = completion
        self.asked = []  # (netfn, command, data)

    @property
    def arguments(self):
        return attach("kcs", at=f"path={self._path}")

    @contextlib.contextmanager
    def serving(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self._path))
            server.listen()
            thread = threading.Thread(target=self._serve, args=[server], daemon=True)
            thread.start()
            yield self
            server.shutdown(socket.SHUT_RDWR)
            thread.join()

    def _serve(self, server):
        with contextlib.suppress(OSError):  # the server is closed, or QEMU has ended
            connection, _ = server.accept()
            with connection:
                for message in _messages(connection):
                    self._take(connection, message)

    def _take(self, connection, message):
        number, netfn, command, *data = message[:-1]
        assert sum(message) & 0xFF == 0
        self.asked.append((netfn >> 2, command, bytes(data)))
        if self._completion is None:
            return
        answer = [number, netfn | 1 << 2, command]
        if self.asked[-1][:2] == GET_WATCHDOG:
            answer += [0, *_NOT_RUNNING]
        else:
            answer += [self._completion, 1, 0]
        answer.append(-sum(answer) & 0xFF)
        connection.sendall(bytes(_escaped(answer)) + bytes([_MESSAGE_END]))


def _escaped(message):
    for byte in message:
        if byte in (_MESSAGE_END, _COMMAND_END, _ESCAPE):
            yield from (_ESCAPE, byte | _HIDDEN)
        else:
            yield byte


def _messages(connection):
    message, hidden = [], False
    while received := connection.recv(4096):
        for byte in received:
            if byte == _ESCAPE:
                hidden = True
            elif byte == _COMMAND_END:
                message = []
            elif byte == _MESSAGE_END:
                yield message
                message = []
            else:
                message.append(byte & ~_HIDDEN if hidden else byte)
                hidden = False
