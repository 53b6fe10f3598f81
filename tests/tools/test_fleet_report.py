# SPDX-License-Identifier: MIT
"""`okram fleet report`: what is planted in a fleet is found, and nothing else."""

import csv
import re
import subprocess
import sys
from dataclasses import asdict

import pytest
from scipy import stats

import saved_samples
from fleet import reports
from fleet.reports import Truths, rounded
from okramlib import ROOT, Trouble
from okramlib.fleet import engines, groups, importing, intervals, page, report_command
from okramlib.fleet.engines import DUCKDB, PYSPARK
from okramlib.fleet.groups import Group, Member
from okramlib.fleet.questions import Questions
from tools.browser import records_of
from tools.command import okram
from tools.sample_runs import by_module
from tools.samples import GOOD

MACHINES = 600
OF_TYPE = {record["type"]: {"t": 1, **record} for record in GOOD}


def make_data(folder, n, seed=1):
    """(data set, what is planted in it)"""
    made, truths = reports.fleet(n, seed)
    (folder / "in").mkdir()
    for name, report in made:
        (folder / "in" / name).write_bytes(report)
    importing.run(folder / "data", [folder / "in"], 1 << 20)
    return folder / "data", truths


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    data, truths = make_data(tmp_path_factory.mktemp("fleet"), MACHINES)
    found = report_command.ask(data, since=reports.SINCE)
    return data, truths, {answer.name: answer for answer in found}


# --- what is planted ------------------------------------------------------------------------------


def check(truths, found):
    """What is planted is found, and nothing else."""
    assert Truths.found({name: answer.rows for name, answer in found.items()}) == truths
    assert all(asdict(truths).values())


def test_what_is_planted_is_found_and_nothing_else(fleet):
    _, truths, found = fleet
    check(truths, found)


