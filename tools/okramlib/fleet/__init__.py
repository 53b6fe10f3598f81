# SPDX-License-Identifier: MIT
"""`okram fleet`: the reports of many machines as one data set, and questions to it (docs/fleet.md).

What it needs of others is loaded by its own modules only, and not before it is asked for.
"""

import importlib.util

from .. import IS_INSTALLED, Trouble

_MODULES = ("crc32c", "duckdb", "ibis", "pyarrow")
_SPARK = ("pyspark",)


def need_modules(with_spark=False):
    """Trouble, with what to do, where a package that only `okram fleet` needs is not there."""
    missing = [name for name in _MODULES if not importlib.util.find_spec(name)]
    _refuse(missing, "fleet")
    if with_spark:
        _refuse([name for name in _SPARK if not importlib.util.find_spec(name)], "spark")


def _refuse(missing, extra):
    if not missing:
        return
    how = (
        f"pip install 'okram[{extra}]'"
        if IS_INSTALLED
        else f"build/venv/bin/pip install --no-deps -r tools/requirements-{extra}.txt"
    )
    names = ", ".join(missing)
    raise Trouble(f"okram fleet needs packages that are not installed ({names}): `{how}`.")
