# SPDX-License-Identifier: MIT
"""Lists of bad pages for the guard, made and read by the kernel's code: build/guardlist, which also
reads what else is kept in UEFI variables."""

import json
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime

from .. import BUILD, Trouble, badram, environment
from ..units import PAGE, count

PROGRAM = BUILD / "guardlist"

MAGIC = b"OkramGrd"
_LIST_BYTES_MAX = 1 << 20  # as in kernel/core/formats/guardlist/guard_list.h
_FREE = ("System RAM", "Unusable memory")


class Invalid(Exception):
    """The bytes are not of that form: why, as half a sentence."""


@dataclass
class GuardList:
    data: bytes
    runs: list  # (first page, pages)
    n_pages: int
    made: int  # seconds since 1970; 0: unknown
    differs: str | None  # what of this machine is not as it was when the list was made
    left: int = 0  # bad pages that the guard would leave in use, so that a system can start
    is_refused: bool = False  # the guard would mask none, because it is too much

    @property
    def date(self):
        """None: unknown, or no date of a calendar."""
        try:
            return datetime.fromtimestamp(self.made, UTC).date().isoformat() if self.made else None
        except (ValueError, OverflowError, OSError):
            return None

    def __str__(self):
        made = f", made on {self.date}" if self.date else ""
        return f"{count(self.n_pages, 'bad page')}, {len(self.data)} bytes{made}"


def read(data, here=None):
    """The GuardList; with `here` it is compared to this machine. Invalid if it is none."""
    options = [*_machine(here), *_free(here)] if here else []
    found = run_reader("show", *options, data=data)
    runs = [tuple(run) for run in found["runs"]]
    whole = data[: found["bytes"]]
    return GuardList(
        whole,
        runs,
        found["pages"],
        found["made"],
        found.get("differs"),
        found.get("left", 0),
        found.get("refused", False),
    )


def read_for(data, here, name):
    """The same; a list that is none, or of another machine, is a Trouble."""
    try:
        found = read(data, here)
    except Invalid as why:
        raise Trouble(f"{name} is not a valid list: {why}.") from None
    if found.differs:
        raise Trouble(
            f"{name} was made on another machine, or before this one was changed (not the same:"
            f" {found.differs}). Run okram again."
        )
    if not found.n_pages:
        raise Trouble(f"{name} names no bad page.")
    return found


def need_modules(names):
    """At the start, because it may start this program again: what reads JSON lines, if there may be
    some."""
    if "-" in names or any(b"{" in _beginning(name) for name in names):
        environment.need_modules()


def from_files(names, are_pages, here):
    """Of what files name as bad in this machine's RAM; or one file that is a list itself."""
    data = _beginning(names[0]) if len(names) == 1 and names[0] != "-" else b""
    if data.startswith(MAGIC):
        return read_for(data, here, names[0])
    bad = badram.read_files(names, are_pages)
    return _make(badram.bad_ranges(bad, here.ram()), here)


def _beginning(name):
    try:
        with open(name, "rb") as file:
            return file.read(_LIST_BYTES_MAX)
    except OSError as error:
        raise Trouble(f"{name} cannot be read: {error.strerror}.") from None


def from_runs(runs, here):
    """Of runs in any order."""
    ranges = (f"{first * PAGE:#x}-{(first + n) * PAGE:#x}\n" for first, n in sorted(runs))
    return _make("".join(ranges), here)


def _make(ranges, here):
    made = int(datetime.now(UTC).timestamp())
    ran = _run("make", "--made", str(made), *_machine(here), data=ranges.encode())
    if ran.returncode != 0:
        raise Trouble(ran.stderr.decode(errors="replace").strip().removeprefix("okram: ") + ".")
    return read(ran.stdout, here)


def _machine(here):
    options = ["--ram-bytes", str(here.ram_bytes())]
    if files := here.smbios():
        options += ["--smbios-entry", str(files[0]), "--smbios-structures", str(files[1])]
    return options


def _free(here):
    """Memory that may be free when the guard runs. What it has masked now is free then."""
    spans = [(b, e) for b, e, kind in here.firmware_map() if kind in _FREE]
    return ["--free", ",".join(f"{b:#x}-{e:#x}" for b, e in spans)] if spans else []


def run_reader(*arguments, data):
    """What the program says of these bytes, an object. Invalid if they are not of the form."""
    found, _ = read_with_text(*arguments, data=data)
    if "invalid" in found:
        raise Invalid(found["invalid"])
    return found


def read_with_text(*arguments, data):
    """The object, and the text after its line."""
    ran = _run(*arguments, data=data)
    line, _, text = ran.stdout.partition(b"\n")
    try:
        return json.loads(line), text.decode(errors="replace")
    except ValueError:
        said = ran.stderr.decode(errors="replace").strip()
        raise Trouble(f"{PROGRAM.name} failed: {said}") from None


def _run(*arguments, data):
    """The finished process, with these bytes as its input."""
    command = [environment.program(PROGRAM), *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=False)
