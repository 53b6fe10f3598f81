# SPDX-License-Identifier: MIT
"""What this tool needs: Python modules, programs, and the built okram.

In a checkout, what is missing is set up or built. The installed command does neither: it brings its
modules and programs along, and says what it has not got.
"""

import filecmp
import importlib.util
import os
import shutil
import site
import subprocess
import sys

from . import BUILD, IS_INSTALLED, IS_WHEEL, ROOT, Trouble, trust
from .machine import PLUGIN, QEMU

_VENV = BUILD / "venv"
_VENV_PYTHON = _VENV / "bin" / "python"
_REQUIREMENTS = ROOT / "tools" / "requirements.txt"
_MODULES = ("jinja2", "jsonschema_rs", "qemu.qmp", "rich", "scipy")

# Of the installed command, where it brings modules along.
OWN_MODULES = ROOT / f"python3.{sys.version_info.minor}"


def need_modules():
    """Finds the modules of others. In a checkout that may restart this program in build/venv, and
    runs the set-up for that. Those that are not installed are missed when they are imported."""
    if all(map(_is_there, _MODULES)):
        return
    if IS_INSTALLED:
        _find_installed()
        return
    if not _is_venv_current():
        _set_up()
    elif sys.prefix == str(_VENV):
        raise Trouble("build/venv is incomplete: remove it, then run tools/setup.")
    _trust_as_root(_VENV)
    os.execv(_VENV_PYTHON, [str(_VENV_PYTHON), *sys.argv])


def how_to_get(module):
    """A module that was missed, in half a sentence."""
    if IS_WHEEL:
        return f"install it by pip, as {module.partition('.')[0]}"
    if IS_INSTALLED and not trust.modules_folders():
        return f"install the system's, on Debian the package python3-{module.partition('.')[0]}"
    return "install okram again for it, by `make install`"


def _is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent
        return False


def _find_installed():
    """The modules that were installed with this command, else those of the system's Python."""
    if OWN_MODULES.is_dir():
        _trust_as_root(OWN_MODULES)
        sys.path.append(str(OWN_MODULES))
    elif not trust.modules_folders():
        site.main()
    importlib.invalidate_caches()


def _trust_as_root(path, problem=trust.problem_of_tree):
    if os.geteuid() == 0 and path.exists() and (why := problem(path)):
        raise Trouble(f"root runs only what root alone can change, and {why}.")


def _is_venv_current():
    """tools/setup copies the requirements once all of them are installed."""
    try:
        return filecmp.cmp(_VENV / _REQUIREMENTS.name, _REQUIREMENTS, shallow=False)
    except OSError:
        return False


def need_installed(what):
    """What root does to the machine itself is for the installed command, which cannot build
    anything, and whose files nobody but root could change since they were installed."""
    if IS_WHEEL:
        raise Trouble(
            f"okram {what} is not part of what pip installs: the Debian package and `make install`"
            " have it."
        )
    if os.geteuid() == 0 and not IS_INSTALLED:
        raise Trouble(
            f"as root, {what} is for the installed command only: `make install` installs it, then"
            f" run okram {what}."
        )


def need_run():
    """Packages leave out what starts QEMU."""
    if IS_INSTALLED and not PLUGIN.exists():
        raise Trouble("okram run is not part of this installation: it needs a checkout of okram.")


def need_programs(machine):
    """QEMU and its firmware; in a checkout the set-up installs them."""
    if _programs_there(machine):
        return
    if not IS_INSTALLED:
        _set_up()
    if not _programs_there(machine):
        raise Trouble(f"{QEMU} or its UEFI firmware ({machine.firmware_files[0]}) is missing.")


def need_built(*paths):
    """Builds what is not up to date in a checkout; what is installed is as it is."""
    if not IS_INSTALLED:
        _trust_as_root(BUILD, trust.problem)
        make(*(str(path.relative_to(ROOT)) for path in paths))
    for path in paths:
        program(path)


def program(path):
    """That path. Trouble if there is none: nothing is built for it."""
    if not path.exists():
        how = "install okram again" if IS_INSTALLED else f"`make {path.relative_to(ROOT)}` makes it"
        raise Trouble(f"{path} is missing: {how}.")
    _trust_as_root(path, trust.problem)
    return path


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


_MAKE_VARIABLES = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")


def _programs_there(machine):
    firmware = not machine.uefi or all(path.exists() for path in machine.firmware_files)
    return shutil.which(QEMU) is not None and firmware


def _set_up():
    try:
        subprocess.run([ROOT / "tools" / "setup"], check=True, stdout=2)
    except (OSError, subprocess.CalledProcessError):
        raise Trouble("tools/setup did not install what is missing.") from None
