// SPDX-License-Identifier: MIT
/* Counters of a machine that the test plays: UMCs 0 and 3 are active, each has four. */
#include "controller/traffic.h"

#include <string.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "tests/unit/unit.h"

#define FIRST 0xc0010800u
#define MSRS  32
#define N     1000

static struct {
    uint64_t msr[MSRS];
    bool has_counters, is_missing;
    uint32_t active;
    unsigned refused; /* this write fails, counted from 1; 0: none */
    unsigned writes;
} played;

void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    memset(regs, 0, 4 * sizeof(*regs));
    if (leaf == 0x80000000u)
        regs[0] = 0x80000022u;
    if (leaf != 0x80000022u)
        return;
    regs[0] = played.has_counters;
    regs[1] = 8u << 16;
    regs[2] = played.active;
}

bool msr_try_read(uint32_t msr, uint64_t *ret_value)
{
    if (played.is_missing)
        return false;
    assert_in_range(msr, FIRST, FIRST + MSRS - 1);
    *ret_value = played.msr[msr - FIRST];
    return true;
}

bool msr_try_write(uint32_t msr, uint64_t value)
{
    assert_in_range(msr, FIRST, FIRST + MSRS - 1);
    if (++played.writes == played.refused)
        return false;
    played.msr[msr - FIRST] = value;
    return true;
}

static const struct decoded_controller controller = {
    .n_channels = 2,
    .channel = { { .controller = 0 }, { .controller = 3 } },
};
static struct traffic traffic;
static uint64_t before[DRAM_CHANNELS_MAX], after[DRAM_CHANNELS_MAX];

static void begin(void)
{
    memset(&played, 0, sizeof(played));
    played.has_counters = true;
    played.active = 0x9;
    played.msr[0] = 0x11; /* off, of somebody else */
    played.msr[1] = 77;
    played.msr[8] = 0x22;
}

/* Counts n reads at the controllers' counters. */
static void count(uint64_t n0, uint64_t n3)
{
    traffic_count(&traffic, before);
    played.msr[1] = (played.msr[1] + n0) & 0xffffffffffff;
    played.msr[9] += n3;
    traffic_count(&traffic, after);
}

TEST(reads_are_counted)
{
    begin();
    assert_true(traffic_begin(&traffic, &controller));
    assert_int_equal(played.msr[0], 0x8000010a);
    assert_int_equal(played.msr[8], 0x8000010a);
    count(N, 3);
    assert_int_equal(traffic_judge(before, after, 2, 0, N), TRAFFIC_AGREES);
    assert_int_equal(traffic_judge(before, after, 2, 1, N), TRAFFIC_CONTRADICTS);
    count(N, N); /* each line counts at both: others read, too */
    assert_int_equal(traffic_judge(before, after, 2, 0, N), TRAFFIC_UNCLEAR);
    count(N / 2, N / 2);
    assert_int_equal(traffic_judge(before, after, 2, 0, N), TRAFFIC_UNCLEAR);
    count(0, 0); /* it stands still */
    assert_int_equal(traffic_judge(before, after, 2, 0, N), TRAFFIC_UNCLEAR);
    traffic_end(&traffic);
    assert_int_equal(played.msr[0], 0x11);
    assert_int_equal(played.msr[1], 77);
    assert_int_equal(played.msr[8], 0x22);
    assert_int_equal(played.msr[9], 0);
}

TEST(a_count_that_wraps)
{
    begin();
    played.msr[1] = 0xffffffffff00;
    assert_true(traffic_begin(&traffic, &controller));
    count(N, 0);
    assert_int_equal(traffic_judge(before, after, 2, 0, N), TRAFFIC_AGREES);
}

TEST(machines_without_such_counters)
{
    struct decoded_controller other = controller;

    begin();
    played.has_counters = false;
    assert_false(traffic_begin(&traffic, &controller));
    begin();
    played.is_missing = true;
    assert_false(traffic_begin(&traffic, &controller));
    begin();
    played.active = 0x1; /* a channel has none */
    assert_false(traffic_begin(&traffic, &controller));
    assert_int_equal(played.msr[0], 0x11);
    begin();
    other.channel[1].node = 1; /* another socket's */
    assert_false(traffic_begin(&traffic, &other));
    begin();
    assert_false(traffic_begin(&traffic, &(struct decoded_controller){ 0 }));
}

TEST(counters_in_use_stay)
{
    begin();
    played.msr[8] = 0x80000000 | 0x22;
    assert_false(traffic_begin(&traffic, &controller));
    assert_int_equal(played.msr[0], 0x11);
    assert_int_equal(played.msr[8], 0x80000022);
    begin();
    played.refused = 2;
    assert_false(traffic_begin(&traffic, &controller));
    assert_int_equal(played.msr[0], 0x11);
}
