// SPDX-License-Identifier: MIT
#include "bootcfg/lines.h"

#include "bootcfg/lines_form.h"
#include "lib/panic.h"
#include "lib/string.h"

/*
 * Those of 20 bytes from 0x2d0 on, to the end of the page of Linux's boot protocol. zero-page.rst
 * (Documentation/arch/x86) lists 128; GRUB 2.06 to 2.14 writes on, and Linux 6.1 to 7.2 reads on.
 */
#define LINUX_MAP_ENTRIES ((4096 - 0x2d0) / 20)

static const struct line_form *const forms[LINE_KINDS] = {
    [LINE_GRUB] = &line_grub,
    [LINE_GRUB_DEFAULT] = &line_grub_default,
    [LINE_CUTMEM] = &line_cutmem,
    [LINE_MEMMAP] = &line_memmap,
    [LINE_MEMMAP_DOLLAR] = &line_memmap_dollar,
    [LINE_WINDOWS] = &line_windows,
    [LINE_XEN] = &line_xen,
    [LINE_FREEBSD] = &line_freebsd,
    [LINE_REFIND] = &line_refind,
    [LINE_PAGES] = &line_pages,
    [LINE_RANGES] = &line_ranges,
};

const struct line_form *line_form(enum line_kind kind)
{
    ASSERT((unsigned)kind < LINE_KINDS);
    return forms[kind];
}

const char *lines_name(enum line_kind kind)
{
    return line_form(kind)->name;
}

const char *lines_place(enum line_kind kind)
{
    return line_form(kind)->place;
}

bool lines_find(const char *name, size_t length, enum line_kind *ret_kind)
{
    for (unsigned i = 0; i < LINE_KINDS; i++) {
        if (strlen(forms[i]->name) == length && strncmp(forms[i]->name, name, length) == 0) {
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

void lines_make(enum line_kind kind, const struct lines_source *source, struct lines_work *work,
                struct fmt_buffer *text, struct fmt_buffer *note)
{
    const struct line_form *form = line_form(kind);
    struct line_job job = { .source = source, .work = work, .text = text, .note = note };
    const char *hint;

    ranges_collect(source->log, RANGES_MAX, &work->all);
    if (work->all.n == 0) {
        fmt_append(note, "no bad pages: no line needed");
        return;
    }
    form->make(form, &job);
    hint = source->by_bios && form->bios_hint ? form->bios_hint : form->hint;
    if (hint)
        fmt_append(note, ". %s", hint);
}
