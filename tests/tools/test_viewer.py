# SPDX-License-Identifier: MIT
"""The page that draws a run from its JSON lines, in a real browser."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from okramlib import BUILD, compare, environment, measured, outcome, page, records, settings
from okramlib.tables import Table
from tools.browser import Browser, is_missing, records_of
from tools.command import okram
from tools.sample_runs import by_module, make_run
from tools.samples import GOOD, HEAD

OF_TYPE = {record["type"]: {"t": 1, **record} for record in GOOD}
WIDTHS = (390, 768, 1280)


@pytest.fixture(scope="module")
def halves():
    paths = [BUILD / "viewer" / name for name in ("head.html", "end.html")]
    environment.need_built(*paths)
    return [path.read_text() for path in paths]


@pytest.fixture(scope="module")
def browser():
    """One start for all tests of the file."""
    if is_missing():
        pytest.skip("Ubuntu has no package of Chromium: put a chromedriver into the PATH")
    made = Browser()
    yield made
    made.close()


@pytest.fixture
def draw(browser, halves, tmp_path):
    """Opens the page of records, or of lines of text. It must not complain, and draw every part."""
    path = tmp_path / "page.html"

    def draw(records, *, whole=True, **options):
        lines = (one if isinstance(one, str) else json.dumps(one) for one in records)
        text = "".join(f"{line}\n" for line in lines)
        text = text.replace("<", "\\u003c").replace("&", "\\u0026")
        path.write_text(halves[0] + text + halves[1])
        browser.open(path, **options)
        assert browser.errors() == []
        assert not whole or browser.text("p.error") == ""
        return browser

    return draw


def rows_of(browser, caption):
    """The texts of the cells of the table of that caption."""
    return browser.run(
        "return [...document.querySelectorAll('table')].filter(t => t.caption?.textContent"
        ".startsWith(arguments[0])).slice(0, 1).flatMap(t => [...t.tBodies[0].rows].map(r =>"
        " [...r.cells].map(c => c.textContent)))",
        caption,
    )


def run_of(*records, **result):
    return [OF_TYPE["start"], OF_TYPE["machine"], *records, {**OF_TYPE["result"], **result}]


def many_faults(n):
    return [
        {**OF_TYPE["fault"], "addr": f"{(i * 7919 % n) << 13 | 1 << 30:#x}", "cpu": i % 8}
        for i in range(n)
    ]


def modules(n):
    return [{**OF_TYPE["module"], "slot": f"DIMM_{i}", "serial": f"{i:08X}"} for i in range(n)]


# --- the two halves -------------------------------------------------------------------------------


def test_the_policy_names_the_only_style_and_script(halves):
    html = "".join(halves)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    assert html.index(policy) < html.index("<style>")
    found = re.findall(r"<(style|script)>(.*?)</(?:style|script)>", html, re.S)
    assert [name for name, _ in found] == ["style", "script"]
    for name, content in found:
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.search(r"<[^>]* (style|on[a-z]+)=", html)
    without = html.replace(policy, "").replace("http-equiv", "").replace("w3.org/2000/svg", "")
    for name in ("url(", "@import", "<link", "<img", "src=", "fetch(", "innerHTML", "eval("):
        assert name not in without
    assert halves[0].endswith('<pre id="records">\n') and halves[1].startswith("</pre>\n")


def test_its_size(halves):
    """It is in the loader, and once in each file on a stick."""
    assert sum(map(len, halves)) < 80_000


def test_its_types_and_words_are_those_of_the_schema(halves):
    assert f"KNOWN = new Set({json.dumps(list(records.checkers()))})" in halves[1]
    for kind, name in (("result", "status"), ("result", "reason"), ("kind", "kind")):
        assert json.dumps(records.words(kind, name)) in halves[1]


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "result, heading, sentence",
    [
        ({"status": "fail"}, "FAIL", "bad pages found after 1 pass, 3.5 s; 1 B tested"),
        ({"status": "pass", "bad_pages": 0}, "PASS", "no bad page found after"),
        ({"status": "pass", "complete": False}, "INCOMPLETE", "less than 99 % of the selected"),
        ({"status": "corrected", "bad_pages": 0}, "ERRORS CORRECTED", "but ECC corrected errors"),
        ({"status": "stopped", "bad_pages": 0}, "STOPPED", "stopped before a whole pass"),
        ({"status": "error", "reason": "own-memory"}, "ERROR", "memory that okram itself needs"),
        ({"status": "new"}, "new", "new after 1 pass"),
        (
            {"ecc": {"corrected": 43, "uncorrected": 0, "with_page": 43}},
            "FAIL",
            "ECC corrected 43 errors in 1 page after",
        ),
        (
            {"status": "pass", "bad_pages": 0, "part_of_bytes": 4},
            "PASS",
            "no bad page found in the part tested, 1 B of 4 B,",
        ),
        (
            {
                "status": "pass",
                "complete": False,
                "unseen": {
                    "modules": 2,
                    "of": 4,
                    "at_least": True,
                    "may_be_mirrored": True,
                    "missing_bytes": 1,
                    "installed_bytes": 2,
                    "addresses": ["0x50", "0x51"],
                },
            },
            "INCOMPLETE",
            "at least 2 of 4 modules are not seen: those at SMBus addresses 0x50 and 0x51, or"
            " memory is mirrored,",
        ),
    ],
)
def test_verdict(draw, result, heading, sentence):
    browser = draw(run_of(OF_TYPE["advice"], **result))
    assert browser.text(".verdict b") == heading and sentence in browser.text(".verdict")
    assert "What to do next: The only module is bad. Replace it." in browser.text(".advice")


@pytest.mark.parametrize("begun", [True, False])
def test_the_headline_of_a_search(draw, begun):
    step = {**OF_TYPE["diagnosis"], "begun": begun, "headline": "NEXT STEP"}
    browser = draw(run_of(step, status="pass", bad_pages=0))
    assert browser.text(".verdict b") == ("NEXT STEP" if begun else "PASS")
    assert ("This run: no bad page found" in browser.text(".verdict")) == begun
    assert "tests=mats+ passes=8 diagnosis=4c0a-13xy-5" in browser.text("#verdict")


def test_the_headline_of_a_pass_that_does_not_count_most(draw):
    advice = {**OF_TYPE["advice"], "case": "starts", "headline": "BAD STARTS"}
    browser = draw(run_of(advice, status="pass", bad_pages=0))
    assert browser.text(".verdict b") == "BAD STARTS"
    assert "This run: no bad page found" in browser.text(".verdict")


@pytest.mark.parametrize(
    "records, sentence",
    [
        ([OF_TYPE["state"], OF_TYPE["start"]], "did not finish: test march-c-, pass 1, 1 B tested"),
        ([{**OF_TYPE["state"], "status": "fail"}], "ended with the status fail; march-c- ran last"),
        ([OF_TYPE["start"]], "The lines end before the run's result"),
        ([], "The lines end before the run's result"),
    ],
)
def test_a_run_without_a_result(draw, records, sentence):
    browser = draw(records)
    assert browser.text(".verdict b") == "DID NOT FINISH" and sentence in browser.text(".verdict")


@pytest.mark.parametrize("head", [{}, {"hmac": "5" * 64}])
def test_whether_it_is_signed(draw, head):
    """The key is in the machine: a page cannot check it."""
    browser = draw([{**HEAD, **head}, OF_TYPE["state"], *run_of()])
    assert ("signed, not checked" in browser.text("#verdict")) == bool(head)


def test_half_a_file_and_damaged_lines(draw):
    lines = [json.dumps(record) for record in run_of(*many_faults(5))]
    browser = draw([*lines[:5], "Rubbish", "[1]", lines[5][:40]])
    assert browser.text(".verdict b") == "DID NOT FINISH"
    said = browser.text(".warnings")
    assert (
        "3 lines are damaged and not used: line 6: no JSON, or cut off; line 7: no record" in said
    )
    assert len(rows_of(browser, "Faults")) == 3 and "Rubbish" in browser.text("#raw")


# --- what it draws --------------------------------------------------------------------------------


def test_a_record_of_each_type(draw):
    browser = draw([{"t": 1, **record} for record in GOOD])
    said = browser.text("#page")
    for words in (
        "ACME X1, started on 2026-11-22 13:14:34",
        "Machine: ACME X1, board ACME B1 3, UUID 00112233-4455-6677-8899-aabbccddeeff.",
        "Run 0123456789abcdef0123456789abcdef, begun 2026-11-24 13:14:34.",
        "Kind of fault, sure: 1 to 4 rows (word lines) (128 lines).",
        "a square: 300 tested, 2 not tested, 1 left out, 4 okram, 1 bad.",
        "DIMM_A1: the CRC of type, size and speed is wrong.",
        "3 of 8 times",
        "0x3040",
    ):
        assert words in said, words
    assert rows_of(browser, "Not tested") == [["4 KiB", "0x0", "0x1000", "firmware"]]
    assert [row[0] for row in rows_of(browser, "Temperatures")] == ["start", "start"]
    assert rows_of(browser, "All bad pages")[0] == ["0x1000", "0x3000", "2"]
    assert browser.text("#unknown") == ""


def test_all_faults_by_any_column(draw):
    faults = many_faults(1000)
    browser = draw(run_of(*faults, {**OF_TYPE["test"], "faults": 1500}))
    assert [row[0] for row in rows_of(browser, "Faults")] == [fault["addr"] for fault in faults]
    assert "500 faults more were counted, not recorded." in browser.text("#faults")
    click = "document.querySelectorAll('#faults th button')[arguments[0]].click()"
    browser.run(click, 0)
    addresses = [int(row[0], 16) for row in rows_of(browser, "Faults")]
    assert addresses == sorted(addresses) and len(set(addresses)) == 1000
    browser.run(click, 0)
    assert [int(row[0], 16) for row in rows_of(browser, "Faults")] == addresses[::-1]
    browser.run(click, 6)
    assert [row[6] for row in rows_of(browser, "Faults")] == [
        str(cpu) for cpu in range(8) for _ in range(125)
    ]


def test_numbers_of_64_bits(draw):
    fault = {**OF_TYPE["fault"], "expected": "0xffffffffffffffff", "found": "0x7ffffffffffffffe"}
    test = '{"t":1,"type":"test","pass":1,"test":"a","seconds":1,"swept_bytes":2,"faults":1,'
    browser = draw([*run_of(fault), test + '"seed":18446744073709551615}'])
    assert rows_of(browser, "Faults")[0][3] == "0, 63"
    assert rows_of(browser, "Tests")[0][6] == "18446744073709551615"


def test_records_that_stand_for_several(draw):
    whole = {**OF_TYPE["fault"], "also": {"addr": ["0x10", "0x18"], "cpu": [3]}}
    found = rows_of(draw(run_of(whole)), "Faults")
    assert [(row[0], row[6]) for row in found] == [("0x1008", "0"), ("0x10", "3"), ("0x18", "0")]


@pytest.mark.parametrize("names", [("foreign", "apart"), ("external", "unpaired")])
def test_old_names_and_today_s(draw, names):
    change = {**OF_TYPE["external"], "type": names[0]}
    browser = draw(run_of(change, **{names[1]: [{"base": "0x1000", "end": "0x3000"}]}))
    assert rows_of(browser, "Pages that others") == [["0x7000", "1", "1.0 s", "address"]]
    assert rows_of(browser, "Tested, but never") == [["8 KiB", "0x1000", "0x3000"]]


def test_records_that_it_does_not_know(draw):
    browser = draw(run_of({"t": 1, "type": "later", "found": {"<b>": 1}}))
    assert '"found":{"<b>":1}' in browser.text("#unknown pre")


def test_no_bits_of_encrypted_memory(draw):
    machine = {**OF_TYPE["machine"], "encryption": "tme"}
    browser = draw([machine, OF_TYPE["fault"], OF_TYPE["result"]])
    assert "wrong bits" not in browser.text("#faults") and "encrypted" in browser.text("#faults")


def test_the_last_of_two_runs(draw):
    browser = draw([*run_of(), *run_of(status="pass", bad_pages=0)])
    assert browser.text(".verdict b") == "PASS" and "2 runs in it" in browser.text(".warnings")


def test_the_picture_of_ram(draw):
    browser = draw(run_of(OF_TYPE["picture"]))
    cells = browser.run("return [...document.querySelectorAll('.ram i')].map(e => e.className)")
    assert cells == [f"cell {letter}" for letter in [*"t" * 300, *"ooooX-", *".."]]
    assert "not one that okram makes" in draw(
        run_of({**OF_TYPE["picture"], "nodes": [{"node": 0, "cells": "99999999999t"}]})
    ).text("#picture")


def figures_of(browser):
    """Of each module: its lines, and how many places are marked."""
    return browser.run(
        "return [...document.querySelectorAll('.dimms figure')].map(f => [[...f.querySelectorAll("
        "'b, div')].map(e => e.textContent), f.querySelectorAll('rect').length])"
    )


def test_faults_by_module(draw):
    browser = draw(run_of(*by_module("-x", words=(5,))))
    good, bad = figures_of(browser)
    assert good == [["channel 0, module 0", "16 GiB", "no fault"], 0]
    lines = ["DIMM_A2", "16 GiB, CMK16GX4M2B3200C16", "serial 00000001", "5 faulty words"]
    assert bad == [lines, 5]
    said = browser.text("#by-module")
    assert (
        "Faults are in 1 of 2 modules, by the memory controller's registers, which timing" in said
    )
    assert rows_of(browser, "Faults recorded")[0][8].startswith("channel 0, module 1, rank")
    assert "the only module" in draw(run_of(*by_module("x"))).text("#by-module")
    both = draw(run_of(*by_module("xx", equal=True)))
    assert "Faults are in both modules" in both.text("#by-module")
    assert [lines[0] for lines, _ in figures_of(both)] == [f"channel 0, module {i}" for i in (0, 1)]
    eight = figures_of(draw(run_of(*by_module("-x--x---", words=(7, 2)))))
    assert [marks for _, marks in eight] == [0, 7, 0, 0, 2, 0, 0, 0]
    controller, *others = by_module("-x")
    at = {"channel": 0, "dimm": 0, "slot": "DIMM_A1", "bank": "BANK 0"}
    browser = draw(run_of({**controller, "slots": [at]}, *others))
    assert [lines[0] for lines, _ in figures_of(browser)] == ["DIMM_A1", "DIMM_A2"]
    *others, kind = by_module("xx-")  # it is not known which module of channel 0 it is
    kind["modules"] = [{**kind["modules"][0], "dimm": 2, "slot": None, "serial": None}]
    browser = draw(run_of(*others, kind))
    assert "Faults are in 1 of 3 modules" in browser.text("#by-module")
    assert [lines[0] for lines, _ in figures_of(browser)] == ["channel 1, module 0", "channel 0"]
    assert draw(run_of(*many_faults(3), OF_TYPE["kind"])).text("#by-module") == ""


def test_maps_and_curves_of_nodes(draw):
    browser = draw(make_run(nodes=2))
    maps = browser.run(
        "return [...document.querySelectorAll('.map')].map(t => [t.caption.textContent,"
        " [...t.querySelectorAll('.heat')].map(c => Number(c.className.at(-1)))])"
    )
    read = dict(maps)["read, all 8 CPUs of a node"]
    assert len(maps) == 13 and read[0] == read[3] == 6 and read[1] < 6 and read[2] < 6
    pictures = browser.run(
        "return [...document.querySelectorAll('.chart')].map(c => [c.querySelector('title')"
        ".textContent, c.querySelector('desc').textContent, c.querySelectorAll('.dot').length,"
        " c.querySelectorAll('.spread').length, c.querySelectorAll('.mark').length])"
    )
    kept = {title: (points, bars, marks) for title, _, points, bars, marks in pictures}
    assert kept["Scaling of triad"] == (32, 32, 0) and kept["Latency over size"][2] == 3
    assert all(re.search(r"\d", text) for _, text, *_ in pictures)
    assert "NaN" not in browser.run("return document.getElementById('page').innerHTML")


def test_loaded_latency_of_each_pair_of_nodes(draw):
    """A plot each, of a curve for each mix; those beyond the fourth are folded."""
    run = make_run(nodes=3)
    first = [r for r in run if "mix" in r]
    at = run.index(first[-1]) + 1
    pairs = [{"cpu_node": cpu, "mem_node": mem} for cpu in range(3) for mem in range(3)]
    run[at:at] = [r | pair for pair in pairs[1:] for r in first]
    plots = draw(run).run(
        "return [...document.querySelectorAll('#loaded .chart')].map(c => [c.querySelector('title')"
        ".textContent, c.querySelectorAll('.dot').length, c.closest('details') !== null])"
    )
    names = [f"Loaded latency, node {pair['cpu_node']} to {pair['mem_node']}" for pair in pairs]
    assert plots == [[name, len(first), at > 3] for at, name in enumerate(names)]


def test_heat_over_time(draw):
    """Three curves; what a doubted sensor says is not drawn."""

    def at(t, when, now, doubt=None, faults=0):
        degrees = {"start": 40, "now": now, "highest": 97, "doubt": doubt}
        module = {"address": "0x50", "slot": "DIMM_A1", **degrees}
        limits = {"module_max": 95, "cpu_max": 100, "governs": "module"}
        more = {"faults": faults, "mb_s": 100.0 * t, "pauses": 2, "paused_s": 61.5, **limits}
        return {**OF_TYPE["temperature"], "t": t, "when": when, "modules": [module], **more}

    points = [at(1, "start", 40), at(9, "fault", 96, faults=3), at(20, "sample", 127, "jumps", 14)]
    browser = draw(run_of(*points, {**OF_TYPE["fault"], "module_temperature": 96.25}))
    assert "95 °C of a module, 100 °C of the CPU. 2 pauses, 1:01 in all." in browser.text("#heat p")
    titles = browser.text("#heat figcaption")
    assert titles == "Temperature over time Speed over time Faults over time"
    found = browser.text("#heat svg title")
    assert "9.0 s: 96" in found and "20 s: 2000" in found and "127" not in found
    assert "96.25" in browser.text("#faults table")
    rows = [row[:3] for row in rows_of(browser, "Temperatures")]
    assert ["first faults", "DIMM_A1", "96.0"] in rows and "sample" not in str(rows)
    assert draw(run_of(points[0])).text("#heat") == ""
    never = {**points[0]["modules"][0], "now": None, "highest": None, "doubt": "jumps"}
    browser = draw(run_of(*points, {**at(30, "end", 40), "modules": [never]}))
    assert ["end", "DIMM_A1", "? (jumps)", "?"] in rows_of(browser, "Temperatures")
    for point in points:
        del point["paused_s"]  # of okram before it counted pauses
    text = draw(run_of(*points)).text("#heat p")
    assert "100 °C of the CPU." in text and "NaN" not in text


def test_the_most_important_numbers(draw):
    browser = draw(make_run())
    tiles = browser.run("return [...document.querySelectorAll('.tiles div')].map(e =>"
                        " [...e.children].map(c => c.textContent))")  # fmt: skip
    facts = {name: (value, *more) for name, value, *more in tiles}
    value, more = facts["idle latency, local memory"]
    assert value.endswith(" ns") and more == "over 4 nodes"
    assert float(facts["triad of a node, local memory"][0].split()[0]) > 80
    assert "32 CPUs" in facts["triad, all CPUs, local memory"][1]
    assert facts["local bandwidth under load"][0].startswith("-3")
    assert draw(make_run(bandwidth=False)).text(".tiles") == ""


@pytest.mark.parametrize("number", [0, -5.0, 2**64 - 1, 5e-324])
def test_measurements_of_any_number(draw, number):
    def changed(value):
        if isinstance(value, dict):
            return {name: changed(one) for name, one in value.items()}
        return number if isinstance(value, float) else value

    browser = draw([{"t": 1, **changed(record)} for record in make_run(nodes=2)], whole=False)
    page = browser.run("return document.getElementById('page').outerHTML")
    assert re.findall(".{30}(?:NaN|Infinity|DID NOT)", page) == []


# --- lines to copy --------------------------------------------------------------------------------


def lines_of(browser):
    return browser.run("return [...document.querySelectorAll('.line')].map(e => e.textContent)")


def test_lines_to_paste(draw):
    browser = draw(run_of(OF_TYPE["badram"], OF_TYPE["line"]))
    pairs = "0x1000,0xffffffffff000"
    lines = [f'GRUB_BADRAM="{pairs}"', f"badram={pairs}", "memmap=4K%0x1000-1+5"]
    assert lines_of(browser) == lines
    browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite"])
    browser.run("document.querySelectorAll('.copied button')[0].click()")
    assert browser.run("return new Promise(r => setTimeout(r, 50)).then(() => "
                       "document.querySelector('.copied button').textContent)") in (
        "copied", "selected: press Ctrl-C",
    )  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "badram=0x1000,0xffffffffff000;reboot",
        "badram=0x2000,0xffffffffff000",
        'badram=0x1000,0xffffffffff000"\nGRUB_CMDLINE_LINUX="init=/bin/sh',
        "",
    ],
)
def test_a_badram_line_that_is_not_that_of_its_patterns(draw, line):
    browser = draw(run_of({**OF_TYPE["badram"], "line": line}), whole=False)
    assert lines_of(browser) == [] and "not that of its patterns" in browser.text(".warnings")


def test_patterns_that_are_no_addresses(draw):
    bad = {**OF_TYPE["badram"], "patterns": [["$(reboot)", "1"]], "line": "badram=$(reboot),1"}
    assert lines_of(draw(run_of(bad), whole=False)) == []


@pytest.mark.parametrize(
    "name, text",
    [
        ("grub-default", 'GRUB_BADRAM="0x1000,0xffffffffff000"\nGRUB_CMDLINE_LINUX="init=/x"'),
        ("grub-default", 'GRUB_BADRAM="$(reboot)"'),
        ("memmap", "memmap=4K%0x1000-1+5 init=/x"),
        ("windows", "bcdedit /set {badmemory} badmemorylist 0x1 & del /q *"),
        ("lilo", "anything"),
        ("__proto__", "anything"),
    ],
)
def test_a_line_for_another_system_of_another_form(draw, name, text):
    browser = draw(run_of({**OF_TYPE["line"], "name": name, "text": text}), whole=False)
    assert lines_of(browser) == [] and "is not shown" in browser.text("#lines .error")


def test_all_lines_of_this_version_are_shown(draw):
    ran = okram("badram", "--to", "all", "--json", input="0x5000000\n0x6000000-0x6003000\n0x0\n")
    made = json.loads(ran.stdout)
    lines = [{"t": 1, "type": "line", **line} for line in made["lines"]]
    shown = lines_of(draw(run_of({"t": 1, "type": "badram", **made}, *lines)))
    assert shown[0] == made["line"] and len(lines) == 11
    assert shown[1:] == [line["text"] for line in lines if line["text"]]


# --- records that were made to harm ---------------------------------------------------------------

HOSTILE = (
    "</pre></script></style></title><script>document.title='owned'</script>",
    "--><img src=x onerror=\"document.title='owned'\"><!--",
    "\"'`&lt;&#60;&amp; ${document.title='owned'} javascript:1",
    "\x00\x1b[2J\r\x07\u202e\u2066\u2028\ufeff\ufffe",
    "\ud800 \udc00\ud800",
    "__proto__",
    "x" * (1 << 17),
)


def spoiled(value, text):
    """The same with this text for all texts that are not of a set of okram's."""
    if isinstance(value, dict):
        kept = ("type", "status", "when", "op", "order", "load", "mix", "line", "name", "cells")
        return {
            key: one if key in kept or ADDRESS.fullmatch(str(one)) else spoiled(one, text)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [one if ADDRESS.fullmatch(str(one)) else spoiled(one, text) for one in value]
    return text if isinstance(value, str) else value


ADDRESS = re.compile("0x[0-9a-f]+")
SHAPE = "return [...document.querySelectorAll('#page *')].map(e => e.tagName).join(' ')"


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_hostile_text_stays_text(draw, text):
    shapes = []
    for words in ("harmless words", text):
        some = GOOD if len(text) < 1000 else [OF_TYPE["machine"], OF_TYPE["fault"]]
        changed = [spoiled({"t": 1, **record}, words) for record in some]
        if words != text:
            words = json.dumps(changed[0])
        browser = draw([*changed, {"t": 1, "type": words, "x": words}], whole=False)
        shapes.append(re.sub("( PRE)+", " PRE", browser.run(SHAPE)))
        assert browser.run("return document.title").startswith("okram: ")
        assert browser.run("return document.querySelectorAll('script, img, iframe').length") == 1
        assert browser.run("return document.documentElement.scrollWidth") <= 1280
    assert shapes[0] == shapes[1]
    shown = browser.run("return document.getElementById('page').textContent")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066\u2028\ufeff\ufffe]", shown)


