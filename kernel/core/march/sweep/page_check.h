// SPDX-License-Identifier: MIT
/*
 * A quick check of single pages, of those that are about to be used for example: March C- (van de
 * Goor, "Testing Semiconductor Memories", 1991) over solid and alternating bits, a march over data
 * made of addresses, and one that reads and writes each line twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sweep/engine.h"

#define PAGE_CHECK_MAX 32

/*
 * Before it is used memory is checked with less: couplings between lines show with one background,
 * and single cells show in the last march.
 */
enum page_check_why { PAGE_CHECK_BEFORE_USE, PAGE_CHECK_AGAIN };

/* Called after each element of a march. */
struct page_check_between {
    void (*call)(void *ctx);
    void *ctx;
};

/*
 * Marches over 1 to PAGE_CHECK_MAX whole pages, whose content is lost. Bit i is set where page i is
 * bad. Ends with the element that finds the last good page bad: bad memory costs little.
 * between: NULL, or what has to be done so that the next element reaches DRAM again.
 */
uint32_t page_check(const struct line_ops *ops, bool has_clflushopt, struct slice pages,
                    enum page_check_why why, const struct page_check_between *between);

/* Writes data, or their complement, to 1 to PAGE_CHECK_MAX whole pages. */
void page_fill(const struct line_ops *ops, bool has_clflushopt, struct slice pages,
               const struct data *data, bool complement);

/* Whether all of them still hold what page_fill wrote. */
bool page_holds(const struct line_ops *ops, bool has_clflushopt, struct slice pages,
                const struct data *data, bool complement);
