# SPDX-License-Identifier: MIT
"""A run is a value that kernel_main has: what may be global is listed here, and what is set once is
set in one place. docs/decisions.md, Results."""

import re

from okramlib import ROOT

KERNEL = ROOT / "kernel"
GLOBAL = re.compile(r"^extern (?!const\b)struct (\w+)[^;{]*?[{;]", re.MULTILINE)
POLL = re.compile(r"\bcpu_poll\(")

# What a machine has one of, and what CPUs and interrupts find without an argument.
GLOBALS = {"machine", "platform", "board", "percpu", "page_words", "roles"}

# They poll while something lasts, by a `struct cpu_poll` that they are given.
POOL = "kernel/hw/cpus/cpu_pool.c"


def sources(pattern):
    return {str(p.relative_to(ROOT)): p.read_text() for p in sorted(KERNEL.rglob(pattern))}


def globals_in(text):
    return set(GLOBAL.findall(text))


def callers(function):
    called = re.compile(rf"(?<!void ){function}\(")
    return [path for path, text in sources("*.c").items() if called.search(text)]


def test_a_global_is_found():
    assert globals_in("extern struct plan plan;\nextern struct page_words {\n") == {
        "plan",
        "page_words",
    }
    assert not globals_in("extern const struct warnings notices;\n")


def test_the_globals_are_those_of_the_machine():
    found = set().union(*map(globals_in, sources("*.h").values()))
    assert found == GLOBALS


def test_a_panic_is_prepared_in_one_place():
    assert callers("panic_prepare") == ["kernel/run/loop/leave.c"]


def test_the_pool_polls_for_a_job_that_says_so_alone():
    text = (ROOT / POOL).read_text()
    assert len(POLL.findall(text)) == 1
    assert "if (pool.job.poll)\n        cpu_poll(pool.job.poll);" in text


def test_a_job_that_has_a_context_is_given_it():
    without = re.compile(r"\(struct cpu_pool_job\)\{ \w+, NULL\b")
    assert [path for path, text in sources("*.c").items() if without.search(text)] == []
