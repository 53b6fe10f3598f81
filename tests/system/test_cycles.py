# SPDX-License-Identifier: MIT
"""cycles=: a run after each of several starts, and how many of them had errors."""

import shutil
import time
from datetime import UTC, datetime, timedelta

import pytest

from okramlib import records
from okramlib import stick as mtools
from okramlib.machine import IMAGE
from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system import uefi_vars
from system.harness import attach, follow, from_image, named, warnings_of
from system.own_tables import smbios
from system.runtime_service import QUERY_VARIABLE_INFO, SET_VARIABLE, returns, stick
from system.sticks import fill
from system.test_cpu_faults import panics
from system.test_cpus import UNMAPPED, astray
from system.test_diagnosis import device
from system.test_save import leaves

BASE, SIZE = 32 * MIB, 16 * MIB
RANGE = f"range={BASE:#x}-{BASE + SIZE:#x} bandwidth=off spd=off"
RARE = [f"lapse@{BASE + 0x10010:#x}.3:5"]  # in two of five starts: 2 stores in each run
LINES_MAX_S = 900
STAYS_S = 20  # twice as long as the result is shown
SET_WAKEUP_TIME = 48  # in EFI_RUNTIME_SERVICES (UEFI 2.10, 4.5)
UNSUPPORTED, OUT_OF_RESOURCES = (1 << 63 | error for error in (3, 9))


def of_run(options, faults=(), **settings):
    machine = named("computed", memory=64 * MIB, cmdline=f"{RANGE} {options}", faults=faults)
    return follow(machine, **settings)


def test_a_bios_without_a_stick_says_that_there_is_no_restart():
    outcome = of_run("tests=address-up cycles=20")
    found = outcome.last("cycles")
    (warning,) = [text for text in warnings_of(outcome) if "cannot be kept" in text]
    assert "19 starts that are left" in warning and f"cycles={found['word']}" in warning
    again = of_run(f"tests=address-up cycles={found['word']}").last("cycles")
    assert (again["starts"], again["with_errors"], again["wanted"]) == (2, 0, 20)


def test_one_start_needs_no_restart():
    outcome = of_run("tests=address-up cycles=1")
    assert outcome.last("cycles")["starts"] == 1
    assert not [text for text in warnings_of(outcome) if "start" in text]


class Starts:
    """A machine whose resets do not end QEMU: the records of each of its starts."""

    def __init__(self, directory, options, faults=(), extra=(), name="tablet", **settings):
        self.stick = settings.pop("image", directory / "stick.img")
        if not self.stick.exists():
            shutil.copyfile(IMAGE, self.stick)
        if name != "bios-stick":
            settings["vars"] = directory / "vars.fd"
        self.machine = from_image(
            name,
            image=self.stick,
            faults=faults,
            extra=extra,
            cmdline=f"serial=jsonl exit=qemu menu=0 {RANGE} {options}",
            **settings,
        )
        self.said, self.found = "", []

    def follow(self, hook=None, reboot="reset", shutdown="poweroff"):
        with Qemu(self.machine) as qemu:
            qemu.qmp.command("set-action", reboot=reboot, shutdown=shutdown)
            while (line := qemu.line(LINES_MAX_S)) is not END:
                assert line is not None, f"silent: {self.said[-2000:]}"
                self.take(line)
                if hook and hook(self, qemu):
                    break
        return self

    def take(self, line):
        try:
            self.found.append(records.parse(line[line.find('{"t":') :]))
        except records.BadLine:
            self.said += line + " "

    def counts(self):
        return [r for r in self.found if r["type"] == "cycles"]

    def warnings(self):
        found = [r for r in self.found if r["type"] in ("machine", "result")]
        return [warning for r in found for warning in r.get("warnings", ())]


def check_all(starts, wanted):
    counts = starts.counts()
    assert [c["starts"] for c in counts] == list(range(1, wanted + 1)), starts.said[-2000:]
    assert counts[-1]["lost"] == counts[-1]["late"] == counts[-1]["dropped"] == 0
    return counts[-1]


def test_two_starts(tmp_path):
    last = check_all(Starts(tmp_path, "tests=random cycles=2").follow(), 2)
    assert last["errors"] == last["with_errors"] == 0
    assert last["moved_mb"] > 2 * 4 * SIZE * 0.9e-6


