# SPDX-License-Identifier: MIT
"""Every source file names its licence in its first two lines."""

from okramlib import ROOT

LICENCE = "SPDX-License-Identifier: MIT"
FOLDERS = ("boot", "iso", "kernel", "tests", "tools")
ENDINGS = {".c", ".h", ".asm", ".ld", ".mk", ".py", ".cfg"}
SCRIPTS = ("Makefile", ".ci/run", "tools/okram", "tools/setup", "tools/plugin/ask_version")


def sources():
    below = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in ENDINGS]
    return below + [ROOT / script for script in SCRIPTS]


def names_its_licence(source):
    text = source.read_text()
    return not text.strip() or LICENCE in "".join(text.splitlines(True)[:2])


def test_every_source_names_its_licence():
    assert ROOT / "kernel" / "main.c" in sources()
    assert [str(p.relative_to(ROOT)) for p in sources() if not names_its_licence(p)] == []
