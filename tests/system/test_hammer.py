# SPDX-License-Identifier: MIT
"""Row hammer takes places of memory for a time: what it has hammered does not count as tested."""

import json
import re

from okramlib.qemu import END, Qemu
from okramlib.run import run
from okramlib.units import MIB, PAGE
from system.harness import TIMEOUT_S, attach, follow, named

MEMORY = 64 * MIB

VIRTUAL = "addresses of a virtual machine are not those of the host's memory"


def hammer(tests):
    return follow(named("small", cmdline=f"tests={tests} hammer=2 bandwidth=off"))


def test_alone_it_tests_no_memory_as_a_whole():
    outcome = hammer("row-hammer")
    result, (test,) = outcome.last("result"), outcome.of_type("test")
    assert outcome.exit_code == 3 and result["status"] == "pass" and result["passes"] == 1
    assert not result["complete"] and result["tested_bytes"] == 0
    assert "row-hammer alone does not cover all memory" in {
        part["why"] for part in result["untested"]
    }
    assert 0 < test["hammered_bytes"] <= MEMORY and test["hammered_bytes"] % PAGE == 0
    assert test["swept_bytes"] > test["hammered_bytes"]

    # an emulated machine has no rows, and the report says what is done
    (rows,) = outcome.of_type("rows")
    assert rows["node"] == 0 and rows["found"] is False and rows["measurements"] == 0
    assert rows["why"] == VIRTUAL and "functions" not in rows
    assert test["note"].startswith("the addresses of neighbouring rows are guessed")


def test_it_times_pairs_where_no_hypervisor_is_seen():
    """The options then come by the boot command line. Most runs have no clear answer. Now and then
    an emulator's cache of translations has one: which of two pages displace each other follows
    from address bits, as with banks of DRAM."""
    options = "tests=row-hammer hammer=2 bandwidth=off serial=jsonl exit=wait"
    found = {}
    with Qemu(named("small-no-hypervisor", extra=attach("append", options=options))) as qemu:
        while "result" not in found and (line := qemu.line(TIMEOUT_S)) not in (None, END):
            if line.startswith('{"t":'):
                record = json.loads(line)
                found[record["type"]] = record
    rows = found["rows"]
    assert rows["measurements"] > 0 and found["result"]["status"] == "pass"
    assert bool(rows.get("functions")) == rows["found"] == ("why" not in rows)


def test_beside_another_test():
    """The progress is that of what is tested as a whole, in text mode every 5 s."""
    machine = named("small", cmdline="tests=row-hammer,mats+ hammer=8 bandwidth=off")
    machine.cmdline += " serial=text"
    outcome = run(machine, timeout=TIMEOUT_S)
    said = "\n".join(outcome.lines)
    assert not outcome.trouble and outcome.exit_code == 0 and "PASS: no" in said
    assert re.search(
        rf"rows +node 0: timing gives no clear answer: {VIRTUAL}; rows are guessed", said
    )
    assert re.search(r"row-hammer +pass 1, .* hammered [1-9]", said)
    assert set(re.findall(r"pass 1 of 1, (\d+) %, test 1 of 2 row-hammer", said)) == {"0"}
