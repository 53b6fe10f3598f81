# SPDX-License-Identifier: MIT
"""CPUs that go wrong while memory is sound: docs/kinds.md, "Memory or a CPU"."""

from contextlib import closing

import pytest

from okramlib.run import run
from system.gdb import Gdb
from system.harness import TIMEOUT_S, attach, follow, named, warnings_of
from system.placement import IMAGE_VIRT, image, symbols
from system.watchers import Once

OPTIONS = "bandwidth=off range=64M-88M isa=sse2 tests=march-c-,march-mss+ passes=2"


def boot(*faults, cmdline=OPTIONS, cpus=4):
    return follow(named("128M", cmdline=cmdline, cpus=cpus, faults=faults))


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["cpu-vector@2:3000000", "cpu-vector@3:2000000"])
def test_a_cpu_is_named(fault):
    outcome = boot(fault)
    kind = outcome.last("kind")
    cpu = int(fault[fault.index("@") + 1])
    assert (kind["kind"], kind["cause"], kind["cause_cpu"]) == ("unclear", "cpu", cpu)
    assert kind["cause_percent"] >= 90
    assert " were read" in kind["cause_evidence"]
    assert outcome.last("advice")["case"] == "cpu"
    others = {2: "0-1,3", 3: "0-2"}[cpu]
    assert f"test with cpus={others};" in outcome.last("advice")["text"]


@pytest.mark.slow
def test_memory_is_not_blamed_on_a_cpu():
    kind = boot("stuck1@0x5001f40.6", "stuck0@0x4a35128.3").last("kind")
    assert kind["cause"] == "memory"


def test_a_cpu_that_computes_wrong_is_left_out():
    outcome = boot(
        "cpu-vector@1:20", cmdline="bandwidth=off tests=address-up range=64M-66M", cpus=2
    )
    failed = [w for w in warnings_of(outcome) if "computes wrong" in w]
    assert len(failed) == 1
    assert failed[0].startswith("cpu 1 ") and failed[0].endswith("it is left out of the run")
    assert outcome.last("machine")["cpus"] == 1
    assert outcome.last("result")["status"] == "pass"
    assert outcome.last("kind")["cause"] == "cpu" and outcome.last("kind")["cause_cpu"] == 1
    assert outcome.last("advice")["headline"] == "BAD CPU"


def panics(path, cpu):
    """Sends a CPU to panic(), with a stack as after a call."""

    def act(qemu):
        text = IMAGE_VIRT + image().index(b"too many bad pages between 1 MiB and 4 GiB")
        with closing(Gdb(path)) as gdb:
            gdb.jump(cpu, symbols()["panic"], rdi=text)
            gdb.add_to(gdb.RSP, -((gdb.register(gdb.RSP) - 8) % 16))
            gdb.detach()

    return act


# What is wrong in one load of 2,000,000, and for a moment in the line, may be a pointer: in one
# boot of a hundred CPU 1 is lost, or CPU 0 panics, before CPU 1 is sent to its panic.
TRIES = 3
PANIC_S = 60


@pytest.mark.parametrize("faults", [["cpu-vector@1:2000000"], []], ids=["faulty", "sound"])
def test_a_cpu_that_panics_is_examined(faults, tmp_path):
    path = tmp_path / "gdb"
    machine = named(
        "128M",
        cmdline="bandwidth=off tests=address-up range=64M-66M passes=0",
        faults=faults,
        extra=attach("gdb", path=path),
    )
    reason = "cpu" if faults else "internal-error"
    for _ in range(TRIES if faults else 1):
        outcome = run(machine, Once("test", panics(path, 1)), timeout=PANIC_S)
        result = outcome.last("result") or {}
        if result.get("reason") == reason:
            break
    assert result["reason"] == reason
    assert result["status"] == "error" and outcome.exit_code == 2
    wrong = "cpu 1 computes wrong: its check of the "
    assert (wrong in result["error"]) == bool(faults)


def test_that_the_boot_cpu_controls_the_run_is_said():
    options = "bandwidth=off tests=address-up range=64M-66M"
    for cpus, says in ("cpus=1", True), ("cpus=0", False):
        outcome = follow(named("128M", cmdline=f"{options} {cpus}"))
        said = [w for w in warnings_of(outcome) if "leaves out cpu 0, the boot CPU" in w]
        assert bool(said) == says


@pytest.mark.parametrize(
    "fault, says", [("cpu-vector@0:500000", True), ("holes@0x500010+0x1000*2700.1", False)]
)
def test_a_loader_that_finds_too_little_memory(fault, says):
    """Faulty cells are bad again."""
    outcome = run(named("16M-1cpu", cmdline="bandwidth=off", faults=[fault]), timeout=TIMEOUT_S)
    assert outcome.exit_code == 2
    said = " ".join(outcome.lines)
    assert "of fault-free memory found" in said and "Nothing was tested." in said
    assert ("Most bad pages passed when they were tested again" in said) == says
