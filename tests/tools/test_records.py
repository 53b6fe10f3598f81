# SPDX-License-Identifier: MIT
import json
import sys
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator, meta

from okramlib import ROOT, reading, records
from okramlib.records import SCHEMA, BadLine, checkers, definitions, parse
from tools.sample_runs import make_run
from tools.samples import GOOD, HEAD

OF_DEBIAN = Path("/usr/lib/python3/dist-packages")  # with its python3-jsonschema


@pytest.fixture(params=["jsonschema-rs", "jsonschema"], autouse=True)
def checked_by(request, monkeypatch):
    """The same, whichever of the two is there; orjson is where the first one is."""
    if request.param == "jsonschema":
        monkeypatch.setattr(records, "orjson", None)
        if not (OF_DEBIAN / "jsonschema").exists():
            pytest.skip("python3-jsonschema is not installed: run `tools/setup check`")
        monkeypatch.setattr(sys, "path", [*sys.path, str(OF_DEBIAN)])
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    checkers.cache_clear()
    yield request.param
    checkers.cache_clear()


def line(record, **changes):
    return json.dumps({"t": 1.25, **record, **changes})


def test_the_schema_is_a_schema():
    meta.validate(json.loads(SCHEMA.read_text()))


def test_other_programs_read_it_whole():
    """By the schema itself, without the choice by type that makes this tool quick."""
    whole = Draft202012Validator(json.loads(SCHEMA.read_text()))
    for record in GOOD:
        assert whole.is_valid({"t": 1, **record}) and not whole.is_valid(record)
    assert whole.is_valid(HEAD) and not whole.is_valid({"t": 1, **HEAD})


@pytest.mark.parametrize("nodes", [1, 2])
def test_sample_runs(nodes):
    for record in make_run(nodes=nodes):
        assert parse(json.dumps(record)) == record


@pytest.mark.parametrize("record", GOOD, ids=lambda record: record["type"])
def test_good(record):
    assert parse(line(record)) == {"t": 1.25, **record}


@pytest.mark.parametrize("record", GOOD, ids=lambda record: record["type"])
def test_every_field_is_needed_and_no_other_known(record):
    for name in [*record, "t"]:
        less = {key: value for key, value in {"t": 1, **record}.items() if key != name}
        with pytest.raises(BadLine, match=f'"{name}" is a required|unknown type'):
            parse(json.dumps(less))
        if name != "type":
            with pytest.raises(BadLine, match=rf"\b{name}\b"):
                parse(line(record, **{name: {"odd": 1}}))
    with pytest.raises(BadLine, match="'colour' was unexpected"):
        parse(line(record, colour="blue"))


def names_of(value, path=""):
    for name, inner in value.items():
        yield path + name
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, dict):
                yield from names_of(one, f"{path}{name}.")


def names_in(schema, path=""):
    for name, inner in schema.get("properties", {}).items():
        assert inner.get("description") or name == "type", path + name
        yield path + name
        yield from names_in(inner, f"{path}{name}.")
        yield from names_in(inner.get("items", {}), f"{path}{name}.")


# Of every measurement, and rare: in one record each.
_OF_ALL = ("left_out", "in_caches")


def of_its_own(names):
    return {name for name in names if name.rpartition(".")[2] not in _OF_ALL}


def test_the_kernel_s_lines_are_as_the_schema_says():
    """Which tests/unit/report/test_jsonl.c has written: each field is in one of them."""
    found = {}
    for text in (ROOT / "tests" / "data" / "records.jsonl").read_text().splitlines():
        found.setdefault(parse(text)["type"], set()).update(names_of(json.loads(text)))
    found["result"] |= {"warnings", "error"}  # which the writer adds by itself
    for kind, schema in definitions().items():
        if kind not in ("saved", "state"):
            assert of_its_own(names_in(schema)) - {"also"} == of_its_own(found[kind]), kind
            assert found[kind] <= set(names_in(schema)), kind
    everywhere = {name.rpartition(".")[2] for names in found.values() for name in names}
    assert everywhere >= set(_OF_ALL)


def test_the_head_of_a_kept_report():
    assert parse(json.dumps(HEAD)) == HEAD
    for name in HEAD:
        less = {key: value for key, value in HEAD.items() if key != name}
        with pytest.raises(BadLine, match=f'"{name}" is a required|unknown type'):
            parse(json.dumps(less))


@pytest.mark.parametrize(
    "field, value",
    [
        ("t", 1),
        ("version", 2),
        ("version", True),
        ("state", "testing"),
        ("bytes", -1),
        ("crc32c", "0x123456789"),
        ("crc32c", 7),
    ],
)
def test_no_head(field, value):
    with pytest.raises(BadLine, match=rf"\b{field}\b"):
        parse(json.dumps({**HEAD, field: value}))