def test_the_lanes(fleet):
    for row in fleet[2]["kinds"].rows:
        _, bit, bits = next(kind for kind in reports.KINDS if kind[0] == row["kind"])
        assert (row["lane"], row["bits"]) == (bit and bit // 8, bits)


def test_lines_to_copy(fleet):
    for machine, line in fleet[2]["bad_machines"].lines:
        assert machine in fleet[1].bad and re.fullmatch(r"badram=0x[0-9a-f]+,[0-9a-fx,]+", line)
    assert len(fleet[2]["bad_machines"].lines) == len(fleet[1].bad)


def test_pages_that_come_and_go(fleet):
    """Two pages that stay, three that came; or all of them came, or went."""
    stories = {
        tuple(row[name] for name in ("is_always", "came", "went", "other"))
        for row in fleet[2]["changing_pages"].rows
    }
    assert stories <= {(2, 3, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0)} and stories


def test_every_table_says_of_how_many_machines(fleet):
    for answer in fleet[2].values():
        assert re.search(r"\d+ (\w+ )*machines?|machines? before", answer.table.notes[0])


# --- the same asked of hand-made runs -------------------------------------------------------------


def data_of(tmp_path, *runs):
    folder = tmp_path / "in"
    folder.mkdir()
    for number, run in enumerate(runs):
        (folder / str(number)).write_bytes(saved_samples.lines(run))
    importing.run(tmp_path / "data", [folder], 1 << 20)
    return tmp_path / "data"


def asked(data, question, *arguments):
    with engines.tables(DUCKDB, data) as tables:
        return engines.rows(getattr(Questions(tables), question)(*arguments))


def run(number, date, pages=(), passes=1, **changes):
    """Of one machine, with these runs of bad pages."""
    identity = OF_TYPE["identity"] | {"run": f"{number:032x}", "date": date} | changes
    n_pages = sum(end - base for base, end in pages)
    found = {
        "t": 5,
        "type": "pages",
        "pages": n_pages,
        "runs": [[f"{base << 12:#x}", f"{end << 12:#x}"] for base, end in pages],
    }
    status = "fail" if n_pages else "pass"
    result = saved_samples.result(status) | {"bad_pages": n_pages, "passes": passes}
    return [OF_TYPE["start"], identity, *([found] if pages else []), result]


def test_edges_of_runs_of_pages(tmp_path):
    """A billion pages are no more work than one."""
    data = data_of(
        tmp_path,
        run(1, "2025-01-01T00:00:00", [(10, 20), (30, 40)]),
        run(2, "2025-02-01T00:00:00", [(15, 35)]),
        run(3, "2025-03-01T00:00:00", [(18, 35), (100, 10**9 + 100)]),
    )
    (row,) = asked(data, "changing_pages")
    # 18-20 and 30-35 always; 20-30 came, and the billion; 10-18 and 35-40 went, 15-18 among them.
    assert (row["is_always"], row["came"], row["went"], row["other"]) == (7, 10 + 10**9, 13, 0)


@pytest.mark.parametrize("left_out", ["part_of_bytes", "hole_pages"])
def test_pages_that_were_not_looked_at_have_not_gone(tmp_path, left_out):
    """By range=, or hidden by an old badram line, which a BIOS' map does not have."""
    first, later = run(1, "2025-01-01T00:00:00", [(10, 20)]), run(2, "2025-02-01T00:00:00")
    (tmp_path / "all").mkdir()
    (row,) = asked(data_of(tmp_path / "all", first, later), "changing_pages")
    assert row["went"] == 10
    later[-1] |= {left_out: 1 << 20}
    assert asked(data_of(tmp_path, first, later), "changing_pages") == []


def test_a_run_without_a_whole_pass_says_nothing_of_pages(tmp_path):
    data = data_of(
        tmp_path,
        run(1, "2025-01-01T00:00:00", [(10, 20)]),
        run(2, "2025-02-01T00:00:00", passes=0),
    )
    assert asked(data, "changing_pages") == []


def test_the_named_module_alone_counts(tmp_path):
    """Of two, a diagnosis names one."""
    modules = [
        OF_TYPE["module"] | {"slot": slot, "part": part, "serial": serial}
        for slot, part, serial in (("DIMM_A1", "GOOD-PART", "1"), ("DIMM_A10", "BAD-PART", "2"))
    ]
    diagnosis = OF_TYPE["diagnosis"] | {
        "end": "module",
        "found": "The bad module is the one (part BAD-PART) that is now in DIMM_A10 (in the first"
        " run it was in DIMM_A1).",
        "next": "",
    }
    bad = run(1, "2025-01-01T00:00:00", [(10, 20)])
    data = data_of(tmp_path, [*bad[:2], *modules, *bad[2:-1], diagnosis, bad[-1]])
    of_part = {row["part"]: (row["bad"], row["named"]) for row in asked(data, "modules")}
    assert of_part == {"GOOD-PART": (0, 0), "BAD-PART": (1, 1)}
    assert suspects(data) == ("DIMM_A10 BAD-PART 2", "DIMM_A10 BAD-PART 2")


@pytest.mark.parametrize("faulty, named", [("-x", [1]), ("x-xx", [0, 2, 3]), ("xx", [])])
def test_modules_that_faults_were_measured_in(tmp_path, faulty, named):
    """By the memory controller's registers; faults in all modules are those of none."""
    bad = run(1, "2025-01-01T00:00:00", [(10, 20)])
    records = [{"t": 1, **record} for record in by_module(faulty)]
    for i, record in enumerate(r for r in records if r["type"] == "module"):
        record["part"] = f"PART-{i}"
    data = data_of(tmp_path, [*bad[:2], *records, *bad[2:]])
    found = asked(data, "modules_to_order")
    assert sorted(row["part"] for row in found) == [f"PART-{i}" for i in named]
    assert {row["serial"] for row in found} == {f"{i:08X}" for i in named}
    of_part = {row["part"]: row["named"] for row in asked(data, "modules")}
    assert of_part == {f"PART-{i}": int(i in named) for i in range(len(faulty))}


def test_the_slot_of_a_module_that_was_taken_out_names_no_other(tmp_path):
    modules = [
        OF_TYPE["module"] | {"slot": slot, "part": "GOOD-PART", "serial": serial}
        for slot, serial in (("DIMM_A1", "1"), ("DIMM_B1", "2"))
    ]
    diagnosis = OF_TYPE["diagnosis"] | {
        "end": "module",
        "found": "The bad module is the one with serial number 3, which you took out of DIMM_B1.",
        "next": "",
    }
    bad = run(1, "2025-01-01T00:00:00", [(10, 20)])
    data = data_of(tmp_path, [*bad[:2], *modules, *bad[2:-1], diagnosis, bad[-1]])
    assert [row["named"] for row in asked(data, "modules")] == [0]


def suspects(data):
    """Of the only machine with bad pages: what the CSV file and the table say."""
    found = {answer.name: answer for answer in report_command.ask(data)}["bad_machines"]
    (row,), (cells,) = found.rows, found.table.rows
    return row["modules"], cells[found.table.columns.index("<module")]


@pytest.mark.parametrize("n, csv_text, text", [(0, "", ""), (2, "A P 0; B P 1", "one of 2")])
def test_without_a_diagnosis_any_module_may_be_bad(tmp_path, n, csv_text, text):
    modules = [
        OF_TYPE["module"] | {"slot": "AB"[i], "part": "P", "serial": str(i)} for i in range(n)
    ]
    made = run(1, "2025-01-01T00:00:00", [(10, 20)])
    assert suspects(data_of(tmp_path, [*made[:2], *modules, *made[2:]])) == (csv_text, text)


def test_firmware_names_the_slot_of_an_error(tmp_path):
    """Of two modules, the part in that slot alone has the error."""
    modules = [
        OF_TYPE["module"] | {"slot": slot, "part": part, "serial": serial}
        for slot, part, serial in (("DIMM_A1", "PART-1", "1"), ("DIMM_B1", "PART-2", "2"))
    ]
    error = OF_TYPE["cper"] | {"part": "DIMM_B1", "count": 5}
    made = run(1, "2025-01-01T00:00:00")
    made[-1] |= {"status": "corrected", "ecc": {"corrected": 5, "uncorrected": 0, "with_page": 0}}
    data = data_of(tmp_path, [*made[:2], *modules, error, made[-1]])
    found = {row["part"]: (row["bad"], row["errors"]) for row in asked(data, "corrected")}
    assert found == {"PART-1": (0, 0), "PART-2": (1, 5)}


def test_rates(tmp_path):
    """36 hours before without, 36 since with bad pages in four machines of six."""
    runs = []
    for number in range(12):
        is_since, is_bad = number >= 6, number in (6, 7, 8, 9)
        made = run(
            number,
            f"2025-0{2 if is_since else 1}-01T00:00:00",
            [(10, 20)] if is_bad else (),
            uuid=f"00000000-0000-0000-0000-{number % 6 + 1:012}",
        )
        made[-1]["seconds"] = 6 * 3600
        runs.append(made)
    answers = report_command.ask(data_of(tmp_path, *runs), since="2025-02-01")
    found = {answer.name: answer for answer in answers}
    row = next(row for row in found["rates"].rows if row["what"] == "bad pages")
    assert (row["before"], row["since"], row["hours_before"], row["hours_since"]) == (0, 4, 36, 36)
    assert row["rate_since"] == pytest.approx(1000 / 9)
    assert (row["low_since"], row["high_since"]) == pytest.approx((30.28, 284.5), rel=1e-3)
    assert not row["is_more"]  # four of four, by chance 1 of 16
    new = {"what": "bad pages", "runs_before": 1}
    assert sum(new.items() <= row.items() for row in found["new"].rows) == 4


def test_an_empty_data_set(tmp_path):
    importing.run(tmp_path / "data", [], 1 << 20)
    for answer in report_command.ask(tmp_path / "data", since="2025-01-01"):
        assert answer.table.notes


# --- statistics -----------------------------------------------------------------------------------


@pytest.mark.parametrize("found, of", [(0, 5), (3, 40), (5, 5), (12, 100_000)])
def test_share(found, of):
    exact = stats.binomtest(found, of).proportion_ci()
    assert intervals.share(found, of) == pytest.approx((exact.low, exact.high), rel=1e-9)


@pytest.mark.parametrize("found", [0, 1, 7, 2000])
def test_rate(found):
    low = stats.chi2.ppf(0.025, 2 * found) / 2 if found else 0
    exact = low / 3, stats.chi2.ppf(0.975, 2 * found + 2) / 2 / 3
    assert intervals.rate(found, 3) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    "numbers", [(3, 40, 20, 900), (5, 5, 5, 5), (12, 100, 15, 500_000), (0, 3, 1, 9)]
)
def test_fisher(numbers):
    found, of, all_found, all_of = numbers
    exact = stats.hypergeom.logsf(found - 1, all_of, all_found, of)
    assert intervals.at_least(*numbers) == pytest.approx(exact, rel=1e-6)


