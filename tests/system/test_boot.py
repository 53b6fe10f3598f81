# SPDX-License-Identifier: MIT
"""okram comes up, and finds nothing, on every kind of machine that QEMU can be."""

import pytest

from okramlib.units import GIB, MIB
from system.harness import follow, from_image

QUICK = "tests=quick bandwidth=off"
FIRMWARE = pytest.mark.parametrize("uefi", [False, True], ids=["bios", "uefi"])


@FIRMWARE
@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("nodes", [1, 2])
def test_cpus_and_nodes(uefi, cpus, nodes):
    machine = from_image("128M", uefi=uefi, cpus=cpus, nodes=nodes, cmdline=QUICK)
    outcome = follow(machine)
    told = outcome.last("machine")
    assert (told["cpus"], told["nodes"]) == (cpus, nodes)
    assert told["warnings"] == []
    per_node = outcome.of_type("node")
    assert sorted(cpu for node in per_node for cpu in node["cpus"]) == list(range(cpus))
    assert [node["node"] for node in per_node] == list(range(nodes))
    # All but what firmware and okram occupy.
    assert told["ram_bytes"] >= 126 * MIB
    assert outcome.last("result")["tested_bytes"] >= 100 * MIB


@FIRMWARE
def test_both_sides_of_4_gib(uefi):
    """6 GiB: RAM ends at 2 GiB and goes on at 4 GiB. There is nothing to warn of."""
    ranges = f"{2 * GIB - 32 * MIB:#x}-{2 * GIB:#x},{4 * GIB - 16 * MIB:#x}-{4 * GIB + 32 * MIB:#x}"
    outcome = follow(from_image("6G", uefi=uefi, cmdline=f"{QUICK} range={ranges}"))
    result = outcome.last("result")
    assert outcome.last("machine")["ram_bytes"] >= 6 * GIB - 4 * MIB
    assert outcome.last("machine")["warnings"] == []
    for part in result["untested"]:
        assert int(part["end"], 16) <= 4 * GIB or int(part["base"], 16) >= 4 * GIB + 32 * MIB
    # Below 2 GiB firmware keeps some.
    assert 48 * MIB <= result["tested_bytes"] <= 64 * MIB


@FIRMWARE
def test_usb_stick(uefi):
    """As it is: GRUB's menu waits, and the loader's."""
    follow(from_image("stick-menu-128M", uefi=uefi, cmdline=f"{QUICK} menu=1"))


@pytest.mark.parametrize("size, small", [(20, True), (31, True), (32, False)])
def test_little_memory(size, small):
    """32 MiB are enough; less is tested all the same, and said."""
    outcome = follow(from_image("computed-1cpu", memory=size * MIB, cmdline=QUICK))
    assert outcome.last("result")["tested_bytes"] >= (size - 4) * MIB
    warnings = outcome.last("machine")["warnings"]
    assert any("okram needs 32 MiB or more" in text for text in warnings) == small


@FIRMWARE
def test_standard_on_two_nodes_measures_every_pair(uefi):
    machine = from_image("256M-2nodes", uefi=uefi, cmdline="tests=quick")
    outcome = follow(machine)
    measured = {(b["cpu_node"], b["mem_node"], b["op"]) for b in outcome.of_type("bandwidth")}
    for cpu_node in (0, 1):
        for mem_node in (0, 1):
            assert {(cpu_node, mem_node, "read"), (cpu_node, mem_node, "write")} <= measured
    for b in outcome.of_type("bandwidth"):
        rate = b["mb_s"]
        assert 0 < rate["min"] <= rate["mean"] <= rate["max"] and rate["stddev"] >= 0
        assert b["runs"] == 5 and b["threads"] == 1


@pytest.mark.slow
@FIRMWARE
@pytest.mark.parametrize("nodes", [1, 2])
def test_clean_memory_has_no_fault(uefi, nodes):
    """52 standard passes in all."""
    machine = from_image("256M", uefi=uefi, nodes=nodes, cmdline="passes=13")
    outcome = follow(machine, timeout=1800)
    assert outcome.exit_code == 0 and outcome.last("result")["passes"] == 13


def test_a_pass_says_what_it_excludes():
    """Of quick, address-up reads each cell once, march-c- five times."""
    result = follow(from_image("small", cmdline=f"{QUICK} passes=2")).last("result")
    assert (result["status"], result["passes"]) == ("pass", 2)
    assert (result["excluded"]["reads"], result["excluded"]["one_in"]) == (12, 4)
    assert result["excluded"]["per_hour"] > 3 * 3600 / result["seconds"]
