# SPDX-License-Identifier: MIT
"""The page of a run: well formed, complete, and in need of nothing but itself."""

import re
from xml.etree import ElementTree

import pytest

from okramlib import charts, measured, outcome, page, tables
from okramlib.charts import Axis, Point
from okramlib.svg import Scale, log_ticks, nice_ticks, tag, text
from tools.sample_runs import make_run
from tools.samples import GOOD

RUNS = {
    "1 node": make_run(nodes=1),
    "4 nodes": make_run(),
    "8 nodes": make_run(nodes=8),
    "no bandwidth": make_run(bandwidth=False),
    "a record of each type": [{"t": 1, **record} for record in GOOD],
    "nothing but a test": [{"t": 1, **r} for r in GOOD if r["type"] == "test"],
}


def parsed(html):
    assert html.startswith("<!DOCTYPE html>\n")
    return ElementTree.fromstring(html.split("\n", 1)[1])


def all_text(root):
    return " ".join(" ".join(root.itertext()).split())


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_is_well_formed_and_self_contained(run):
    html = page.page(run)
    root = parsed(html)
    policy = root.find(".//{*}meta[@http-equiv]")
    assert policy.get("http-equiv") == "Content-Security-Policy"
    html = html.replace(policy.get("content").replace("'", "&#39;"), "").replace("http-equiv", "")
    for name in ("http", "//", "url(", "@import", "<link", "<img", "src="):
        assert name not in html
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.iter():
        for name in (element.get("aria-labelledby") or "").split():
            assert name in ids
        if (element.get("href") or "#").startswith("#") and element.get("href"):
            assert element.get("href")[1:] in ids


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_no_element_is_empty_that_html_would_leave_open(run):
    empty = re.findall(r"<(\w+)[^<>]*/>", page.page(run))
    assert set(empty) <= {"meta", "rect", "line", "circle", "path", "polyline"}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_picture_has_a_description(run):
    for picture in parsed(page.page(run)).iter("svg"):
        title, description = picture[0], picture[1]
        assert (title.tag, description.tag) == ("title", "desc")
        assert title.text and re.search(r"\d", description.text)
        assert picture.get("role") == "img"


def cells_of(root):
    return {(cell.text or "").strip() for cell in root.iter("td")}


def test_every_number_is_there():
    run = make_run(nodes=8)
    root = parsed(page.page(run))
    cells = cells_of(root)
    for record in run:
        if record["type"] in ("bandwidth", "redundancy"):
            for value in record["mb_s"].values():
                assert tables.rate(value) in cells
        if record["type"] in ("latency", "cache"):
            assert tables.wait(record["ns"]) in cells
        if record["type"] == "contention":
            for name in ("idle", "loaded"):
                stats = record[f"{name}_mb_s"]
                assert f"{stats['mean']:.0f} ±{tables.rate(stats['stddev'])}" in cells
                assert tables.wait(record[f"{name}_ns"]) in cells


def test_heat_maps_hold_numbers_and_steps():
    run = make_run(nodes=4)
    root = parsed(page.page(run))
    read = next(p for p in root.iter("svg") if p[0].text == "read, all 8 CPUs of a node")
    matrix = measured.matrices(measured.by_type(run)["bandwidth"])["read"][measured.ALL_CPUS]
    cells = [g for g in read.iter("g") if (g.get("class") or "").startswith("h")]
    assert len(cells) == 16
    classes = {g.find("text").text: g.get("class") for g in cells}
    best = max(r["mb_s"]["mean"] for r in matrix.values())
    for record in matrix.values():
        share = record["mb_s"]["mean"] / best
        step = 6 if share >= 0.9 else int((share - 0.3) * 10 + 1e-9)
        assert classes[tables.rate(record["mb_s"]["mean"])] == f"h{step}"


