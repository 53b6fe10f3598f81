"""okram moves, so that the memory it lives in is tested, too, by the same tests."""

import random
import subprocess

import pytest

from okramlib import BUILD, spec
from okramlib.machine import Machine
from okramlib.run import Watcher, run
from okramlib.units import GIB, MIB, PAGE
from system.harness import check_found, follow

QUICK = "tests=quick bandwidth=off"
SWEEPS = {"address": 4, "march-c-": 10}  # of a quick pass

FIRMWARES_OWN = {"ACPI firmware data", "UEFI runtime services", "faulty, says firmware"}
SCRAPS = "less than a line of 64 bytes"

IMAGE_BASE = 1 * MIB  # where GRUB puts it on BIOS
ARENA_BYTES = 1 * MIB  # more than what okram takes behind its image


def image_end():
    """The end of the image where GRUB puts it, by the kernel's own symbols."""
    table = subprocess.run(
        ["nm", str(BUILD / "okram.elf")], check=True, capture_output=True, text=True
    ).stdout
    symbols = {name: int(value, 16) for value, _, name in map(str.split, table.splitlines())}
    return IMAGE_BASE + symbols["image_end"] - symbols["image_start"]


def untested_bytes(outcome, reasons):
    parts = [u for u in outcome.last("result")["untested"] if u["why"] in reasons]
    return sum(int(u["end"], 16) - int(u["base"], 16) for u in parts)


def check_all_tested(outcome):
    """Nothing but firmware's own is untested, and each test has gone over all of it, once."""
    told, result = outcome.last("machine"), outcome.last("result")
    assert {u["why"] for u in result["untested"]} <= FIRMWARES_OWN | {SCRAPS}
    usable = told["ram_bytes"] - untested_bytes(outcome, FIRMWARES_OWN)
    assert result["tested_bytes"] >= 0.999 * usable
    assert result["tested_bytes"] == told["testable_bytes"]
    for test in outcome.of_type("test"):
        if test["test"] in SWEEPS:
            assert test["swept_bytes"] == SWEEPS[test["test"]] * result["tested_bytes"]


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("cpus", [1, 2, 4])
@pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])
def test_all_but_firmwares_own_is_tested(uefi, cpus, nodes):
    memory = 512 * MIB if (cpus, nodes) == (2, 1) else 128 * MIB
    outcome = follow(Machine(uefi=uefi, memory=memory, cpus=cpus, nodes=nodes, cmdline=QUICK))
    assert outcome.exit_code == 0
    check_all_tested(outcome)


def test_pass_after_pass():
    outcome = follow(Machine(memory=64 * MIB, cpus=4, cmdline=f"{QUICK} passes=5"))
    assert len(outcome.of_type("test")) == 10
    check_all_tested(outcome)


def test_little_memory():
    outcome = follow(Machine(memory=32 * MIB, cpus=4, cmdline=f"{QUICK} passes=2"))
    check_all_tested(outcome)


def test_large_pages_and_small_ones_only():
    """Without 1 GiB pages the direct map has more tables; above 4 GiB nothing is different."""
    for cpu in ("qemu64", "max"):
        machine = Machine(memory=5 * GIB, cpu=cpu, cmdline=f"{QUICK} range=0-64M,4G-0x104000000")
        result = follow(machine).last("result")
        assert not any(u["why"].startswith("okram") for u in result["untested"])


class StopIn(Watcher):
    """Presses q when a test of a pass has ended."""

    def __init__(self, number):
        self._number = number
        self._typed = False

    def record(self, record):
        self._number -= record["type"] == "test"

    def tick(self, qemu):
        if self._number <= 0 and not self._typed:
            self._typed = True
            qemu.type("q")


@pytest.mark.parametrize("number", [1, 4])
def test_stopped_in_the_middle(number):
    machine = Machine(memory=256 * MIB, cmdline=f"{QUICK} passes=0")
    outcome = follow(machine, watcher=StopIn(number))
    assert outcome.exit_code == 0
    assert outcome.last("result")["tested_bytes"] == outcome.last("machine")["testable_bytes"]


def test_stopped_before_it_has_moved():
    """The first test is stopped while it is on its way: no memory counts as tested."""
    machine = Machine(memory=512 * MIB, cmdline="tests=fade bandwidth=off time=3s")
    outcome = follow_stopped(machine)
    assert outcome.last("result")["tested_bytes"] == 0


def test_stopped_when_it_has_moved():
    """The main part is done, and of what okram has left it is said that it is not."""
    machine = Machine(memory=64 * MIB, cmdline="tests=fade fade=4s bandwidth=off time=12s")
    outcome = follow_stopped(machine)
    result = outcome.last("result")
    assert {u["why"] for u in result["untested"]} == {"okram itself"}
    assert result["untested_bytes"] < 3 * MIB and result["tested_bytes"] > 60 * MIB


