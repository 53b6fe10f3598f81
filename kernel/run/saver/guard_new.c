// SPDX-License-Identifier: MIT
#include "saver/guard_new.h"

#include "guardlist/guard_sign.h"
#include "machine/machine.h"
#include "memory/sign_key.h"
#include "plan/plan.h"

static uint8_t bytes[GUARD_NEW_MAX];

struct guard_new guard_list_from_log(int64_t made)
{
    struct guard_writer writer = guard_writer_begin(bytes, sizeof(bytes));
    uint64_t index = 0, n_pages = 0;
    struct page_run run;
    size_t n;

    while (fault_log_next_run(&fault_log, &index, &run)) {
        guard_writer_add(&writer, (struct guard_run){ run.first, run.count });
        n_pages += run.count;
    }
    n = n_pages ? guard_writer_end(&writer, &machine.fingerprint, made) : 0;
    if (n && sign_key())
        guard_list_sign(bytes, sign_key());
    return (struct guard_new){
        .bytes = bytes,
        .n = n,
        .n_pages = n_pages,
    };
}
