# SPDX-License-Identifier: MIT
"""The files that a public forge reads: the workflow calls what a developer calls, the forms ask."""

import os
import re
import subprocess

import pytest
import yaml

from okramlib import ROOT

FORGE = ROOT / ".github"
CONTAINERS = ["debian:12", "debian:13", "ubuntu:24.04"]
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}
PINNED = re.compile(r"actions/[\w-]+@[0-9a-f]{40}")
OF_STEP = re.compile(r"\$\{\{ *steps\.(\w+)\.outputs\.(\w+) *\}\}")


def read(name):
    return yaml.safe_load((FORGE / name).read_text())


def jobs(name):
    return read(f"workflows/{name}.yml")["jobs"]


def problems(steps):
    """What GitHub would refuse, or would run otherwise than it is meant."""
    outputs = {}
    for number, step in enumerate(steps):
        if ("run" in step) == ("uses" in step):
            yield f"step {number}: one of run and uses"
        for of, name in OF_STEP.findall(str(step)):
            if f"{name}=" not in outputs.get(of, ""):
                yield f"step {number}: no step {of} before it has the output {name}"
        if "uses" in step and not PINNED.fullmatch(step["uses"]):
            yield f"step {number}: an action that is not pinned to a commit"
        if step.get("run"):
            # What GitHub puts into the script before the shell sees it.
            script = re.sub(r"\$\{\{.*?\}\}", "x", step["run"])
            shellcheck = ["shellcheck", "--norc", "--shell=sh", "-"]
            ran = subprocess.run(shellcheck, input=script, capture_output=True, text=True)
            if ran.returncode:
                yield f"step {number}: {ran.stdout}"
        outputs[step.get("id")] = step.get("run", "")


def test_the_workflow_is_the_check_of_a_developer():
    check = jobs("check")["check"]
    assert check["strategy"]["matrix"] == {"container": CONTAINERS}
    assert check["container"] == "${{ matrix.container }}"
    commands = [step.get("run") for step in check["steps"]]
    assert commands.count(".ci/run") == 1 and os.access(ROOT / ".ci/run", os.X_OK)
    upload = check["steps"][-1]
    assert commands.count("make dist && cat build/dist/SHA256SUMS") == 1
    assert upload["with"]["path"] == "build/dist"
    assert list(problems(check["steps"])) == []


def test_a_release_is_made_as_a_developer_makes_it():
    """What writes to the repository runs nothing of it."""
    build, publish = (jobs("release")[name] for name in ("build", "publish"))
    for name, workflow in (("release", jobs("release")), ("check", jobs("check"))):
        writes = [job for job, text in workflow.items() if "write" in str(text.get("permissions"))]
        assert writes == (["publish"] if name == "release" else [])
        assert [*problems([step for job in workflow.values() for step in job["steps"]])] == []
    (made,) = (step for step in build["steps"] if step.get("run") == "make release")
    assert made["env"] == {"TAG": "${{ github.ref_name }}"}
    assert build["permissions"] == {"contents": "read"} and publish["needs"] == "build"
    assert not any("checkout" in str(step) for step in publish["steps"])
    text = (ROOT / "packaging" / "Containerfile").read_text()
    assert re.search(r"^FROM (\S+) AS built$", text, re.MULTILINE)[1] == build["container"]
    assert re.fullmatch(r"docker\.io/library/debian:[\w-]+@sha256:[0-9a-f]{64}", build["container"])


@pytest.mark.parametrize(
    "step, problem",
    [
        ({"name": "nothing"}, "one of run and uses"),
        ({"uses": "actions/checkout@v7"}, "not pinned"),
        ({"uses": "someone/checkout@" + "0" * 40}, "not pinned"),
        ({"run": "cd $1"}, "SC2086"),
        ({"run": "echo ${{ steps.gone.outputs.name }}"}, "no step gone"),
    ],
)
def test_a_broken_step_is_seen(step, problem):
    assert problem in "".join(problems([step]))


def test_a_bug_report_asks_for_what_is_needed():
    form = read("ISSUE_TEMPLATE/bug.yml")
    assert form["name"] and form["description"]
    assert {field["type"] for field in form["body"]} <= FIELDS
    fields = {field["id"]: field for field in form["body"] if field["type"] != "markdown"}
    asked = {name for name, field in fields.items() if field["validations"]["required"]}
    assert {"version", "machine", "support"} <= asked
    assert "key s" in fields["support"]["attributes"]["label"]


def test_a_pull_request_names_the_check():
    assert "`make check`" in (FORGE / "pull_request_template.md").read_text()
