# SPDX-License-Identifier: MIT
"""What is found in a source: reports of runs, and what is not taken for one."""

from dataclasses import dataclass, field

from .. import measured
from . import machine_name


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
    key: str = ""
    version: int = 0
    n_lines: int = 0
    n_bytes: int = 0
    left_out: int = 0  # lines that are damaged, or unknown to this version of okram

    def types(self):
        return measured.by_type(self.records)


@dataclass(frozen=True)
class Refused:
    """What could not be used, and why: all of the file if data is None."""

    why: str
    data: bytes | None = None


_HAS_RESULT = 1 << 52


def name_run(report, digest):
    """Sets the run's key, and how much of the run the report has. digest is of its lines: a report
    without a record `identity` is the same as another one only if all lines are."""
    types = report.types()
    identity = (types.get("identity") or [None])[-1]
    if identity:
        where = machine_name.usable(identity["uuid"]) or machine_name.model(types)
        report.key = machine_name.digest("run", where, identity["run"])
    else:
        report.key = machine_name.digest("lines", digest)
    if types.get("result"):
        report.version = _HAS_RESULT + min(report.n_bytes, _HAS_RESULT - 1)
    else:
        last = max((record.get("t", 0) for record in report.records), default=0)
        report.version = int(min(last * 1000, _HAS_RESULT - 1))