def test_a_good_start_after_one_with_errors():
    """It is not the memory's pass."""
    word = "cycles=2-1-1-0-0-0-0-0-0-5-64-eecaf"
    outcome = follow(named("128M", cmdline=f"{RANGE} tests=address-up {word}"))
    assert outcome.last("cycles")["with_errors"] == 1 and outcome.last("cycles")["starts"] == 2
    assert outcome.last("result")["status"] == "pass"
    advice = outcome.last("advice")
    assert (advice["case"], advice["headline"]) == ("starts", "BAD STARTS")
    assert advice["text"].startswith("Errors came in 1 of 2 starts; ")


@pytest.mark.slow
def test_twenty_starts(tmp_path):
    last = check_all(Starts(tmp_path, "tests=random cycles=20", RARE).follow(), 20)
    assert 0 < last["with_errors"] < 20 and last["errors"] >= last["with_errors"]
    assert last["low"] < last["with_errors"] / 20 < last["high"]


def cut(starts, _):
    """In the second start."""
    return starts.found and starts.found[-1]["type"] == "machine" and starts.counts()


@pytest.mark.slow
def test_a_start_that_is_cut_short_is_counted(tmp_path):
    options = "tests=random cycles=3"
    Starts(tmp_path, options).follow(cut)
    assert (uefi_vars.GLOBAL, "BootNext") in uefi_vars.variables(tmp_path / "vars.fd")
    again = Starts(tmp_path, options).follow()
    counts = again.counts()
    assert "gave no result" in again.said
    assert [(c["starts"], c["lost"]) for c in counts] == [(2, 1)]


@pytest.mark.slow
def test_other_memory_begins_anew(tmp_path):
    def inventory(serial):
        return smbios(tmp_path, [device(0, "DIMM_A1", serial, 3200)])

    Starts(tmp_path, "tests=random cycles=3", extra=inventory("1A2B3C4D")).follow(cut)
    other = Starts(tmp_path, "tests=random cycles=3", extra=inventory("5E6F7A8B")).follow()
    assert any("not that of the starts before" in warning for warning in other.warnings())
    assert [c["starts"] for c in other.counts()] == [1, 2, 3]
    assert other.counts()[-1]["dropped"] == 2


def next_start(stick):
    """What GRUB reads."""
    return mtools.content(stick, "::/okram/next.cfg")[512:].decode().strip()


@pytest.mark.slow
def test_bios_keeps_the_count_on_the_stick(tmp_path):
    starts = Starts(tmp_path, "tests=random cycles=2", RARE, name="bios-stick").follow()
    check_all(starts, 2)
    assert [r["boot"] for r in starts.found if r["type"] == "start"] == ["bios"] * 2
    assert next_start(starts.stick) == ""


@pytest.mark.slow
def test_twenty_starts_by_bios(tmp_path):
    options = "tests=random cycles=20"
    last = check_all(Starts(tmp_path, options, RARE, name="bios-stick").follow(), 20)
    assert 0 < last["with_errors"] < 20


@pytest.mark.slow
def test_bios_counts_a_start_that_is_cut_short(tmp_path):
    options = "tests=random cycles=3"
    first = Starts(tmp_path, options, name="bios-stick").follow(cut)
    assert "set chosen='start 3 of 3'" in next_start(first.stick)
    again = Starts(tmp_path, options, name="bios-stick").follow()
    assert [(c["starts"], c["lost"]) for c in again.counts()] == [(2, 1)]
    assert next_start(again.stick) == ""


@pytest.mark.slow
def test_a_run_without_cycles_ends_them(tmp_path):
    cut_off = Starts(tmp_path, "tests=random cycles=3", name="bios-stick").follow(cut)
    assert next_start(cut_off.stick)
    other = Starts(tmp_path, "tests=random cycles=0", name="bios-stick").follow()
    assert other.counts() == [] and next_start(other.stick) == ""


@pytest.mark.slow
def test_starts_are_forgotten_when_nobody_asks_for_them(tmp_path):
    Starts(tmp_path, "tests=random cycles=3").follow(cut)
    other = Starts(tmp_path, "tests=random").follow()
    assert other.counts() == [] and "OkramCycles" not in uefi_vars.own(tmp_path / "vars.fd")
    again = Starts(tmp_path, "tests=random cycles=2").follow()
    assert [(c["starts"], c["lost"]) for c in again.counts()] == [(1, 0), (2, 0)]
    assert (uefi_vars.GLOBAL, "BootNext") not in uefi_vars.variables(tmp_path / "vars.fd")


