# SPDX-License-Identifier: MIT
"""Changes of variables and of files on the EFI system partition: shown, done, read back, undone."""

import contextlib
import errno
from dataclasses import dataclass, field

from .. import Trouble
from ..efivars import KEPT, Variables, attributes_text
from ..units import format_size
from .esp import Esp

_NO_ROOM = (errno.ENOSPC, errno.EINVAL, errno.E2BIG, errno.EFBIG, errno.ENOMEM, errno.EIO)


class _Change:
    """What is under `name` becomes `wanted`; None: it is deleted."""

    _old = None

    def __str__(self):
        if self.wanted is None:
            return f"delete  {self.name}"
        return f"{'write  ' if self.read() is None else 'replace'} {self.label}: {self.shown}"

    def do(self):
        self._old = self.read()
        self.put(self.wanted)
        if self.read() != self.wanted:
            self.undo()
            raise OSError(
                errno.EIO,
                "it is still there" if self.wanted is None else "it reads back differently",
            )

    def undo(self):
        self.put(self._old)


@dataclass
class FileChange(_Change):
    esp: Esp
    name: str
    wanted: bytes | None = None
    shown: str = ""
    _folders: list = field(default_factory=list, init=False)  # that were made, the outer first

    def __post_init__(self):
        self.label = self.name
        self.shown = self.shown or format_size(len(self.wanted or b""))

    def read(self):
        return self.esp.read(self.name)

    def put(self, data):
        if data is None:
            self.esp.delete(self.name)
            self._remove_folders()
            return
        try:
            self._make_folders()
            self.esp.write(self.name, data)
        except OSError:
            self._remove_folders()
            raise

    def _remove_folders(self):
        for folder in reversed(self._folders):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _make_folders(self):
        parts = self.name.strip("\\").split("\\")[:-1]
        for depth in range(1, len(parts) + 1):
            path = self.esp.path("\\".join(parts[:depth]))
            if not path.exists():
                path.mkdir()
                self._folders.append(path)


@dataclass
class VariableChange(_Change):
    variables: Variables
    name: str
    vendor: object
    data: bytes | None = None
    shown: str = ""
    attributes: int = KEPT

    @property
    def label(self):
        return f"{self.name} ({attributes_text(self.attributes)})"

    @property
    def wanted(self):
        return None if self.data is None else (self.attributes, self.data)

    def read(self):
        return self.variables.read(self.name, self.vendor)

    def put(self, content):
        if content is None:
            self.variables.delete(self.name, self.vendor)
        else:
            self.variables.write(self.name, self.vendor, *content)


@dataclass
class DeleteFolder:
    """If it is empty."""

    esp: Esp
    name: str

    def __str__(self):
        return f"delete  {self.name}, if it is empty"

    def do(self):
        with contextlib.suppress(OSError):
            self.esp.path(self.name).rmdir()

    def undo(self):
        self.esp.path(self.name).mkdir(exist_ok=True)


@dataclass
class Either:
    """The first step, or all of the others where firmware has no room for the first."""

    first: VariableChange
    others: list
    done_text: str = field(default="", init=False)
    _done: list = field(default_factory=list, init=False)

    @property
    def name(self):
        return self.first.name

    def __str__(self):
        others = "".join(f"\n          {step}" for step in self.others)
        return f"{self.first}\n        or, where firmware refuses that:{others}"

    def do(self):
        self.done_text = str(self.first)
        try:
            self.first.do()
            self._done = [self.first]
            return
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            refused = f"{self.name}: firmware refuses it ({error.strerror}). Instead:"
        self.done_text = "\n  ".join([refused, *map(str, self.others)])
        try:
            for step in self.others:
                step.do()
                self._done.append(step)
        except OSError:
            self.undo()
            raise

    def undo(self):
        for step in reversed(self._done):
            step.undo()


def show(steps):
    for step in steps:
        print(f"  {step}")


def do(steps):
    """All of them, or none: those done are undone when one fails or this program is stopped."""
    done = []
    for step in steps:
        text = str(step)
        try:
            step.do()
        except BaseException as error:
            undone = _undo(done)
            if not isinstance(error, (OSError, KeyboardInterrupt)):
                raise
            why = getattr(error, "strerror", None) or "stopped"
            raise Trouble(f"{text.partition(': ')[0].strip()}: {why}. {undone}") from None
        done.append(step)
        print(f"  {getattr(step, 'done_text', text)}", flush=True)


def _undo(done):
    kept = []
    for step in reversed(done):
        try:
            step.undo()
        except (OSError, Trouble):
            kept.append(step.name)
    if kept:
        return f"All else was undone, but not {', '.join(kept)}."
    return (
        "What was done before it was undone: all is as it was." if done else "Nothing is changed."
    )
