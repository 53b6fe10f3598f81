// SPDX-License-Identifier: MIT
#include "kind/kind_reads.h"

#include <stddef.h>

/* Reads of w0's data in a round, and of their complement. */
static void count_ops(const struct march *march, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t i = 0; i < march->n_elements; i++) {
        const struct march_element *e = &march->element[i];

        for (uint32_t op = 0; op < e->n_ops; op++) {
            if (!e->op[op].write)
                ret[e->op[op].complement]++;
        }
    }
}

static void add_test(const struct test *test, uint64_t seed, uint64_t addr, unsigned bit,
                     uint64_t ret[2])
{
    struct march march;
    uint64_t n[2];

    if (test->kind != TEST_MARCH)
        return;
    test_march(test, &march);
    count_ops(&march, n);
    for (uint32_t round = 0; round < test->rounds; round++) {
        struct data data = test_data(test, round, seed);
        unsigned value = data_word(&data, addr) >> bit & 1;

        ret[value] += n[0];
        ret[!value] += n[1];
    }
}

void kind_reads_of(const struct kind_reads *reads, uint64_t addr, unsigned bit, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t pass = 0; pass < reads->passes; pass++) {
        for (size_t i = 0; i < reads->tests->n_tests; i++)
            add_test(&reads->tests->test[i], reads->seed + pass, addr, bit, ret);
    }
}
