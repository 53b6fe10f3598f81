#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/jsonl.schema.json and the lists of docs/json.md from the table of records, which
build/records prints. With --check: says whether they are up to date instead."""

import argparse
import json
import re
import sys
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
ADDRESS = "^0x[0-9a-f]{1,16}$"
LATER = 63  # records that may be one with the first
TYPES = {"bool": "boolean", "number": "number", "integer": "integer", "text": "string"}
MARKS = ("<!-- records -->\n", "<!-- /records -->\n")


def plain(text):
    """Without links."""
    return re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text)


def words(field):
    return field["one_of"].split("|") if field["one_of"] else list(field.get("words", []))


def described(field):
    there = f" ({field['there']})" if field["there"] else ""
    return plain(f"{field['means'] or ''}{there}".strip())


def limits(field, least, most):
    return {name: field[of] for name, of in ((least, "min"), (most, "max")) if field[of]}


def value(field):
    """What a value of that field has to be."""
    if words(field):
        return {"enum": [*words(field), *([None] if field["null"] else [])]}
    if field["type"] == "object":
        found = objects(field["rows"])
    elif field["type"] == "list":
        found = {"type": "array", "items": element(field["rows"])}
        found |= limits(field, "minItems", "maxItems")
        found |= {"uniqueItems": True} if words(field["rows"][0]) else {}
    elif field["type"] == "pair":
        item = {"type": "string", "pattern": field["pattern"] or ADDRESS}
        found = {"type": "array", "items": item, "minItems": 2, "maxItems": 2}
    elif field["hex"] or field["is_word"]:
        found = {"type": "string"} | ({"pattern": ADDRESS} if field["hex"] else {})
    elif field["type"] == "integer" and not field["milli"]:
        found = {"type": "integer", "minimum": field["min"]}
        found |= {"maximum": field["max"]} if field["max"] else {}
    else:
        found = {"type": "number" if field["milli"] else TYPES[field["type"]]}
        found |= {"pattern": field["pattern"]} if field["pattern"] else {}
        found |= {"maxLength": field["max"]} if field["max"] else {}
        found |= {"minimum": 0} if field["unit"] == "s" else {}
    return found | ({"type": [found["type"], "null"]} if field["null"] else {})


def element(rows):
    return objects(rows) if rows[0]["name"] else value(rows[0])


def described_value(field):
    found = {"description": described(field)} if described(field) else {}
    found |= {name: field[name] for name in ("unit", "formerly") if field[name]}
    if any(field.get("words", {}).values()):
        found["words"] = field["words"]
    return found | value(field)


def conditions(rows):
    """Fields that are there together, or with a word of another field."""
    groups = {}
    for field in rows:
        if "group" in field and not field["null"]:
            groups.setdefault(field["group"], []).append(field)
    together, ifs = {}, []
    for fields in groups.values():
        names = [field["name"] for field in fields]
        of = fields[0]
        if "if" in of or "unless" in of:
            is_so = {"properties": {of.get("if") or of["unless"]: {"const": of["is"]}}}
            ifs.append({"if": is_so, "then" if "if" in of else "else": {"required": names}})
        elif len(names) > 1:
            together |= {name: [other for other in names if other != name] for name in names}
    found = {"dependentRequired": together} if together else {}
    return found | ({"allOf": ifs} if ifs else {})


def objects(rows, more=None):
    """An object of these fields, and of `more`: {name: (schema, whether it is required)}."""
    fields = dict(more or {})
    fields |= {row["name"]: (described_value(row), not row["optional"]) for row in rows}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, (_, is_required) in fields.items() if is_required],
        "properties": {name: of for name, (of, _) in fields.items()},
    } | conditions(rows)


def also():
    return {
        "description": "Only in UEFI variables and the files made of them: more records like this"
        " one; of each field in which they differ, the list of their values.",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"not": {"enum": ["also", "type"]}},
        "additionalProperties": {"type": "array", "minItems": 1, "maxItems": LATER},
    }


def definition(record):
    time = {"description": "since kernel entry", "unit": "s", "type": "number", "minimum": 0}
    more = {} if record["type"] == "saved" else {"t": (time, True)}
    more["type"] = ({"const": record["type"]}, True)
    if record["grouped"]:
        more["also"] = (also(), False)
    head = {"description": plain(record["means"])}
    head |= {name: record[name] for name in ("formerly", "last_counts", "most") if record[name]}
    return head | objects(record["fields"], more)


def schema(records):
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "okram's JSON lines",
        "description": "One record a line, as serial=jsonl writes them, and as they are kept in"
        " UEFI variables. MB is 10^6 bytes. By `make json-docs` from kernel/show/report/records.c.",
        "oneOf": [{"$ref": f"#/$defs/{record['type']}"} for record in records],
        "$defs": {record["type"]: definition(record) for record in records},
    }


def laid_out(value, depth=0):
    """JSON with a line for each field of a record."""
    if depth == 4 or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    inner = [f"{json.dumps(name)}: {laid_out(of, depth + 1)}" for name, of in value.items()]
    indent = "\n" + "  " * depth
    return "{" + ",".join(f"{indent}  {one}" for one in inner) + indent + "}"


# --- docs/json.md ---------------------------------------------------------------------------------


def type_words(field):
    if words(field):
        return ", ".join(words(field))
    if field["type"] == "pair":
        return "two addresses"
    if field["hex"]:
        return "address" if field["type"] == "integer" else '"0x…"'
    if field["type"] == "list":
        return f"list of {type_words(field['rows'][0])}" if not field["rows"][0]["name"] else "list"
    name = "text" if field["is_word"] else "number" if field["milli"] else field["type"]
    return f"{name}, {field['unit']}" if field["unit"] else name


def cells(field):
    """A field's type and what it means."""
    kind = type_words(field) + (" or null" if field["null"] else "")
    means = field["means"] or ""
    default = "if true" if field["type"] == "bool" else "where known"
    there = field["there"] or (default if field["optional"] else "")
    return kind, means, f" *({there})*" if there else ""