def test_hostile_names_of_fields(draw):
    text = '{"t":1,"type":"fault","__proto__":{"addr":"owned"},"constructor":1,"toString":null}'
    proto = '{"t":1,"type":"__proto__","a":1}'
    browser = draw([*run_of(), text, proto], whole=False)
    assert browser.run("return ({}).addr === undefined")
    assert browser.text(".verdict b") == "FAIL" and "“__proto__”" in browser.text("#unknown")


def test_values_of_other_kinds(draw):
    """Each part is drawn, or says that it cannot be; none keeps the others from it."""
    for value in (None, 5, "x", [], {}, [[1]], True):
        changed = [
            {"type": record["type"], **dict.fromkeys(set(record) - {"type"}, value)}
            for record in GOOD
        ]
        browser = draw(changed, whole=False)
        assert browser.run("return document.querySelectorAll('#raw pre').length") == 1


# --- phones, paper, no script ---------------------------------------------------------------------


@pytest.mark.parametrize("width, dark", [(390, True), (768, False), (1280, True)])
def test_fits_its_window(draw, width, dark):
    run = make_run(nodes=4)
    run[-1:-1] = [*many_faults(60), *modules(8), OF_TYPE["picture"], OF_TYPE["identity"]]
    browser = draw(run, width=width, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    colour = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", colour))) < 200) == dark


def pages(pdf):
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf))


