// SPDX-License-Identifier: MIT
#include "explain.h"

#include <inttypes.h>
#include <stdio.h>

#include "print.h"

static uint64_t bad_pages_of(struct pattern p, const struct fault_log *log)
{
    uint64_t index = 0, n = 0;
    struct page_run run;

    while (fault_log_next_run(log, &index, &run)) {
        for (uint64_t page = pattern_next_page(p, run.first); page < page_run_end(run);
             page = pattern_next_page(p, page + 1))
            n++;
    }
    return n;
}

static void explain_cost(struct pattern_size size, uint64_t bad_pages)
{
    print_pages(size.pages);
    printf(" in ");
    print_count(size.ranges, "range");
    printf(", %" PRIu64 " bad and %" PRIu64 " good", bad_pages, size.pages - bad_pages);
}

/* How often a pattern is in the line; 0 if it was there before. */
static size_t times_written(const struct cover *cover, size_t which)
{
    struct pattern p = cover->pattern[which];
    size_t times = 0;

    for (size_t i = 0; i < cover->n_patterns; i++) {
        if (cover->pattern[i].addr != p.addr || cover->pattern[i].mask != p.mask)
            continue;
        if (i < which)
            return 0;
        times++;
    }
    return times;
}

void explain_cover(const struct cover *cover, const struct fault_log *log,
                   const struct arguments *arguments)
{
    const struct page_index *space = log->space;

    for (size_t i = 0; i < cover->n_patterns; i++) {
        struct pattern p = cover->pattern[i];
        size_t times = times_written(cover, i);

        if (times == 0)
            continue;
        print_pair(p.addr, p.mask);
        printf(": ");
        print_free_bits(p, space);
        printf("; ");
        explain_cost(pattern_measure(p, space), bad_pages_of(p, log));
        if (times > 1)
            printf("; written %zu times, as GRUB on BIOS needs it", times);
        putchar('\n');
    }
    printf("all: ");
    explain_cost((struct pattern_size){ cover->sacrificed_pages, cover->ranges },
                 fault_log_bad_pages(log));
    printf("; the memory map has room for ");
    print_count(arguments->ranges, "range");
    if (arguments->ram_is_known)
        printf("; %.4f %% of RAM is sacrificed\n",
               100.0 * (double)cover->sacrificed_pages / (double)space->n_pages);
    else
        printf("; without --map all addresses count as RAM\n");
}
