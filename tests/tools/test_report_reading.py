# SPDX-License-Identifier: MIT
"""Files for `okram report`: whole, cut off, foreign, or none at all."""

import json

import pytest

from okramlib import Trouble, reading
from tools.sample_runs import make_run
from tools.samples import GOOD, HEAD

RESULT = json.dumps({"t": 1, **GOOD[-1]})


def read(tmp_path, content):
    path = tmp_path / "run.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return reading.read(path)


def lines_of(run):
    return "".join(json.dumps(record) + "\n" for record in run)


def test_a_whole_run(tmp_path):
    run = make_run()
    found = read(tmp_path, lines_of(run))
    assert found.records == run
    assert found.problems == [] and found.notes == []


def test_line_ends_and_marks_of_other_systems(tmp_path):
    run = make_run(bandwidth=False)
    text = "\ufeff" + lines_of(run).replace("\n", "\r\n")
    assert read(tmp_path, text).records == run


def test_a_cut_line_is_named_and_the_rest_is_there(tmp_path):
    run = make_run()
    text = lines_of(run)
    end = text.index('"type": "redundancy"') + 30
    found = read(tmp_path, text[:end])
    whole = text[:end].count("\n")
    assert found.records == run[:whole]
    assert found.problems == [f"line {whole + 1}: cut off"]


def test_a_run_without_its_end(tmp_path):
    run = make_run()
    found = read(tmp_path, lines_of(run[:7]))
    assert found.records == run[:7]
    assert found.problems == ["line 7: the lines end here, before the run's result"]


def test_some_lines_of_a_run_are_no_cut_run(tmp_path):
    run = [r for r in make_run() if r["type"] == "bandwidth"]
    assert read(tmp_path, lines_of(run)).problems == []


def test_records_that_share_a_line_are_several(tmp_path):
    run = make_run(bandwidth=False)
    fault = next(record for record in run if record["type"] == "fault")
    also = {"t": [7, 8], "addr": ["0x10", "0x18"], "channel": ["channel 1"]}
    at = run.index(fault)
    found = read(tmp_path, lines_of([*run[:at], fault | {"also": also}, *run[at + 1 :]]))
    others = [{"t": 7, "addr": "0x10", "channel": "channel 1"}, {"t": 8, "addr": "0x18"}]
    faults = [fault, *(fault | other for other in others)]
    assert found.records == [*run[:at], *faults, *run[at + 1 :]]
    assert found.problems == [] and found.notes == []


BAD_SHARES = {
    "a value": ({"addr": ["0xx"]}, 'fault: addr is "0xx"'),
    "another field": ({"evil": [1]}, "fault: "),
    "another type": ({"type": ["result"]}, "fault: also is"),
    "a text": ("addr", "fault: also is"),
    "too many": ({"addr": ["0x8"] * 64}, "fault: also.addr is"),
    "itself": ({"also": [{}]}, "fault: also is"),
}


@pytest.mark.parametrize("what", BAD_SHARES)
def test_a_bad_record_among_those_of_a_line(tmp_path, what):
    also, why = BAD_SHARES[what]
    fault = next(record for record in make_run() if record["type"] == "fault")
    found = read(tmp_path, lines_of([fault | {"also": also}, *make_run()]))
    assert len(found.problems) == 1 and f"line 1: {why}" in found.problems[0]
    assert found.records == make_run()


def test_the_last_of_several_runs(tmp_path):
    first, last = make_run(seed=1), make_run(seed=2)
    found = read(tmp_path, lines_of(first + last))
    assert found.records == last
    assert "2 runs" in found.notes[0] and found.problems == []


def test_a_kept_report_begins_before_its_start(tmp_path):
    state = next({"t": 9, **record} for record in GOOD if record["type"] == "state")
    kept = [HEAD, state, *make_run()]
    assert read(tmp_path, lines_of(kept)).notes == []
    found = read(tmp_path, lines_of([*make_run(seed=1), *kept]))
    assert found.records == kept and "2 runs" in found.notes[0]
    found = read(tmp_path, lines_of([state, HEAD, state]))
    assert found.records == [HEAD, state] and "2 runs" in found.notes[0]
    assert found.problems == ["line 3: the lines end here, before the run's result"]


def test_many_bad_lines_are_summed_up(tmp_path):
    found = read(tmp_path, '{"t":1}\n' * 50 + RESULT + '\n{"t":2}\n')
    assert len(found.problems) == 10
    assert found.problems[0].startswith("line 1: unknown type null")
    assert "42 bad lines more" in found.problems[-1] and "line 52" in found.problems[-1]


@pytest.mark.parametrize(
    "content, why",
    [
        (b"", "is empty"),
        (b"\n", "line 1: no JSON"),
        (b"hello\n", "line 1: no JSON"),
        (bytes(range(256)) * 99, "line 1: no JSON"),
        (b"\xff\xfe{\x00}\x00", "line 1: no JSON"),
        (b"[" * 100_000, "line 1: no JSON: too deep"),
        (b'{"t":' + b"9" * 6000 + b"}", "line 1: no JSON: a number too long"),
        (RESULT.replace("3.5", "1e999").encode(), "line 1: result: seconds is null"),
        (RESULT.replace("3.5", "NaN").encode(), "line 1: no JSON: NaN is not a number"),
        (RESULT.replace('"passes": 1', '"passes": 18446744073709551616').encode(), "passes is out"),
        (b'{"name": "package.json"}', "unknown type null"),
    ],
)
def test_no_run_at_all(tmp_path, content, why):
    with pytest.raises(Trouble, match=why):
        read(tmp_path, content)


def test_a_count_of_64_bits_is_good(tmp_path):
    largest = RESULT.replace('"passes": 1', f'"passes": {2**63}')
    assert read(tmp_path, largest).records[0]["passes"] == 2**63


def test_a_line_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LINE_CHARS_MAX", 1000)
    found = read(tmp_path, RESULT + "\n" + "x" * 5000)
    assert len(found.records) == 1
    assert found.problems == ["line 2: longer than any line of okram; nothing was read after it"]


def test_text_that_a_terminal_would_obey(tmp_path):
    start = next(record for record in GOOD if record["type"] == "start")
    odd = {**start, "t": 1, "loader": "\x1b[2J<b>[red]\ud800\x9b", "cmdline": "two\nlines"}
    start = read(tmp_path, json.dumps(odd) + "\n" + RESULT).records[0]
    assert start["loader"] == "\ufffd[2J<b>[red]\ufffd\ufffd" and start["cmdline"] == "two\nlines"


@pytest.mark.parametrize("path", ["/nowhere/run.jsonl", "/tmp", "a\0b"])
def test_no_file(path):
    with pytest.raises(Trouble):
        reading.read(path)
