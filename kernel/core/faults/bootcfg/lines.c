// SPDX-License-Identifier: MIT
#include "bootcfg/lines.h"

#include "lib/panic.h"
#include "lib/string.h"

/*
 * Those of 20 bytes from 0x2d0 on, to the end of the page of Linux's boot protocol. zero-page.rst
 * (Documentation/arch/x86) lists 128; GRUB 2.06 to 2.14 writes on, and Linux 6.1 to 7.2 reads on.
 */
#define LINUX_MAP_ENTRIES ((4096 - 0x2d0) / 20)

/* By kind. What a line is made of is in lines_make.c: the loaders, which only name lines, do
 * without. */
static const struct {
    const char *name, *place;
} kinds[LINE_KINDS] = {
    [LINE_GRUB] = { "grub", "GRUB" },
    [LINE_GRUB_DEFAULT] = { "grub-default", "/etc/default/grub, then update-grub" },
    [LINE_CUTMEM] = { "cutmem", "GRUB: /boot/grub/custom.cfg" },
    [LINE_MEMMAP] = { "memmap", "Linux 4.16 and newer: the kernel command line" },
    [LINE_MEMMAP_DOLLAR] = { "memmap-dollar",
                             "older Linux: GRUB_CMDLINE_LINUX in /etc/default/grub" },
    [LINE_WINDOWS] = { "windows", "Windows: a command prompt as administrator" },
    [LINE_XEN] = { "xen", "Xen: the hypervisor command line" },
    [LINE_FREEBSD] = { "freebsd", "FreeBSD: /boot/loader.conf" },
    [LINE_REFIND] = { "refind", "RefindPlus: config.conf" },
    [LINE_PAGES] = { "pages", "a list of the bad pages" },
    [LINE_RANGES] = { "ranges", "a list of the ranges of bad pages" },
};

const char *lines_name(enum line_kind kind)
{
    ASSERT((unsigned)kind < LINE_KINDS);
    return kinds[kind].name;
}

const char *lines_place(enum line_kind kind)
{
    ASSERT((unsigned)kind < LINE_KINDS);
    return kinds[kind].place;
}

bool lines_find(const char *name, size_t length, enum line_kind *ret_kind)
{
    for (unsigned i = 0; i < LINE_KINDS; i++) {
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, name, length) == 0) {
            *ret_kind = (enum line_kind)i;
            return true;
        }
    }
    return false;
}

/* UEFI's map differs by some entries from one start to another: OVMF's has 18 for okram, 19 for
 * GRUB. */
#define UEFI_MAP_SPARE 8

uint64_t lines_map_room(size_t map_entries, bool by_bios)
{
    size_t each = by_bios ? 1 : 2, taken = map_entries + (by_bios ? 0 : UEFI_MAP_SPARE);

    return taken + each < LINUX_MAP_ENTRIES ? (LINUX_MAP_ENTRIES - taken) / each : 1;
}
