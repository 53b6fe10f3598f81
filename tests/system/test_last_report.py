# SPDX-License-Identifier: MIT
"""The loader writes the report that the last run left in UEFI variables to files on a stick."""

import re

import pytest

import saved_samples as samples
from okramlib import records
from system.harness import attach, follow, from_image
from system.sticks import empty, fill, on, page_of, reports
from system.test_menu import Keys, shown
from system.test_stick import pages

QUICK = "save=off bandwidth=off tests=address range=1M-4M"
WAKE = ["spc"] * 4  # one stops the count-down; on a busy host the first come before the menu
WRITTEN = "The report was"  # or was not: the loader's last line before the menu
NAME = "2026-11-22-1314-QEMU-Standard-PC-Q35-ICH9-2009"
SENTENCE = "2026-11-22 13:14 and did not finish: test march-c-, 1.5 GiB tested, CPU 3."


def plain(text):
    """Without the terminal's sequences and the blanks at the end of lines."""
    return " ".join(re.sub(r"\x1b\[[0-9;=]*[a-zA-Z]", " ", text).split())


@pytest.fixture
def boot(tmp_path):
    """Boots with these variables; a quick test that keeps no report of its own follows."""
    vars_file = tmp_path / "vars.fd"

    def boot(variables=None, keys=None, watcher=None, **options):  # one of keys and watcher
        watcher = Keys(*keys, after=WRITTEN) if keys else watcher
        if variables is not None:
            samples.store(vars_file, variables)
        machine = from_image(
            "uefi-128M",
            menu=watcher is not None,
            vars=vars_file,
            cmdline=f"{'menu=40 ' if watcher else ''}{QUICK}",
            **options,
        )
        outcome = follow(machine, watcher=watcher)
        return plain(shown(outcome)), samples.stored(vars_file)

    return boot


def both(name=NAME):
    return {f"{name}.{kind}" for kind in ("jsonl", "html")}


def test_a_report_becomes_two_files_and_nobody_is_asked(boot, stick):
    hostile = {**samples.START, "cmdline": "</pre><script>&lt;"}
    records = [hostile, *samples.RECORDS[1:]]
    text, left = boot(samples.finished(records=records), **on(stick))
    found = reports(stick)
    assert set(found) == both() and left == {}
    assert pages(stick) == {}  # of this run, by save=off
    assert found[f"{NAME}.jsonl"] == samples.finished_jsonl(records=records)
    assert found[f"{NAME}.html"] == page_of(found[f"{NAME}.jsonl"])
    assert rb"\u003c/pre>\u003cscript>\u0026lt;" in found[f"{NAME}.html"]
    assert "okram: last report: FAIL, 1 bad page, 2026-11-22 13:14" in text
    assert f"The report was written to \\okram\\{NAME}.html and .jsonl" in text


def test_variables_that_are_not_okrams_are_named_and_stay(boot, stick):
    first = samples.started()["OkramReport00"]
    variables = {"OkramReport00": first[:-1], "OkramReport03": bytes(1025), "Okra": b"x"}
    keys = Keys(*WAKE, "l", "esc", "1", after="last report: NOT READABLE")
    text, left = boot(variables, watcher=keys, **on(stick))
    assert left == variables and reports(stick) == {}
    assert "Last report: NOT READABLE" in text
    assert "OkramReport00 is damaged or not okram's: " in text
    assert "bytes of the report are there." in text
    assert "left as they are: OkramReport03, Okra." in text


@pytest.mark.slow
def test_a_run_that_did_not_finish(boot, stick):
    text, left = boot(samples.started(), keys=[*WAKE, "l", "esc", "1"], **on(stick))
    found = reports(stick)
    assert set(found) == both() and left == {}
    assert SENTENCE in text and found[f"{NAME}.html"] == page_of(found[f"{NAME}.jsonl"])
    state, start = map(records.parse, found[f"{NAME}.jsonl"].decode().splitlines())
    assert (state["type"], state["test"], state["cpu"]) == ("state", "march-c-", 3)
    assert start["type"] == "start"
    assert "Last report: DID NOT FINISH, 2026-11-22 13:14" in text
    assert "did not finish: test march-c-" in text
    assert boot(**on(stick))[0].count("last report") == 0  # the next start has none


@pytest.mark.slow
def test_nothing_is_overwritten(boot, stick):
    boot(samples.finished(), **on(stick))
    first = reports(stick)
    boot(samples.finished(verdict=samples.PASS), **on(stick))
    second = reports(stick)
    assert set(second) == both() | both(f"{NAME}-2")
    assert {name: second[name] for name in first} == first
    # As after a power cut between the last file and the variables.
    assert boot(samples.finished(), **on(stick))[1] == {} and reports(stick) == second


@pytest.mark.slow
def test_parts_that_are_missing(boot, stick):
    variables = samples.finished(part_bytes=450)
    del variables["OkramReport01"]
    text, left = boot(variables, keys=[*WAKE, "l", "esc", "1"], **on(stick))
    found = reports(stick)
    assert set(left) == set(variables) - {"OkramReport00"}  # what is in no file stays
    assert "OkramReport01 is missing. This is what is left of the report." in text
    kept = found[f"{NAME}.jsonl"]
    assert kept.endswith(b"\n") and samples.JSONL.startswith(kept)


@pytest.mark.slow
def test_a_full_stick(boot, stick):
    fill(stick)
    variables = samples.finished()
    text, left = boot(variables, **on(stick))
    assert "was not written to the volume okram was started from: the volume is full." in text
    assert left == variables and reports(stick) == {}


@pytest.fixture
def other(tmp_path):
    """Another stick, in addition to the CD, and QEMU's arguments for it."""
    image = tmp_path / "other.img"
    empty(image, "MY STICK")
    extra = attach("usb-disk", path=image)
    return image, extra


@pytest.mark.slow
def test_a_cd_offers_other_volumes(boot, other):
    stick, extra = other
    variables = samples.finished()
    text, left = boot(variables, extra=extra)
    assert "started from: the medium is read-only. It stays in the UEFI variables." in text
    assert left == variables and reports(stick) == {}

    text, left = boot(keys=[*WAKE, "l", "1", "esc", "1"], extra=extra)
    assert "Write it to MY STICK on USB disk (3" in text
    assert set(reports(stick)) == both() and left == {}
    assert f"The report was written to \\okram\\{NAME}.html and .jsonl on MY STICK" in text


class Pulls(Keys):
    """Pulls the other stick out before the last but one key."""

    def tick(self, qemu):
        if len(self._keys) == 3 and not self.pulled:
            qemu.qmp.command("device_del", id="other")
            self.pulled = True
        super().tick(qemu)

    pulled = False


@pytest.mark.slow
def test_a_stick_that_is_pulled_out(boot, other):
    stick, extra = other
    variables = samples.finished()
    text, left = boot(
        variables, watcher=Pulls(*WAKE, "l", "1", "esc", "1", after=WRITTEN), extra=extra
    )
    assert "The report was not written to MY STICK" in text
    assert left == variables and reports(stick) == {}
