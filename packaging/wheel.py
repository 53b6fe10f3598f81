# SPDX-License-Identifier: MIT
"""What hatchling adds to the Python package okramlib for a wheel: the programs that it calls and
the files that it reads, in okramlib/data. They are built for this system."""

import subprocess
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAMS = ("build/badram", "build/guardlist")
DATA = {
    "VERSION": "VERSION",
    **{name: Path(name).name for name in PROGRAMS},
    "build/viewer/head.html": "viewer/head.html",
    "build/viewer/end.html": "viewer/end.html",
    "docs/jsonl.schema.json": "docs/jsonl.schema.json",
}
# In which folder a program was built: in what debuggers read, and in the linker's checksum of it.
STRIP = ["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id"]


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        root = Path(self.root)
        built = [name for name in DATA if name.startswith("build/")]
        subprocess.run(["make", "-s", *built], cwd=root, check=True, stdout=2)
        files = {place: root / name for name, place in DATA.items()}
        self.stripped = tempfile.TemporaryDirectory()
        for name in PROGRAMS:
            bare = Path(self.stripped.name, Path(name).name)
            subprocess.run([*STRIP, root / name, bare], check=True)
            files[bare.name] = bare
        for place, file in files.items():
            build_data["force_include"][str(file)] = f"okramlib/data/{place}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False

    def finalize(self, version, build_data, artifact_path):
        self.stripped.cleanup()