def test_the_sheet_for_the_seller_is_one_page(draw):
    long = "The module in DIMM_7 (Corsair, CMK16GX4M2B3200C16, serial number 00000007). " * 4
    end = {**OF_TYPE["diagnosis"], "end": "module", "found": long, "reasons": long, "runs": 4}
    run = run_of(*modules(8), *many_faults(60), OF_TYPE["kind"], OF_TYPE["identity"], end)
    browser = draw([OF_TYPE["state"], *run, OF_TYPE["test"]])
    assert pages(browser.printed()) == 1 and len(rows_of(browser, "Memory modules")) == 8
    assert pages(draw(run_of(*many_faults(60), status="stopped")).printed()) > 1
    by = list(by_module("xxxxxxxx", words=(9,)))
    assert pages(draw([OF_TYPE["state"], *run_of(*by, OF_TYPE["identity"])]).printed()) == 1


MODULE = {**OF_TYPE["module"], "maker": "Kingston", "part": "KF-16", "serial": "1A2B3C4D"}
FAULT = {**OF_TYPE["fault"], "expected": "0xffffffffffffffff", "found": "0x7ffffffffffffffe"}


def sheet_of(draw, *records, **result):
    browser = draw(run_of(*records, **result))
    is_printed = browser.run("return document.getElementById('page').className === 'sheet'")
    said = browser.text("#seller")
    assert is_printed == bool(said)
    return said


