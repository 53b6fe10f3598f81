# SPDX-License-Identifier: MIT
"""The changes that CONTRIBUTING.md shows as examples: read, and made in a copy of the tree.

They are diffs without line numbers. A hunk ends at @@ or at the next file. Its place is where its
context is. One without context is a whole function: it belongs before what the next @@ names, else
before main(), else at the end.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

DOCUMENT = "CONTRIBUTING.md"

_BLOCK = re.compile(r"^```diff\n(.*?)^```$", re.M | re.S)
_MAIN = "int main(void)"


class NoPlace(Exception):
    """The tree has not, or not once, what a change is to be made to."""


@dataclass
class Hunk:
    heading: str  # of the @@ before it, or ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


@dataclass
class Change:
    path: str
    is_new: bool
    hunks: list[Hunk]


def examples(text: str) -> dict[str, list[Change]]:
    """{the section's name: its changes}."""
    found = {}
    for block in _BLOCK.finditer(text):
        heading = re.findall(r"^## (.+)$", text[: block.start()], re.M)[-1]
        found.setdefault(heading, []).extend(_changes(block[1]))
    return found


def _changes(diff: str) -> list[Change]:
    changes: list[Change] = []
    is_new = False
    for line in diff.splitlines():
        if line.startswith("--- "):
            is_new = line == "--- /dev/null"
        elif line.startswith("+++ b/"):
            changes.append(Change(line.removeprefix("+++ b/"), is_new, [Hunk("")]))
        elif line.startswith("@@"):
            changes[-1].hunks.append(Hunk(line.removeprefix("@@").strip()))
        else:
            hunk = changes[-1].hunks[-1]
            if line[:1] != "+":
                hunk.old.append(line[1:])
            if line[:1] != "-":
                hunk.new.append(line[1:])
    return changes


def apply(change: Change, tree: Path) -> None:
    path = tree / change.path
    if change.is_new:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(change.hunks[0].new) + "\n")
        return
    lines = path.read_text().splitlines()
    hunks = [hunk for hunk in change.hunks if hunk.old or hunk.new]
    for hunk, after in zip(hunks, [*hunks[1:], None]):
        if hunk.old:
            at = _only_place(hunk.old, lines, change.path)
        else:
            at = _place_of_function(after.heading if after else _MAIN, lines)
            hunk.new.append("")
        lines[at : at + len(hunk.old)] = hunk.new
    path.write_text("\n".join(lines) + "\n")


def _only_place(old: list[str], lines: list[str], path: str) -> int:
    places = [at for at in range(len(lines)) if lines[at : at + len(old)] == old]
    if len(places) != 1:
        raise NoPlace(f"{path} has {len(places)} times:\n" + "\n".join(old))
    return places[0]


def _place_of_function(before: str, lines: list[str]) -> int:
    if before not in lines:
        if before != _MAIN:
            raise NoPlace(f"no line {before}")
        return len(lines)
    at = lines.index(before)
    while at and lines[at - 1].startswith(("/*", " *")):
        at -= 1
    return at