def follow_stopped(machine):
    """A run that tested too little to be called a pass is an error, but comes to its end."""
    outcome = run(machine, timeout=120)
    assert not outcome.trouble and outcome.last("result")
    return outcome


def test_no_place_to_go():
    """What may be tested is too small to live in: okram stays and says so."""
    machine = Machine(memory=64 * MIB, cmdline=f"{QUICK} range=1M-2M,16M-0x1040000")
    outcome = follow(machine)
    result = outcome.last("result")
    assert {u["why"] for u in result["untested"]} == {"outside range=", "okram itself"}
    assert result["tested_bytes"] == 256 * 1024
    assert any("no good memory" in text for text in result["warnings"])


def test_no_need_to_go():
    """What okram lives in is not to be tested."""
    outcome = follow(Machine(memory=64 * MIB, cmdline=f"{QUICK} range=16M-17M"))
    result = outcome.last("result")
    assert {u["why"] for u in result["untested"]} == {"outside range="}
    assert result["tested_bytes"] == MIB


def test_late_cpu_keeps_its_page():
    late = ["-plugin", f"{BUILD}/plugin/late_cpu.so,cpu=1,seconds=4"]
    machine = Machine(memory=64 * MIB, cpus=3, extra=late)
    machine.cmdline = f"{QUICK} passes=0 time=8s"
    result = follow(machine).last("result")
    (page,) = result["untested"]
    assert "comes late" in page["why"] and int(page["base"], 16) < MIB
    assert result["untested_bytes"] == PAGE


def faulty(*specs, **options):
    return Machine(
        **{"memory": 64 * MIB, "cmdline": QUICK, **options},
        faults=[fault for text in specs for fault in spec.parse(text)],
    )


def test_faults_in_the_image():
    """Text disturbs text: nobody writes there until it is tested, when okram has moved away."""
    machine = faulty("invert@0x110123.1>0x118456.2", cmdline="tests=march-c- bandwidth=off")
    check_found(follow(machine), machine, [0x118456])


def test_faults_all_around_the_first_place():
    first, last = IMAGE_BASE, image_end() + ARENA_BYTES
    pages = [0, 0x80000, first - 0x61000 - PAGE, *range(last, last + MIB, 0x20000)]
    machine = faulty(*(f"stuck1@{page + 0x123:#x}.3" for page in pages))
    check_found(follow(machine), machine, pages)


@pytest.mark.parametrize("cpus", [1, 4])
def test_life_between_holes(cpus):
    """No good run is longer than 60 KiB: okram lives in many. (GRUB's own memory is left alone.)"""
    pages = [base + i * 0x10000 for base in (40 * MIB, 64 * MIB) for i in range(128)]
    machine = faulty(
        *(f"holes@{base + 0x40:#x}+0x10000*128.3" for base in (40 * MIB, 64 * MIB)),
        cpus=cpus,
        memory=96 * MIB,
        cmdline=f"{QUICK} passes=2 ranges=1000 range=1M-3M,40M-48M,64M-72M",
    )
    outcome = follow(machine)
    check_found(outcome, machine, pages)
    result = outcome.last("result")
    assert result["tested_bytes"] == outcome.last("machine")["testable_bytes"] == 18 * MIB
    assert {u["why"] for u in result["untested"]} == {"outside range="}


def place(seed):
    """One hole in the memory that okram lives in first, or moves to."""
    rng = random.Random(seed)
    kind = rng.choice(["stuck0", "stuck1"])
    addr = rng.randrange(image_end(), image_end() + ARENA_BYTES + 3 * MIB)
    return kind, addr, rng.randrange(8)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(seed, marks=[pytest.mark.slow] if seed >= 6 else [], id=f"seed {seed}")
        for seed in range(200)
    ],
)
def test_one_hole_where_okram_lives(seed):
    """Stacks, page tables, log and bitmap are made behind the image; then all moves behind that."""
    kind, addr, bit = place(seed)
    machine = faulty(f"{kind}@{addr:#x}.{bit}", cpus=1 + seed % 2)
    check_found(follow(machine), machine, [addr])


@pytest.mark.slow
def test_thorough_list():
    """Every test of the longest list moves okram, but row hammer, which is made for a time."""
    machine = Machine(memory=32 * MIB, cmdline="tests=thorough fade=1s hammer=2s bandwidth=off")
    outcome = follow(machine, timeout=1200)
    assert len(outcome.of_type("test")) == 8
    check_all_tested(outcome)
