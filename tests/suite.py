# SPDX-License-Identifier: MIT
"""Runs all tests of the project and counts them: the last line is `N passed, M failed`.

Arguments go to pytest, e.g. -m "not slow".
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
JUNIT = BUILD / "pytest.xml"


def run_unit_tests():
    """All programs, as many at once as there are CPUs; the largest sources first."""
    sources = sorted((ROOT / "tests" / "unit").glob("*/test_*.c"), key=lambda s: -s.stat().st_size)
    names = [source.relative_to(ROOT / "tests" / "unit").with_suffix("") for source in sources]
    passed = failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = [pool.submit(run_unit_test, BUILD / "unit" / name) for name in names]
        for done, end in enumerate(as_completed(ends), 1):
            name, (good, bad) = names[ends.index(end)], end.result()
            result = f"{good} passed" + (f", {bad} FAILED" if bad else "")
            print(f"[{done:3}/{len(names)}] {name}: {result}", flush=True)
            passed, failed = passed + good, failed + bad
    return passed, failed


def run_unit_test(program):
    """(passed, failed): cmocka reports in TAP; a test without a report, or a crash, has failed."""
    environment = {**os.environ, "CMOCKA_MESSAGE_OUTPUT": "tap"}
    try:
        ran = subprocess.run([program], env=environment, capture_output=True, text=True)
    except OSError as error:
        print(f"{program}: {error}")
        return 0, 1
    lines = ran.stdout.splitlines()
    planned = sum(int(line[3:]) for line in lines if line.startswith("1.."))
    passed = sum(line.startswith("ok ") for line in lines)
    failed = planned - passed
    if ran.returncode != 0 or planned == 0:
        failed = max(failed, 1)
    if failed:
        print(ran.stdout, ran.stderr, sep="")
    return passed, failed


def run_pytest(arguments):
    JUNIT.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "--no-header"]
    command += ["-o", "console_output_style=count", f"--junitxml={JUNIT}", *arguments]
    code = subprocess.run(command, cwd=ROOT).returncode
    try:
        suites = list(xml.parse(JUNIT).getroot().iter("testsuite"))
    except (OSError, xml.ParseError):
        return 0, 1
    tests, failures, errors, skipped = (
        sum(int(suite.get(what)) for suite in suites)
        for what in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    if code != 0:
        failed = max(failed, 1)
    return tests - failures - errors - skipped, failed


def main():
    unit, pytest = run_unit_tests(), run_pytest(sys.argv[1:])
    passed, failed = unit[0] + pytest[0], unit[1] + pytest[1]
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
