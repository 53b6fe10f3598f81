# SPDX-License-Identifier: MIT
"""`make mutants`: what is changed, and that a change is noticed."""

import subprocess

import pytest

import mutants
from okramlib import ROOT

SOURCE = """\
#include <a.h>
/* a < b */
static unsigned f(unsigned a, unsigned b)
{
    unsigned c = a - 1;
    unsigned d[4];

    ASSERT(a < 5);
    if (a <= b && *"a < b" != '<')
        c += b << 2;
    p->n = c * 0x0f & (a ? b : 0);
    call(a,
         b);
    return c;
}
"""


def test_changes_code_only(tmp_path):
    path = tmp_path / "f.c"
    path.write_text(SOURCE)
    lines = SOURCE.splitlines()
    found = set()
    for mutant in mutants.mutants_of(path):
        changed = mutant.text().splitlines()
        found |= {(old.strip(), new.strip()) for old, new in zip(lines, changed) if old != new}
        if len(changed) < len(lines):
            found.add(("call", ";"))
    declared = "unsigned c = a - 1;"
    store = "p->n = c * 0x0f & (a ? b : 0);"
    condition = "if (a <= b && *\"a < b\" != '<')"
    assert found == {
        (declared, declared.replace("-", "+")),
        (declared, declared.replace(" - 1", "")),
        (declared, declared.replace("1", "2")),
        (condition, condition.replace("<=", "<")),
        (condition, condition.replace("&&", "||")),
        (condition, condition.replace("!=", "==")),
        ("c += b << 2;", "c -= b << 2;"),
        ("c += b << 2;", "c += b << 3;"),
        ("c += b << 2;", ";"),
        (store, ";"),
        (store, store.replace("*", "/")),
        (store, store.replace("&", "|")),
        (store, store.replace("0x0f", "0x10")),
        (store, store.replace(": 0", ": 1")),
        (store, store.replace("b : 0", "0 : b")),
        ("call(a,", ";"),
        ("b);", "return c;"),
        ("return c;", "}"),
        ("call", ";"),
    }


def test_every_folder_of_the_core_has_tests():
    sources = [path for path in mutants.CORE.rglob("*.c") if path.stem == "low_memory"]
    assert "test_low_memory.c" in [test.name for test in mutants.tests_of(sources[0])]
    drawn = mutants.chosen("", 50, 1)
    assert len(drawn) == 50 and drawn == mutants.chosen("", 50, 1)
    assert len({mutant.path for mutant in drawn}) > 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "path, text",
    [
        ("kernel/core/march/external/low_memory.c", "if (state == RECORDED)"),
        # which its test includes
        ("kernel/core/march/rows/row_search.c", "if (row_vote_measure(vote, phys) > threshold)"),
    ],
)
def test_a_change_is_noticed(path, text):
    lines = (ROOT / path).read_text().splitlines()
    place = f"{path}:{next(n for n, line in enumerate(lines, 1) if text in line)}"
    command = ["make", "-s", "--no-print-directory", "mutants", f"MUTATE={place}"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0, ran.stderr
    assert lines[-2].startswith("killed") and place in lines[-2]
    assert lines[-1].endswith(": 1 killed")