def test_a_group_that_shares_machines_with_a_bad_one():
    """Of 10,000 machines: part A is bad in a half of its 100; B is in 40 of these, and sound; C is
    bad by itself."""
    counted = {"A": Group(100, 50), "B": Group(1000, 30), "C": Group(200, 40), "D": Group(9000, 60)}
    total = Group(10_000, 150)
    assert groups.suspects(counted, total) == ["A", "B", "C"]
    members = {}
    for number in range(100):
        members[number] = Member(number < 50, {"A": number < 50})
    for number in range(25, 65):  # of which 25 are bad by A
        members[number].groups["B"] = number < 50
    for number in range(1000, 1960):
        members[number] = Member(number < 1005, {"B": number < 1005})
    for number in range(2000, 2200):
        members[number] = Member(number < 2040, {"C": number < 2040})
    assert groups.explain(counted, total, members) == {"A": None, "B": "A", "C": None}


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def answered(fleet, monkeypatch):
    """The fleet; the command gets the answers that it has given."""
    monkeypatch.setattr(report_command, "ask", lambda *_: list(fleet[2].values()))
    return fleet


def test_page_and_csv(answered, tmp_path):
    data, truths, found = answered
    out, folder = tmp_path / "fleet.html", tmp_path / "csv"
    ran = okram("fleet", "report", data, "--html", out, "--csv", folder, "--since", reports.SINCE)
    assert ran.returncode == 0, ran.stderr
    head, *tables = records_of(out.read_text())
    assert head["title"] == "okram: the fleet" and len(tables) == len(found)
    assert [table["rows"] for table in tables] == [answer.table.rows for answer in found.values()]
    assert "Maker \\u003cb>X\\u003c/b> 1" in out.read_text()
    with (folder / "modules.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert re.fullmatch(r'("([^"]|"")*"[,\n])+', (folder / "modules.csv").read_text())
    marked = [row for row in rows if row["is_more"] == "True"]
    assert {row["part"] for row in marked} == {reports.BAD_PART} and len(rows) > len(marked)
    assert {path.stem for path in folder.iterdir()} == set(found)
    for answer in found.values():
        left_out = {"year", "week", "is_since"}  # other columns say the same
        assert all(set(row) <= {*answer.columns, *left_out} for row in answer.rows)


def test_text(answered):
    data, truths, found = answered
    ran = okram("fleet", "report", data)
    assert ran.returncode == 0 and "Nodes slower than their model's median" in ran.stdout
    last = ran.stdout.rstrip().splitlines()[-1]
    assert last.startswith("badram=0x") and all(machine in ran.stdout for machine in truths.bad)


def test_the_whole_command(fleet, tmp_path):
    """Without --since there are no tables of what is new."""
    ran = okram("fleet", "report", fleet[0], "--csv", tmp_path / "csv")
    assert ran.returncode == 0 and ran.stderr == "" and "9 files are written" in ran.stdout


def test_charts(fleet):
    for name in ("modules", "slow_nodes", "corrected_errors"):
        bars = page.chart(fleet[2][name])
        for _, row in bars["groups"]:
            assert len(row) == len(bars["names"]) and all(value > 0 for value, *_ in row)
    assert page.chart(fleet[2]["runs"]) is None


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["nowhere"], "nowhere is not a data set"),
        (["nowhere", "--master", "local"], "--master is for --engine pyspark"),
    ],
)
def test_what_cannot_be_done(tmp_path, monkeypatch, arguments, why):
    monkeypatch.chdir(tmp_path)
    ran = okram("fleet", "report", *arguments)
    assert ran.returncode == 2 and why in ran.stderr
    assert okram("fleet", "report", "x", "--since", "tomorrow").returncode == 2