def test_sheet_for_the_seller(draw):
    test = {**OF_TYPE["test"], "faults": 42}
    said = sheet_of(draw, MODULE, FAULT, OF_TYPE["kind"], test)
    for words in (
        "Memory test for the seller: FAIL",
        "The machine has one memory module, listed below.",
        "DIMM_A1KingstonKF-161A2B3C4Dweek 12 of 20198 GiB",
        "42 times, memory did not return what had been written, in 1 part of it",
        "Kind of fault: 1 to 4 rows (word lines), sure. Evidence: 128 lines.",
        "0x10080xffffffffffffffff0x7ffffffffffffffe0, 63",
    ):
        assert words in said, said
    assert "which one was not tested." in sheet_of(draw, MODULE, {**MODULE, "slot": "B"})
    named = sheet_of(draw, *by_module("-x"))
    assert "All 12 faulty words are in DIMM_A2: 16 GiB; by the memory controller" in named
    assert "0DIMM_A1Corsair" in named and "12DIMM_A2Corsair" in named
    assert "more likely bad than all" in sheet_of(draw, *by_module("xx", equal=True))
    assert "Faults are in 3 of 4 modules, by" in sheet_of(draw, *by_module("xx-x"))
    assert sheet_of(draw, MODULE, status="pass", bad_pages=0) == ""
    ecc = {"corrected": 43, "uncorrected": 0, "with_page": 43}
    assert "ECC corrected 43 errors in 1 page. Good memory" in sheet_of(draw, MODULE, ecc=ecc)


