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
    uint64_t first = base >> PAGE_SHIFT;

    if (in->n_runs == in->room_runs)
        in->run = grow(in->run, &in->room_runs, sizeof(in->run[0]));
    in->run[in->n_runs++] = (struct page_run){ first, ((end - 1) >> PAGE_SHIFT) + 1 - first };
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
    ssize_t length;

    for (size_t number = 1; (length = getline(&line, &room, stdin)) >= 0; number++) {
        line[strcspn(line, "\r\n")] = 0;
        if (!take_line(input, line))
            fail("standard input, line %zu: '%s' is no bad page", number, line);
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

static void mark_pattern(struct pattern p, struct fault_log *log)
{
    for (size_t i = 0; i < log->space->n_extents; i++) {
        struct page_run run = log->space->extent[i].run;

        for (uint64_t page = pattern_next_page(p, run.first); page < page_run_end(run);
             page = pattern_next_page(p, page + 1))
            fault_log_mark_page(log, page << PAGE_SHIFT);
    }
}

struct outside {
    uint64_t pages, first; /* how many are not in RAM, and the first */
};

/* By what is RAM, not page by page: a run may be much longer than RAM. */
static void mark_run(struct page_run run, struct fault_log *log, struct outside *outside)
{
    const struct page_space *space = log->space;
    uint64_t page = run.first, end = page_run_end(run);

    for (size_t i = page_space_extent(space, page); page < end; i++) {
        bool is_ram = i < space->n_extents;
        uint64_t from = is_ram ? min_u64(space->extent[i].run.first, end) : end;

        if (from > page) {
            if (!outside->pages)
                outside->first = page;
            outside->pages += from - page;
            page = from;
        }
        for (; is_ram && page < min_u64(page_run_end(space->extent[i].run), end); page++)
            fault_log_mark_page(log, page << PAGE_SHIFT);
    }
}

void input_mark(const struct input *input, struct fault_log *log)
{
    struct outside outside = { 0 };

    for (size_t i = 0; i < input->n_runs; i++)
        mark_run(input->run[i], log, &outside);
    for (size_t i = 0; i < input->n_patterns; i++)
        mark_pattern(input->pattern[i], log);
    if (outside.pages)
        message("%" PRIu64 " %s not in RAM, the first at 0x%" PRIx64 ": skipped", outside.pages,
                outside.pages == 1 ? "bad page is" : "bad pages are", outside.first << PAGE_SHIFT);
}
