// SPDX-License-Identifier: MIT
#include "rows/pair_latency.h"

#include <sys/mman.h>

#include "tests/unit/unit.h"

/* Lines that are read, and only read: the pages can not be written. */
TEST(takes_time_and_only_reads)
{
    char *memory = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    assert_true(pair_latency(memory, memory + 4096) > 10);
    assert_true(pair_latency(memory, memory) > 10);
    munmap(memory, 8192);
}
