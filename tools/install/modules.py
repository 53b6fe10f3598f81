#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""modules.py FOLDER: puts the Python packages that the command okram needs, and what these need in
turn, from the environment that this runs in into FOLDER. They were checked when they were installed
there (tools/requirements.txt). Files are linked where the file system can: they are large."""

import os
import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NEEDED = ("rich", "Jinja2", "jsonschema-rs", "qemu.qmp", "scipy")

# Packages' own tests, half of the files of some.
LEFT_OUT = {"tests"}


def all_needed(names=NEEDED):
    """The distributions of these names and of all that they require here, by their names."""
    found, left = {}, list(names)
    while left:
        name = canonicalize_name(left.pop())
        if name in found:
            continue
        found[name] = distribution(name)
        for text in found[name].requires or ():
            required = Requirement(text)
            if not required.marker or required.marker.evaluate({"extra": ""}):
                left.append(required.name)
    return found


def files_of(package):
    """(path in a folder of modules, where it is) of each file; programs are left out."""
    for file in package.files:
        if ".." not in file.parts and not LEFT_OUT & {*file.parts}:
            yield Path(file), Path(file.locate())


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for package in all_needed().values():
        for name, source in files_of(package):
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)
            except OSError:
                shutil.copy2(source, target)


if __name__ == "__main__":
    main(sys.argv[1])
