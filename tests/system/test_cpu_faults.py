# SPDX-License-Identifier: MIT
"""CPUs that go wrong while memory is sound: docs/kinds.md, "Memory or a CPU"."""

import pytest

from system.harness import follow, named, warnings_of

OPTIONS = "bandwidth=off range=64M-88M isa=sse2 tests=march-c-,march-mss+ passes=2"


def boot(*faults, cmdline=OPTIONS, cpus=4):
    return follow(named("128M", cmdline=cmdline, cpus=cpus, faults=faults))


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["cpu-vector@2:3000000", "cpu-vector@3:2000000"])
def test_a_cpu_is_named(fault):
    outcome = boot(fault)
    kind = outcome.last("kind")
    cpu = int(fault[fault.index("@") + 1])
    assert (kind["cause"], kind["cause_cpu"]) == ("cpu", cpu)
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
