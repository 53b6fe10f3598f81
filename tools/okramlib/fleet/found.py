# SPDX-License-Identifier: MIT
"""What is found in a source: reports of runs, and what is not taken for one."""

import os
from dataclasses import dataclass, field
from functools import cached_property

from .. import measured, totals
from . import machine_name

# The key is in the machine: nobody else can check a signature.
SIGNED, UNSIGNED = "signed, not checked", "unsigned"


@dataclass(frozen=True)
class Source:
    """Where a report is from."""

    name: str  # the file's
    date: str  # when it was last written
    machine: str = ""  # a UUID in its path, else ""


@dataclass
class Report:
    """The records of one run."""

    source: Source
    records: list = field(default_factory=list)
    key: str = ""  # of the run, whatever way its reports came
    version: int = 0  # of the reports with one key the highest counts
    n_lines: int = 0
    n_bytes: int = 0
    signature: str = UNSIGNED
    left_out: int = 0  # lines that are damaged, or unknown to this version of okram

    @cached_property
    def types(self):
        """Lists of records by their type; to be asked once all records are there."""
        return measured.by_type(self.records)

    @cached_property
    def name(self):
        return name_of(self.key, self.version)


def name_of(key, version):
    """What names a report in all tables."""
    return machine_name.digest(key, str(version))


@dataclass(frozen=True)
class Refused:
    """What could not be used, and why: all of the file if data is None."""

    why: str
    data: bytes | None = None


def open_source(path):
    """For reading. A link is not followed, and a pipe is not waited for."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    return open(os.open(path, flags), "rb")


def shown(path):
    """A path as text that can be stored and printed; other bytes than UTF-8 as \\xff."""
    return os.fsencode(path).decode(errors="backslashreplace")


_HAS_FAILED = 1 << 53
_HAS_RESULT = 1 << 52
_HAS_ENDED = 1 << 51  # and its result had no room


def name_run(report, digest):
    """Sets the run's key, and how much of the run the report has: one that has bad pages counts
    more than any that has none. digest() is of its lines: a report without a record `identity` is
    the same as another one only if all lines are."""
    types = report.types
    identity = (types.get("identity") or [None])[-1]
    if identity:
        where = machine_name.usable(identity["uuid"]) or machine_name.model(types)
        report.key = machine_name.digest("run", where, identity["run"])
    else:
        report.key = machine_name.digest("lines", digest())
    if types.get("result"):
        report.version = _HAS_RESULT + min(report.n_bytes, _HAS_RESULT - 1)
    else:
        last = max((record.get("t", 0) for record in report.records), default=0)
        report.version = int(min(last * 1000, _HAS_ENDED - 1))
        if totals.status(types) != totals.UNFINISHED:
            report.version += _HAS_ENDED
    if totals.status(types) == "fail" or totals.bad_pages(types):
        report.version += _HAS_FAILED
