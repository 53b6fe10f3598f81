# SPDX-License-Identifier: MIT
"""compile_commands.json, which editors read, has every C file of the product."""

import json
import subprocess

import compile_commands
from check.sources import sources
from okramlib import ROOT


def test_every_file_of_the_product(tmp_path):
    build = tmp_path / "build"
    subprocess.run(
        ["make", "--no-print-directory", f"BUILD={build}", "compile_commands.json"],
        cwd=ROOT,
        check=True,
    )
    entries = json.loads((build / "compile_commands.json").read_text())
    files = [entry["file"] for entry in entries]
    product = {str(path.relative_to(ROOT)) for path in sources() if path.suffix == ".c"}
    product = {name for name in product if name.startswith(("kernel/", "boot/", "tools/"))}
    assert len(files) == len(set(files)) and "kernel/main.c" in product
    assert product - set(files) == set()
    sweep = next(e for e in entries if e["file"] == "kernel/core/march/sweep/tests.c")
    assert "-mcmodel=kernel" in sweep["arguments"] and sweep["directory"] == str(ROOT)
    assert not (build / "kernel").exists(), "nothing is built for it"


def test_reads_commands():
    text = "@mkdir -p x\n"
    text += "gcc -I. -c a.c -o x/a.o\ngcc -Os -c a.c -o y/a.o\n"
    text += "clang-14 b.c c.c \\\n  -o b\n"
    entries = compile_commands.entries(text)
    assert [entry["arguments"] for entry in entries] == [
        ["gcc", "-I.", "-c", "a.c", "-o", "x/a.o"],
        ["clang-14", "b.c", "-o", "b"],
        ["clang-14", "c.c", "-o", "b"],
    ]
