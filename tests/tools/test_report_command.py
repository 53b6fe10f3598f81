# SPDX-License-Identifier: MIT
"""`tools/okram report` on the command line."""

import json

import pytest

from tools.browser import records_of
from tools.command import okram
from tools.sample_runs import make_run
from tools.samples import GOOD


@pytest.fixture
def run(tmp_path):
    return written(tmp_path / "run.jsonl", make_run(nodes=2))


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_tables(run):
    ran = okram("report", str(run))
    assert ran.returncode == 0 and ran.stderr == ""
    for text in ("Scaling of triad", "Contention", "Loaded latency", "Cost of redundancy"):
        assert text in ran.stdout
    assert ran.stdout.splitlines()[-1] == "badram=0x1000,0xffffffffff000"


@pytest.mark.parametrize("kind, begins", [("html", "<!DOCTYPE html>"), ("csv", "record,quantity")])
def test_to_standard_output_and_to_a_file(run, tmp_path, kind, begins):
    printed = okram("report", str(run), f"--{kind}")
    assert printed.returncode == 0 and printed.stdout.startswith(begins)
    out = tmp_path / f"out.{kind}"
    ran = okram("report", str(run), f"--{kind}", str(out))
    assert ran.returncode == 0 and ran.stdout == f"{out} is written.\n"
    assert out.read_text() == printed.stdout


def test_html_and_csv_at_once(run, tmp_path):
    page, numbers = tmp_path / "a.html", tmp_path / "a.csv"
    ran = okram("report", "--html", str(page), "--csv", str(numbers), str(run))
    assert ran.returncode == 0 and page.exists() and numbers.exists()
    assert okram("report", str(run), "--html", "--csv").returncode == 2


def test_a_run_after_html_is_what_is_read(run):
    before = run.read_text()
    ran = okram("report", "--html", str(run))
    assert ran.returncode == 0 and ran.stdout.startswith("<!DOCTYPE html>")
    assert run.read_text() == before


def test_a_run_is_never_overwritten(run, tmp_path):
    other = written(tmp_path / "other.html", make_run(nodes=1))
    before = other.read_text()
    for out in (run, other):
        ran = okram("report", "--html", str(out), str(run))
        assert ran.returncode == 2 and "not overwritten" in ran.stderr
    cut = tmp_path / "cut.html"
    cut.write_text(" " + json.dumps({"t": 1, **GOOD[-1]}))
    assert okram("report", str(cut), "--csv", str(cut)).returncode == 2
    assert other.read_text() == before and cut.read_text().startswith(' {"t"')


def test_standard_input_to_a_name_without_ending(run, tmp_path):
    ran = okram("report", "--html", str(tmp_path / "page"), input=run.read_text())
    assert ran.returncode == 0 and (tmp_path / "page").read_text().startswith("<!DOCTYPE")


def test_compare(run, tmp_path):
    other = written(tmp_path / "other.jsonl", make_run(nodes=1, seed=5, speed=1.2))
    ran = okram("report", "--compare", str(run), str(other))
    assert ran.returncode == 0 and ran.stderr == ""
    assert "yes: higher" in ran.stdout and "Only in one" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 100
    page = okram("report", "--html", "--compare", str(run), str(other))
    assert page.returncode == 0 and "significantly" in records_of(page.stdout)[0]["sentences"][0]
    numbers = okram("report", "--csv", "--compare", str(run), str(other))
    assert numbers.stdout.startswith("group,what,where")


