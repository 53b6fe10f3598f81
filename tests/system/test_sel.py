# SPDX-License-Identifier: MIT
"""The result in the event log of a management controller (sel=on)."""

import subprocess

import pytest

from system import sol
from system.bmc import GET_WATCHDOG, OUT_OF_SPACE, Bmc
from system.harness import attach, follow, named

ADD_SEL_ENTRY = 0x0A, 0x44
AT_THE_START = [(*GET_WATCHDOG, b"")]
NOT_LOGGED = "the result is not in the management controller's event log: "
QUICK = "tests=mats+ bandwidth=off"


def boot(extra, cmdline=f"{QUICK} sel=on", **options):
    return follow(named("small", **{"cmdline": cmdline, "extra": extra, **options}))


def record(verdict, is_complete, pages, passes):
    numbers = pages.to_bytes(4, "big") + passes.to_bytes(2, "big")
    return bytes([0, 0, 0xE0]) + b"okram" + verdict + bytes([is_complete]) + numbers


def not_logged(outcome):
    return [text for text in outcome.last("result").get("warnings", []) if NOT_LOGGED in text]


@pytest.mark.parametrize("uefi", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_verdict_and_bad_pages_are_logged(uefi, tmp_path):
    pages = 0x2800000, 0x2801000, 0x3000000
    faults = [f"stuck0@{page:#x}.3" for page in pages]
    with Bmc(tmp_path).serving() as bmc:
        outcome = boot(bmc.arguments, uefi=uefi, faults=faults)
    is_complete = outcome.last("result")["complete"]
    assert bmc.asked == [*AT_THE_START, (*ADD_SEL_ENTRY, record(b"F", is_complete, 3, 1))]
    assert not_logged(outcome) == []


@pytest.mark.slow
def test_only_if_asked_for(tmp_path):
    with Bmc(tmp_path).serving() as bmc:
        boot(bmc.arguments, QUICK)
    assert bmc.asked == AT_THE_START


@pytest.mark.parametrize(
    "completion, why",
    [
        (OUT_OF_SPACE, "the log is full (0xc4)"),
        pytest.param(0xC1, "it refuses (0xc1)", marks=pytest.mark.slow),
        # QEMU answers instead of it, after four seconds: timeout.
        pytest.param(None, "it timed out (0xc3)", marks=pytest.mark.slow),
    ],
)
def test_why_it_is_not_logged(completion, why, tmp_path):
    with Bmc(tmp_path, completion).serving() as bmc:
        outcome = boot(bmc.arguments)
    assert [asked[:2] for asked in bmc.asked] == [GET_WATCHDOG, ADD_SEL_ENTRY]
    assert not_logged(outcome) == [NOT_LOGGED + why]
    assert outcome.last("result")["status"] == "pass"


@pytest.mark.slow
def test_no_controller():
    assert not_logged(boot([])) == [NOT_LOGGED + "SMBIOS lists none"]


@pytest.mark.slow
def test_a_controller_of_another_interface():
    extra = attach("bmc-bt")
    assert not_logged(boot(extra)) == [NOT_LOGGED + "its interface is not KCS"]


@pytest.mark.slow
def test_qemus_own_controller_takes_it():
    extra = attach("bmc-kcs")
    assert not_logged(boot(extra)) == []


@pytest.mark.slow
@pytest.mark.skipif(bool(sol.are_missing()), reason=sol.are_missing())
def test_ipmitool_shows_it(tmp_path):
    """In ipmi_sim, whose log has room for one event: the second run is told that it is full."""
    controller = sol.Controller(tmp_path, uefi=False)
    controller.start(log_entries=1)
    try:
        assert not_logged(boot(controller.kcs)) == []
        listed = subprocess.run(
            controller.ipmitool("sel", "list"), capture_output=True, text=True, check=True
        )
        assert "6f6b72616d50" in listed.stdout, listed.stdout + listed.stderr
        assert not_logged(boot(controller.kcs)) == [NOT_LOGGED + "the log is full (0xc4)"]
    finally:
        controller.stop()
