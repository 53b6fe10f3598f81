# SPDX-License-Identifier: MIT
"""Runs libFuzzer on the targets that `make fuzz` builds, two at a time.

fuzz.py SECONDS [TARGET...]
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
FUZZ = ROOT / "build" / "fuzz"
TARGETS = sorted(path.stem.removeprefix("fuzz_") for path in CORPUS.parent.glob("fuzz_*.c"))

_AT_A_TIME = 2
_INPUT_SECONDS_MAX = 60  # by the clock, of a machine that may have more to do
_INPUT_BYTES_MAX = 16384
_MEMORY_MIB = 2048
_LAST_LINES = 25


@dataclass
class Result:
    """complaint: what is wrong, with the input that shows it; "": nothing."""

    target: str
    executions: int
    coverage: int  # edges of the code
    complaint: str


def fuzz(target, seconds):
    """What is found goes to build/fuzz/found/, the grown corpus to build/fuzz/corpus/TARGET."""
    grown, found = FUZZ / "corpus" / target, FUZZ / "found"
    grown.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    command = [FUZZ / "clang" / target, f"-max_total_time={seconds}"]
    command += [f"-timeout={_INPUT_SECONDS_MAX}", f"-max_len={_INPUT_BYTES_MAX}"]
    command += [f"-rss_limit_mb={_MEMORY_MIB}", f"-artifact_prefix={found}/{target}-"]
    ran = subprocess.run(
        [*command, grown, CORPUS / target], capture_output=True, text=True, errors="replace"
    )
    lines = ran.stderr.splitlines()
    counts = re.findall(r"^#(\d+)\s.*?\bcov: (\d+)", ran.stderr, re.MULTILINE)
    executions, coverage = map(int, counts[-1]) if counts else (0, 0)
    complaint = ""
    if ran.returncode != 0 or not executions:
        complaint = "\n".join(lines[-_LAST_LINES:]) or f"it ended with {ran.returncode}"
    return Result(target, executions, coverage, complaint)


def main(seconds, *targets):
    failed = 0
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        for result in pool.map(lambda target: fuzz(target, int(seconds)), targets or TARGETS):
            verdict = "FAILED" if result.complaint else "nothing found"
            counts = f"{result.executions:12} inputs {result.coverage:6} edges"
            print(f"{result.target:16}{counts}  {verdict}", flush=True)
            if result.complaint:
                print(result.complaint)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
