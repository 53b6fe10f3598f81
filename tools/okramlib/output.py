# SPDX-License-Identifier: MIT
"""What goes to a terminal, to a page or to a table: none of it may command the reader's program.

Text comes from firmware, from files and from their names. A terminal obeys control characters
(ECMA-48); bidirectional controls and other format characters make a line look like another one
(Unicode Technical Report 36, 2.10); a half of a surrogate pair, of a file's name that is not UTF-8,
cannot be written at all.
"""

import contextlib
import re
import sys
import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Controls, format characters, surrogates, separators of lines and of paragraphs.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
# OWASP, "CSV Injection": with these a spreadsheet takes a cell for a formula, also when they are
# of full width; where a comma is the decimal point, a semicolon begins a cell.
_FORMULA_BEGINS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf'(^|[;\n] *+)((?:[^\S\n]|")*+)(?=[{_FORMULA_BEGINS}])')
_NEGATIVE = re.compile(r"-[0-9]+(\.[0-9]+)?")


def clean(text):
    """The text without what is not printed; line feeds stay."""
    if text.isprintable():
        return text
    return "".join(c if c == "\n" or _is_shown(c) else REPLACEMENT for c in text)


def line(text):
    """The same on one line, for a sentence."""
    return clean(text.strip("\n")).replace("\n", " ")


def cell(value):
    """Of a table of comma-separated values: text is never a formula, negative numbers stay."""
    if not isinstance(value, str) or _NEGATIVE.fullmatch(value):
        return value
    return clean(_FORMULA.sub(r"\1'\2", value))


def _is_shown(character):
    is_noncharacter = ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef"
    return not is_noncharacter and unicodedata.category(character) not in _HIDDEN


class _Filter:
    """A text stream whose text is cleaned; the rest is the stream's."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, text):
        self._stream.write(clean(text))
        return len(text)

    def writelines(self, lines):
        for text in lines:
            self.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def clean_streams():
    """Meanwhile all that print() and argparse write is cleaned, and what cannot be encoded is
    replaced."""
    before = sys.stdout, sys.stderr
    try:
        sys.stdout, sys.stderr = map(_filtered, before)
        yield
    finally:
        sys.stdout, sys.stderr = before


def _filtered(stream):
    if stream is None:  # it is closed
        return None
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")  # where a terminal cannot show ±
    return _Filter(stream)


def console(**settings):
    """A rich Console on standard output, whose own styles pass and whose text is cleaned."""
    from rich.console import Console
    from rich.segment import Segment

    class CleanConsole(Console):
        def render(self, renderable, options=None):
            for segment in super().render(renderable, options):
                text, style, control = segment
                yield segment if control else Segment(clean(text), style)

    stream = sys.stdout
    raw = stream._stream if isinstance(stream, _Filter) else stream
    return CleanConsole(file=raw, highlight=False, **settings)