def test_compare_names_the_file_of_a_bad_line(run, tmp_path):
    cut = tmp_path / "cut.jsonl"
    cut.write_text(run.read_text()[:9000])
    ran = okram("report", "--compare", str(run), str(cut))
    assert ran.returncode == 2 and "Caches" in ran.stdout
    assert ran.stderr.startswith(f"okram: {cut}: line ") and ran.stderr.endswith(": cut off\n")


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["/nowhere"], "cannot be read"),
        (["/tmp"], "Is a directory"),
        (["/dev/null"], "is empty"),
        (["--compare", "/nowhere", "/nowhere"], "cannot be read"),
        (["--compare", "-", "-"], "only one of the runs"),
        (["--compare", "a.jsonl"], "takes 2 to 8 runs"),
        (["--compare", *"abcdefghi"], "takes 2 to 8 runs"),
        (["--csv", "out.csv", "--compare", "a", "b", "c"], "--csv takes two runs only"),
        (["x", "--compare", "a", "b"], "takes the runs themselves"),
        (["--html", "/nowhere.jsonl"], "/nowhere.jsonl cannot be read"),
    ],
)
def test_bad_calls_get_one_sentence(arguments, why):
    ran = okram("report", *arguments)
    assert ran.returncode == 2 and ran.stdout == ""
    assert why in ran.stderr.splitlines()[-1] and "Traceback" not in ran.stderr


def test_what_cannot_be_written(run):
    ran = okram("report", str(run), "--html", "/nowhere/page.html")
    assert ran.returncode == 2 and "/nowhere/page.html cannot be written" in ran.stderr


def test_binary_junk(tmp_path):
    junk = tmp_path / "junk"
    junk.write_bytes(bytes(range(256)) * 5000)
    ran = okram("report", str(junk))
    assert ran.returncode == 2 and ran.stdout == "" and len(ran.stderr.splitlines()) == 1
    assert "line 1" in ran.stderr


def test_a_cut_off_file_still_makes_a_page(run, tmp_path):
    cut = tmp_path / "cut.jsonl"
    cut.write_text(run.read_text()[:9000])
    out = tmp_path / "cut.html"
    ran = okram("report", str(cut), "--html", str(out))
    assert ran.returncode == 2 and ran.stderr.count("cut off") == 1
    assert "cut off" in records_of(out.read_text())[0]["problems"][0]


STATE = next({"t": 90, **record} for record in GOOD if record["type"] == "state")


@pytest.mark.parametrize(
    "changes, text",
    [
        ({}, "okram started on 2026-11-22 13:14:34 and did not finish: test march-c-, pass 1"),
        ({"started": None, "test": ""}, "okram started and did not finish, pass 1"),
    ],
)
def test_a_run_that_did_not_finish(tmp_path, changes, text):
    path = written(tmp_path / "state.jsonl", [{**STATE, **changes}])
    ran = okram("report", str(path))
    assert ran.returncode == 2 and "before the run's result" in ran.stderr
    assert text in " ".join(ran.stdout.split())
    page = okram("report", str(path), "--html").stdout
    assert records_of(page)[1:] == [{**STATE, **changes}]


@pytest.mark.parametrize(
    "changes, text",
    [
        ({}, "ACME X1, started on 2026-11-22 13:14:34"),
        ({"started": None}, "ACME X1"),
        ({"board": ""}, "started on 2026-11-22 13:14:34"),
    ],
)
def test_a_kept_report_of_a_whole_run(tmp_path, changes, text):
    path = written(tmp_path / "kept.jsonl", [{**STATE, **changes}, *make_run(nodes=1)])
    ran = okram("report", str(path))
    assert ran.returncode == 0 and ran.stderr == ""
    assert text in ran.stdout.splitlines() and "did not finish" not in ran.stdout
    assert "igned" not in ran.stdout


@pytest.mark.parametrize(
    "changes, text", [({}, "Unsigned: anybody"), ({"hmac": "5a" * 32}, "Signed, not checked: ")]
)
def test_whether_a_kept_report_is_signed(tmp_path, changes, text):
    head = {"type": "saved", "version": 1, "state": "done", "bytes": 9, "crc32c": "0x0", **changes}
    ran = okram("report", str(written(tmp_path / "kept.jsonl", [head, *make_run(nodes=1)])))
    assert any(line.startswith(text) for line in ran.stdout.splitlines()), ran
