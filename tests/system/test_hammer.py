# SPDX-License-Identifier: MIT
"""Row hammer takes places of memory for a time: what it has hammered does not count as tested."""

import re

from okramlib.run import run
from okramlib.units import MIB, PAGE
from system.harness import TIMEOUT_S, Machine, follow

MEMORY = 64 * MIB

NO_ANSWERS = {
    "all pairs of lines take the same time",
    "which pairs of lines are slow does not follow from their addresses",
    "it took too long",
}


def hammer(tests):
    return follow(Machine(memory=MEMORY, cmdline=f"tests={tests} hammer=2 bandwidth=off"))


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

    # an emulated machine has no rows: timing must not find any, and the report says what is done
    (rows,) = outcome.of_type("rows")
    assert rows["node"] == 0 and rows["found"] is False and rows["measurements"] > 0
    assert rows["why"] in NO_ANSWERS and "functions" not in rows
    assert test["note"].startswith("the addresses of neighbouring rows are guessed")


def test_beside_another_test():
    """The progress is that of what is tested as a whole, in text mode every 5 s."""
    machine = Machine(memory=MEMORY, cmdline="tests=row-hammer,mats+ hammer=8 bandwidth=off")
    machine.cmdline += " serial=text"
    outcome = run(machine, timeout=TIMEOUT_S)
    said = "\n".join(outcome.lines)
    assert not outcome.trouble and outcome.exit_code == 0 and "PASS: no" in said
    assert re.search(r"rows +node 0: timing gives no clear answer: .*; rows are guessed", said)
    assert re.search(r"row-hammer +pass 1, .* hammered [1-9]", said)
    assert set(re.findall(r"pass 1 of 1, (\d+) %, test 1 of 2 row-hammer", said)) == {"0"}
