# SPDX-License-Identifier: MIT
"""The JSON lines of `serial=jsonl`; docs/jsonl.schema.json defines them, with units, words for
people, and the names of older reports."""

import contextlib
import functools
import json

from . import ROOT, output, schema

try:
    import orjson  # with what `okram fleet` needs: it takes a quarter of the time
except ModuleNotFoundError:
    orjson = None

SCHEMA = ROOT / "docs" / "jsonl.schema.json"

_SHOWN_CHARS = 60  # of an invalid value


class BadLine(ValueError):
    """A line that is not a valid record, and why."""


class InvalidRecord(BadLine):
    """A whole JSON object that violates the schema."""


@functools.cache
def definitions():
    """{type: the schema of its records}."""
    return json.loads(SCHEMA.read_text())["$defs"]


@functools.cache
def checkers():
    """{type: what checks its records}."""
    return {kind: schema.checker(of) for kind, of in definitions().items()}


def _field(kind, name):
    return definitions()[kind]["properties"][name]


def unit(kind, name):
    """Of a field of that type of records, such as "MB/s"; "": none."""
    return _field(kind, name).get("unit", "")


_MEASURED_IN = ("MB/s", "ns", "%")


@functools.cache
def measured():
    """{type: [field]} of what is measured in runs, by the units in the schema."""
    found = {
        kind: [n for n in of["properties"] if _is_measured(kind, n)]
        for kind, of in definitions().items()
    }
    return {kind: names for kind, names in found.items() if names}


def _is_measured(kind, name):
    is_one = unit(kind, name) in _MEASURED_IN and _field(kind, name)["type"] != "array"
    return is_one and not name.endswith("_stats")


def words(kind, name):
    """{value: what it means, for people} of a field that has words."""
    return _field(kind, name)["words"]


@functools.cache
def _old_types():
    return {of["formerly"]: kind for kind, of in definitions().items() if "formerly" in of}


@functools.cache
def _old_names(kind):
    fields = definitions().get(kind, {"properties": {}})["properties"]
    return {of["formerly"]: name for name, of in fields.items() if "formerly" in of}


def with_today_s_names(record):
    """The record of an older report as okram writes it now."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return record
    kind = _old_types().get(kind, kind)
    names = _old_names(kind)
    if kind == record["type"] and names.keys().isdisjoint(record):
        return record
    return {names.get(name, name): value for name, value in record.items()} | {"type": kind}


def parse(line):
    """The record on a line. BadLine if there is none, with the reason."""
    try:
        return _parse(line)
    except json.JSONDecodeError as error:
        cut = line.startswith("{") and not line.rstrip().endswith("}")
        raise BadLine("cut off" if cut else f"no JSON: {error.msg}") from None
    except RecursionError:
        raise BadLine("no JSON: too deep") from None
    except BadLine:
        raise
    except ValueError:  # more digits than Python converts
        raise BadLine("no JSON: a number too long") from None


def _parse(line):
    record = _decode(line)
    if not isinstance(record, dict):
        raise BadLine("no JSON object")
    record = with_today_s_names(record)
    validate(record)
    return record


def separated(record):
    """The records of one that stands for several, as in UEFI variables: its field `also` has the
    values in which the others differ (saved/saved_lines.h). BadLine if one of them is invalid."""
    if "also" not in record:
        return [record]
    also = record["also"]
    first = {name: value for name, value in record.items() if name != "also"}
    found = [first]
    for i in range(max(map(len, also.values()), default=0)):
        found.append(first | {name: values[i] for name, values in also.items() if i < len(values)})
        validate(found[-1])
    return found


def validate(record):
    """BadLine if an object is not a valid record, with the reason."""
    kind = record.get("type")
    check = checkers().get(kind) if isinstance(kind, str) else None
    if not check:
        raise InvalidRecord(f"unknown type {_shown(kind)}")
    try:
        check(record)
    except schema.Violation as violation:
        raise InvalidRecord(f"{kind}: {_violation(violation)}") from None


def _decode(line):
    """The value on a line. What orjson refuses, Python's own decoder takes, or says why not."""
    if orjson:
        with contextlib.suppress(orjson.JSONDecodeError):
            return orjson.loads(line)
    return _DECODER.decode(line)


def _refuse(name):
    """NaN, Infinity and -Infinity, which Python reads."""
    raise BadLine(f"no JSON: {name} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _violation(error):
    where, words = _path(error.path), output.line(error.message)
    if error.keyword in ("required", "additionalProperties"):
        return _cut(f"{where}: {words}" if where else words, 2 * _SHOWN_CHARS)
    return f"{where} is {_shown(error.instance)}: {_cut(words, 2 * _SHOWN_CHARS)}"


def _path(names):
    """mb_s.mean, patterns[0][1]"""
    text = "".join(f"[{n}]" if isinstance(n, int) else f".{output.line(n)}" for n in names)
    return _cut(text.removeprefix("."), _SHOWN_CHARS)


def _shown(value):
    """As JSON, which is plain ASCII without control characters: a terminal obeys nothing of it."""
    return _cut(json.dumps(value), _SHOWN_CHARS)


def _cut(text, chars):
    return text if len(text) <= chars else text[:chars] + "…"
