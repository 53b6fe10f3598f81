# SPDX-License-Identifier: MIT
"""The reports in a file, read line by line: JSON lines of runs with whatever a console has written
between them, reports as they are kept in variables, and the log of what iPXE has sent.

A session that was lost and resumed leaves a gap, half a line, or lines for the second time: half a
line is counted, a line that was there already is dropped. A kept report may be anywhere in a log:
it hides no run that comes after it.
"""

import hashlib
import re

from .. import reading, records
from ..kept import Kept
from . import arrivals, kept_report, machine_name
from .found import Refused, Report, Source, name_run

_RECORD = b'{"t":'
_START = re.compile(rb'\{"t":[0-9.]+,"type":"start"')
_PART = arrivals.BEGIN.encode()
_LINES_MAX = 100_000  # of a run, that are known again


class _Run:
    """A run while its lines come."""

    def __init__(self, source):
        self.report = Report(source)
        self._kept = Kept()
        self._digest = hashlib.sha256()
        self._seen = set()

    def add(self, found, line):
        """The records on a line. False: that line was there already."""
        if self.has(line):
            return False
        if len(self._seen) < _LINES_MAX:
            self._seen.add(hash(line))
        data = line.encode() + b"\n"  # as in a kept report of the same lines
        self._digest.update(data)
        self.report.n_lines += 1
        self.report.n_bytes += len(data)
        for record in found:
            self._kept.add(record, line)
        return True

    def has(self, line):
        return hash(line) in self._seen

    def end(self):
        report = self.report
        report.records = self._kept.records
        report.left_out += sum(self._kept.left_out.values())
        kinds = {record["type"] for record in report.records}
        if kinds.isdisjoint(("start", "state", "identity")):
            return Refused("lines of a run whose beginning is missing")
        name_run(report, self._digest.hexdigest)
        return report


class Reader:
    """Reads one file; `why` is what was wrong with the first line that could not be used."""

    def __init__(self, source):
        self._source = source
        self._log = arrivals.Log()
        self._run = None
        self._last = None  # the run before
        self._before = None  # the type of the record before
        self._is_behind_kept = False  # what is left of an older, longer report does not count
        self._number = 0  # of the line
        self.why = ""
        self.n_bad = 0  # lines that could not be used

    def read(self, file):
        """Yields a Report or Refused, one by one."""
        while line := file.readline(reading.LINE_CHARS_MAX):
            self._number += 1
            if len(line) == reading.LINE_CHARS_MAX and not line.endswith(b"\n"):
                self._skip(file)
                self._bad("is longer than any line of okram")
            elif line.startswith(kept_report.HEAD_BEGIN):
                yield from self._end()
                yield self._kept(line, file)
            elif (at := line.find(_RECORD)) >= 0:
                yield from self._record(line[at:])
            elif line.startswith(_PART):
                yield from self._part(line)
        yield from self._end()
        for machine, at, data in self._log.left():
            yield Refused(f"the last report of {machine} ({at}) is not whole", data)
        if n := self._log.n_dropped:
            yield Refused(arrivals.dropped(n), b"")

    def _skip(self, file):
        while (more := file.readline(reading.LINE_CHARS_MAX)) and not more.endswith(b"\n"):
            pass

    def _bad(self, why):
        if self._is_behind_kept:
            return
        self.why = self.why or f"line {self._number} {why}"
        self.n_bad += 1
        if self._run:
            self._run.report.left_out += 1

    def _kept(self, line, file):
        self._is_behind_kept = True
        try:
            head = kept_report.head_of(line)
        except records.BadLine as why:
            self._following(file)
            return Refused(str(why))
        at, body = file.tell(), file.read(head["bytes"])
        found = kept_report.read(head, line, body, self._source)
        if isinstance(found, Refused):
            file.seek(at)
            return Refused(found.why, line + self._following(file))
        self._number += body.count(b"\n")
        return found

    def _following(self, file):
        """The lines of a report of which it is not known where it ends: those that follow at once,
        to the start of a second run."""
        at, body, has_start = file.tell(), bytearray(), False
        while (line := file.readline(reading.LINE_CHARS_MAX)).startswith(_RECORD):
            if (is_start := bool(_START.match(line))) and has_start:
                break
            has_start = has_start or is_start
            at += len(line)
            self._number += 1
            if len(body) < kept_report.BYTES_MAX:
                body += line
        file.seek(at)
        return bytes(body)

    def _part(self, line):
        try:
            sent = self._log.take(line.decode("ascii", "replace"))
        except arrivals.NoPart:
            self._bad("is not of a report that iPXE sends")
            return
        if sent:
            yield self._sent(sent)

    def _sent(self, sent):
        data = b"".join(sent.parts)
        line, end, body = data.partition(b"\n")
        machine = machine_name.usable(sent.machine)
        source = Source(self._source.name, self._source.date, machine)
        try:
            return kept_report.read(kept_report.head_of(line), line + end, body, source)
        except records.BadLine as why:
            return Refused(str(why), data)

    def _record(self, data):
        try:
            line = data.decode().rstrip("\r\n")
            found = reading.parse(line)
        except UnicodeDecodeError:
            self._bad("is not UTF-8")
            return
        except records.BadLine as why:
            self._bad(f"cannot be used: {why}")
            return
        kind = found[0]["type"]
        if reading.is_begin(self._before, kind):
            yield from self._end()
            self._run = _Run(self._source)
            self._is_behind_kept = False
        elif not self._run:
            if self._is_behind_kept or (self._last and self._last.has(line)):
                return
            self._run = _Run(self._source)
        if self._run.add(found, line):
            self._before = kind
        if kind == "result":
            yield from self._end()

    def _end(self):
        run, self._run, self._before = self._run, None, None
        if run:
            self._last = run
            yield run.end()
