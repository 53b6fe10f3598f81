# SPDX-License-Identifier: MIT
"""tools/plugin/ask_version: which plugins the installed QEMU loads."""

import os
import subprocess

import pytest

from okramlib import ROOT
from okramlib.machine import QEMU

ASK = ROOT / "tools" / "plugin" / "ask_version"
REFUSES = "Could not load plugin x.so: plugin requires API version 2147483647, but this QEMU"


@pytest.fixture
def ask(tmp_path):
    """Asks a fake QEMU with this output."""

    def run(output):
        fake = tmp_path / QEMU
        fake.write_text(f"#!/bin/sh\necho '{output}' >&2\nexit 1\n")
        fake.chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        ran = subprocess.run(
            [ASK, tmp_path / "api_version.h"],
            env={"PATH": path},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return ran, tmp_path / "api_version.h"

    return run


@pytest.mark.parametrize("version", [1, 4, 10])
def test_the_newest_that_qemu_knows(ask, version):
    ran, header = ask(f"{QEMU}: {REFUSES} supports only up to version {version}")
    assert ran.returncode == 0 and ran.stderr == ""
    assert header.read_text() == f"#define PLUGIN_API_VERSION {version}\n"


def test_nothing_is_rebuilt_for_the_same_qemu(ask):
    _, header = ask(f"{REFUSES} supports only up to version 4")
    before = header.stat().st_mtime_ns
    ask(f"{REFUSES} supports only up to version 4")
    assert header.stat().st_mtime_ns == before
    ask(f"{REFUSES} supports only up to version 5")
    assert header.stat().st_mtime_ns > before


def test_a_qemu_without_plugins(ask):
    ran, header = ask(f"{QEMU}: -plugin: invalid option")
    assert ran.returncode == 1 and not header.exists()
    assert "does not report its plugin API version; its output: " in ran.stderr
    assert "-plugin: invalid option" in ran.stderr
