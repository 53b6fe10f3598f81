# SPDX-License-Identifier: MIT
"""A run as output of OCP Test & Validation, valid by its schema (tests/data/ocp)."""

import io
import json

import pytest
from jsonschema_rs import Draft202012Validator, Registry

from okramlib import ROOT, ocp
from tools.sample_runs import by_module, make_run
from tools.samples import GOOD

GOOD_RUN = [{"t": 1, **record} for record in GOOD]
HOSTILE = "</script>\"'\n\x1b[2J=1+1{}"


@pytest.fixture(scope="module")
def schema():
    files = [json.loads(path.read_text()) for path in (ROOT / "tests/data/ocp").glob("*.json")]
    root = next(file for file in files if file["$id"].endswith("/output"))
    return Draft202012Validator(root, registry=Registry([(file["$id"], file) for file in files]))


def written(run, problems=()):
    text = io.StringIO()
    ocp.write(text, run, problems)
    return [json.loads(line) for line in text.getvalue().splitlines()]


def check(schema, artifacts):
    for artifact in artifacts:
        assert [error.message for error in schema.iter_errors(artifact)] == [], artifact
    assert [artifact["sequenceNumber"] for artifact in artifacts] == list(range(len(artifacts)))
    assert "schemaVersion" in artifacts[0]


def of_run(artifacts, name):
    return [a["testRunArtifact"][name] for a in artifacts if name in a.get("testRunArtifact", {})]


def of_steps(artifacts, name):
    return [a["testStepArtifact"][name] for a in artifacts if name in a.get("testStepArtifact", {})]


def test_the_schema_rejects(schema):
    """Else all that follows would say nothing."""
    assert not schema.is_valid({"sequenceNumber": 0, "timestamp": "2026-01-01T00:00:00Z", "x": {}})
    assert not schema.is_valid({"testRunArtifact": {"testRunEnd": {"status": "GOOD"}}})


def test_a_run_of_every_record(schema):
    artifacts = written(GOOD_RUN)
    check(schema, artifacts)
    (start,), (end,) = of_run(artifacts, "testRunStart"), of_run(artifacts, "testRunEnd")
    assert start["name"] and end["status"] in ("COMPLETE", "ERROR", "SKIP")
    parts = {info.get("manufacturerPartNumber") for info in start["dutInfo"]["hardwareInfos"]}
    module = next(record for record in GOOD if record["type"] == "module")
    assert module["part"] in parts
    starts, ends = of_steps(artifacts, "testStepStart"), of_steps(artifacts, "testStepEnd")
    assert len(starts) == len(ends) >= 1
    assert of_steps(artifacts, "measurement") and of_steps(artifacts, "diagnosis")


@pytest.mark.parametrize(
    "result, what",
    [
        ({"status": "pass", "complete": True, "bad_pages": 0}, ("COMPLETE", "PASS")),
        ({"status": "fail", "complete": True, "bad_pages": 1}, ("COMPLETE", "FAIL")),
        ({"status": "corrected", "complete": True, "bad_pages": 0}, ("COMPLETE", "FAIL")),
        ({"status": "pass", "complete": False, "bad_pages": 0}, ("SKIP", "NOT_APPLICABLE")),
        (
            {"status": "pass", "complete": True, "bad_pages": 0, "part_of_bytes": 255 << 20},
            ("SKIP", "NOT_APPLICABLE"),
        ),
        ({"status": "stopped", "complete": False, "bad_pages": 0}, ("SKIP", "NOT_APPLICABLE")),
    ],
)
def test_how_it_ends(schema, result, what):
    run = make_run()
    last = {**next(record for record in run if record["type"] == "result"), **result}
    rest = (record for record in run if record["type"] not in ("result", "badram", "fault"))
    artifacts = written([*rest, last])
    check(schema, artifacts)
    (end,) = of_run(artifacts, "testRunEnd")
    assert (end["status"], end["result"]) == what


def test_bad_pages_are_not_a_pass(schema):
    """Whatever the result says of itself."""
    run = [dict(record) for record in GOOD_RUN]
    for record in run:
        if record["type"] == "result":
            record |= {"status": "pass", "complete": True}
    (end,) = of_run(written(run), "testRunEnd")
    assert end["result"] == "FAIL"


def test_a_run_that_did_not_end(schema):
    run = [record for record in GOOD_RUN if record["type"] not in ("result", "saved", "state")]
    artifacts = written(run, ["line 7 is not JSON"])
    check(schema, artifacts)
    (end,) = of_run(artifacts, "testRunEnd")
    assert end["status"] == "ERROR" and end["result"] != "PASS"


def test_measurements(schema):
    check(schema, written(make_run()))


@pytest.mark.parametrize("faulty, module", [("--x-", "module-2"), ("x-x-", None), ("xx", None)])
def test_faults_are_of_the_module_that_they_were_measured_in(schema, faulty, module):
    records = [{"t": 1, **record} for record in by_module(faulty)]
    artifacts = written([*GOOD_RUN[:2], *records, GOOD_RUN[-1]])
    check(schema, artifacts)
    found = [one for one in of_steps(artifacts, "measurement") if one["name"] == "word"]
    assert found and {one.get("hardwareInfoId") for one in found} == {module}
    assert found[0]["metadata"]["place"].startswith("channel ")


def test_nothing_at_all(schema):
    check(schema, written([]))


def test_hostile_words(schema):
    run = [
        {
            name: HOSTILE if isinstance(value, str) and name != "type" else value
            for name, value in r.items()
        }
        for r in GOOD_RUN
        if r["type"] in ("start", "module", "machine")
    ]
    check(schema, written(run))
