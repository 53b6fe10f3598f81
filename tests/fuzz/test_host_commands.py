# SPDX-License-Identifier: MIT
"""The host command bears any input: its exit codes are those documented, nothing of it commands a
terminal, and it takes neither long nor much memory."""

import json
import os
import re
import subprocess
import sys

import pytest

from okramlib import ROOT, environment

ROUNDS = int(os.environ.get("HOST_COMMANDS_ROUNDS", 12))
CODES = {"report": (0, 2, 5), "badram": (0, 1, 2, 5), "guard": (0, 1, 2)}
CALL_SECONDS_MAX = 5
MEMORY_MAX_KIB = 300 << 10

# Of UTF-8 text: controls but the line feed, C1, bidirectional controls, and what is not UTF-8.
COMMANDS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
# In XML, as pages are; the parser of the tests reads them elsewhere.
FORMULA = re.compile(r"""(^|,)"?[=+@\t\r]|(^|,)"?-[^0-9]""", re.M)


def run(folder, seed, rounds):
    path = f"{ROOT / 'tools'}:{ROOT / 'tests'}"
    return subprocess.run(
        [sys.executable, "-m", "fuzz.host_commands", folder, str(seed), str(rounds)],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path},
        timeout=600,
    )


@pytest.mark.parametrize("seed", range(2))
def test_any_input(tmp_path, seed):
    environment.make("build/badram", "build/guardlist", "build/viewer/head.html")
    ran = run(tmp_path, seed, ROUNDS)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode == 0, (lines[-1], ran.stderr[-2000:])
    assert lines.pop()["max_kib"] < MEMORY_MAX_KIB
    for made, found in zip(lines[::2], lines[1::2], strict=True):
        out, err = (found[name].encode("latin-1").decode() for name in ("out", "err"))
        assert found["code"] in CODES[made["call"][0]], (made, err)
        assert "Traceback" not in err and "internal error" not in err, (made, err)
        assert not COMMANDS.search(out + err), (made, out, err)
        assert found["code"] != 2 or err or "--json" in made["call"], made
        assert found["seconds"] < CALL_SECONDS_MAX, made
        if "--csv" in made["call"]:
            assert not FORMULA.search(out), (made, out)
