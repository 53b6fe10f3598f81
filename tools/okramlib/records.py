# SPDX-License-Identifier: MIT
"""The JSON lines of `serial=jsonl`; docs/jsonl.schema.json defines them."""

import functools
import json

from . import ROOT

SCHEMA = ROOT / "docs" / "jsonl.schema.json"

_SHOWN_CHARS = 60  # of an invalid value


class BadLine(ValueError):
    """A line that is no valid record, and why."""


class InvalidRecord(BadLine):
    """A whole JSON object that violates the schema."""


@functools.cache
def validators():
    """{type: the validator of its records}."""
    from jsonschema import Draft202012Validator  # takes 0.1 s

    schema = json.loads(SCHEMA.read_text())
    references = {reference["$ref"].rsplit("/")[-1]: reference for reference in schema["oneOf"]}
    return {
        kind: Draft202012Validator({**reference, "$defs": schema["$defs"]})
        for kind, reference in references.items()
    }


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
    record = json.loads(line)
    if not isinstance(record, dict):
        raise BadLine("no JSON object")
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in validators():
        raise InvalidRecord(f"unknown type {_shown(kind)}")
    errors = list(validators()[kind].iter_errors(record))
    if errors:
        more = f" (and {len(errors) - 1} more)" if errors[1:] else ""
        raise InvalidRecord(f"{kind}: {_violation(errors[0])}{more}")
    return record


def _violation(error):
    where = error.json_path.removeprefix("$").removeprefix(".")
    if error.validator in ("required", "additionalProperties"):
        return _cut(f"{where}: {error.message}" if where else error.message, 2 * _SHOWN_CHARS)
    rule = f"{error.validator} {_shown(error.validator_value)}"
    return f"{where} is {_shown(error.instance)}, which violates {rule}"


def _shown(value):
    """As JSON, which is plain ASCII without control characters: a terminal obeys nothing of it."""
    return _cut(json.dumps(value), _SHOWN_CHARS)


def _cut(text, chars):
    return text if len(text) <= chars else text[:chars] + "…"
