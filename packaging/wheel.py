# SPDX-License-Identifier: MIT
"""What hatchling adds to the Python package okramlib for a wheel: the programs that it calls and
the files that it reads, in okramlib/data. They are built for this system."""

import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATA = {
    "VERSION": "VERSION",
    "build/badram": "badram",
    "build/guardlist": "guardlist",
    "build/viewer/head.html": "viewer/head.html",
    "build/viewer/end.html": "viewer/end.html",
    "docs/jsonl.schema.json": "docs/jsonl.schema.json",
}


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        root = Path(self.root)
        built = [name for name in DATA if name.startswith("build/")]
        subprocess.run(["make", "-s", *built], cwd=root, check=True, stdout=2)
        for name, place in DATA.items():
            build_data["force_include"][str(root / name)] = f"okramlib/data/{place}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
