// SPDX-License-Identifier: MIT
#include "bootcfg/lines.h"
#include "bootcfg/lines_form.h"
#include "lib/minmax.h"

/* An image of Linux with room to unpack, and where GRUB looks for that. */
#define ROOM_MIB  64
#define LOW_GIB   2
#define ROOM      ((uint64_t)ROOM_MIB << (20 - PAGE_SHIFT))
#define LOW_PAGES ((uint64_t)LOW_GIB << (30 - PAGE_SHIFT))

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

void line_note_cost(const struct line_job *job, uint64_t pages, uint64_t lost_pages)
{
    fmt_append(job->note, "%lu page%s (%s) given up, ", (unsigned long)pages, fmt_plural(pages),
               FMT_SIZE(pages << PAGE_SHIFT));
    if (lost_pages)
        fmt_append(job->note, "%lu of them good", (unsigned long)lost_pages);
    else
        fmt_append(job->note, "no good pages lost");
}

/* Why good pages are given up, and which other lines lose none. */
void line_note_limit(const struct line_form *form, const struct line_job *job)
{
    const char *word = "; no good page is lost with";

    fmt_append(job->note, ": %s", form->limit);
    for (size_t i = 0; i < sizeof(form->instead) / sizeof(form->instead[0]); i++) {
        enum line_kind other = form->instead[i];

        if (other != LINE_KINDS && forms[other]->is_exact(forms[other], job)) {
            fmt_append(job->note, "%s %s", word, lines_name(other));
            word = " or";
        }
    }
}

/* Whether ROOM adjoining pages from first up to end are left. */
static bool has_room(const struct line_form *form, const struct line_job *job, uint64_t first,
                     uint64_t end)
{
    uint64_t n = 0;

    for (uint64_t page = first; page < end && n < ROOM; page++)
        n = form->takes(job, page) ? 0 : n + 1;
    return n >= ROOM;
}

/* Where GRUB finds no room for Linux it uses covered memory, without a message. */
void line_note_room(const struct line_form *form, const struct line_job *job)
{
    const struct page_index *space = job->source->log->space;
    bool had_room = false;

    for (size_t i = 0; i < space->n_extents; i++) {
        uint64_t first = space->extent[i].run.first, end = page_run_end(space->extent[i].run);

        if (i + 1 == space->n_extents && job->source->ram_is_assumed)
            end = max_u64(end, LOW_PAGES);
        end = min_u64(end, LOW_PAGES);
        had_room = had_room || (first < end && end - first >= ROOM);
        if (has_room(form, job, first, end))
            return;
    }
    if (had_room)
        fmt_append(job->note,
                   "; it leaves no %d MiB in one piece below %d GiB: GRUB may then put Linux into "
                   "bad memory",
                   ROOM_MIB, LOW_GIB);
}

void lines_make(enum line_kind kind, const struct lines_source *source, struct lines_work *work,
                struct fmt_buffer *text, struct fmt_buffer *note)
{
    const struct line_form *form = forms[kind];
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
