# SPDX-License-Identifier: MIT
"""A report as okram keeps it in UEFI variables and sends it: a line `saved`, then as many bytes of
lines as it says, with their CRC-32C (docs/json.md)."""

import hashlib
import json

from .. import reading, records, saved
from ..kept import Kept
from .found import Refused, Report, name_run

HEAD_BEGIN = saved.HEAD_BEGIN.encode()
HEAD_BYTES_MAX = 1024  # it is in the first variable
BYTES_MAX = 16 << 20  # a thousand times what the variables hold


def head_of(line):
    """The record `saved` of a line, or the reason why it is none."""
    try:
        head = json.loads(line)
        if isinstance(head, dict) and head.get("version") != saved.VERSION:
            return (
                f"its format is version {_short(head.get('version'))}; this okram reads version"
                f" {saved.VERSION}"
            )
        head = records.parse(line.decode())
    except (records.BadLine, ValueError, RecursionError) as error:
        return f"its first line is damaged: {error}"
    return head if head["bytes"] <= BYTES_MAX else "it is longer than any report of okram"


def _short(value):
    return json.dumps(value)[:20]


def read(head_line, body, source):
    """A Report of these bytes, or Refused."""
    head = head_of(head_line)
    if isinstance(head, str):
        return Refused(head, head_line + body)
    why = _problem(head, body)
    return Refused(why, head_line + body) if why else _report(head, body[: head["bytes"]], source)


def _problem(head, body):
    import crc32c

    if len(body) < head["bytes"]:
        return f"it is cut off: {len(body)} of {head['bytes']} bytes"
    if crc32c.crc32c(body[: head["bytes"]]) != int(head["crc32c"], 16):
        return "its CRC-32C is wrong"
    try:
        body[: head["bytes"]].decode()
    except UnicodeDecodeError:
        return "it is not UTF-8"
    return ""


def _report(head, body, source):
    report, kept, why = Report(source, n_bytes=len(body)), Kept(), "it has no line"
    for line in body.decode().split("\n"):
        if not line:
            continue
        report.n_lines += 1
        try:
            if len(line) > reading.LINE_CHARS_MAX:
                raise records.BadLine("longer than any line of okram")
            for record in reading.parse(line):
                kept.add(record, line)
        except records.BadLine as error:
            report.left_out += 1
            why = f"none of its lines can be used: {error}"
    if not kept.records:
        return Refused(why, json.dumps(head).encode() + b"\n" + body)
    report.records = kept.records
    report.left_out += sum(kept.left_out.values())
    name_run(report, hashlib.sha256(body).hexdigest())
    return report
