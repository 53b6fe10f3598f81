# SPDX-License-Identifier: MIT
"""The PC speaker at the end of a run, recorded by QEMU."""

import array
import wave

import pytest

from system.harness import attach, follow, named

QUIET = 1000  # of 32767
WAVE_S = 0.01  # between two loud samples of a tone there is less


def loud_s(path):
    """For how long there were tones. QEMU records nothing while the speaker is off."""
    with wave.open(str(path)) as recorded:
        step = recorded.getnchannels()
        rate = recorded.getframerate()
        samples = array.array("h", recorded.readframes(recorded.getnframes()))[::step]
    loud = [i for i, sample in enumerate(samples) if abs(sample) > QUIET]
    gaps = (after - before for before, after in zip(loud, loud[1:]))
    return sum(gap for gap in gaps if gap < WAVE_S * rate) / rate


def heard_s(tmp_path, cmdline, faults=()):
    path = tmp_path / "sound.wav"
    machine = named(
        "small",
        cmdline=f"bandwidth=off tests=mats+ range=32M-34M {cmdline}",
        faults=faults,
        extra=attach("speaker", path=path),
    )
    follow(machine)
    return loud_s(path)


def test_short_tones_for_a_fault(tmp_path):
    assert 0.3 < heard_s(tmp_path, "beep=on", ["stuck1@0x2001237.0"]) < 0.7


def test_at_the_first_fault_too(tmp_path):
    assert 0.7 < heard_s(tmp_path, "beep=fault", ["stuck1@0x2001237.0"]) < 1.2


@pytest.mark.slow
def test_a_long_tone_for_a_pass(tmp_path):
    assert 0.8 < heard_s(tmp_path, "beep=on") < 1.5


@pytest.mark.slow
def test_silence_unless_asked_for(tmp_path):
    assert heard_s(tmp_path, "") == 0
