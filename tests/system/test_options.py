# SPDX-License-Identifier: MIT
"""Options, keys, and the ways to control and end a run."""

import re
import signal
import subprocess
import time

import pytest

from okramlib import ROOT, spec
from okramlib.run import Watcher, run
from okramlib.units import MIB
from system.harness import TIMEOUT_S, follow, named, vga_text
from system.watchers import Once, press_q


def machine(cmdline, **options):
    return named("small", **{"cmdline": f"bandwidth=off {cmdline}", **options})


def test_unknown_and_malformed_are_named():
    outcome = follow(machine("tests=quick colour=blue patterns=none passes=1"))
    warnings = " / ".join(outcome.last("machine")["warnings"])
    assert "colour" in warnings and "patterns" in warnings
    assert outcome.last("result")["passes"] == 1
    assert "colour=blue" in outcome.last("start")["cmdline"]


def test_wrong_words_are_seen_before_the_tests(tmp_path):
    """By BIOS there is no menu of okram's: the screen says so, and waits."""
    shown = []

    def look(qemu):
        shown.extend(vga_text(qemu, tmp_path / "vga"))

    words = "test=quick tests=quik range=16M-17M exit=poweroff"
    outcome = follow(machine(words), watcher=Once("machine", look, after_s=1))
    text = " ".join(" ".join(shown).split())
    assert "OPTIONS ARE WRONG: READ THE WARNINGS BELOW" in text
    assert "option test is unknown and ignored" in text and '"quik" is not a test' in text
    begun = outcome.last("machine")["t"]
    assert all(test["t"] - begun >= 10 for test in outcome.of_type("test"))


def test_unknown_test_is_named():
    outcome = follow(machine("tests=quick,nonsense range=16M-20M"))
    warnings = " / ".join(outcome.last("machine")["warnings"])
    assert 'character 7: "nonsense" is not a test or level; running standard' in warnings
    assert "march-mss" in warnings and "expected quick, standard" in warnings
    assert "march-mss+" in [test["test"] for test in outcome.of_type("test")]


@pytest.mark.parametrize(
    ("march", "said"),
    [
        ("{any(w0);up(r0,w2)}", "character 16, r0, r1, w0 or w1 was expected"),
        ("{up(r0)}", "character 5, a write before the first read was expected"),
        ("{any(w0);up(r1)}", "character 13, r0 after w0 was expected"),
    ],
)
def test_wrong_march_is_named_and_the_default_list_is_run(march, said):
    outcome = follow(machine(f"tests=quick march={march}"))
    assert any(said in text for text in outcome.last("machine")["warnings"])
    assert [test["test"] for test in outcome.of_type("test")] == ["address-up", "march-c-"]


def test_a_seed_is_told_and_can_be_given_back():
    fresh = follow(machine("tests=random passes=2"))
    first, second = (test["seed"] for test in fresh.of_type("test"))
    assert second == first + 1
    again = follow(machine(f"tests=random,march-c- seed={first}"))
    random, march = again.of_type("test")
    assert random["seed"] == first and "seed" not in march
    assert follow(machine("tests=random")).last("test")["seed"] != first


def test_q_on_the_serial_port_stops_with_a_report():
    check_stopped(follow(machine("tests=quick passes=0"), watcher=Once("test", press_q)))


def check_stopped(outcome):
    """By the key q, after the first test of a pass, so early that no pass was completed."""
    result = outcome.last("result")
    assert outcome.exit_code == 3 and outcome.qemu_exit == 7
    assert result["status"] == "stopped" and result["passes"] == 0
    assert result["tests"] == ["address-up"] and result["tested_bytes"] > 60 * MIB


class SkipsTheFirst(Watcher):
    """Presses n until the first test has ended; okram asks once, and ignores it before."""

    over = False
    _due = 0

    def tick(self, qemu):
        if not self.over and time.monotonic() > self._due:
            self._due = time.monotonic() + 1
            qemu.press_twice("n")

    def record(self, record):
        self.over |= record["type"] == "test"


def test_n_skips_a_test():
    """The others are done; the pass is not whole, and no PASS."""
    outcome = run(machine("tests=fade,mats+ fade=30s"), SkipsTheFirst())
    result = outcome.last("result")
    assert outcome.exit_code == 3 and result["status"] == "stopped"
    assert (result["passes"], result["skipped_tests"], result["tests"]) == (0, 1, ["mats+"])
    assert [test["test"] for test in outcome.of_type("test")] == ["fade", "mats+"]
    assert result["seconds"] < 30


def test_q_on_the_keyboard_stops_with_a_report():
    watcher = Once("test", lambda qemu: qemu.press_twice("q"))
    check_stopped(follow(machine("tests=quick passes=0"), watcher=watcher))


def hold(qemu, key, times):
    """A key that goes down again and again, as a keyboard repeats it, and never up."""
    for _ in range(times):
        qemu.press(key, down=True)
        time.sleep(0.03)


