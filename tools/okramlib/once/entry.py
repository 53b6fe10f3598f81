# SPDX-License-Identifier: MIT
"""The boot entry for one start: Boot####, which is not in BootOrder, and BootNext, which names it.
Firmware deletes BootNext before it starts the entry (UEFI 2.10, 3.1.1)."""

from ..guard import GLOBAL
from ..guard.partition import read_option
from ..guard.steps import VariableChange
from ..guard.ways import encode_order, free_name, parse_order

DESCRIPTION = "okram, once"
BOOT_NEXT = "BootNext"


def option_of(variables, number):
    """The LoadOption of Boot####."""
    return read_option(variables.data(f"Boot{number:04X}", GLOBAL) or b"")


def next_number(variables):
    """That of BootNext; None: it is not set."""
    numbers = parse_order(variables.data(BOOT_NEXT, GLOBAL) or b"")
    return numbers[0] if numbers else None


def own(variables):
    """The names of okram's entries for one start."""
    return [
        variable.name
        for variable in variables.listed("Boot")
        if variable.vendor == GLOBAL
        and _is_entry(variable.name)
        and read_option(variable.data).description == DESCRIPTION
    ]


def is_waiting(variables):
    """Whether the next start is okram's."""
    number = next_number(variables)
    return number is not None and f"Boot{number:04X}" in own(variables)


def removal(variables):
    """The steps that take all of it away."""
    if is_waiting(variables):
        yield VariableChange(variables, BOOT_NEXT, GLOBAL)
    for name in own(variables):
        yield VariableChange(variables, name, GLOBAL)


def name_for_new(variables):
    """That of the entry there is, else of the first free number."""
    order = parse_order(variables.data("BootOrder", GLOBAL) or b"")
    return next(iter(own(variables)), None) or free_name(variables, "Boot", order)


def boot_next(variables, name):
    number = int(name[-4:], 16)
    return VariableChange(variables, BOOT_NEXT, GLOBAL, encode_order([number]), name)


def _is_entry(name):
    digits = name.removeprefix("Boot")
    return len(digits) == 4 and all(c in "0123456789abcdefABCDEF" for c in digits)