def test_a_result_may_say_more():
    result = next(record for record in GOOD if record["type"] == "result")
    more = {"warnings": ["late"], "error": "page fault"}
    assert parse(line(result, **more))["error"] == "page fault"
    for name in more:
        with pytest.raises(BadLine, match=f"{name} is 7"):
            parse(line(result, **{name: 7}))


def test_older_reports_have_other_names():
    external = next(record for record in GOOD if record["type"] == "external")
    assert parse(line(external, type="foreign")) == {"t": 1.25, **external}
    result = next(record for record in GOOD if record["type"] == "result")
    ranges = [{"base": "0x1000", "end": "0x3000"}]
    assert parse(line(result, apart=ranges)) == {"t": 1.25, **result, "unpaired": ranges}


def test_what_the_schema_says_for_people():
    assert records.unit("test", "seconds") == "s" and records.unit("test", "faults") == ""
    assert records.words("kind", "kind")["pin"] == "a data pin (DQ)"


def test_hammered_bytes_are_optional():
    test = next(record for record in GOOD if record["type"] == "test")
    assert parse(line(test, hammered_bytes=65536))["hammered_bytes"] == 65536
    with pytest.raises(BadLine, match="hammered_bytes is -1"):
        parse(line(test, hammered_bytes=-1))


NUMBERS = (
    *("0", "-0", "1.0", "1e2", "1E400", "-1", "NaN", "Infinity", "18446744073709551615"),
    *("18446744073709551616", "1" * 30, "1" * 5000, "0.1", "01", "1.", "null", '"1"'),
)
TEXTS = (
    '"\\ud800"',
    '"\\u0000"',
    '"\x7f"',
    '"\u202e"',
    '"\udcff"',
    '"\t"',
    '"x',
    "'x'",
    "[" * 3000,
)


@pytest.mark.parametrize(
    "kind, field, value",
    [("result", "bad_pages", number) for number in NUMBERS]
    + [("start", "cmdline", text) for text in TEXTS],
)
def test_both_decoders_say_the_same(monkeypatch, kind, field, value):
    pytest.importorskip("orjson")
    record = next(record for record in GOOD if record["type"] == kind)
    text = line(record, **{field: "X"}).replace('"X"', value)

    def outcome():
        try:
            return reading.parse(text)
        except BadLine as why:
            return type(why)

    first = outcome()
    monkeypatch.setattr(records, "orjson", None)
    assert outcome() == first


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "no JSON"),
        ("hello", "no JSON"),
        ("[1]", "no JSON object"),
        ("17", "no JSON object"),
        ('{"t":1,"type":"start","vers', "cut off"),
        ('{"t":1,"type":"start" "x":1}', "no JSON"),
        ('{"t":1}', "unknown type null"),
        ('{"t":1,"type":"x"}', 'unknown type "x"'),
        ('{"t":1,"type":[]}', "unknown type"),
    ],
)
def test_bad_lines(text, why):
    with pytest.raises(BadLine, match=why):
        parse(text)


@pytest.mark.parametrize(
    "kind, field, value",
    [
        ("machine", "cpus", True),
        ("machine", "cpus", -1),
        ("machine", "cpus", 1.5),
        ("machine", "warnings", [1]),
        ("machine", "memory_ecc", {"state": "maybe", "by": None}),
        ("machine", "memory_ecc", {"state": "on", "by": "a person"}),
        ("machine", "memory_ecc", {"state": "on"}),
        ("machine", "memory_repair", []),
        ("machine", "memory_repair", ["sparing"]),
        ("machine", "memory_repair", ["on-die ECC", "on-die ECC"]),
        ("machine", "side_cache", {"bytes": 0, "by": "cpu"}),
        ("machine", "side_cache", {"bytes": 1, "by": "smbios"}),
        ("machine", "side_cache", {"bytes": 1}),
        ("start", "boot", "coreboot"),
        ("fault", "addr", "1008"),
        ("fault", "addr", "0X1008"),
        ("fault", "found", "0x10000000000000000"),
        ("badram", "patterns", [["0x1000"]]),
        ("bandwidth", "mb_s", {"mean": 1, "stddev": 1, "min": 1}),
        ("result", "untested", [{"base": "0x0", "end": "0x1000"}]),
        ("result", "status", "ok"),
        ("state", "started", 1_790_000_000),
        ("state", "pass", -1),
    ],
)
def test_bad_values(kind, field, value):
    record = next(record for record in GOOD if record["type"] == kind)
    with pytest.raises(BadLine, match=rf"\b{field}\b"):
        parse(line(record, **{field: value}))
