# SPDX-License-Identifier: MIT
"""The coverage bench on the shipped code: the table from literature, the levels, the docs."""

import subprocess

import pytest

from docs_table import (
    BEHIND,
    DOCUMENT,
    behind_table,
    marches_of,
    shares,
    shares_behind,
    table_of,
    with_rows,
    with_table,
)
from march_sim import all_faults, found_by, parse_march
from okramlib import BUILD
from test_march_sim import TABLE


def run_bench(*options):
    ran = subprocess.run(
        ["nice", BUILD / "coverage" / "coverage", *options], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def listed_marches(tmp_path):
    """Of the tests and levels that ship."""
    path = tmp_path / "marches"
    run_bench(f"marches={path}")
    return marches_of(path.read_text())


LEVELS = {"quick": "march-c-", "standard": "march-mss+", "thorough": "march-raw+"}


def detected(listing):
    """{test: {fault, as the simulator names it: whether}}, from what the bench lists."""
    tests = {}
    for line in listing.splitlines():
        flag, test, fault = line.split("\t")
        kind, _, text = fault.partition(" ")
        name = fault if kind in ("AF", "DRF") or kind.startswith("LF") or not text else text
        tests.setdefault(test, {})[name] = bool(int(flag))
    return tests


# Each cell has data of its own: in all places is found only what is found whatever the data are.
# What needs few places may be found by luck.
RANDOM_DATA = {"address", "address-up", "bus-random", "random", "retention"}
BY_LUCK = ("AF", "LF", "SOF")


def check_against_simulation(found, marches):
    """The shipped code detects what the simulator says of the march, fault by fault, but stuck-open
    cells in fewer tests: lines that are under way at the same time are read between."""
    faults = all_faults()
    compared = [test for test in found if len(marches.get(test, [])) == 1 and test not in LEVELS]
    for test in compared:
        is_random = test in RANDOM_DATA
        expected = found_by(faults, marches[test][0], all_data=is_random)
        assert set(expected) == set(found[test]) - {"linked"}
        assert found[test]["SOF"] <= expected.pop("SOF")
        names = [name for name in expected if not (is_random and name.startswith(BY_LUCK))]
        assert (test, [n for n in names if found[test][n] != expected[n]]) == (test, [])
    return set(compared)


def test_some_tests_of_the_literature(tmp_path):
    """One for each count of two-cell faults; test_bench has all."""
    tests = ["mats+", "march-c-", "march-mss", "march-ss"]
    table, listing = tmp_path / "table", tmp_path / "list"
    run_bench("isa=widest", f"tests={','.join(tests)}", f"table={table}", f"list={listing}")
    title, rule, *rows = table.read_text().splitlines()
    assert len(rows) == len(tests)
    assert {title, rule, *rows} <= set(table_of(DOCUMENT.read_text()).splitlines()), (
        "run make coverage-docs"
    )
    compared = check_against_simulation(detected(listing.read_text()), listed_marches(tmp_path))
    assert compared == set(tests)


def test_bench(tmp_path):
    """One run, because it takes minutes: all checks of what it says."""
    table, listing = tmp_path / "table", tmp_path / "list"
    run_bench("isa=widest", f"table={table}", f"list={listing}")
    documented = table_of(DOCUMENT.read_text())
    assert table.read_text() == documented, "run make coverage-docs"
    compared = check_against_simulation(detected(listing.read_text()), listed_marches(tmp_path))
    shipped = TABLE.keys() - {"march-lr", "march-la", "march-sl", "march-msl"}
    assert compared == {*shipped, *RANDOM_DATA, "march-mss+", "march-raw+"}


@pytest.mark.slow
@pytest.mark.parametrize("isa", ["scalar", "sse2"])
def test_narrow_instruction_sets(isa):
    run_bench(f"isa={isa}", "levels=no")


@pytest.mark.slow
def test_all_instruction_sets():
    assert "not the same" not in run_bench()


@pytest.mark.slow
@pytest.mark.parametrize("behind", ["scrambler", "encryption", "controller", "side-cache"])
def test_behind_what_is_in_front_of_the_cells(tmp_path, behind):
    table = tmp_path / "table"
    run_bench("isa=sse2", f"behind={behind}", f"table={table}")
    documented = shares_behind(DOCUMENT.read_text(), behind)
    assert shares(table.read_text()) == documented, "run make coverage-docs"


def test_something_else_to_be_behind_is_refused():
    command = [BUILD / "coverage" / "coverage", "behind=glass"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "is not scrambler, encryption, controller or side-cache" in ran.stdout


def test_an_unknown_instruction_set_is_refused():
    ran = subprocess.run([BUILD / "coverage" / "coverage", "isa=mmx"], capture_output=True)
    assert ran.returncode == 2


def test_one_test_and_a_level_alone(tmp_path):
    """Their rows only, with the progress on standard error."""
    table = tmp_path / "table"
    command = [BUILD / "coverage" / "coverage", "isa=widest", "tests=mats+,quick", f"table={table}"]
    ran = subprocess.run(["nice", *command], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    names = [line.split("|")[1].strip() for line in table.read_text().splitlines()[2:]]
    assert names == ["mats+", "quick"]
    begun = [line.rpartition(": ")[2] for line in ran.stderr.splitlines()]
    assert begun == names
    assert "row 2 of 2" in ran.stderr.splitlines()[1]


def test_a_test_that_there_is_not():
    command = [BUILD / "coverage" / "coverage", "tests=mats+,march-x"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "march-x is neither a march test nor a level" in ran.stdout


def test_rows_of_a_table():
    head = "| test | AF |\n|---|---|\n"
    table = head + "| a | 1 |\n| c | 2 |\n| quick | 3 |\n"
    order = ["a", "b", "c", "d", "quick"]
    assert with_rows(table, head + "| c | 4 |\n", order) == table.replace("| c | 2", "| c | 4")
    new = with_rows(table, head + "| b | 5 |\n| d | 6 |\n", order)
    assert new == head + "| a | 1 |\n| b | 5 |\n| c | 2 |\n| d | 6 |\n| quick | 3 |\n"
    assert with_rows(head, head + "| a | 1 |\n", order) == head + "| a | 1 |\n"


def test_marches_that_ship(tmp_path):
    """Those of the literature are as the simulator is tried on; the levels have theirs."""
    marches = listed_marches(tmp_path)
    for name in marches.keys() & TABLE.keys():
        assert marches[name] == [parse_march(TABLE[name][0])]
    for level, name in LEVELS.items():
        assert marches[name][0] in marches[level]


def test_one_table_of_what_is_in_front():
    def table(*per_cents):
        rows = "".join(f"| {test} | 4 | {x} | 0 |\n" for test, x in zip("ab", per_cents))
        return "| test | sweeps | AF | leak by neighbours, % |\n|---|---|---|---|\n" + rows

    tables = [table("0.0", "99.9"), table("12.9", "100"), table("98.9", "99.0"), table("7", "100")]
    one = behind_table(tables)
    assert one == ("| test | AF |\n|---|---|\n| a | 0/12/98/7 |\n| b | 99.9/100/99.0/100 |\n")
    text = f"<!-- behind -->\n{one}<!-- /behind -->\n"
    assert [shares_behind(text, name) for name in BEHIND] == [shares(table) for table in tables]


def test_docs_table():
    text = "a\n<!-- coverage -->\nold\n<!-- /coverage -->\nb\n"
    assert table_of(text) == "old\n"
    assert with_table(text, "new\n") == text.replace("old", "new")
    both = text + "<!-- other -->\n<!-- /other -->\n"
    assert table_of(both, "other") == ""
    assert table_of(with_table(both, "new\n", "other"), "other") == "new\n"
    assert table_of(with_table(both, "new\n", "other")) == "old\n"
