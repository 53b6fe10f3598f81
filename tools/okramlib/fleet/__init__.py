# SPDX-License-Identifier: MIT
"""`okram fleet`: the reports of many machines as one data set, and questions to it (docs/fleet.md).

What it needs of others is loaded by its own modules only, and not before it is asked for.
"""

import importlib.util

from .. import IS_INSTALLED, ROOT, Trouble, environment

_MODULES = ("crc32c", "duckdb", "ibis", "pyarrow")
_SPARK = ("pyspark",)


def need_modules(with_spark=False):
    """Trouble, with what to do, where a package that only `okram fleet` needs is not there."""
    for names, of in ((_MODULES, "fleet"), (_SPARK if with_spark else (), "spark")):
        missing = [name for name in names if not importlib.util.find_spec(name)]
        if missing:
            raise Trouble(
                f"okram fleet needs Python packages that are not here ({', '.join(missing)});"
                f" `{_how(of)}` installs them."
            )


def _how(of):
    if not IS_INSTALLED:
        return f"tools/setup {of}"
    folder = environment.OWN_MODULES
    target = f" --target {folder}" if folder.is_dir() else ""
    return f"pip install --no-deps --require-hashes{target} -r {ROOT}/requirements-{of}.txt"
