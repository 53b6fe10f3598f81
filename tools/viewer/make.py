#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py FOLDER: writes head.html and end.html there. A run's JSON lines between them, in which
`<` is \\u003c and `&` is \\u0026, are a page that draws the run (docs/json.md, "Pages"). Types of
records, former names and words for people are those of the schema; forms of lines
those of okramlib/copied.py.

The policy lets a browser run this script and use this style alone, by their SHA-256, and load
nothing (Content Security Policy Level 3, 6.1 and 8.4)."""

import json
import re
import sys
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
SCHEMA = SOURCES.parents[1] / "docs" / "jsonl.schema.json"

sys.path.insert(0, str(SOURCES.parent))
from okramlib import copied  # noqa: E402


def inline(name):
    """A source without comments of whole lines, empty lines and indents."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    text = re.sub(r"^\s*(//.*|/\*.*\*/)\n|^\s+", "", text, flags=re.M)
    if re.search(r"</(script|style)|<!--", text, re.I):
        raise SystemExit(f"{name}: what ends its element, or begins a comment, cannot be in it.")
    return f"\n{text}"


def of_schema():
    """What the script takes from the schema, in its words."""
    types = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    fields = {kind: of["properties"] for kind, of in types.items()}
    named = [*types.items(), *(field for of in fields.values() for field in of.items())]
    words = {
        name: fields[kind][field]["words"]
        for name, kind, field in (
            ("VERDICTS", "result", "status"),
            ("ERRORS", "result", "reason"),
            ("KINDS", "kind", "kind"),
        )
    }
    return {
        "KNOWN": list(types),
        "OLD_NAMES": [[of["formerly"], name] for name, of in named if "formerly" in of],
        **words,
    }


def hashed(text):
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def page():
    """(head, end)"""
    style, script = inline("viewer.css"), inline("viewer.js")
    for name, value in {**of_schema(), "LINE_FORMS": copied.FORMS}.items():
        script = script.replace(f"@{name}@", json.dumps(value, ensure_ascii=False))
    policy = (
        f"default-src 'none'; style-src '{hashed(style)}'; script-src '{hashed(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    whole = (SOURCES / "viewer.html").read_text(encoding="utf-8")
    for name, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script)):
        whole = whole.replace(f"@{name}@", text)
    head, _, end = whole.partition("@RECORDS@")
    return head, end


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(("head.html", "end.html"), page()):
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
