// SPDX-License-Identifier: MIT
#include "line_checks.h"

#include <string.h>

#include "fuzz.h"
#include "options/number.h"

static struct cover cover;
static struct cover_work cover_work;
static struct lines_work lines_work;

static bool is_covered(uint64_t addr)
{
    for (size_t i = 0; i < cover.n_patterns; i++) {
        if (pattern_covers(cover.pattern[i], addr))
            return true;
    }
    return false;
}

static void check_cover(const struct fault_log *log, size_t max_patterns)
{
    const struct page_index *space = log->space;
    uint64_t sacrificed = 0;

    CHECK(cover.n_patterns <= max_patterns);
    for (size_t i = 0; i < cover.n_patterns; i++) {
        struct pattern p = cover.pattern[i];

        CHECK((p.mask & ~PATTERN_MASK_BITS) == 0 && (p.addr & ~p.mask) == 0);
    }
    for (uint64_t i = 0; i < space->n_pages; i++) {
        uint64_t addr = page_index_page(space, i) << PAGE_SHIFT;
        bool covered = is_covered(addr);

        CHECK(covered || !fault_log_is_bad(log, addr));
        sacrificed += covered;
    }
    CHECK(cover.sacrificed_pages == sacrificed);
}

/* The badram line says what the cover does, in the form that GRUB reads. */
static void check_badram(const char *text)
{
    const char *pos = text + strlen("badram=");
    uint64_t addr, mask;

    if (cover.n_patterns == 0) {
        CHECK(text[0] == 0);
        return;
    }
    CHECK(strncmp(text, "badram=", strlen("badram=")) == 0);
    for (size_t i = 0; i < cover.n_patterns; i++) {
        CHECK(i == 0 || *pos++ == ',');
        CHECK(number_read(&pos, &addr) && *pos++ == ',' && number_read(&pos, &mask));
        CHECK(addr == cover.pattern[i].addr && mask == cover.pattern[i].mask);
    }
    CHECK(*pos == 0);
}

static void check_text(const char *text, bool has_lines)
{
    for (; *text; text++)
        CHECK((*text >= ' ' && *text <= '~') || (has_lines && *text == '\n'));
}

static void check_line(const struct fault_log *log, enum line_kind kind, uint64_t max_ranges)
{
    static char text[LINES_TEXT_SIZE], note[LINES_NOTE_SIZE];
    struct fmt_buffer text_buffer = fmt_buffer_make(text, sizeof(text));
    struct fmt_buffer note_buffer = fmt_buffer_make(note, sizeof(note));
    struct lines_source source = { .log = log,
                                   .cover = &cover,
                                   .max_ranges = max_ranges,
                                   .ram_is_assumed = max_ranges % 4 > 1,
                                   .by_bios = max_ranges % 2 };

    lines_make(kind, &source, &lines_work, &text_buffer, &note_buffer);
    check_text(text, true);
    check_text(note, false);
    CHECK(!note_buffer.cut);
    CHECK(fault_log_bad_pages(log) > 0 || text[0] == 0);
    if (kind == LINE_GRUB)
        check_badram(text);
}

void line_checks(const struct fault_log *log, size_t max_patterns, uint64_t max_ranges,
                 enum line_kind other)
{
    struct cover_limits limits = { .max_patterns = max_patterns, .max_ranges = max_ranges };

    CHECK(cover_derive_quickly(log, &limits, &cover_work, &cover) == STATUS_OK);
    check_cover(log, max_patterns);
    check_line(log, LINE_GRUB, max_ranges);
    check_line(log, other, max_ranges);
}
