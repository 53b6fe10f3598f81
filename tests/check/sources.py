# SPDX-License-Identifier: MIT
"""The source files that the checks read."""

from okramlib import ROOT

FOLDERS = (".ci", "boot", "iso", "kernel", "packaging", "tests", "tools")
ENDINGS = {".asm", ".c", ".cfg", ".css", ".h", ".html", ".js", ".ld", ".mk", ".py"}


def sources():
    below = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [ROOT / "Makefile", *(p for p in below if p.suffix in ENDINGS or is_script(p))]


def shell_scripts():
    return [path for path in sources() if is_script(path) and b"sh" in first_line(path)]


def is_script(path):
    return not path.suffix and first_line(path).startswith(b"#!")


def first_line(path):
    with path.open("rb") as file:
        return file.readline()
