# SPDX-License-Identifier: MIT
"""Python packages are taken by their checksums only."""

import contextlib
import re
import subprocess

from okramlib import ROOT

PINNED = re.compile(r"([\w.-]+)==[\w.]+((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)
PIP = re.compile(r"\bpip (?:install|wheel|download)\b(?:.*\\\n)*.*")


def named(text):
    """Packages of a file of requirements, as PyPI compares their names."""
    lines = (line for line in text.splitlines() if line and line[0] not in "#- ")
    return {re.sub(r"[-_.]+", "-", re.split(r"[=<>[ ]", line)[0]).lower() for line in lines}


def unpinned(text):
    return named(text) - {name for name, _ in PINNED.findall(text)}


def test_every_package_has_its_checksums():
    for name in ("requirements", "requirements-fleet"):
        text = (ROOT / "tools" / f"{name}.txt").read_text()
        asked = (ROOT / "tools" / f"{name}.in").read_text()
        assert unpinned(text) == set() and named(asked) <= named(text)
    for name in ("fuzz", "spark"):
        assert unpinned((ROOT / "tools" / f"requirements-{name}.txt").read_text()) == set()


def test_pip_takes_nothing_else():
    """Of what is fetched each file has its checksum; where nothing has to be, no index is asked."""
    files = subprocess.check_output(["git", "-C", ROOT, "ls-files"], text=True).splitlines()
    calls = {}
    for path in (ROOT / name for name in files if not name.startswith(("docs/", "tests/"))):
        with contextlib.suppress(UnicodeDecodeError):
            calls |= dict.fromkeys(PIP.findall(path.read_text()), path)
    assert len(calls) >= 3
    secure = ("--require-hashes", "--no-index")
    assert [str(calls[call]) for call in calls if not any(word in call for word in secure)] == []


def test_one_version_of_each():
    """What two files name is of the same version: both go into one environment."""
    versions = {}
    for path in (ROOT / "tools").glob("requirements*.txt"):
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.MULTILINE):
            assert versions.setdefault(name.lower(), version) == version, (path.name, name)


def test_one_without_is_seen():
    good = "a-b==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n    # via c\n"
    assert unpinned(good) == set()
    assert unpinned(good + "c==1.0\n") == {"c"}
    assert unpinned(good.replace("==1.0", "")) == {"a-b"}
