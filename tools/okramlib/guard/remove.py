# SPDX-License-Identifier: MIT
"""Removal: everything becomes as OkramGuardBackup says that it was."""

from .. import Trouble
from ..efivars import Variables
from . import BACKUP, GLOBAL, LIST, PATROL, VENDOR, backup, record
from . import esp as esps
from .backup import encode_order, order_text, parse_order
from .load_option import Invalid, decode
from .steps import DeleteFile, DeleteFolder, DeleteVariable, WriteVariable


class Removal:
    def __init__(self, arguments):
        self.variables = Variables(arguments.efivars)
        self.former = backup.read(self.variables)
        if not self.former:
            raise Trouble(f"the guard is not installed: there is no variable {BACKUP}.")
        self.esp = esps.find(arguments, self.former.partition)
        self.esp.warn()
        if self.esp.is_read_only():
            raise Trouble(f"{self.esp.folder} is mounted read-only.")

    def steps(self):
        """First what starts the driver; the backup last, for a removal that is done again."""
        return [*self._switch(), *self._files(), *self._variables()]

    def left(self):
        """What stays, in a sentence; None: nothing that is known of."""
        is_seen = self.former.list_file or self.variables.data(LIST, VENDOR) is not None
        names = [] if is_seen else [LIST]
        if (record.read(self.variables) or {}).get("patrol"):
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
        if data is not None and not self._is_own(data):  # another driver has that number now
            return
        now = self.variables.read(self.former.order_name, GLOBAL)
        number = int(name[-4:], 16)
        if now and number in parse_order(now[1]):
            yield self._order_step(*now, number)
        if data is not None:
            yield DeleteVariable(self.variables, name, GLOBAL)

    def _order_step(self, attributes, data, number):
        """Others may have changed it since: then only the guard is taken out."""
        left = [other for other in parse_order(data) if other != number]
        before = self.former.order
        if before is not None and parse_order(before) == left:
            left_data = before
        elif left:
            left_data = encode_order(left)
        else:
            return DeleteVariable(self.variables, self.former.order_name, GLOBAL)
        shown = f"{order_text(left_data)}; it was {order_text(data)}"
        return WriteVariable(
            self.variables, self.former.order_name, GLOBAL, attributes, left_data, shown
        )

    def _is_own(self, data):
        try:
            name = decode(data).path.rpartition("\\")[2]
        except Invalid:
            return False
        return name.lower().startswith("okram-guard")

    def _files(self):
        for name in reversed(self.former.files):
            if self.esp.read(name) is not None:
                yield DeleteFile(self.esp, name)
        for name in reversed(self.former.folders):
            if self.esp.path(name).is_dir():
                yield DeleteFolder(self.esp, name)

    def _variables(self):
        for name in (LIST, BACKUP):
            if self.variables.read(name, VENDOR) is not None:
                yield DeleteVariable(self.variables, name, VENDOR)
