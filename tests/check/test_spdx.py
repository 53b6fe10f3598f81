# SPDX-License-Identifier: MIT
"""Every source file names its licence in its first two lines."""

from check.sources import sources
from okramlib import ROOT

LICENCE = "SPDX-License-Identifier: MIT"


def names_its_licence(source):
    text = source.read_text()
    return not text.strip() or LICENCE in "".join(text.splitlines(True)[:2])


def test_every_source_names_its_licence():
    found = [str(path.relative_to(ROOT)) for path in sources()]
    assert {"Makefile", "kernel/main.c", "tools/setup", ".ci/run"} <= {*found}
    assert [path for path in found if not names_its_licence(ROOT / path)] == []
