// SPDX-License-Identifier: MIT
#include "saving/guard_new.h"

#include "guardlist/guard_list.h"
#include "machine/machine.h"
#include "plan/plan.h"

static uint8_t bytes[GUARD_NEW_MAX];

struct guard_new guard_new_make(int64_t made)
{
    struct guard_writer writer = guard_writer_begin(bytes, sizeof(bytes));
    uint64_t index = 0, n_pages = 0;
    struct page_run run;

    while (fault_log_next_run(&fault_log, &index, &run)) {
        guard_writer_add(&writer, (struct guard_run){ run.first, run.count });
        n_pages += run.count;
    }
    return (struct guard_new){
        .bytes = bytes,
        .n = n_pages ? guard_writer_end(&writer, &machine.fingerprint, made) : 0,
        .n_pages = n_pages,
    };
}
