# SPDX-License-Identifier: MIT
"""A run as output of OCP Test & Validation 2.0 (opencomputeproject/ocp-diag-core, json_spec): JSON,
one object a line.

A test is a test step. The number of its faults is a measurement that has to be 0, and each faulty
word is one that has to be what was written; the specification's "error" is for what has nothing to
do with the hardware. The step "result" has the diagnosis. Times are those of the run.
"""

import json
from bisect import bisect_left
from dataclasses import dataclass, field

from . import csv_rows, measured, ocp_machine, outcome, records, totals
from .units import count

_COMPLETE, _ERROR, _SKIP = "COMPLETE", "ERROR", "SKIP"
_NO_RESULT = "NOT_APPLICABLE"

# The combinations that the specification allows ("Valid Test Result and Test Status Combinations").
# What okram does not call a pass is none here; with corrected errors a measurement is not as it
# has to be.
_ENDS = {
    "pass": (_COMPLETE, "PASS"),
    "fail": (_COMPLETE, "FAIL"),
    "corrected": (_COMPLETE, "FAIL"),
    "incomplete": (_SKIP, _NO_RESULT),
    "stopped": (_SKIP, _NO_RESULT),
    "error": (_ERROR, _NO_RESULT),
    totals.UNFINISHED: (_ERROR, _NO_RESULT),
}

_MUST_BE_0 = {"type": "EQUAL", "value": 0}


@dataclass
class _Step:
    name: str
    begin: float  # seconds since kernel entry
    end: float
    status: str
    artifacts: list = field(default_factory=list)  # (seconds, artifact)


def write(file, run, problems=()):
    """Writes the run. problems: what could not be read of its file."""
    types = measured.by_type(run)
    start = totals.started(types)
    for number, (seconds, artifact) in enumerate(_artifacts(types, problems)):
        date = totals.date(start, seconds)
        json.dump({**artifact, "sequenceNumber": number, "timestamp": date}, file)
        file.write("\n")


def _artifacts(types, problems):
    """(seconds, artifact) of the whole output, in order."""
    end = max((one["t"] for kind in types.values() for one in kind if "t" in one), default=0)
    status, result = _end(types)
    yield 0, {"schemaVersion": {"major": 2, "minor": 0}}
    yield 0, _of_run(testRunStart=ocp_machine.start(types))
    steps = sorted([*_measured(types), *_tests(types, status)], key=lambda step: step.end)
    steps.append(_Step("result", end, end, status, [(end, a) for a in _result(types)]))
    n_steps = 0
    for seconds, found in _in_order(steps, _logs(types)):
        if isinstance(found, _Step):
            yield from _of_step(found, str(n_steps))
            n_steps += 1
        else:
            yield seconds, _of_run(**found)
    for problem in problems:
        yield end, _of_run(log={"severity": "ERROR", "message": f"In the report: {problem}."})
    if status == _ERROR:
        yield end, _of_run(error=_error(types))
    yield end, _of_run(testRunEnd={"status": status, "result": result})


def _of_run(**artifact):
    return {"testRunArtifact": artifact}


def _of_step(step, name):
    artifacts = [
        (step.begin, {"testStepStart": {"name": step.name}}),
        *sorted(step.artifacts, key=lambda one: one[0]),
        (step.end, {"testStepEnd": {"status": step.status}}),
    ]
    for seconds, artifact in artifacts:
        yield seconds, {"testStepArtifact": {**artifact, "testStepId": name}}


def _in_order(steps, logs):
    """(seconds, step or artifact of the run): a log that came in a step becomes one of the step."""
    ends, outside = [step.end for step in steps], []
    for seconds, log in sorted(logs, key=lambda one: one[0]):
        step = steps[min(bisect_left(ends, seconds), len(steps) - 1)]
        where = step.artifacts if step.begin <= seconds <= step.end else outside
        where.append((seconds, log))
    at = 0
    for step in steps:
        while at < len(outside) and outside[at][0] <= step.begin:
            yield outside[at]
            at += 1
        yield step.begin, step
    yield from outside[at:]


def _end(types):
    """(TestStatus, TestResult) of the run."""
    kind = totals.status(types)
    if kind == "error" and (totals.last(types, "result") or {}).get("reason") == "nothing-tested":
        return _SKIP, _NO_RESULT
    return _ENDS[kind]


