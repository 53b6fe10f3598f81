# SPDX-License-Identifier: MIT
"""Records in the log of a console: a serial port over LAN, a console server, a terminal.

Such a log has more than what the machine wrote: the session's own lines (ipmitool's and
conserver's), times before each line, terminal controls (ECMA-48, 5.4 and 8.3.89), what firmware and
other systems wrote. And less: while a session is lost, nobody keeps what the machine writes. Pieces
of a record are never put together again: what is missing between them may be a digit.
"""

import json
import re

_CONTROLS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x00-\x1f\x7f]"
)
_BEGIN = re.compile(r'\{\s*"(?:t|type)"\s*:')
_PIECE = re.compile(r'"\w+"\s*:|["\d\]]\}+\s*$')
# ipmitool, conserver, and FreeIPMI's ipmiconsole, once they are connected.
_OPENED = re.compile(r"\[SOL Session operational|\[-- Console up --|\[SOL established\]")
_RECORDS_MAX = 16  # on one line

_DECODER = json.JSONDecoder()


def split(line):
    """Of a line that is not a record: what of it may be whole ones, and the rest."""
    text = _CONTROLS.sub("", line)
    whole, rest, at = [], [], 0
    while (begin := _BEGIN.search(text, at)) and len(whole) + len(rest) < 2 * _RECORDS_MAX:
        rest.append(text[at : begin.start()])
        at = begin.start()
        end = _end(text, at)
        if end is None:
            following = _BEGIN.search(text, begin.end())
            end = following.start() if following else len(text)
            rest.append(text[at:end])
        else:
            whole.append(text[at:end])
        at = end
    rest.append(text[at:])
    return whole, [part for part in rest if part.strip()]


def is_piece(text):
    """Whether it looks like a part of a record."""
    return _PIECE.search(text) is not None


def is_opened(line):
    """Whether a session began here: before it, nobody listened for a while."""
    return _OPENED.search(line) is not None


def _end(text, at):
    """Where the JSON object ends that begins there; None: it does not."""
    try:
        _, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return end