def test_sheet_leads_with_the_module_that_was_found(draw):
    end = {
        **OF_TYPE["diagnosis"],
        "begun": True,
        "end": "module",
        "found": "It is that in DIMM_B1.",
        "headline": "BAD MODULE FOUND",
        "reasons": "With it in, 3 of 3. Go.",
        "remedy": "Go.",
        "runs": 4,
    }
    said = sheet_of(draw, MODULE, end, status="pass", bad_pages=0)  # its last run was without it
    for words in ("seller: BAD MODULE FOUND", "in 4 runs. With it in, 3 of 3.", "No fault: see"):
        assert words in said, said
    assert "Go." not in said
    assert sheet_of(draw, MODULE, end, status="error", bad_pages=0) == ""
    assert sheet_of(draw, MODULE, {**end, "end": "slot"}, status="pass", bad_pages=0) == ""
    assert "The machine has one memory module" in sheet_of(draw, MODULE, {**end, "runs": 1})


def test_without_script_the_records_are_readable(draw):
    browser = draw(run_of(OF_TYPE["advice"]), script=False)
    shown = browser.cdp("Accessibility.getFullAXTree")["nodes"]
    said = " ".join(str(node.get("name", {}).get("value")) for node in shown)
    assert '"text": "The only module is bad. Replace it."' in said and "Its records are:" in said