@pytest.mark.slow
def test_what_was_chosen_holds_in_all_starts(tmp_path):
    """A wrong option waits for a key at the first alone."""

    def choose(starts, qemu):
        while "starting" in starts.said and "the kernel is at" not in starts.said:
            if (line := qemu.line(1)) is None:
                qemu.press("3")  # the quick test
            else:
                starts.take(line)

    starts = Starts(tmp_path, "cycles=2 menu=5 tets=thorough").follow(choose)
    check_all(starts, 2)
    tests = [r["test"] for r in starts.found if r["type"] == "test"]
    assert tests == ["address-up", "march-c-"] * 2


def stays(starts, qemu):
    """Types q once the result is there; the machine then stays on, whatever exit= says."""
    if not starts.found or starts.found[-1]["type"] != "result":
        return False
    qemu.type("q")
    assert qemu.wait(STAYS_S) is None
    return True


@pytest.mark.slow
@pytest.mark.parametrize("end", ["wait", "reboot", "poweroff"])
def test_q_after_the_result_ends_the_restarts(end, tmp_path):
    options = f"tests=address-up cycles=2 exit={end}"
    assert [c["starts"] for c in Starts(tmp_path, options).follow(stays, "shutdown").counts()] == [
        1
    ]


@pytest.mark.slow
def test_q_in_a_run_ends_the_restarts(tmp_path):
    """It gave no result, and is no start without errors."""

    def stop(starts, qemu):
        if starts.found and starts.found[-1]["type"] == "test":
            qemu.type("q")
        if not starts.found or starts.found[-1]["type"] != "result":
            return False
        assert qemu.wait(STAYS_S) is None
        return True

    options = "tests=random,fade cycles=2 exit=wait"
    (count,) = Starts(tmp_path, options).follow(stop, "shutdown").counts()
    assert (count["starts"], count["lost"]) == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tablet", "bios-stick"])
def test_a_panic_and_a_lost_cpu_do_not_end_the_restarts(name, tmp_path):
    """The first start loses a CPU, which is an error; the second ends in a panic."""
    path, done = tmp_path / "gdb", set()

    def act(starts, qemu):
        start = sum(r["type"] == "start" for r in starts.found)
        if not starts.found or starts.found[-1]["type"] != "test" or start in done or start > 2:
            return
        done.add(start)
        (astray(path, 1, UNMAPPED) if start == 1 else panics(path, 1))(qemu)

    options, extra = "tests=random,retention cycles=3", attach("gdb", path=path)
    starts = Starts(tmp_path, options, extra=extra, name=name).follow(act)
    assert done == {1, 2} and any("exception 14" in text for text in starts.warnings())
    counts = [(c["starts"], c["with_errors"], c["lost"]) for c in starts.counts()]
    assert counts == [(1, 1, 0), (2, 1, 1)]


@pytest.mark.parametrize("cpus, errors", [("", 1), ("cpus=0", 0)])
def test_a_cpu_that_computes_wrong_is_an_error_of_the_start(cpus, errors):
    """Unless it is not used."""
    outcome = of_run(f"tests=address-up cycles=1 {cpus}", ["cpu-vector@1:20"])
    assert outcome.last("result")["status"] == "pass"
    cycles = outcome.last("cycles")
    assert (cycles["starts"], cycles["with_errors"], cycles["errors"]) == (1, errors, 0)


@pytest.mark.slow
def test_a_store_with_room_for_the_verdict_alone(tmp_path):
    """The count is in it."""
    image = stick(tmp_path, QUERY_VARIABLE_INFO, leaves(7 * 1024))
    options = "tests=random cycles=2"
    starts = Starts(tmp_path, options, RARE, name="uefi-stick-64M", image=image).follow()
    check_all(starts, 2)
    assert uefi_vars.own(tmp_path / "vars.fd").keys() & {"OkramReport00", "OkramReport01"} == {
        "OkramReport00"
    }


def pull(qemu):
    """The stick that it was started from."""
    devices = "/machine/peripheral-anon"
    for entry in qemu.qmp.command("qom-list", path=devices):
        if entry["type"] == "child<usb-storage>":
            qemu.qmp.command("device_del", id=f"{devices}/{entry['name']}")


@pytest.mark.slow
def test_a_stick_that_is_pulled_out(tmp_path):
    """By BIOS the count is on it."""
    done = []

    def act(starts, qemu):
        if not done and starts.found and starts.found[-1]["type"] == "test":
            done.append(pull(qemu))

    options = "tests=random,retention cycles=3"
    starts = Starts(tmp_path, options, name="bios-stick").follow(act)
    (count,) = starts.counts()
    (warning,) = [text for text in starts.warnings() if "over a restart" in text]
    assert done and f"cycles={count['word']}" in warning
    assert "set chosen='start 2 of 3'" in next_start(starts.stick)


