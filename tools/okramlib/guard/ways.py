# SPDX-License-Identifier: MIT
"""By what the guard is started at each boot, and where its file lies for that."""

from dataclasses import dataclass

from .. import Trouble
from . import ENTRY_NAME, FOLDER, LIST_FILE, NAME, OPTIONS_FILE


@dataclass(frozen=True)
class Way:
    name: str
    folder: str  # of the driver
    needs: str  # the folder that must be there
    why: str  # what starts it
    prefix: str = ""  # of the variable #### that starts it
    file: str = NAME  # an application, if it is another

    @property
    def order(self):
        return f"{self.prefix}Order"

    @property
    def driver(self):
        return f"{self.folder}\\{self.file}"

    @property
    def is_application(self):
        return self.file != NAME

    @property
    def list(self):
        return f"{self.folder}\\{FOLDER}\\{LIST_FILE}"

    @property
    def options(self):
        return f"{self.folder}\\{FOLDER}\\{OPTIONS_FILE}"


_OKRAM = "\\EFI\\okram"
_ALL = [
    Way("driver", _OKRAM, "", "firmware itself, by Driver#### and DriverOrder", "Driver"),
    Way("systemd", "\\EFI\\systemd\\drivers", "\\EFI\\systemd", "systemd-boot"),
    Way("refind", "\\EFI\\refind\\drivers_x64", "\\EFI\\refind", "rEFInd"),
    Way(
        "wrapper",
        _OKRAM,
        "",
        "firmware, as the first boot entry; it goes on to the next",
        "Boot",
        ENTRY_NAME,
    ),
]
BY_NAME = {way.name: way for way in _ALL}


def check(way, esp):
    """Trouble if the boot manager is not on that partition."""
    if way.needs and not esp.path(way.needs).is_dir():
        raise Trouble(f"--way {way.name}: {esp.folder} has no {way.needs}.")


def describe(name):
    """A way by its name, which may be one of the menu's."""
    way = BY_NAME.get(name)
    return f"{way.driver}, started by {way.why}." if way else f"as a {name}."