def test_packages_are_loaded_by_fleet_alone(monkeypatch):
    """They take seconds to load, and other commands work without them."""
    script = "import sys; from okramlib import cli; cli.parser(); print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT / "tools", capture_output=True, text=True
    )
    loaded = set(ran.stdout.split())
    assert "okramlib.fleet.command" in loaded
    assert loaded.isdisjoint(("duckdb", "ibis", "pyarrow", "crc32c", "scipy", "pyspark"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ibis" else name)
    from okramlib import fleet as package

    with pytest.raises(Trouble, match=r"not here \(ibis\); `tools/setup fleet`"):
        package.need_modules()


# --- slow: Spark ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_spark_says_the_same(tmp_path):
    """Of 2,000 reports, each answer."""
    data, truths = make_data(tmp_path, 1000)
    by_duckdb, by_spark = (
        {a.name: a for a in report_command.ask(data, engine, since=reports.SINCE)}
        for engine in (DUCKDB, PYSPARK)
    )
    check(truths, by_spark)
    for name, answer in by_duckdb.items():
        assert rounded(answer.rows) == rounded(by_spark[name].rows), name


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_other_fleets(tmp_path, seed):
    """What is marked is what is planted. By chance something else would be in 1 of 100 fleets."""
    data, truths = make_data(tmp_path, 2000, seed)
    found = report_command.ask(data, since=reports.SINCE)
    check(truths, {answer.name: answer for answer in found})
