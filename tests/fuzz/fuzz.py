# SPDX-License-Identifier: MIT
"""Runs libFuzzer on the targets that `make fuzz` builds, and says what they have reached.

    fuzz.py SECONDS [TARGET...]

The table goes to build/fuzz/table.md.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fuzz import host_targets

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
FUZZ = ROOT / "build" / "fuzz"
C_TARGETS = sorted(path.stem.removeprefix("fuzz_") for path in CORPUS.parent.glob("fuzz_*.c"))
PYTHON_TARGETS = sorted(host_targets.TARGETS)
TARGETS = sorted(C_TARGETS + PYTHON_TARGETS)

_PYTHON_PATH = os.pathsep.join(map(str, (FUZZ / "python", ROOT / "tests", ROOT / "tools")))
_AT_A_TIME = int(os.environ.get("FUZZ_JOBS", 2))
_INPUT_SECONDS_MAX = 60  # by the clock, of a machine that may have more to do
_INPUT_BYTES_MAX = 16384
_MEMORY_MIB = 2048
_LAST_LINES = 25
_NAMED_MAX = 4  # files of a folder

# What is shared by all; a target reaches a part of it in passing.
_NOT_COUNTED = re.compile(r"tests/|kernel/core/lib/")
_HEAD = "| target | inputs | seconds | edges | lines | of |\n|---|---:|---:|---:|---:|---|\n"


@dataclass
class Result:
    """complaint: what is wrong, with the input that shows it; "": nothing."""

    target: str
    executions: int
    coverage: int  # edges of the code
    complaint: str
    seconds: int = 0
    lines: int = 0  # that were executed
    lines_all: int = 0  # of those files
    files: list[str] = field(default_factory=list)  # of which at least one line was


def _program(target):
    if target in host_targets.TARGETS:
        return [sys.executable, "-m", "fuzz.host_targets", target]
    return [FUZZ / "clang" / target]


def fuzz(target, seconds):
    """What is found goes to build/fuzz/found/, the grown corpus to build/fuzz/corpus/TARGET."""
    grown, found = FUZZ / "corpus" / target, FUZZ / "found"
    grown.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    command = [*_program(target), f"-max_total_time={seconds}"]
    command += [f"-timeout={_INPUT_SECONDS_MAX}", f"-max_len={_INPUT_BYTES_MAX}"]
    command += [f"-rss_limit_mb={_MEMORY_MIB}", f"-artifact_prefix={found}/{target}-"]
    ran = subprocess.run(
        [*command, grown, CORPUS / target],
        capture_output=True,
        text=True,
        errors="replace",
        env=os.environ | {"PYTHONPATH": _PYTHON_PATH},
    )
    lines = ran.stderr.splitlines()
    counts = re.findall(r"^#(\d+)\s.*?\bcov: (\d+)", ran.stderr, re.MULTILINE)
    executions, coverage = map(int, counts[-1]) if counts else (0, 0)
    took = re.search(r"^Done \d+ runs in (\d+) second", ran.stderr, re.MULTILINE)
    complaint = ""
    if ran.returncode != 0 or not executions:
        complaint = "\n".join(lines[-_LAST_LINES:]) or f"it ended with {ran.returncode}"
    return Result(target, executions, coverage, complaint, int(took[1]) if took else 0)


def reach(result):
    """Fills in the lines that the corpus and what has grown from it execute, by llvm-cov."""
    target = result.target
    program, raw, merged = (FUZZ / kind / target for kind in ("coverage", "profraw", "profdata"))
    for path in (raw, merged):
        path.parent.mkdir(exist_ok=True)
    inputs = sorted(p for at in (CORPUS, FUZZ / "corpus") for p in (at / target).glob("*"))
    environment = os.environ | {"LLVM_PROFILE_FILE": str(raw)}
    subprocess.run([program, *inputs], env=environment, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", merged], check=True)
    command = ["llvm-cov", "export", "-summary-only", f"-instr-profile={merged}", program]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    for file in report["data"][0]["files"]:
        name = os.path.relpath(file["filename"], ROOT)
        lines = file["summary"]["lines"]
        if lines["covered"] and not _NOT_COUNTED.match(name):
            result.files.append(name)
            result.lines += lines["covered"]
            result.lines_all += lines["count"]


def _places(files):
    """As in "kernel/io/{fw_cfg,serial}, kernel/hw/usb": where there are many, the folder alone."""
    by_folder, places = {}, []
    for name in sorted(files):
        by_folder.setdefault(os.path.dirname(name), []).append(Path(name).stem)
    for folder, names in by_folder.items():
        names = sorted(set(names))
        if len(names) > _NAMED_MAX:
            places.append(folder)
        else:
            listed = names[0] if len(names) == 1 else f"{{{','.join(names)}}}"
            places.append(f"{folder}/{listed}")
    return ", ".join(places)


def row(result):
    share = f"{result.lines} of {result.lines_all}" if result.lines_all else "not counted"
    counts = f"{result.executions} | {result.seconds} | {result.coverage}"
    return f"| {result.target} | {counts} | {share} | {_places(result.files) or 'Python'} |\n"


def _write_table(results):
    path = FUZZ / "table.md"
    path.write_text(_HEAD + "".join(map(row, sorted(results, key=lambda r: r.target))))
    print(f"the table: {path.relative_to(ROOT)}")


def _run(target, seconds):
    result = fuzz(target, seconds)
    if not result.complaint and target in C_TARGETS:
        reach(result)
    return result


def main(seconds, *words):
    targets = words or TARGETS
    unknown = sorted(set(targets) - set(TARGETS))
    if unknown:
        print(f"no such target: {', '.join(unknown)}; there are {', '.join(TARGETS)}")
        return 2
    results = []
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        for result in pool.map(lambda target: _run(target, int(seconds)), targets):
            verdict = "FAILED" if result.complaint else "nothing found"
            counts = f"{result.executions:12} inputs {result.coverage:6} edges"
            counts += f" {result.lines:5} of {result.lines_all:5} lines"
            print(f"{result.target:16}{counts}  {verdict}", flush=True)
            if result.complaint:
                print(result.complaint)
            results.append(result)
    _write_table([r for r in results if not r.complaint])
    return 1 if any(r.complaint for r in results) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
