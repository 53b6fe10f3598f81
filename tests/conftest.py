# SPDX-License-Identifier: MIT
"""Marks the tests of check_long.toml slow."""

import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LIST = TESTS / "check_long.toml"


def pytest_collection_modifyitems(items):
    listed = tomllib.loads(LIST.read_text())
    for item in items:
        tests = listed.get(str(item.path.relative_to(TESTS)), {})
        if is_listed(tests, getattr(item, "originalname", item.name), item.name):
            item.add_marker(pytest.mark.slow)


def is_listed(tests, function, name):
    """By itself, or with these parameters."""
    chosen = tests.get(function, [])
    return chosen is True or (chosen and name.removeprefix(function)[1:-1] in chosen)