# --- the host's pages -----------------------------------------------------------------------------


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page that the host has made."""
    path = tmp_path / "page.html"

    def opened(html, **options):
        path.write_text(html)
        browser.open(path, **options)
        assert browser.errors() == [] and browser.text("p.error") == ""
        return browser

    return opened


def test_the_host_s_page_of_a_run(opened):
    run = make_run(nodes=2)
    html = page.run(run, ["line 7: cut off"], "a </pre>.jsonl")
    assert records_of(html)[1:] == run and html.count("</pre>") == 1
    browser = opened(html)
    assert browser.text(".verdict b") == "FAIL"
    assert "In the file: line 7: cut off." in browser.text(".warnings")


@pytest.mark.parametrize("width", WIDTHS)
def test_two_runs_compared(opened, width):
    runs = [make_run(seed=1), make_run(seed=2, nodes=2, faster={"read": 1.3})]
    types = [measured.by_type(run) for run in runs]
    names = ("a <b>.jsonl", "b.jsonl")
    tables = list(compare.tables(types, names))
    summary = compare.summary(*types)
    named = [*zip(names, runs, strict=True)]
    html = page.comparison(summary, ["rule"], tables, named, ["b.jsonl: line 3: cut off"])
    browser = opened(html, width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    said = browser.text("#verdict")
    assert summary in said and "In the file b.jsonl: line 3: cut off." in said
    assert [row[:2] for row in rows_of(browser, "Results")] == [[name, "FAIL"] for name in names]
    titles = browser.run("return [...document.querySelectorAll('.chart title')].map(e =>"
                         " e.textContent).filter(t => t.includes('both'))")  # fmt: skip
    assert titles == [
        "Scaling of triad in both runs",
        "Scaling of read in both runs",
        "Latency over size in both runs",
    ]
    higher = browser.run("return [...document.querySelectorAll('td.search')].map(e =>"
                         " e.textContent)")  # fmt: skip
    known = [row.significant() for row in compare.rows(*types)]
    assert higher == [one for one in known if one.startswith("yes")] and higher
    assert browser.text("h2").startswith("What is compared Scaling with CPUs Idle latency Caches")


@pytest.mark.parametrize("width", WIDTHS)
def test_settings_compared(opened, width):
    """The host's numbers."""
    rates = [(0, 4), (5, 1), (30, 1)]
    runs = []
    for n, (errors, tb) in enumerate(rates):
        rate = {"errors": errors, "moved_bytes": tb * 10**12, "per_tb": errors / tb}
        rate |= {"low": errors / 2, "high": errors * 2 + 3.0, "first_s": 7}
        one = {**OF_TYPE["module"], "configured_mt_s": 6000 + 200 * n, "running": None}
        starts = {"type": "cycles", "t": 1, "wanted": 20, "starts": 20, "with_errors": n}
        starts |= {"low": 0.01, "high": 0.3, "lost": 0, "late": 0, "dropped": 0, "cold": False}
        runs.append(run_of(one, starts, stability=rate))
    types = [measured.by_type(run) for run in runs]
    tables = list(compare.tables(types, "xyz"))
    named = [*zip("xyz", runs, strict=True)]
    browser = opened(page.comparison(compare.summary(*types), [], tables, named), width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    shown = [" ".join(row) for row in browser.run(
        "return [...document.querySelectorAll('tr')].map(r => [...r.cells].map(c => c.textContent))"
    )]  # fmt: skip
    for table in tables[1:]:
        assert all(" ".join(row) in shown for row in table.rows)
    assert [table.title for table in tables[1:]] == ["Errors by settings", "Starts by settings"]


def test_a_fleet(opened):
    made = Table("Modules <b>", ("<part", "bad"), [["X & Y", "3"], ["Z", "1"]], ("a note",))
    groups = [["X & Y", [[30.0, "3 of 10", "hint"]]], ["Z", [[10.0, "1 of 10", ""]]]]
    bars = {"title": "share", "names": ["share"], "unit": "%", "groups": groups}
    browser = opened(page.fleet("okram: the fleet", [page.table(made, bars), page.table(made)]))
    assert browser.run("return document.title") == "okram: the fleet"
    assert browser.text("h1") == "okram: the fleet" and browser.text("h2").count("Modules <b>") == 2
    assert browser.text("#table-1 tbody") == "X & Y3Z1" and "a note" in browser.text("#table-0")
    widths = "return [...document.querySelectorAll('#table-0 .bars rect')].map(e => e.getAttribute"
    assert browser.run(f"{widths}('width'))") == ["100", "33.333333333333336"]


@pytest.mark.parametrize(
    ("rate", "says"),
    [
        (
            {"errors": 3, "per_tb": 2.5, "low": 0.516, "high": 7.306, "first_s": 95},
            "3 errors in 1.20 TB: 2.50 per TB (0.516 to 7.31, 95 %), the first after 1:35.",
        ),
        (
            {"errors": 0, "per_tb": 0, "low": 0, "high": 2.4964, "first_s": None},
            "no error in 1.20 TB: fewer than 1 in 401 GB (95 %, one-sided).",
        ),
        (
            {"errors": 5, "per_tb": 4.1667, "low": 1.353, "high": 9.724, "first_s": None},
            "5 errors in 1.20 TB: 4.17 per TB (1.35 to 9.72, 95 %).",
        ),
    ],
)
def test_how_often_memory_failed(draw, rate, says):
    browser = draw(run_of(stability={"moved_bytes": 12 * 10**11, **rate}))
    assert f"Stability: {says}" in browser.text("#tests")


@pytest.mark.parametrize(("tries", "failed"), [(8, 8), (4, 4), (8, 7), (3, 3)])
def test_a_page_that_is_always_bad_has_no_rate(draw, tries, failed):
    """As the host says."""
    again = {"type": "retest", "t": 1, "page": "0x1000", "tries": tries, "failed": failed}
    rate = {"errors": 18, "per_tb": 55925, "low": 33671, "high": 87334, "first_s": 95}
    run = run_of(again, stability={"moved_bytes": 340 * 10**6, **rate})
    said = outcome.stability(measured.by_type(run))
    assert said in draw(run).text("#tests")
    assert ("but no rate" in said) == (tries == failed >= 4)


@pytest.mark.parametrize(
    ("with_errors", "low", "high"), [(0, 0, 0.15), (3, 0.03, 0.4), (18, 0.8, 1)]
)
def test_the_limits_of_starts(draw, with_errors, low, high):
    """As the host says."""
    found = {"type": "cycles", "t": 1, "wanted": 20, "starts": 18, "with_errors": with_errors}
    found |= {"low": low, "high": high, "lost": 0, "late": 0, "dropped": 0, "cold": False}
    said = outcome.starts({"cycles": [found]})
    assert said in draw(run_of(found)).text("#tests")


@pytest.mark.parametrize("cause", ["memory", "cpu", "both", "open"])
def test_whether_memory_or_a_cpu_is_at_fault(draw, cause):
    """As the host says."""
    about = {"cause_percent": 60, "cause_cpu": 3, "cause_core": 1, "cause_evidence": "9 faults"}
    kind = {**OF_TYPE["kind"], "cause": cause, **about}
    (said,) = [one for one in outcome.fault_kind({"kind": [kind]}) if one.startswith("At fault")]
    assert said in draw(run_of(kind)).text("#verdict")


def test_settings_are_the_runs_name(draw):
    run = run_of(OF_TYPE["module"], stability={"errors": 0, "moved_bytes": 10**12, "per_tb": 0,
                 "low": 0, "high": 3.0, "first_s": None})  # fmt: skip
    name = settings.name(measured.by_type(run))
    assert "MT/s" in name
    assert f"Stability at {name}: no error in 1.00 TB" in draw(run).text("#tests")
