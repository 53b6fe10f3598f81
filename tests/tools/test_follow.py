# SPDX-License-Identifier: MIT
"""The outcome of a run, with a fake QEMU."""

import json
import queue

import pytest

import okramlib.run
from okramlib.machine import Machine
from okramlib.qemu import END
from tools.samples import GOOD

START = next({"t": 0.1, **record} for record in GOOD if record["type"] == "start")
RESULT = {"t": 3.0, **GOOD[-1], "untested": []}


def as_sent(record):
    return json.dumps(record, separators=(",", ":"))


class FakeQemu:
    """Lines of the serial port, then an exit code; None: it never ends. It may stay on after it."""

    def __init__(self, lines, exit_code, stays_on=False):
        self._lines = queue.SimpleQueue()
        for line in lines:
            self._lines.put(line if isinstance(line, str) else as_sent(line))
        if exit_code is not None and not stays_on:
            self._lines.put(END)
        self._exit_code = exit_code
        self.typed = ""

    def __call__(self, machine):
        self.machine = machine
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def line(self, timeout):
        try:
            return self._lines.get(block=False)
        except queue.Empty:
            return None

    def type(self, text):
        self.typed += text

    def wait(self, timeout):
        return self._exit_code

    def screenshot(self, path):
        path.write_text("a picture")

    def complaint(self):
        return "could not"


@pytest.fixture
def outcome_of():
    def run(lines, exit_code, cmdline="", **options):
        qemu = FakeQemu(lines, exit_code, stays_on="screenshot" in options)
        outcome = okramlib.run.run(Machine(cmdline=cmdline), emulator=qemu, **options)
        outcome.qemu = qemu
        return outcome

    return run


def status(word):
    return {**RESULT, "status": word}


@pytest.mark.parametrize(
    "word, complete, qemu_exit, code",
    [
        ("pass", True, 1, 0),
        ("pass", False, 7, 3),
        ("fail", True, 3, 1),
        ("fail", False, 3, 1),
        ("stopped", True, 7, 3),
        ("error", False, 5, 2),
        ("fail", True, None, 1),
        ("stopped", True, None, 3),
    ],
)
def test_result(outcome_of, word, complete, qemu_exit, code):
    outcome = outcome_of([START, {**status(word), "complete": complete}], qemu_exit)
    assert (outcome.exit_code, outcome.trouble) == (code, "")
    assert outcome.qemu.machine.cmdline == "serial=jsonl exit=qemu"


@pytest.mark.parametrize(
    "lines, qemu_exit, why",
    [
        ([START, status("pass")], 3, "result is pass, but okram's exit code is 1"),
        ([START, "panic: broken"], 5, "No result: okram exited with 2"),
        ([START], 0, "reset or powered off"),
        ([START], -9, "signal 9"),
        ([], 1, "exited with 0; nothing came from the serial port"),
        ([START], 7, "okram exited with 3"),
        ([START], 11, "could not"),
    ],
)
def test_death(outcome_of, lines, qemu_exit, why):
    outcome = outcome_of(lines, qemu_exit)
    assert outcome.exit_code == 2
    assert why in outcome.trouble


def test_last_lines_are_told(outcome_of):
    outcome = outcome_of([START, "panic: broken", ""], 5)
    assert outcome.trouble.endswith("\n  panic: broken")


def test_firmware_may_speak_first(outcome_of):
    noise = "\x1b[2JBdsDxe: starting"
    outcome = outcome_of([noise, noise + as_sent(START), RESULT], 3)
    assert outcome.exit_code == 1 and outcome.bad_lines == []
    assert [record["type"] for record in outcome.records] == ["start", "result"]


def test_nothing_else_may_come_between(outcome_of):
    outcome = outcome_of([START, '{"t":1,"type":"te', RESULT], 3)
    assert outcome.bad_lines == ['cut off: {"t":1,"type":"te']


@pytest.mark.parametrize("lines", [[{**START, "boot": "tape"}], [START, {"type": "tape"}]])
def test_an_invalid_record_is_named(outcome_of, lines):
    outcome = outcome_of([*lines, RESULT], 3)
    (violation,) = outcome.invalid_records
    assert '"tape"' in violation and outcome.bad_lines == [violation]


def test_text_is_not_read_as_records(outcome_of):
    outcome = outcome_of(["okram 0.1.0", "badram=0x1000,0xffffffffff000"], 3, cmdline="serial=text")
    assert outcome.exit_code == 1 and outcome.bad_lines == [] and len(outcome.lines) == 2


@pytest.mark.parametrize("serial", ["jsonl", "text", "ui"])
def test_a_screenshot_is_taken_at_the_end(outcome_of, tmp_path, serial):
    lines = [START, RESULT] if serial == "jsonl" else ["okram 0.1.0"]
    cmdline, path = f"serial={serial} exit=wait", tmp_path / "screen.png"
    outcome = outcome_of(lines, 3, cmdline=cmdline, screenshot=path, timeout=5)
    assert (outcome.exit_code, outcome.trouble) == (1, "") and path.exists()
    machine = outcome.qemu.machine
    assert machine.stays_on and machine.cmdline.endswith("exit=wait exit=qemu")


def test_timeout(outcome_of):
    outcome = outcome_of([START], None, timeout=0.05)
    assert outcome.exit_code == 2 and "No result after 0.05 s" in outcome.trouble


def test_silence(outcome_of, monkeypatch):
    monkeypatch.setattr(okramlib.run, "_START_DEADLINE_S", 0.05)
    outcome = outcome_of(["GRUB"], None)
    assert outcome.exit_code == 2 and "no output of okram for" in outcome.trouble


def test_first_ctrl_c_asks_second_stops(outcome_of):
    class Impatient(okramlib.run.Watcher):
        def tick(self, qemu):
            raise KeyboardInterrupt

    outcome = outcome_of([START], None, watcher=Impatient())
    assert outcome.qemu.typed == "q"
    assert outcome.exit_code == 2 and "Stopped" in outcome.trouble


def test_jsonl_file_holds_the_records(outcome_of, tmp_path):
    path = tmp_path / "run.jsonl"
    with path.open("w") as file:
        outcome_of(["noise", START, "more noise", RESULT], 3, jsonl=file)
    types = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert types == ["start", "result"]
