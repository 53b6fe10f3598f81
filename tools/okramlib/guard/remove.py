# SPDX-License-Identifier: MIT
"""Removal: everything becomes as OkramGuardBackup says that it was."""

from .. import Trouble
from ..efivars import Variables
from . import BACKUP, GLOBAL, LIST, PATROL, VENDOR, status, ways
from . import esp as esps
from .steps import DeleteFolder, FileChange, VariableChange
from .ways import encode_order, order_text, parse_order

_NAME = "okram-guard".encode("utf-16-le")  # of the file that Driver#### or Boot#### starts


class Removal:
    def __init__(self, arguments):
        self.variables = Variables(arguments.efivars)
        self.former = ways.read_backup(self.variables)
        if not self.former:
            raise Trouble(f"the guard is not installed: there is no variable {BACKUP}.")
        self.esp = esps.find(arguments, self.former.partition)
        self.esp.warn()
        if self.esp.is_read_only():
            raise Trouble(f"{self.esp.folder} is mounted read-only.")

    def steps(self):
        """First what starts the driver; the backup last, for a removal that is done again."""
        return [*self._switch(), *self._variable(LIST), *self._files(), *self._variable(BACKUP)]

    def left(self):
        """What stays, in a sentence; None: nothing that is known of."""
        is_seen = self.former.list_file or self.variables.data(LIST, VENDOR) is not None
        names = [] if is_seen else [LIST]
        if (status.read_record(self.variables) or {}).get("patrol"):
            names.append(PATROL)
        if not names:
            return None
        return (
            f"{' and '.join(names)}, for boot services only, cannot be deleted from Linux: remove"
            " the guard by okram's own menu to delete that, too. Without the driver it has no"
            " effect."
        )

    def _switch(self):
        name = self.former.driver
        if not name:
            return
        data = self.variables.data(name, GLOBAL)
        if data is not None and _NAME not in data.lower():  # another driver has that number now
            return
        order = ways.BY_NAME[self.former.way].order
        now = self.variables.read(order, GLOBAL)
        number = int(name[-4:], 16)
        if now and number in parse_order(now[1]):
            left = self._order_without(now[1], number)
            shown = f"{order_text(left)}; it was {order_text(now[1])}"
            yield VariableChange(self.variables, order, GLOBAL, left, shown, now[0])
        if data is not None:
            yield VariableChange(self.variables, name, GLOBAL)

    def _order_without(self, data, number):
        """Others may have changed it since: then only the guard is taken out. None: it is empty."""
        left = [other for other in parse_order(data) if other != number]
        before = self.former.order
        if before is not None and parse_order(before) == left:
            return before
        return encode_order(left) if left else None

    def _files(self):
        for name in reversed(self.former.files):
            if self.esp.parts(name):
                yield FileChange(self.esp, name)
        for name in reversed(self.former.folders):
            if self.esp.path(name).is_dir():
                yield DeleteFolder(self.esp, name)

    def _variable(self, name):
        if self.variables.read(name, VENDOR) is not None:
            yield VariableChange(self.variables, name, VENDOR)
