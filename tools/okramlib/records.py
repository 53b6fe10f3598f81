# SPDX-License-Identifier: MIT
"""The JSON lines of `serial=jsonl`: what each type holds, exactly."""

import json
import re

_ADDRESS = re.compile(r"0x[0-9a-f]{1,16}")
_SHOWN_CHARS = 60  # of what is wrong, in a sentence


class BadLine(ValueError):
    """A line that is no record, and why."""


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value):
    return isinstance(value, str)


def _is_bool(value):
    return isinstance(value, bool)


def _is_address(value):
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def _one_of(*words):
    return lambda value: value in words


def _or_null(check):
    return lambda value: value is None or check(value)


def _list_of(check):
    return lambda value: isinstance(value, list) and all(map(check, value))


def _pair(value):
    return isinstance(value, list) and len(value) == 2 and all(map(_is_address, value))


def _object(**fields):
    return lambda value: isinstance(value, dict) and not _problems(value, fields)


_STATS = _object(mean=_is_number, stddev=_is_number, min=_is_number, max=_is_number)

TYPES = {
    "start": {
        "version": _is_text,
        "boot": _one_of("uefi", "bios"),
        "loader": _is_text,
        "cmdline": _is_text,
    },
    "machine": {
        "cpu": _is_text,
        "cpus": _is_count,
        "nodes": _is_count,
        "ram_bytes": _is_count,
        "testable_bytes": _is_count,
        "installed_bytes": _or_null(_is_count),
        "warnings": _list_of(_is_text),
    },
    "node": {
        "node": _is_count,
        "cpus": _list_of(_is_count),
        "ram_bytes": _is_count,
        "spans": _list_of(_pair),
    },
    "cache": {"level": _is_count, "size_bytes": _is_count, "mb_s": _is_number},
    "bandwidth": {
        "cpu_node": _is_count,
        "mem_node": _is_count,
        "op": _one_of("read", "write", "copy", "scale", "add", "triad"),
        "threads": _is_count,
        "runs": _is_count,
        "mb_s": _STATS,
    },
    "latency": {
        "cpu_node": _is_count,
        "mem_node": _is_count,
        "size_bytes": _is_count,
        "ns": _is_number,
        "load": _is_text,
    },
    "contention": {
        "cpu_node": _is_count,
        "mem_node": _is_count,
        "load_node": _is_count,
        "threads": _is_count,
        "load_threads": _is_count,
        "runs": _is_count,
        "idle_mb_s": _STATS,
        "loaded_mb_s": _STATS,
        "slowdown_percent": _or_null(_is_number),
        "idle_ns": _is_number,
        "loaded_ns": _is_number,
        "latency_percent": _or_null(_is_number),
    },
    "redundancy": {
        "cpu_node": _is_count,
        "mem_node": _is_count,
        "other_node": _is_count,
        "kind": _one_of("plain", "mirror", "parity"),
        "threads": _is_count,
        "runs": _is_count,
        "mb_s": _STATS,
        "cost_percent": _is_number,
    },
    "test": {
        "pass": _is_count,
        "test": _is_text,
        "seconds": _is_number,
        "swept_bytes": _is_count,
        "faults": _is_count,
    },
    "fault": {
        "addr": _is_address,
        "expected": _is_address,
        "found": _is_address,
        "test": _is_text,
        "pass": _is_count,
        "cpu": _is_count,
        "node": _is_count,
    },
    "alias": {
        "addr": _is_address,
        "partner": _is_address,
        "diff": _or_null(_is_address),
        "pages": _is_count,
        "test": _is_text,
        "pass": _is_count,
    },
    "mce": {
        "cpu": _is_count,
        "bank": _is_count,
        "status": _is_address,
        "addr": _or_null(_is_address),
        "corrected": _is_bool,
    },
    "badram": {
        "bad_pages": _is_count,
        "patterns": _list_of(_pair),
        "sacrificed_pages": _is_count,
        "ranges": _is_count,
        "line": _is_text,
    },
    "line": {
        "name": _is_text,
        "place": _is_text,
        "text": _is_text,
        "note": _is_text,
    },
    "result": {
        "status": _one_of("pass", "fail", "stopped", "error"),
        "complete": _is_bool,
        "passes": _is_count,
        "tested_bytes": _is_count,
        "untested_bytes": _is_count,
        "untested": _list_of(_object(base=_is_address, end=_is_address, why=_is_text)),
        "bad_pages": _is_count,
        "seconds": _is_number,
    },
    "warning": {"text": _is_text},  # one that came after the result
}

# Fields that are there only when there is something to say.
OPTIONAL = {
    "cache": {"ns": _is_number},  # latency
    "bandwidth": {
        "order": _one_of("fill", "spread"),  # of a row of growing numbers of threads
    },
    "latency": {
        "mix": _one_of("reads", "2:1"),  # of a loaded-latency curve
        "load_mb_s": _is_number,  # what the others moved meanwhile
    },
    "test": {
        "seed": _is_count,  # what seed= would repeat its data with
        "note": _is_text,  # what a reader must know of it
    },
    "mce": {
        "count": _is_count,  # of errors so far at the same bank and address
        "page": _is_address,  # was marked bad for it
    },
    "result": {
        "apart": _list_of(_object(base=_is_address, end=_is_address)),  # never with the rest
        "tests": _list_of(_is_text),  # stopped: those that came to their end
        "warnings": _list_of(_is_text),  # those that came after the machine record
        "error": _is_text,  # why okram itself broke the run off
    },
}


def _problems(record, fields, optional={}):
    """What is wrong with the fields of a record, as a list of phrases."""
    found = [f"no {name}" for name in fields if name not in record]
    fields = {**fields, **optional}
    found += [
        f"unknown field {name if name.isidentifier() else _shown(name)}"
        for name in record
        if name not in fields
    ]
    for name, check in fields.items():
        if name in record and not check(record[name]):
            found.append(f"{name} is {_shown(record[name])}")
    return found


def _shown(value):
    """As JSON, which is plain ASCII without control characters: a terminal obeys nothing of it."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def parse(line):
    """The record on a line. BadLine says why it is none."""
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
    record = json.loads(line)
    if not isinstance(record, dict):
        raise BadLine("no JSON object")
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        raise BadLine(f"unknown type {_shown(kind)}")
    fields = {"t": _is_number, "type": _is_text, **TYPES[kind]}
    problems = _problems(record, fields, OPTIONAL.get(kind, {}))
    if problems:
        raise BadLine(f"{kind}: {', '.join(problems)}")
    return record
