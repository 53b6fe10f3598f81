# SPDX-License-Identifier: MIT
"""What this tool needs: Python modules, programs, and the built okram."""

import filecmp
import functools
import importlib.util
import os
import shutil
import subprocess
import sys

from . import BUILD, ROOT, Trouble
from .machine import QEMU

_VENV = BUILD / "venv"
_VENV_PYTHON = _VENV / "bin" / "python"
_REQUIREMENTS = ROOT / "tools" / "requirements.txt"
_MODULES = ("jinja2", "jsonschema", "qemu.qmp", "rich", "scipy")


def need_modules():
    """Restarts this program in build/venv if modules are missing; runs the set-up for that."""
    if all(map(_is_there, _MODULES)):
        return
    if not _is_venv_current():
        _set_up()
    elif sys.prefix == str(_VENV):
        raise Trouble("build/venv is incomplete: remove it, then run tools/setup.")
    os.execv(_VENV_PYTHON, [str(_VENV_PYTHON), *sys.argv])


def _is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent
        return False


def _is_venv_current():
    """tools/setup copies the requirements once all of them are installed."""
    try:
        return filecmp.cmp(_VENV / _REQUIREMENTS.name, _REQUIREMENTS, shallow=False)
    except OSError:
        return False


def need_programs(machine):
    """Runs the set-up if a program or the firmware is missing."""
    if not _programs_there(machine):
        _set_up()
        if not _programs_there(machine):
            raise Trouble(f"{QEMU} or its UEFI firmware ({machine.firmware_files[0]}) is missing.")


def make(*targets):
    """Builds what is not up to date. Trouble if it fails."""
    if shutil.which("make") is None:
        _set_up()
    # The options of a make that runs this tool are for itself.
    clean = {name: value for name, value in os.environ.items() if name not in _MAKE_VARIABLES}
    try:
        subprocess.run(["make", "-s", "-C", ROOT, *targets], check=True, env=clean, stdout=2)
    except (OSError, subprocess.CalledProcessError):
        raise Trouble(f"'make {' '.join(targets)}' failed; see its output above.") from None


@functools.cache
def need_program(path):
    """Once: builds the program if it is not up to date. Without make, as on a system started from a
    stick, the one that is there will do."""
    if shutil.which("make") or not path.exists():
        make(str(path.relative_to(ROOT)))


_MAKE_VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def _programs_there(machine):
    firmware = not machine.uefi or all(path.exists() for path in machine.firmware_files)
    return shutil.which(QEMU) is not None and firmware


def _set_up():
    try:
        subprocess.run([ROOT / "tools" / "setup"], check=True, stdout=2)
    except (OSError, subprocess.CalledProcessError):
        raise Trouble("tools/setup did not install what is missing.") from None
