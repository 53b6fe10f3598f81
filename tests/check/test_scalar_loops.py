# SPDX-License-Identifier: MIT
"""No page boundary cuts a scalar loop over lines: see kernel/core/march/sweep/line_ops_scalar.c."""

import re
import subprocess

from okramlib import BUILD

PAGE = 4096
NAME = "kernel/core/march/sweep/line_ops_scalar"
OBJECT = BUILD / "kernel" / f"{NAME}.o"
LOOPS = re.compile(r"(fill|verify|verify_write|sequence)_(uniform|background|address|random).*")


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loops():
    """By name: where it is in the object's code, and its bytes."""
    rows = [line.split() for line in tool("nm", "-S", "--defined-only", OBJECT).splitlines()]
    return {
        row[3]: (int(row[0], 16), int(row[1], 16))
        for row in rows
        if len(row) == 4 and LOOPS.fullmatch(row[3])
    }


def alignment():
    (row,) = re.findall(r" \.text\b.* 2\*\*(\d+)$", tool("objdump", "-h", OBJECT), re.MULTILINE)
    return 1 << int(row)


def test_a_loop_is_in_one_page_wherever_the_linker_puts_the_code():
    listed = loops()
    assert len(listed) >= 4 * 4
    assert PAGE % alignment() == 0
    for name, (start, size) in listed.items():
        assert start % alignment() == 0, name
        assert size <= alignment(), name
