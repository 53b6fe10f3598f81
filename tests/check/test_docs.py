# SPDX-License-Identifier: MIT
"""What the documents name exists: files, links, targets of make, and command lines of okram."""

import re
import shlex
import subprocess

import pytest

from okramlib import ROOT, cli

DOCUMENTS = [ROOT / f"{n}.md" for n in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")]
DOCUMENTS += sorted((ROOT / "docs").glob("*.md"))

# A path from the root, or a module as the sources include it: from boot/ or a group of kernel/.
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
LINKED = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
GROUPS = [ROOT / "kernel" / name for name in ("", "core", "cpu", "hw", "show", "layout", "run")]
GROUPS += [path for path in (ROOT / "kernel" / "core").iterdir() if path.name != "lib"]
PLACES = (ROOT, ROOT / "boot", *GROUPS)

NO_FILES = {"opt/okram/cmdline"}
FORGE = {"../../releases/latest", "../../security/advisories/new"}  # pages of the repository
OF_EXAMPLES = re.compile(r"waet\b")  # CONTRIBUTING.md's examples would make them


def is_there(name):
    made = name.startswith("build/") or name in NO_FILES or OF_EXAMPLES.search(name)
    return made or any((place / name).exists() for place in PLACES)


def missing(document):
    text = document.read_text()
    named = [name for name in NAMED.findall(text) if not is_there(name)]
    linked = [to for to in LINKED.findall(text) if to not in FORGE]
    return named + [to for to in linked if not (document.parent / to).exists()]


def slug(heading):
    """The anchor that forges give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(document):
    return {slug(text) for text in re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)}


def missing_anchors(document):
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", document.read_text())
    there = ((document.parent / to if to else document, name) for to, name in links)
    return [f"{to.name}#{name}" for to, name in there if name not in anchors(to)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_files_exist(document):
    assert missing(document) == [] and missing_anchors(document) == []


def test_what_is_not_there_is_seen(tmp_path):
    document = tmp_path / "a.md"
    document.write_text("`kernel/main.c` `sweep/order.h` `sweep/gone.h` [a](a.md#x) [b](b.md)\n")
    assert missing(document) == ["sweep/gone.h", "b.md"]
    document.write_text(
        "# An `x`, and y\n[a](#an-x-and-y) [b](a.md#an-x-and-y) [c](#z) [d](a.md#y)\n"
    )
    assert missing_anchors(document) == ["a.md#z", "a.md#y"]


def commands(text):
    """The command lines of okram in a document's examples, without `okram`."""
    joined = text.replace("\\\n", " ")
    found = re.findall(r"^ {4}(?:sudo )?(?:tools/)?okram ([a-z].*)$", joined, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in found]


def wrong_command(words):
    try:
        cli.parser().parse_args(words)
    except SystemExit as end:
        return end.code != 0
    return False


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_in_examples_are_accepted(document):
    assert [words for words in commands(document.read_text()) if wrong_command(words)] == []


def test_a_wrong_command_is_seen():
    text = (
        "    sudo okram guard install --lists a --yes # why\n    okram report \\\n        a.jsonl\n"
    )
    first, second = commands(text)
    assert wrong_command(first) and not wrong_command(second) and second == ["report", "a.jsonl"]


def test_targets_of_make_exist():
    text = "".join(document.read_text() for document in DOCUMENTS)
    named = set(re.findall(r"(?:`|^ {4}(?:sudo )?)make ([a-z][a-z-]*)", text, re.MULTILINE))
    database = subprocess.run(
        ["make", "-npq", "help"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    there = set(re.findall(r"^([a-z][a-z-]*):", database, re.MULTILINE))
    assert len(named) > 30 and named - there == set()


def test_json_docs_are_of_the_table():
    """docs/jsonl.schema.json and the lists of docs/json.md."""
    ran = subprocess.run(
        ["make", "-s", "json-docs-check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_advice_names_rows_of_the_menus():
    """The user looks for the very words: no row is told by a description of it."""
    advice = re.sub(r'"\n\s*"', "", (ROOT / "kernel/core/advice/advice.c").read_text())
    named = set(re.findall(r'choose \\"([^"\\]+)\\"', advice))
    assert {"Thorough, all night", "The guard", "Find the bad module"} == named
    loader = "".join(path.read_text() for path in sorted((ROOT / "boot/uefi").rglob("*.c")))
    for name in named:
        assert f'"{name}' in loader, name
    assert '"5  Thorough, all night' in (ROOT / "iso/grub.cfg").read_text()
