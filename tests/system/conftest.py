# SPDX-License-Identifier: MIT
import pytest

from okramlib.machine import IMAGE, PLUGIN
from system.hooks import (  # noqa: F401
    pytest_runtest_call,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
)
from system.sticks import stick  # noqa: F401


@pytest.fixture(scope="session", autouse=True)
def built():
    """The tests take what `make` has built."""
    for path in (IMAGE, PLUGIN):
        assert path.exists(), f"{path} is not there: run `make check`"
