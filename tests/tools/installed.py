# SPDX-License-Identifier: MIT
"""okram as `make install` installs it, below a folder that stands for /."""

import os
import subprocess
import sys

from okramlib import ROOT

# What starts a process, and opens a file for writing, is told on standard error.
WATCHED = """
import os, runpy, sys
CHILDREN = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}
def hook(event, arguments):
    if event in CHILDREN:
        print("started:", arguments[0], file=sys.stderr)
    if event == "open" and not isinstance(arguments[0], int):  # by its name
        if arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            print("written:", arguments[0], file=sys.stderr)
sys.addaudithook(hook)
sys.argv = sys.argv[1:]
if not sys.flags.isolated:
    sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def make(*arguments, root=ROOT):
    """Of a make that is not part of one that runs the tests."""
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return subprocess.run(
        ["make", "-C", root, *map(str, arguments)], env=clean, capture_output=True, text=True
    )


def install(folder, *arguments):
    """The folder of the prefix."""
    ran = make("install", "PREFIX=/usr", f"DESTDIR={folder}", *arguments)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder / "usr"


def watched(program, *arguments, flags="-ISB", input="", python=sys.executable, **options):
    """Runs a program of Python's, which tells what it starts and writes."""
    command = [python, flags, "-c", WATCHED, program, *arguments]
    return subprocess.run(
        [*map(str, command)], input=input, capture_output=True, text=True, timeout=60, **options
    )