def test_scaling_has_error_bars_as_high_as_the_standard_deviation():
    run = make_run(nodes=2)
    root = parsed(page.page(run))
    picture = next(p for p in root.iter("svg") if p[0].text == "Scaling of triad")
    bars = [p for p in picture.iter("path") if p.get("class") == "error"]
    rows = measured.scaling(measured.by_type(run)["bandwidth"])["triad"]
    assert len(bars) == sum(map(len, rows.values())) == 32
    high, low = map(float, re.search(r"M[\d.]+ ([\d.]+)V([\d.]+)", bars[-1].get("d")).groups())
    lines = [line for line in picture.iter("line") if line.get("class") == "grid"]
    labels = [t.text for t in picture.iter("text") if t.get("class") == "tick end"]
    per_pixel = float(labels[len(lines) - 1]) / (
        float(lines[0].get("y1")) - float(lines[-1].get("y1"))
    )
    last = rows["spread"][-1]["mb_s"]["stddev"]
    assert (low - high) * per_pixel == pytest.approx(2 * last, abs=0.15 * per_pixel)


def test_caches_are_marked_on_the_latency_curve():
    root = parsed(page.page(make_run()))
    picture = next(p for p in root.iter("svg") if p[0].text == "Latency over size")
    texts = [t.text for t in picture.iter("text")]
    assert {"L1 48 KiB", "L2 2 MiB", "L3 60 MiB"} <= set(texts)
    assert sum(line.get("class") == "mark" for line in picture.iter("line")) == 3


def test_what_a_person_needs_first():
    run = make_run()
    root = parsed(page.page(run, ["line 7: cut off"]))
    header = all_text(root.find(".//header"))
    for part in (
        "bad pages found",
        "Example 6454S",
        "slots <A2> & B2 do not count",
        "line 7: cut off",
        "badram=0x1000,0xffffffffff000",
    ):
        assert part in header
    line = next(e for e in root.iter("pre") if e.get("id") == "line-badram")
    assert line.text == "badram=0x1000,0xffffffffff000"
    assert "memmap=4K%0x1000-1+5" in [e.text for e in root.iter("pre")]


IDENTITY = next({"t": 1, **record} for record in GOOD if record["type"] == "identity")


@pytest.mark.parametrize(
    "more, sentences",
    [
        (
            {},
            (
                "Machine: ACME X1, board ACME B1 3, UUID 00112233-4455-6677-8899-aabbccddeeff.",
                "Run 0123456789abcdef0123456789abcdef, begun 2026-11-24 13:14:34.",
            ),
        ),
        (
            {
                "date": None,
                "uuid": None,
                "system": {"maker": None, "product": None, "version": None, "serial": "<S1>"},
                "board": {"maker": None, "product": None, "version": None, "serial": None},
                "macs": ["52:54:00:12:34:56"],
            },
            (
                "Machine: serial number <S1>, network card 52:54:00:12:34:56.",
                "Run 0123456789abcdef0123456789abcdef.",
            ),
        ),
        (
            {
                "uuid": None,
                "system": {"maker": None, "product": None, "version": None},
                "board": {"maker": None, "product": None, "version": None},
            },
            ("Run 0123456789abcdef0123456789abcdef, begun 2026-11-24 13:14:34.",),
        ),
    ],
)
def test_which_machine_and_which_run(more, sentences):
    run = [*make_run(bandwidth=False), IDENTITY | more]
    assert tuple(outcome.identity(measured.by_type(run))) == sentences
    header = all_text(parsed(page.page(run)).find(".//header"))
    assert all(sentence in header for sentence in sentences)


def test_a_run_without_end_or_bandwidth_says_so():
    run = [r for r in make_run(bandwidth=False) if r["type"] not in ("result", "badram")]
    text = all_text(parsed(page.page(run)))
    assert "No result" in text and "measured no bandwidth" in text
    assert "badram=" not in text


def test_foreign_words_stay_words():
    run = make_run(nodes=1)
    for record in run:
        if record["type"] == "machine":
            record["cpu"] = "</title><script>alert(1)</script>"
        if record.get("load"):
            record["load"] = record["load"].replace("CPUs", '"><b>&')
    root = parsed(page.page(run))
    assert "alert(1)" in all_text(root.find(".//header"))
    assert not list(root.iter("b")) and len(list(root.iter("script"))) == 1


