# SPDX-License-Identifier: MIT
"""The UEFI loader's menu, on a machine whose only keyboard is USB."""

import re
import time

import pytest

from okramlib.run import Watcher, run
from system.harness import TIMEOUT_S, follow, from_image
from system.sticks import conf, fill

_BEFORE_KEYS_S = 3  # from the loader's last line before the menu
_BETWEEN_KEYS_S = 0.7


class Keys(Watcher):
    """Presses keys, once the loader has started; takes a picture of what is there before each."""

    def __init__(
        self, *keys, pictures=None, after="starting", before_s=_BEFORE_KEYS_S, until_start=False
    ):
        self._keys = list(keys)
        self._pictures = pictures
        self._due = None
        self._before_s = before_s
        self._after = after  # in the loader's last line before the menu
        self.started_s = None  # from the loader's first line to the kernel's
        self._begin = None
        self._until_start = until_start  # ends the machine then

    def line(self, text):
        if "okram" in text and "starting" in text:
            self._begin = time.monotonic()
        if "okram" in text and self._after in text:
            self._due = time.monotonic() + self._before_s

    def record(self, record):
        if record["type"] == "start":
            self.started_s = time.monotonic() - self._begin

    def tick(self, qemu):
        if self._until_start and self.started_s is not None:
            qemu.qmp.command("quit")
        if not self._keys or self._due is None or time.monotonic() < self._due:
            return
        if self._pictures:
            qemu.screenshot(self._pictures / f"{len(self._keys):02}.png")
        qemu.press(self._keys.pop(0))
        self._due = time.monotonic() + _BETWEEN_KEYS_S


def machine(cmdline="", **options):
    return from_image(
        "menu",
        **{
            "cmdline": f"bandwidth=off {cmdline}",
            **options,
        },
    )


def words(outcome):
    return outcome.last("start")["cmdline"].split()


def shown(outcome):
    """All that the loader wrote: OVMF's console is on the serial port, too."""
    return " ".join(outcome.lines)


def test_quick_test_by_keys():
    """The first key moves, too: two rows down is the quick test. It makes firmware start the other
    CPU, whose speed is then in the times; the kernel finds that CPU as ever."""
    outcome = follow(machine("menu=40", cpus=2), watcher=Keys("down", "down", "ret"))
    assert re.search("Quick test, up to [1-9].*Quick test, about [1-9]", shown(outcome), re.DOTALL)
    assert outcome.last("machine")["cpus"] == 2
    assert words(outcome)[:3] == ["tests=quick", "bandwidth=quick", "passes=1"]
    assert [test["test"] for test in outcome.of_type("test")] == ["address-up", "march-c-"]
    assert not any("menu" in text for text in outcome.last("machine")["warnings"])


class KeysByBios(Keys):
    """GRUB's menu writes nothing to the serial port."""

    def tick(self, qemu):
        if self._due is None:
            self._due = time.monotonic() + _BEFORE_KEYS_S
        super().tick(qemu)

    def record(self, record):
        pass


def test_the_menu_by_bios():
    """What is set in row 8 holds for the test that is then chosen by its key."""
    options = {"uefi": False, "menu": True}
    outcome = follow(
        machine("exit=qemu", **options), watcher=KeysByBios("down", "8", "4", "8", "0", "3")
    )
    expected = ["tests=quick", "passes=1", "cpus=0", "beep=fault"]
    assert words(outcome)[: len(expected)] == expected


def test_the_count_down_ends_by_itself():
    keys = Keys()
    outcome = follow(machine("tests=address menu=4"), watcher=keys)
    assert keys.started_s >= 4 and words(outcome)[0] == "serial=jsonl"
    assert "Starts in 4 s" in shown(outcome) and "Starts in 1 s" in shown(outcome)


def test_wrong_words_stop_the_count_down():
    """They are on the screen, and nothing starts before a key."""
    keys = Keys("spc", "3", before_s=5, until_start=True)
    outcome = run(machine("tests=quik menu=2"), watcher=keys, timeout=TIMEOUT_S)
    assert keys.started_s >= 5 and words(outcome)[0] == "tests=quick"
    assert '"quik" is not a test or level' in shown(outcome)
    assert "Starts in" not in shown(outcome)


@pytest.mark.slow
def test_a_bad_range_is_explained_and_a_good_one_taken():
    typed = [*["backspace"] * 3, *"3-2", "ret", "backspace", *"4m", "ret"]
    keys = ["spc", "8", "1", *["minus" if key == "-" else key for key in typed], "esc", "3"]
    outcome = follow(machine("menu=40"), watcher=Keys(*keys))
    assert words(outcome)[:4] == ["tests=quick", "bandwidth=quick", "range=3-4m", "passes=1"]
    assert "option range=3-2 is ignored: expected all or at most 16" in shown(outcome)


@pytest.mark.slow
def test_saved_choices_hold_at_the_next_start(stick):
    before, files = conf(stick)
    options = {"image": stick, "writable": True}
    outcome = follow(machine("menu=40", **options), watcher=Keys("spc", "9", "3", "1"))
    saved = ["tests=quick", "bandwidth=quick", "passes=1"]
    assert words(outcome)[:4] == [*saved, "serial=jsonl"]
    assert "Saved to okram.conf: tests=quick bandwidth=quick passes=1" in shown(outcome)
    after, files_after = conf(stick)
    assert after == before + "\n".join(saved) + "\n" and files_after == files
    again = follow(machine("menu=1", **options))
    assert words(again)[:4] == [*saved, "serial=jsonl"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("full", "reason"), [(False, "the medium is read-only"), (True, "the volume is full")]
)
def test_what_cannot_be_saved_is_said_and_okram_conf_stays(stick, full, reason):
    if full:
        fill(stick)
    before = conf(stick)
    keys = Keys("spc", "9", "3", "1")
    outcome = follow(machine("menu=40", image=stick, writable=full), watcher=keys)
    assert f"okram.conf was not changed: {reason}." in shown(outcome)
    assert words(outcome)[0] == "serial=jsonl" and conf(stick) == before
