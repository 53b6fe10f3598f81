# SPDX-License-Identifier: MIT
"""Writes how each C file is compiled, as clangd reads it: compile_commands.json.

    python3 tools/compile_commands.py OUTPUT [VARIABLE=VALUE...] TARGET...

The commands are those that make would run for the targets, were nothing built. A file that several
programs are made of has one entry, of the first target: https://clang.llvm.org/docs/JSONCompilationDatabase.html
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = re.compile(r"(.*/)?(gcc|clang|cc)(-\d+)?")


def dry_run(targets: list[str]) -> str:
    command = ["make", "--no-print-directory", "--always-make", "--dry-run", *targets]
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    ran = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return ran.stdout


def entries(commands: str) -> list[dict]:
    found: dict[str, dict] = {}
    for line in commands.replace("\\\n", " ").splitlines():
        if not COMPILERS.fullmatch(line.partition(" ")[0]):
            continue
        words = shlex.split(line)
        sources = [word for word in words if word.endswith(".c")]
        for source in sources:
            # One source a command: of a program that is compiled and linked at once, too.
            own = [word for word in words if word == source or word not in sources]
            entry = {"directory": str(ROOT), "arguments": own, "file": source}
            found.setdefault(source, entry)
    return list(found.values())


def main() -> None:
    output, *targets = sys.argv[1:]
    path = Path(output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries(dry_run(targets)), indent=1) + "\n")


if __name__ == "__main__":
    main()
