# SPDX-License-Identifier: MIT
"""What an installation writes, in this order: the backup, so that whatever comes of the rest can be
removed, the driver's file, the list, and last what makes firmware start the driver."""

from dataclasses import replace

from . import BACKUP, FOUND, GLOBAL, LIST, VENDOR, status
from .partition import load_option, read_option
from .steps import Either, FileChange, VariableChange
from .ways import Backup, encode_order, order_text

_DESCRIPTION = "okram guard"

# A list that Linux cannot write, because it is out of its reach or would not be believed.
_BY_MENU = (
    "okram's own menu takes it from there: start okram, and choose to add the bad pages of the"
    " last run"
)


class Plan:
    """Of an Installation that has been checked."""

    def __init__(self, checked):
        self._arguments, self._former = checked.arguments, checked.former
        self._variables, self._esp, self._way = checked.variables, checked.esp, checked.way
        self._shim = checked.shim
        self._image, self._list, self._is_secure = checked.image, checked.list, checked.is_secure
        self._driver, self._order = checked.driver, checked.order

    def steps(self):
        """None of it if all is as it should be."""
        return [*self._backup(), *self._files(), *self._list_steps(), *self._switch()]

    def _files(self):
        data = self._image.as_application() if self._way.is_application else self._image.data
        wanted = [(self._way.driver, data)]
        wanted += zip(self._way.shims, [image.data for image in self._shim])
        for name, content in wanted:
            if self._esp.read(name) != content:
                yield FileChange(self._esp, name, content)
        if not self._way.prefix and self._arguments.options is not None:
            yield from self._options_file(self._arguments.options)

    def _options_file(self, options):
        wanted = f"{options}\n".encode() if options else None
        now = self._esp.read(self._way.options)
        if now != wanted:
            yield FileChange(self._esp, self._way.options, wanted, options)

    def _list_steps(self):
        shown, data = str(self._list), self._list.data
        in_variable, in_file = self._variables.data(LIST, VENDOR), self._esp.read(self._way.list)
        if self._goes_to_menu():
            if self._variables.data(FOUND, VENDOR) != data:
                shown = f"{shown}. {_BY_MENU}"
                yield VariableChange(self._variables, FOUND, VENDOR, data, shown)
            return
        to_file = [FileChange(self._esp, self._way.list, data, shown)]
        if in_variable is not None:  # it would go first
            to_file.append(VariableChange(self._variables, LIST, VENDOR))
        if self._is_in_file():
            yield from to_file[in_file == data :]
        elif in_variable != data:
            to_variable = VariableChange(self._variables, LIST, VENDOR, data, shown)
            yield Either(to_variable, [self._backup_step(in_file=True), *to_file])

    def _goes_to_menu(self):
        """Secure Boot, or the guard's list is in a variable for boot services only."""
        if self._is_secure:
            return True
        if self._arguments.file or self._variables.data(LIST, VENDOR) is not None:
            return False
        if self._former:
            return not self._former.list_file
        return (status.read_record(self._variables) or {}).get("source") == "variable"

    def _is_in_file(self):
        if self._is_secure:  # the guard would take no file
            return False
        return self._arguments.file or bool(self._former and self._former.list_file)

    def _switch(self):
        if not self._way.prefix:
            return
        former, order = self._variables.data(self._driver, GLOBAL), self._way.order
        options = self._arguments.options
        if options is None:
            read = read_option(former or b"").options if self._former else ""
            options = self._way.guard_options(read)
        partition, options = self._esp.partition, self._way.load_options(options)
        option = load_option(_DESCRIPTION, partition, self._way.started, options)
        if former != option:
            shown = f"{_DESCRIPTION!r}, {partition}/{self._way.started}"
            shown += f", {options}" if options else ""
            yield VariableChange(self._variables, self._driver, GLOBAL, option, shown)
        number = int(self._driver[-4:], 16)
        if number not in self._order:
            now = encode_order([number, *self._order])
            shown = f"{order_text(now)}; it was {order_text(encode_order(self._order))}"
            yield VariableChange(self._variables, order, GLOBAL, now, shown)

    def _backup(self):
        step = self._backup_step(self._is_in_file())
        if self._variables.data(BACKUP, VENDOR) != step.data:
            yield step

    def _backup_step(self, in_file):
        former = self._former or self._fresh_backup()
        names = [self._way.driver, *self._way.shims]
        if not self._way.prefix and self._arguments.options:
            names.append(self._way.options)
        if in_file:
            names.append(self._way.list)
        files = (*former.files, *(n for n in names if self._esp.read(n) is None))
        folders = (*former.folders, *(f for f in _folders(names) if not self._esp.path(f).is_dir()))
        made = replace(former, files=_once(files), folders=_once(folders))
        data = made.encode()
        shown = f"{len(data)} bytes: what is needed to remove it all"
        return VariableChange(self._variables, BACKUP, VENDOR, data, shown)

    def _fresh_backup(self):
        partition = self._esp.partition.uuid if self._esp.partition else None
        if not self._way.prefix:
            return Backup(self._way.name, partition=partition)
        order = self._variables.data(self._way.order, GLOBAL)
        return Backup(self._way.name, self._driver, order, partition)


def _once(names):
    return tuple(dict.fromkeys(names))


def _folders(names):
    """All that are on the ways to these files, each before what is in it."""
    for name in names:
        parts = name.split("\\")
        for n in range(2, len(parts)):
            yield "\\".join(parts[:n])
