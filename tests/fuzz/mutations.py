# SPDX-License-Identifier: MIT
"""Texts changed at random."""

PIECES = [
    "",
    "\0",
    "\x1b[31m",
    "\ud800",
    "\uffff",
    "٣",
    "9" * 5000,
    "0x",
    "-",
    ",",
    "{",
    "[" * 3000,
]
PIECES += ['{"a":' * 3000, "1e999", "NaN", "-1", "1" * 17, "\r", " " * 3000, '"', "\\ud800", "null"]


def changed(rng, text):
    """The text with a few places replaced, lost, there twice, or in another order."""
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, size = rng.randrange(len(text) + 1), rng.choice((0, 1, 1, 4, 40))
        match rng.randrange(5):
            case 0:
                text = text[:at] + rng.choice(PIECES) + text[at + size :]
            case 1:
                text = text[:at] + text[at + size :]
            case 2:
                text = text[: at + size] + text[at:]
            case 3:
                text = (
                    text[:at]
                    + chr(rng.choice((rng.randrange(128), rng.randrange(0x3000))))
                    + text[at + 1 :]
                )
            case 4:
                lines = text.splitlines(keepends=True)
                rng.shuffle(lines)
                text = "".join(lines)
    return text
