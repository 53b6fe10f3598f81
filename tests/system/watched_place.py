# SPDX-License-Identifier: MIT
"""The memory that okram uses in a running machine, at its first and at its second place."""

import functools
from dataclasses import dataclass

from okramlib.units import MIB
from system.harness import follow, from_image
from system.page_tables import IMAGE_VIRT, own_pages
from system.stopped import Memory
from system.watchers import Once, end, press_q

MEMORY = {False: 64 * MIB, True: 128 * MIB}  # by whether it is UEFI


@dataclass
class Place:
    """Physical addresses of pages; of image and data in the order in which okram sees them."""

    image: list[int]
    data: list[int]  # stacks, fault log, plans, …
    tables: list[int]

    @property
    def pages(self):
        return {*self.image, *self.data, *self.tables}


@functools.cache
def first_place(uefi=False, memory=None):
    """Where okram is until a test has tested all other memory."""
    finder = FindPlace("machine", then=press_q)
    # It is there until this test ends: for as long as a loaded host may need to look.
    follow(_machine(uefi, memory, "tests=row-hammer hammer=100 bandwidth=off"), watcher=finder)
    return finder.place


@functools.cache
def second_place(uefi=False, memory=None):
    """Where it is when it has moved once."""
    finder = FindPlace("result", then=end)
    follow(_machine(uefi, memory, "tests=address bandwidth=off exit=wait"), watcher=finder)
    return finder.place


def _machine(uefi, memory, cmdline):
    given = {"memory": memory} if memory else {}
    return from_image("small", uefi=uefi, cmdline=cmdline, **given)


def go_on(qemu):
    pass


class FindPlace(Once):
    """Finds okram's place once a record of this type has come; then: what is done after it."""

    place = None

    def __init__(self, when, then=go_on):
        def act(qemu):
            self.place = find_place(qemu)
            then(qemu)

        super().__init__(when, act)


def find_place(qemu):
    """Of a running machine, which stands still meanwhile."""
    qemu.qmp.command("stop")
    memory = Memory(qemu)
    qemu.qmp.command("cont")
    tables, pages = own_pages(memory.page, memory.cr3)
    image = [phys for virt, phys in sorted(pages.items()) if virt >= IMAGE_VIRT]
    data = [phys for virt, phys in sorted(pages.items()) if virt < IMAGE_VIRT]
    return Place(image, data, sorted(tables))
