# SPDX-License-Identifier: MIT
"""A report as okram keeps it in UEFI variables and sends it: a line `saved`, then as many bytes of
lines as it says, with their CRC-32C (docs/json.md)."""

import contextlib
import hashlib
import json

from .. import reading, records, saved
from ..kept import Kept
from .found import SIGNED, Refused, Report, name_run

HEAD_BEGIN = saved.HEAD_BEGIN.encode()
BYTES_MAX = 128 << 10  # eight times what the variables hold


def head_of(line):
    """The record `saved` of a line. BadLine if there is none, with the reason."""
    try:
        head = records.parse(line.decode())
    except (records.BadLine, UnicodeDecodeError) as error:
        why = _other_version(line) or f"its first line is damaged: {error}"
        raise records.BadLine(why) from None
    if head["bytes"] > BYTES_MAX:
        raise records.BadLine("it is longer than any report of okram")
    return head


def _other_version(line):
    """Says so if the line is a head in another version of the format, else ""."""
    with contextlib.suppress(ValueError, KeyError, RecursionError):
        version = json.loads(line)["version"]
        if version != saved.VERSION:
            return (
                f"its format is version {json.dumps(version)[:20]}; this okram reads version"
                f" {saved.VERSION}"
            )
    return ""


def read(head, line, body, source):
    """A Report, or Refused. line: that of the head; body: the bytes after it."""
    lines = body[: head["bytes"]]
    why = _problem(head, lines)
    return Refused(why, line + body) if why else _report(head, line, lines, source)


def _problem(head, lines):
    import crc32c

    if len(lines) < head["bytes"]:
        return f"it is cut off: {len(lines)} of {head['bytes']} bytes"
    if crc32c.crc32c(lines) != int(head["crc32c"], 16):
        return "its CRC-32C is wrong"
    try:
        lines.decode()
    except UnicodeDecodeError:
        return "it is not UTF-8"
    return ""


def _report(head, head_line, lines, source):
    report, kept, why = Report(source, n_bytes=len(lines)), Kept(), "it has no line"
    for line in lines.decode().split("\n"):
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
        return Refused(why, head_line + lines)
    report.records = kept.records
    if head.get("hmac"):
        report.signature = SIGNED
    report.left_out += sum(kept.left_out.values())
    name_run(report, lambda: hashlib.sha256(lines).hexdigest())
    return report
