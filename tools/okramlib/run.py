# SPDX-License-Identifier: MIT
"""One run of okram in QEMU or another emulator, from power-on to its outcome."""

import time
from dataclasses import dataclass, field, replace

from . import (
    EXIT_BAD_PAGES,
    EXIT_CORRECTED,
    EXIT_ERROR,
    EXIT_PASS,
    EXIT_UNFINISHED,
    Trouble,
    records,
)
from .qemu import END, Qemu

_START_DEADLINE_S = 120  # firmware, loader and kernel entry under TCG
_START_DEADLINE_SLOW_S = 480
_EXIT_DEADLINE_S = 10  # from the result to QEMU's end
_KEEPING_DEADLINE_S = 260  # by UEFI, before: it writes the report (kernel/run/saver/saving.h)
_SETTLES_S = 0.5  # after the exit: screen and serial port
_END_DEADLINE_S = 1  # of a QEMU that does not answer any more
_TICK_S = 0.1
_LAST_LINES = 10

_EXIT_OF_STATUS = {
    "fail": EXIT_BAD_PAGES,
    "stopped": EXIT_UNFINISHED,
    "error": EXIT_ERROR,
    "corrected": EXIT_CORRECTED,
}
_EXIT_OF_QEMU = {  # 2 n + 1
    1: EXIT_PASS,
    3: EXIT_BAD_PAGES,
    5: EXIT_ERROR,
    7: EXIT_UNFINISHED,
    9: EXIT_CORRECTED,
}


class Watcher:
    """Receives what happens; to be derived from."""

    def record(self, record):
        """A record came."""

    def line(self, text):
        """A line came that is not a record."""

    def tick(self, qemu):
        """Called often while the machine runs."""


@dataclass
class Outcome:
    exit_code: int = EXIT_ERROR
    trouble: str = ""  # why there is no result, a sentence
    records: list[dict] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # of the serial port that are not records
    bad_lines: list[str] = field(default_factory=list)  # that should have been records, and why
    invalid_records: list[str] = field(default_factory=list)  # of these, the whole JSON objects
    seconds: float = 0.0
    qemu_exit: int | None = None

    def of_type(self, kind):
        return [record for record in self.records if record["type"] == kind]

    def last(self, kind):
        found = self.of_type(kind)
        return found[-1] if found else None


def run(machine, watcher=None, timeout=None, screenshot=None, jsonl=None, emulator=None):
    """Boots okram on the machine and follows it to its end.

    timeout: seconds of a whole run; screenshot: a path for the last screen, as PNG; jsonl: a text
    file for the records; emulator: what runs the machine, Qemu (default) or Bochs. Trouble if the
    machine cannot start; later errors are in the outcome.
    """
    follower = _Follower(machine, watcher or Watcher(), jsonl)
    cmdline = f"serial=jsonl exit=qemu {machine.cmdline}".strip()
    if screenshot:
        cmdline += " exit=qemu"  # after the user's options: the end must be seen
        machine = replace(machine, stays_on=True)
    begin = time.monotonic()
    with (emulator or Qemu)(replace(machine, cmdline=cmdline)) as qemu:
        try:
            follower.follow(qemu, timeout)
            follower.conclude(qemu)
            if screenshot:
                qemu.screenshot(screenshot)
        except Trouble as trouble:
            follower.outcome.trouble = str(trouble)
            follower.outcome.exit_code = EXIT_ERROR
    follower.outcome.seconds = time.monotonic() - begin
    return follower.outcome