def _error(types):
    """Why the run has not ended as it should."""
    result = totals.last(types, "result")
    if result:
        symptom = result.get("reason", "internal-error")
        message = result.get("error") or outcome.verdict(result)
    else:
        symptom = "run-unfinished"
        message = outcome.unfinished(types) or "The report has no result."
    return {"symptom": symptom, "message": message, "softwareInfoIds": [ocp_machine.OKRAM]}


# --- steps ----------------------------------------------------------------------------------------


def _measurement(name, value, unit="", **more):
    units = {"unit": unit} if unit else {}
    return {"measurement": {"name": name, "value": value, **units, **more}}


def _measured(types):
    """What was measured of the machine, as one step."""
    found = [record for kind in records.measured() for record in types.get(kind, [])]
    if not found:
        return
    times = [record["t"] for record in found]
    step = _Step("measurements", min(times), max(times), _COMPLETE)
    for record in found:
        step.artifacts += [(record["t"], artifact) for artifact in _numbers(record)]
    yield step


def _numbers(record):
    for quantity, unit, stats, facts in measured.figures(record):
        mean = stats.pop("mean")
        found = {name: value for name, value in stats.items() if value is not None}
        name = f"{record['type']}-{quantity}"
        yield _measurement(name, mean, unit, metadata=facts | found)


def _tests(types, run_status):
    """A step for each test, with the faulty words that it found."""
    steps, of_test, ended = [], {}, 0
    tests = types.get("test", [])
    for test, status in zip(tests, _statuses(types, tests), strict=True):
        begin = min(test["t"], max(ended, test["t"] - test["seconds"]))
        ended = max(ended, test["t"])
        step = _Step(test["test"], begin, test["t"], status)
        step.artifacts += [(test["t"], artifact) for artifact in _test(test)]
        of_test.setdefault((test["pass"], test["test"]), []).append(step)
        steps.append(step)
    for same in of_test.values():
        same.sort(key=lambda step: step.end)
    # The record of a test that was cut off is missing, and so may be others of a kept report.
    found = types.get("fault", [])
    for one in [*found, *_running(types)]:
        name = one["pass"], one["test"]
        if name not in of_test:
            of_test[name] = [_Step(one["test"], one["t"], one["t"], run_status)]
            steps += of_test[name]
    only = ocp_machine.only_module(types)
    hardware = {"hardwareInfoId": only} if only else {}
    for fault in found:
        same = of_test[fault["pass"], fault["test"]]
        at = bisect_left(same, fault["t"], key=lambda step: step.end)
        step = same[min(at, len(same) - 1)]
        step.artifacts.append((fault["t"], _word(fault, hardware)))
    return steps


def _statuses(types, tests):
    """Of each test: those that a stop has cut short are the last ones, and not among `tests`."""
    result = totals.last(types, "result") or {}
    n_cut = 0
    if result.get("status") == "stopped" or "tests" in result:
        in_pass = [test for test in tests if test["pass"] > result["passes"]]
        n_cut = max(0, len(in_pass) - len(result.get("tests", ())))
    return [_COMPLETE] * (len(tests) - n_cut) + [_SKIP] * n_cut


def _running(types):
    """The test that ran when a run was last heard of that did not finish, if that is known."""
    state = totals.last(types, "state")
    return [state] if state and state["test"] and not types.get("result") else []


def _test(test):
    facts = {name: test[name] for name in ("pass", "seed") if name in test}
    yield _measurement("faults", test["faults"], validators=[_MUST_BE_0], metadata=facts)
    yield _measurement("duration", test["seconds"], "seconds")
    for name in ("swept_bytes", "hammered_bytes"):
        if name in test:
            yield _measurement(name, test[name], "bytes")
    if test.get("note"):
        yield {"log": {"severity": "INFO", "message": test["note"]}}


def _word(fault, hardware):
    names = ("addr", "pass", "cpu", "node", "channel", "place")
    return _measurement(
        "word",
        fault["found"],
        validators=[{"name": "as written", "type": "EQUAL", "value": fault["expected"]}],
        metadata={name: fault[name] for name in names if name in fault},
        **hardware,
    )


# --- the result -----------------------------------------------------------------------------------


