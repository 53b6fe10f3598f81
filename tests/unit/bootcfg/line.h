// SPDX-License-Identifier: MIT
/* Makes lines of the bad pages of a small machine. */
#pragma once

#include "badram/machine.h"
#include "bootcfg/lines.h"

static struct cover line_cover;
static bool line_by_bios;
static char line_text[LINES_TEXT_SIZE], line_note[LINES_NOTE_SIZE];

/* Fills line_text and line_note; the cover is one of at most max_patterns. */
static inline void line_make(const struct machine *m, enum line_kind kind, size_t max_patterns,
                             uint64_t max_ranges)
{
    static struct cover_work cover_work;
    static struct lines_work work;
    struct cover_limits limits = { max_patterns, max_ranges, NULL };
    struct lines_source source = {
        .log = &m->log, .cover = &line_cover, .max_ranges = max_ranges, .by_bios = line_by_bios
    };
    struct fmt_buffer text = fmt_buffer_make(line_text, sizeof(line_text));
    struct fmt_buffer note = fmt_buffer_make(line_note, sizeof(line_note));

    assert_int_equal(cover_derive(&m->log, &limits, &cover_work, &line_cover), STATUS_OK);
    lines_make(kind, &source, &work, &text, &note);
    assert_false(text.cut);
    assert_false(note.cut);
    for (const char *c = line_note; *c; c++)
        assert_in_range(*c, ' ', '~');
}
