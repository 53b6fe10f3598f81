// SPDX-License-Identifier: MIT
#include "rows/pair_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

/* Lines that are read, and only read: the pages can not be written. */
static void takes_time_and_only_reads(void **state)
{
    char *memory = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    assert_true(pair_latency(memory, memory + 4096) > 10);
    assert_true(pair_latency(memory, memory) > 10);
    munmap(memory, 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(takes_time_and_only_reads) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