def fields_within(field):
    return field["rows"] if field["rows"] and field["rows"][0]["name"] else []


def md_rows(fields, place, seen, path=""):
    """Neighbours that differ in their names alone share a line. What is within a field is listed
    once; seen: {it: the field and the record that list it}."""
    for (kind, means, there), same in groupby(fields, cells):
        for names, rows in _shared(same, path):
            within = json.dumps(rows)
            if rows and within in seen:
                means += f"{'; ' * bool(means)}as {seen[within]}"
            said = f": {means}{there}" if means else there
            yield f"- {', '.join(f'`{name}`' for name in names)} ({kind}){said}"
            if rows and within not in seen:
                seen[within] = f"`{names[0]}`{place}"
                yield from md_rows(rows, place, seen, names[0] + ("[]." if kind == "list" else "."))


def _shared(fields, path):
    """(names, fields within) of each row."""
    for rows, same in groupby(fields, fields_within):
        yield [path + field["name"] for field in same], rows


def meanings(fields):
    return {(field["name"], *cells(field)): field["name"] for field in fields if not field["rows"]}


def lists(records):
    """A record with fields of an earlier one, two or more, says so instead."""
    seen, earlier = {}, {}
    for record in records:
        name, fields = record["type"], record["fields"]
        told = meanings(fields)
        of = max(earlier, key=lambda one: len(earlier[one].keys() & told.keys()), default=None)
        same = [told[key] for key in told if of and key in earlier[of]]
        yield f"### {name}\n\n{record['means']}\n\n"
        if len(same) > 1:
            yield f"- {', '.join(f'`{one}`' for one in same)}: as in [{of}](#{of})\n"
            fields = [field for field in fields if field["name"] not in same]
        yield "".join(f"{row}\n" for row in md_rows(fields, f" in [{name}](#{name})", seen)) + "\n"
        earlier[name] = told


def page(text, records):
    before, rest = text.split(MARKS[0])
    return before + MARKS[0] + "\n" + "".join(lists(records)) + MARKS[1] + rest.split(MARKS[1])[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    is_check = parser.parse_args().check
    records = json.load(sys.stdin)
    path = DOCS / "json.md"
    made = {
        DOCS / "jsonl.schema.json": laid_out(schema(records)) + "\n",
        path: page(path.read_text(), records),
    }
    for path, text in made.items():
        if is_check and path.read_text() != text:
            sys.exit(f"{path.name} is not up to date: make json-docs")
        if not is_check:
            path.write_text(text)


if __name__ == "__main__":
    main()