def test_measurements_of_nothing_do_not_break_a_chart():
    zero = {"mean": 0, "stddev": 0, "min": 0, "max": 0}
    run = []
    for record in make_run(nodes=2):
        if record["type"] in ("bandwidth", "redundancy"):
            record["mb_s"] = zero
        if record["type"] == "latency":
            record |= {"ns": 0, "size_bytes": 0, **({"load_mb_s": 0} if "mix" in record else {})}
        if record["type"] == "contention":
            record |= {"idle_mb_s": zero, "loaded_mb_s": zero, "slowdown_percent": None}
        run.append(record)
    parsed(page.page(run))


def test_negative_numbers_do_not_break_a_chart():
    stats = {"mean": -5, "stddev": 1, "min": -6, "max": -4}
    run = [{**r, "mb_s": stats} if r["type"] == "bandwidth" else r for r in make_run(nodes=2)]
    run = [{**r, "ns": -1.0} if r["type"] == "latency" else r for r in run]
    parsed(page.page(run))


def test_one_point_is_a_curve():
    picture = charts.curves("t", "d", {"a": [Point(1, 1, "one")]}, Axis("x", True), Axis("y", True))
    ElementTree.fromstring(picture)


@pytest.mark.parametrize(
    "high, ticks",
    [
        (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (330204, [0, 100000, 200000, 300000, 400000]),
        (400000, [0, 100000, 200000, 300000, 400000]),
        (400001, [0, 100000, 200000, 300000, 400000, 500000]),
        (0.003, [0, 0.0005, 0.001, 0.0015, 0.002, 0.0025, 0.003]),
    ],
)
def test_nice_ticks(high, ticks):
    assert nice_ticks(high) == pytest.approx(ticks)


@pytest.mark.parametrize(
    "low, high, ticks",
    [
        (1.3, 92, [1, 2, 5, 10, 20, 50, 100]),
        (1, 100, [1, 2, 5, 10, 20, 50, 100]),
        (0.9, 101, [0.5, 1, 2, 5, 10, 20, 50, 100, 200]),
        (5, 5, [5, 10]),
    ],
)
def test_log_ticks(low, high, ticks):
    assert log_ticks(low, high) == pytest.approx(ticks)


def test_markup_in_words_and_attributes():
    drawn = ElementTree.fromstring(tag("g", text("<b>&", 1, 2.25), class_='"<&', aria_label=1.0))
    assert drawn.attrib == {"class": '"<&', "aria-label": "1"}
    assert drawn[0].text == "<b>&" and drawn[0].get("y") == "2.2"


def test_scale():
    linear, log = Scale(0, 10, 100, 200), Scale(1, 100, 0, 50, True)
    assert [linear(v) for v in (-1, 0, 5, 10, 11)] == [100, 100, 150, 200, 200]
    assert [log(v) for v in (0.1, 1, 10, 100)] == pytest.approx([0, 0, 25, 50])


MODULE = {
    **next(record for record in GOOD if record["type"] == "module"),
    "slot": "DIMM_A1",
    "size_bytes": 16 << 30,
    "maker": "Kingston",
    "part": "KF-16",
    "serial": "1A2B3C4D",
    "week": 7,
    "year": 2019,
}
FAULT = {
    **next(record for record in GOOD if record["type"] == "fault"),
    "addr": "0x5000008",
    "expected": "0xffffffffffffffff",
    "found": "0x7ffffffffffffffe",
}


def sheet_of(*records, status="fail", bad_pages=1):
    result = next(record for record in GOOD if record["type"] == "result")
    result = {**result, "status": status, "bad_pages": bad_pages, "seconds": 90}
    root = parsed(page.page([{"t": 1, **record} for record in (*records, result)]))
    found = root.findall(".//section[@id='seller']")
    assert (root.find(".//main").get("class") == "sheet") == bool(found), "what is printed"
    return all_text(found[0]) if found else None


def test_sheet_for_the_seller():
    kind = next(record for record in GOOD if record["type"] == "kind")
    said = sheet_of(MODULE, FAULT, kind)
    for words in (
        "Memory test for the seller: FAIL",
        "The machine has one memory module, listed below.",
        "DIMM_A1 Kingston KF-16 1A2B3C4D week 7 of 2019 16 GiB",
        "did not return what had been written, in 1 part of it",
        "Kind of fault: 1 to 4 rows (word lines), sure. Evidence: 128 lines.",
        "0x5000008 0xffffffffffffffff 0x7ffffffffffffffe 0, 63",
    ):
        assert words in said, said
    kind = {**kind, "kind": "unclear", "confidence": "possible"}
    test = {**next(r for r in GOOD if r["type"] == "test"), "faults": 42}
    said = sheet_of(MODULE, FAULT, kind, test)
    assert "42 times, memory did not return what had been written, in 1 part of it" in said
    assert "Kind of fault: not clear. Evidence: 128 lines." in said


def test_sheet_leads_with_the_module_that_was_found():
    other = {**MODULE, "slot": "DIMM_B1"}
    assert "which one was not tested." in sheet_of(MODULE, other)
    end = {
        **next(record for record in GOOD if record["type"] == "diagnosis"),
        "end": "module",
        "found": "It is that in DIMM_B1.",
        "runs": 4,
    }
    said = sheet_of(MODULE, other, end)
    assert "It is that in DIMM_B1. Found by testing with modules exchanged, in 4 runs." in said
    end |= {
        "begun": True,
        "headline": "BAD MODULE FOUND",
        "reasons": "With it in, 3 of 3. Go.",
        "remedy": "Go.",
    }
    said = sheet_of(MODULE, end, status="pass", bad_pages=0)  # its last run was without it
    for words in ("seller: BAD MODULE FOUND", "in 4 runs. With it in, 3 of 3.", "No fault: see"):
        assert words in said, said
    assert "Go." not in said
    assert not sheet_of(MODULE, end, status="error", bad_pages=0)
    assert "seller: FAIL" in sheet_of(MODULE, {**end, "end": None, "headline": "NEXT STEP"})
    assert not sheet_of(MODULE, {**end, "end": "slot"}, status="pass", bad_pages=0)
    assert "which one was not tested." not in said
    assert "which one was not tested." in sheet_of(MODULE, other, {**end, "end": None})
    assert "The machine has one memory module" in sheet_of(MODULE, {**end, "runs": 1})


def test_the_headline_of_a_search():
    step = next(record for record in GOOD if record["type"] == "diagnosis")
    result = next(record for record in GOOD if record["type"] == "result") | {"status": "pass"}
    for begun, words in ((True, "NEXT STEP. This run: no bad page found"), (False, None)):
        record = {**step, "begun": begun, "headline": "NEXT STEP"}
        said = all_text(parsed(page.page([{"t": 1, **r} for r in (record, result)])))
        assert words in said if begun else "NEXT STEP" not in said


def test_errors_of_ecc():
    ecc = {"corrected": 43, "uncorrected": 0, "with_page": 43}
    result = next(record for record in GOOD if record["type"] == "result")
    result = {**result, "status": "fail", "bad_pages": 1, "ecc": ecc}
    said = all_text(parsed(page.page([result])))
    assert said.count("ECC corrected 43 errors in 1 page") == 2, "the verdict, and the sheet"
    for key, value, words in (
        ("with_page", 3, "ECC corrected 43 errors (3 of them in 1 page)"),
        ("uncorrected", 2, "ECC corrected 43 errors, and could not correct 2"),
        ("corrected", 0, ""),
    ):
        assert outcome.ecc_errors({**result, "ecc": {**ecc, key: value}}).startswith(words)


def test_sheet_has_no_bits_of_encrypted_memory():
    machine = {**next(r for r in GOOD if r["type"] == "machine"), "encryption": "tme"}
    said = sheet_of(machine, FAULT)
    assert "0x7ffffffffffffffe" in said and "0, 63" not in said


def test_sheet_has_room_for_some():
    said = sheet_of(*[MODULE] * 10, *[FAULT] * 20)
    assert said.count("DIMM_A1") == 8 and "And 2 more." in said
    assert said.count("0x5000008") == 8


def test_sheet_only_after_faults():
    assert "error correction (ECC) corrected." in sheet_of(status="corrected", bad_pages=0)
    assert "could not correct" in sheet_of(bad_pages=0)
    assert sheet_of(status="pass", bad_pages=0) is None
