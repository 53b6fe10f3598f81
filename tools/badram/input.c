// SPDX-License-Identifier: MIT
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "lib/minmax.h"
#include "message.h"
#include "options/number.h"

static void *grow(void *list, size_t *room, size_t size)
{
    *room = *room ? 2 * *room : 1024;
    list = realloc(list, *room * size);
    if (!list)
        fail("no memory for %zu bytes", *room * size);
    return list;
}

static void add_run(struct input *in, uint64_t base, uint64_t end)
{
    uint64_t first = base >> PAGE_SHIFT, next = ((end - 1) >> PAGE_SHIFT) + 1;

    if (in->n_runs) {
        struct page_run *last = &in->run[in->n_runs - 1];

        if (first >= last->first && first <= page_run_end(*last)) {
            last->count = max_u64(page_run_end(*last), next) - last->first;
            return;
        }
    }
    if (in->n_runs == in->room_runs)
        in->run = grow(in->run, &in->room_runs, sizeof(in->run[0]));
    in->run[in->n_runs++] = (struct page_run){ first, next - first };
}

static void add_pattern(struct input *in, uint64_t addr, uint64_t mask)
{
    if (in->n_patterns == in->room_patterns)
        in->pattern = grow(in->pattern, &in->room_patterns, sizeof(in->pattern[0]));
    in->pattern[in->n_patterns++] =
        (struct pattern){ addr & mask & PATTERN_MASK_BITS, mask & PATTERN_MASK_BITS };
}

static bool take_line(struct input *in, const char *text)
{
    uint64_t a, b;

    if (*text == '=') {
        in->has_total = true;
        in->n_lasting = in->n_patterns;
        return number_read((++text, &text), &in->total_pages) && !*text;
    }
    if (!number_read(&text, &a) || a >= RAM_TOP)
        return false;
    if (!*text) {
        add_run(in, a, a + 1);
        return true;
    }
    if (*text == ',' && number_read((++text, &text), &b) && !*text) {
        add_pattern(in, a, b);
        return true;
    }
    if (*text == '-' && number_read((++text, &text), &b) && !*text && b > a && b <= RAM_TOP) {
        add_run(in, a, b);
        return true;
    }
    return false;
}

void input_read(struct input *input)
{
    char *line = NULL;
    size_t room = 0;

    for (size_t number = 1; getline(&line, &room, stdin) >= 0; number++) {
        line[strcspn(line, "\r\n")] = 0;
        if (!take_line(input, line))
            fail("standard input, line %zu: '%s' is not a bad page", number, line);
    }
    free(line);
}

uint64_t input_top(const struct input *input)
{
    uint64_t top = 0;

    for (size_t i = 0; i < input->n_runs; i++) {
        uint64_t last = (page_run_end(input->run[i]) << PAGE_SHIFT) - 1;

        top = max_u64(last, top);
    }
    for (size_t i = 0; i < input->n_patterns; i++) {
        uint64_t addr = input->pattern[i].addr;

        top = addr > top && addr < RAM_TOP ? addr : top;
    }
    return top;
}

static void count(uint64_t pages, uint64_t *n_marked)
{
    *n_marked += pages;
    if (*n_marked > MARKS_MAX)
        fail("more than 1 TiB is bad by the input: it is not a list of bad pages");
}

static void mark_pattern(struct pattern p, struct fault_log *log, uint64_t *n_marked)
{
    for (size_t i = 0; i < log->space->n_extents; i++) {
        struct page_run run = log->space->extent[i].run;

        for (uint64_t page = pattern_next_page(p, run.first); page < page_run_end(run);
             page = pattern_next_page(p, page + 1)) {
            count(1, n_marked);
            fault_log_mark_page(log, page << PAGE_SHIFT);
        }
    }
}

struct outside {
    uint64_t pages, first; /* how many are not in RAM, and the first */
};

/* By what is RAM, not page by page: a run may be much longer than RAM. */
static void mark_run(struct page_run run, struct fault_log *log, struct outside *outside,
                     uint64_t *n_marked)
{
    const struct page_index *space = log->space;
    uint64_t page = run.first, end = page_run_end(run);

    for (size_t i = page_index_extent(space, page); page < end; i++) {
        bool is_ram = i < space->n_extents;
        uint64_t from = is_ram ? min_u64(space->extent[i].run.first, end) : end, to;

        if (from > page) {
            if (!outside->pages)
                outside->first = page;
            outside->pages += from - page;
            page = from;
        }
        to = is_ram ? max_u64(page, min_u64(page_run_end(space->extent[i].run), end)) : page;
        count(to - page, n_marked);
        for (; page < to; page++)
            fault_log_mark_page(log, page << PAGE_SHIFT);
    }
}

uint64_t input_mark(const struct input *input, struct fault_log *log)
{
    struct outside outside = { 0 };
    uint64_t n_marked = 0;
    bool are_named;
    size_t n;

    for (size_t i = 0; i < input->n_runs; i++)
        mark_run(input->run[i], log, &outside, &n_marked);
    are_named = input->has_total && fault_log_bad_pages(log) + outside.pages >= input->total_pages;
    n = are_named ? input->n_lasting : input->n_patterns;
    for (size_t i = 0; i < n; i++)
        mark_pattern(input->pattern[i], log, &n_marked);
    if (outside.pages)
        message("%" PRIu64 " %s not in RAM, the first at 0x%" PRIx64 ": skipped", outside.pages,
                outside.pages == 1 ? "bad page is" : "bad pages are", outside.first << PAGE_SHIFT);
    return outside.pages;
}
