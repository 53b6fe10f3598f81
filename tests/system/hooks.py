# SPDX-License-Identifier: MIT
"""pytest hooks for tests that boot okram, imported by conftest.py.

The report of a failed test shows what okram printed in each of its runs. A record that violates
docs/jsonl.schema.json fails the test.
"""

from pathlib import Path

import pytest

import okramlib.run

_LAST_LINES = 10
_OUTCOMES = pytest.StashKey()

# Assertions in modules that are not tests show the values compared, too.
for path in Path(__file__).parent.glob("*.py"):
    if path != Path(__file__) and not path.stem.startswith("test_"):
        pytest.register_assert_rewrite(f"system.{path.stem}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    made = item.stash[_OUTCOMES] = []
    ordinary = okramlib.run.Outcome

    def kept(*arguments, **named):
        made.append(ordinary(*arguments, **named))
        return made[-1]

    okramlib.run.Outcome = kept
    try:
        return (yield)
    finally:
        okramlib.run.Outcome = ordinary


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    ended = yield
    invalid = [text for outcome in item.stash[_OUTCOMES] for text in outcome.invalid_records]
    if invalid:
        pytest.fail("invalid record: " + "\n".join(invalid), pytrace=False)
    return ended


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed:
        outcomes = item.stash[_OUTCOMES]
        for number, outcome in enumerate(outcomes, 1):
            title = f"output of okram, run {number} of {len(outcomes)}"
            report.sections.append((title, "\n".join(_said(outcome))))
    return report


def _said(outcome):
    """Its lines; first why there is no result."""
    if outcome.trouble:
        yield outcome.trouble
    yield f"exit code {outcome.exit_code}, QEMU's {outcome.qemu_exit}, {outcome.seconds:.1f} s"
    for record in outcome.records:
        if record["type"] == "start":
            yield f"options: {record['cmdline']}"
        if record["type"] == "result":
            yield f"status: {record['status']}"
        if record.get("error"):
            yield f"error: {record['error']}"
        yield from (f"warning: {text}" for text in record.get("warnings", ()))
    yield from (f"bad line: {text}" for text in outcome.bad_lines[-_LAST_LINES:])
    yield from (f"serial port: {line}" for line in outcome.lines[-_LAST_LINES:] if line.strip())
