# SPDX-License-Identifier: MIT
import shutil
import subprocess

import pytest

from okramlib import BUILD, ROOT

IMAGE = BUILD / "okram.iso"


def pytest_collection_modifyitems(config, items):
    """Modules that import BUILD read what `make` makes."""
    readers = sorted({item.path.name for item in items if hasattr(item.module, "BUILD")})
    if readers and not config.option.collectonly and not IMAGE.exists():
        text = f"{IMAGE} is missing, and these tests read what is built: {', '.join(readers)}"
        raise pytest.UsageError(f"run make first: {text}")


@pytest.fixture
def tree(tmp_path):
    """A copy of the tree, as far as it is known to git or new."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path