class _Follower:
    def __init__(self, machine, watcher, jsonl):
        self.outcome = Outcome()
        self._watcher = watcher
        self._jsonl = jsonl
        self._is_json = machine.serial and "serial=" not in machine.cmdline
        self._start_deadline = _START_DEADLINE_SLOW_S if machine.slow else _START_DEADLINE_S
        self._asked_to_stop = False

    def follow(self, qemu, timeout):
        """Reads until the result or QEMU's end. Trouble if it takes too long."""
        begin = time.monotonic()
        while not self.outcome.last("result"):
            try:
                line = qemu.line(_TICK_S)
                if line is END:
                    return
                if line is not None:
                    self._take(line)
                elif qemu.wait(0) is not None:
                    return
                self._tick(qemu)
                self._check_time(time.monotonic() - begin, timeout)
            except KeyboardInterrupt:
                if self._asked_to_stop:
                    raise Trouble("Stopped before okram had a result.") from None
                self._asked_to_stop = True
                qemu.type("q")

    def _tick(self, qemu):
        """QEMU may end during a command: its last lines are still to come."""
        try:
            self._watcher.tick(qemu)
        except Trouble:
            if qemu.wait(_END_DEADLINE_S) is None:
                raise

    def conclude(self, qemu):
        """The outcome, once okram has ended or should have."""
        out = self.outcome
        keeping_s = _KEEPING_DEADLINE_S if qemu.machine.uefi else 0
        out.qemu_exit = qemu.wait(_EXIT_DEADLINE_S + keeping_s)
        while (line := qemu.line(_SETTLES_S)) is not None and line is not END:
            self._take(line)
        exit_code = _EXIT_OF_QEMU.get(out.qemu_exit)
        result = out.last("result")
        if result:
            out.exit_code = _exit_of(result)
            if exit_code not in (None, out.exit_code):
                raise Trouble(
                    f"The result is {result['status']}, but okram's exit code is {exit_code}."
                )
        elif exit_code is not None and not self._is_json:
            out.exit_code = exit_code
        else:
            raise Trouble(self._with_last_lines(f"No result: {_describe(out, qemu)}"))

    def _take(self, line):
        out = self.outcome
        # Firmware that writes to the serial port ends in the middle of a line.
        if self._is_json and not out.records and '{"t":' in line:
            line = line[line.index('{"t":') :]
        try:
            record = records.parse(line)
        except records.BadLine as bad:
            out.lines.append(line)
            is_invalid = isinstance(bad, records.InvalidRecord)
            if self._is_json and (is_invalid or out.records):
                out.bad_lines.append(f"{bad}: {line}")
            if self._is_json and is_invalid:
                out.invalid_records.append(f"{bad}: {line}")
            self._watcher.line(line)
            return
        out.records.append(record)
        if self._jsonl:
            self._jsonl.write(line + "\n")
            self._jsonl.flush()
        self._watcher.record(record)

    def _check_time(self, seconds, timeout):
        if timeout and seconds > timeout:
            raise Trouble(self._with_last_lines(f"No result after {timeout:g} s"))
        if seconds > self._start_deadline and self._is_json and not self.outcome.records:
            raise Trouble(self._with_last_lines(f"no output of okram for {self._start_deadline} s"))

    def _with_last_lines(self, sentence):
        last = [line for line in self.outcome.lines if line.strip()][-_LAST_LINES:]
        if not last:
            return f"{sentence}; nothing came from the serial port."
        return "\n  ".join([f"{sentence}. The last lines on its serial port:", *last])


def _exit_of(result):
    if result["status"] == "pass":
        return EXIT_PASS if result["complete"] else EXIT_UNFINISHED
    return _EXIT_OF_STATUS[result["status"]]


def _describe(outcome, qemu):
    if _EXIT_OF_QEMU.get(outcome.qemu_exit) is not None:
        return f"okram exited with {_EXIT_OF_QEMU[outcome.qemu_exit]}"
    if outcome.qemu_exit is None:
        return "no output, and no exit"
    if outcome.qemu_exit < 0:
        return f"QEMU was ended by signal {-outcome.qemu_exit} ({qemu.complaint() or 'no message'})"
    if outcome.qemu_exit == 0:
        return "the machine was reset or powered off"
    return f"QEMU ended with {outcome.qemu_exit} ({qemu.complaint() or 'no message'})"