def _result(types):
    bad = totals.bad_pages(types)
    if bad is not None:
        yield _measurement("bad_pages", bad, "pages of 4 KiB", validators=[_MUST_BE_0])
    result = totals.last(types, "result") or {}
    for name in ("corrected", "uncorrected"):
        if "ecc" in result:
            yield _measurement(f"{name}_errors", result["ecc"][name], validators=[_MUST_BE_0])
    if totals.passes(types) is not None:
        yield _measurement("passes", totals.passes(types))
    if totals.tested_bytes(types) is not None:
        yield _measurement("tested_bytes", totals.tested_bytes(types), "bytes")
    if result:
        yield _measurement("untested_bytes", result["untested_bytes"], "bytes")
        yield _measurement("duration", result["seconds"], "seconds")
    yield from _retests(types)
    yield from _temperatures(types)
    if outcome.badram_line(types):
        badram = types["badram"][-1]
        content = {name: badram[name] for name in badram if name not in ("t", "type")}
        yield {"extension": {"name": "badram", "content": content}}
    yield {"diagnosis": _diagnosis(types)}


def _retests(types):
    for one in types.get("retest", []):
        facts = {"page": one["page"], "tries": one["tries"]}
        yield _measurement("bad_again", one["failed"], metadata=facts)


def _temperatures(types):
    for record in types.get("temperature", []):
        for row in csv_rows.temperatures(record):
            facts = {"of": row["name"], "when": row["quantity"]}
            yield _measurement("temperature", row["mean"], "degrees Celsius", metadata=facts)


def _diagnosis(types):
    kind = totals.status(types)
    found = {
        "verdict": f"memory-{kind}",
        "type": _diagnosis_type(types, kind),
        "message": " ".join(_sentences(types, kind)),
    }
    advice, only = totals.last(types, "advice"), ocp_machine.only_module(types)
    is_module = bool(advice) and advice["case"] in ("one-module", "soldered")
    return found | ({"hardwareInfoId": only} if is_module and only else {})


def _diagnosis_type(types, kind):
    if totals.bad_pages(types) or kind in ("fail", "corrected"):
        return "FAIL"
    return "PASS" if kind == "pass" else "UNKNOWN"


def _sentences(types, kind):
    if result := totals.last(types, "result"):
        status = kind if kind == "fail" else result["status"]
        faults = outcome.faults(types)
        if headline := outcome.headline(types):
            yield f"{headline}."
        yield f"{outcome.verdict({**result, 'status': status}, faults)} {outcome.ending(result)}."
    else:
        yield outcome.unfinished(types) or "The report has no result."
    yield from outcome.fault_kind(types)
    yield from outcome.diagnosis(types)
    if outcome.advice(types):
        yield f"What to do next: {outcome.advice(types)}"


# --- logs -----------------------------------------------------------------------------------------


def _logs(types):
    """(seconds, artifact), in no order."""
    for kind in ("machine", "result"):
        for record in types.get(kind, [])[-1:]:
            for warning in record.get("warnings", ()):
                yield record["t"], {"log": {"severity": "WARNING", "message": warning}}
    for kind, describe in _DESCRIBE.items():
        for record in types.get(kind, []):
            severity, message = describe(record)
            yield record["t"], {"log": {"severity": severity, "message": message}}


def _mce(check):
    is_error = not check["corrected"]
    what = "not corrected" if is_error else "corrected"
    parts = [
        f"Machine check, {what}: CPU {check['cpu']}, bank {check['bank']}",
        f"status {check['status']}",
        check["addr"] and f"address {check['addr']}",
        check.get("channel"),
        f"{count(check.get('count', 1), 'error')} so far",
    ]
    return "ERROR" if is_error else "WARNING", ", ".join(filter(None, parts)) + "."


def _cper(report):
    severities = {"information": "INFO", "corrected": "WARNING"}
    parts = [
        f"Error of memory that firmware reports, {report['severity']}: source {report['source']}",
        report.get("error"),
        report["addr"] and f"address {report['addr']}",
        *outcome.place(report),
        f"{count(report.get('count', 1), 'error')} so far",
    ]
    return severities.get(report["severity"], "ERROR"), ", ".join(filter(None, parts)) + "."


def _ecc_page(search):
    where = search.get("channel", f"bank {search['bank']}")
    page = f", {search['page']}" if search["page"] else ""
    return "INFO", (
        f"Search for the page of corrected errors of {where}: {search['result']}{page},"
        f" {count(search['tries'], 'try', 'tries')}."
    )


def _alias(alias):
    return "WARNING", (
        f"Addresses that reach the same cells: {alias['addr']} and {alias['partner']},"
        f" {count(alias['pages'], 'page')} so far, by {alias['test']}."
    )


def _external(change):
    return "INFO", (
        f"A device or firmware wrote to {change['addr']} while it was tested, by {change['test']};"
        " not a fault."
    )


_DESCRIBE = {
    "mce": _mce,
    "cper": _cper,
    "ecc_page": _ecc_page,
    "alias": _alias,
    "external": _external,
}