@pytest.mark.slow
def test_a_stick_without_room_for_reports(tmp_path):
    """By UEFI the count is elsewhere."""
    starts = Starts(tmp_path, "tests=random cycles=2")
    fill(starts.stick)
    check_all(starts.follow(), 2)
    assert "the volume is full" in starts.said


def clock(days):
    now = datetime.now(UTC) + timedelta(days=days)
    return attach("clock", date=now.strftime("%Y-%m-%dT%H:%M:%S"))


@pytest.mark.slow
def test_cold_starts(tmp_path):
    """QEMU ends when its machine is switched off, and has no clock that starts it again."""
    options = "tests=address-up cycles=2/cold trace=firmware"
    first = Starts(tmp_path, options).follow()
    assert "SetWakeupTime" in [r.get("service") for r in first.found if r["type"] == "trace"]
    assert [(c["starts"], c["cold"]) for c in first.counts()] == [(1, True)]
    second = Starts(tmp_path, options, extra=clock(0)).follow()
    assert [(c["starts"], c["cold"], c["late"]) for c in second.counts()] == [(2, True, 0)]


def of_clock(qemu, *registers):
    """What these registers of the real-time clock hold, in BCD."""
    found = []
    for register in registers:
        qemu.qmp.monitor(f"o /b 0x70 {register:#x}")
        found.append(int(qemu.qmp.monitor("i /b 0x71").split("=")[1], 16))
    return found


@pytest.mark.slow
def test_the_alarm_is_a_minute_after_the_machine_is_off(tmp_path):
    """The clock is stopped as the machine is switched off; B's bit 5: the alarm is on."""
    seen = []

    def read(starts, qemu):
        if not starts.found or starts.found[-1]["type"] != "result":
            return False
        end = time.monotonic() + LINES_MAX_S
        while qemu.qmp.command("query-status")["status"] == "running" and time.monotonic() < end:
            time.sleep(0.1)
        seen.extend(of_clock(qemu, 0, 2, 4, 1, 3, 5, 0xB))
        return True

    options = "tests=address-up cycles=2/cold"
    Starts(tmp_path, options).follow(read, shutdown="pause")
    now, alarm = (
        sum(int(f"{bcd:x}") * s for bcd, s in zip(part, (1, 60, 3600), strict=True))
        for part in (seen[:3], seen[3:6])
    )
    assert (alarm - now) % 86400 in range(55, 62) and seen[6] & 1 << 5


@pytest.mark.slow
@pytest.mark.parametrize("days", [1, -1])
def test_a_start_that_comes_late_is_counted(days, tmp_path):
    """Or seems to have come before it was asked for."""
    options = "tests=address-up cycles=2"
    first = Starts(tmp_path, options).follow(reboot="shutdown")
    assert [c["starts"] for c in first.counts()] == [1]
    second = Starts(tmp_path, options, extra=clock(days)).follow()
    assert [(c["starts"], c["late"], c["lost"]) for c in second.counts()] == [(2, 1, 0)]


@pytest.mark.slow
def test_without_a_service_for_cold_starts(tmp_path):
    image = stick(tmp_path, SET_WAKEUP_TIME, returns(UNSUPPORTED))
    options = "tests=address-up cycles=2/cold"
    starts = Starts(tmp_path, options, name="uefi-stick-64M", image=image).follow()
    assert any("cannot switch the machine on at a set time" in text for text in starts.warnings())
    assert check_all(starts, 2)["cold"] is False


@pytest.mark.slow
@pytest.mark.parametrize(
    "service, code",
    [(QUERY_VARIABLE_INFO, leaves(5400)), (SET_VARIABLE, returns(OUT_OF_RESOURCES))],
    ids=["no room for a report", "no room for the count"],
)
def test_a_full_store(service, code, tmp_path):
    """There is no restart, which would lose the count."""
    image = stick(tmp_path, service, code)
    options = "tests=address-up cycles=3"
    starts = Starts(tmp_path, options, name="uefi-stick-64M", image=image).follow()
    (count,) = starts.counts()
    (warning,) = [text for text in starts.warnings() if "over a restart" in text]
    assert "the next of the 2 starts" in warning and f"cycles={count['word']}" in warning