def test_a_held_key_is_not_pressed_twice():
    watcher = Once("test", lambda qemu: hold(qemu, "q", 20))
    outcome = follow(machine("tests=quick passes=3"), watcher=watcher)
    assert outcome.exit_code == 0 and outcome.last("result")["passes"] == 3


def test_time_stops():
    outcome = follow(machine("tests=quick passes=0 time=3s range=32M-48M"))
    assert 2.5 <= outcome.last("result")["seconds"] <= 10
    assert outcome.exit_code == 0 and outcome.last("result")["status"] == "pass"


def test_time_stops_before_a_whole_pass():
    outcome = follow(machine("tests=address,fade time=3s"))
    result = outcome.last("result")
    assert outcome.exit_code == 3 and result["status"] == "stopped" and result["passes"] == 0
    assert result["tests"] == ["address"]
    text = run(machine("tests=address,fade time=3s serial=text"), timeout=TIMEOUT_S)
    assert text.exit_code == 3 and text.qemu_exit == 7
    verdict = "STOPPED before a whole pass: no fault in the test that ended (address)"
    assert any(verdict in line for line in text.lines)


def test_a_faulty_cell_counts_more_than_a_stop():
    faults = spec.parse("stuck1@0x2801237.3")
    outcome = follow(machine("tests=address,fade time=8s", faults=faults))
    assert outcome.exit_code == 1 and outcome.last("result")["passes"] == 0


def test_ctrl_c_stops():
    """`okram run` presses q, and returns okram's own code."""
    command = ["tools/okram", "run", "--memory", "64M"]
    command += ["--cmdline", "tests=address,fade bandwidth=off"]
    # Whoever runs the tests may ignore Ctrl-C, as a shell's jobs in the background do.
    options = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    options |= {"cwd": ROOT, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **options) as process:
        shown = ""
        while "address" not in shown.replace("tests=address", ""):
            shown += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        shown += process.communicate(timeout=TIMEOUT_S)[0]
    assert process.returncode == 3 and "stopped before a whole pass, no bad page found" in shown


def test_passes():
    outcome = follow(machine("tests=quick passes=2"))
    assert {test["pass"] for test in outcome.of_type("test")} == {1, 2}
    assert outcome.last("result")["passes"] == 2


@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
@pytest.mark.parametrize("how", ["reboot", "poweroff"])
def test_exit(uefi, how):
    """QEMU itself ends, with 0, and not by isa-debug-exit."""
    outcome = follow(machine(f"tests=quick exit={how}", uefi=uefi))
    assert outcome.qemu_exit == 0


def test_own_march_test():
    plain = follow(machine("tests=quick"))
    extra = follow(machine("tests=quick march={any(w0);up(r0,w1);down(r1,w0)}"))
    assert len(extra.of_type("test")) == len(plain.of_type("test")) + 1


@pytest.mark.slow
def test_own_march_has_a_name():
    named = follow(machine("tests=march,address-up march={any(w0);up(r0)} range=16M-20M"))
    assert [test["test"] for test in named.of_type("test")] == ["march", "address-up"]
    none = follow(machine("tests=march range=16M-20M"))
    said = "tests=, character 1: march is the march test of march=, and there is none; running"
    assert any(said in warning for warning in none.last("machine")["warnings"])
    assert "march-mss+" in [test["test"] for test in none.of_type("test")]


def test_cpus_of_choice():
    """Each of the four CPUs would find some of these faulty cells."""
    faulty_cells = spec.parse("holes@0x2000008+0x40000*128.1")
    outcome = follow(machine("tests=quick cpus=0,2", on="small-4cpus", faults=faulty_cells))
    assert outcome.last("machine")["cpus"] == 4
    assert {fault["cpu"] for fault in outcome.of_type("fault")} == {0, 2}


def test_text_ends_with_the_line():
    faults = spec.parse("stuck1@0x2801237.3")
    outcome = run(machine("tests=quick serial=text", faults=faults), timeout=TIMEOUT_S)
    assert outcome.exit_code == 1 and not outcome.trouble
    lines = [line for line in outcome.lines if line.startswith("badram=")]
    assert lines and lines[-1] == "badram=0x2801000,0xffffffffff000"
    assert lines[-1] in outcome.lines[-5:]
    assert not any(re.search("[^\x20-\x7e]", line) for line in outcome.lines[-20:])


def test_text_without_faulty_cells():
    outcome = run(machine("tests=quick serial=text"), timeout=TIMEOUT_S)
    assert outcome.exit_code == 0 and not outcome.trouble
    assert not any(line.startswith("badram=0x") for line in outcome.lines)


def test_serial_off_says_nothing():
    outcome = run(machine("tests=quick serial=off"), timeout=TIMEOUT_S)
    assert outcome.exit_code == 0 and outcome.lines == [] and outcome.records == []
