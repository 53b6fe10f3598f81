# SPDX-License-Identifier: MIT
"""Processes that read files, each a list of them at a time. What they find comes in the order of
the files, however many processes there are; one that is a piece ahead of the others waits.

A process ends when the other end of its pipe is closed, so none is left if this program is killed.
"""

import contextlib
import multiprocessing
import signal
from collections import deque

from .. import Trouble
from . import pieces


class Readers:
    """Use it as a context. To be made before any thread, lock or open file that they would
    share."""

    def __init__(self, n, bytes_max):
        """n: 1 means that this process reads."""
        self._n = n
        self._bytes_max = bytes_max
        self._pipes = []
        self._processes = []

    def __enter__(self):
        context = multiprocessing.get_context("fork")
        for _ in range(self._n if self._n > 1 else 0):
            ours, theirs = context.Pipe()
            self._pipes.append(ours)
            process = context.Process(
                target=_work, args=(theirs, self._pipes, self._bytes_max), daemon=True
            )
            process.start()
            theirs.close()
            self._processes.append(process)
        return self

    def __exit__(self, *_):
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.terminate()
            process.join()

    def read(self, lists):
        """Yields the Pieces of each list of paths."""
        if not self._pipes:
            for paths in lists:
                yield from pieces.read(paths, self._bytes_max)
            return
        lists = iter(lists)
        busy = deque(pipe for pipe in self._pipes if _give(pipe, lists))
        while busy:
            pipe, piece = busy.popleft(), None
            while not (piece and piece.is_last):
                piece = _receive(pipe)
                if piece.is_last and _give(pipe, lists):  # it reads on while this piece is used
                    busy.append(pipe)
                yield piece


def _give(pipe, lists):
    """Whether there was one more."""
    paths = next(lists, None)
    if paths:
        with _alive():
            pipe.send(paths)
    return bool(paths)


def _receive(pipe):
    with _alive():
        return pipe.recv()


@contextlib.contextmanager
def _alive():
    try:
        yield
    except (EOFError, ConnectionError):
        raise Trouble(
            "a process that read files has ended, perhaps because memory ran out. Nothing is lost:"
            " start the import again, with --jobs 1 if this comes again."
        ) from None


def _work(pipe, others, bytes_max):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the other process, and so this one
    for other in others:
        other.close()
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            for piece in pieces.read(pipe.recv(), bytes_max):
                pipe.send(piece)
