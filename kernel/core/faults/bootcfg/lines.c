// SPDX-License-Identifier: MIT
#include "bootcfg/lines.h"

#include "bootcfg/lines_form.h"
#include "lib/panic.h"
#include "lib/string.h"

/* The e820 table of Linux's boot protocol: Documentation/arch/x86/zero-page.rst. */
#define LINUX_MAP_ENTRIES 128

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

uint64_t lines_map_room(size_t map_entries)
{
    return map_entries + 2 < LINUX_MAP_ENTRIES ? (LINUX_MAP_ENTRIES - map_entries) / 2 : 1;
}

void lines_make(enum line_kind kind, const struct lines_source *source, struct lines_work *work,
                struct fmt_buffer *text, struct fmt_buffer *note)
{
    const struct line_form *form = line_form(kind);
    struct line_job job = { .source = source, .work = work, .text = text, .note = note };

    ranges_collect(source->log, RANGES_MAX, &work->all);
    if (work->all.n == 0) {
        fmt_append(note, "no bad pages: no line needed");
        return;
    }
    form->make(form, &job);
    if (form->hint)
        fmt_append(note, ". %s", form->hint);
}
