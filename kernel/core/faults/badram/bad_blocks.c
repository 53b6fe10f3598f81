// SPDX-License-Identifier: MIT
#include "badram/bad_blocks.h"

struct bad_blocks bad_blocks_start(const struct fault_log *log)
{
    return (struct bad_blocks){ .log = log };
}

bool bad_blocks_next(struct bad_blocks *b, struct pattern *ret_block)
{
    uint64_t size = 1;
    unsigned order = 0;

    if (b->left.count == 0 && !fault_log_next_run(b->log, &b->index, &b->left))
        return false;
    while (b->left.first % (2 * size) == 0 && 2 * size <= b->left.count) {
        size *= 2;
        order++;
    }
    *ret_block = pattern_block(b->left.first, order);
    b->left.first += size;
    b->left.count -= size;
    return true;
}
