// SPDX-License-Identifier: MIT
#include "bandwidth/redundant.h"

#include "bandwidth/stream.h"
#include "lib/panic.h"
#include "lib/span.h"

const char *redundancy_name(enum redundancy kind)
{
    static const char *const names[REDUNDANCY_KINDS] = { "plain", "mirror", "parity" };

    ASSERT(kind < REDUNDANCY_KINDS);
    return names[kind];
}

uint64_t redundancy_other_bytes(enum redundancy kind, uint64_t data_bytes)
{
    uint64_t lines = data_bytes / LINE_SIZE;

    ASSERT(kind < REDUNDANCY_KINDS && data_bytes % LINE_SIZE == 0);
    if (kind == REDUNDANCY_NONE)
        return 0;
    if (kind == REDUNDANCY_MIRROR)
        return data_bytes;
    return (lines / REDUNDANCY_GROUP + (lines % REDUNDANCY_GROUP != 0)) * LINE_SIZE;
}

void redundant_write(const struct stream_ops *ops, enum redundancy kind, double *data,
                     double *other, size_t bytes, double value)
{
    ASSERT(data && (uintptr_t)data % LINE_SIZE == 0 && bytes % LINE_SIZE == 0);
    ASSERT(kind == REDUNDANCY_NONE || (other && (uintptr_t)other % LINE_SIZE == 0));
    switch (kind) {
    case REDUNDANCY_NONE: ops->write_plain(data, value, bytes); break;
    case REDUNDANCY_MIRROR: ops->write_mirror(data, other, value, bytes); break;
    case REDUNDANCY_PARITY: ops->write_parity(data, other, value, bytes); break;
    case REDUNDANCY_KINDS: panic("redundant_write: no kind %d", (int)kind);
    }
    stream_fence();
}
