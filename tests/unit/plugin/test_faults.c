// SPDX-License-Identifier: MIT
#include "tools/plugin/faults.h"

#include "tests/unit/unit.h"
#include "tools/plugin/permutation.h"

#define PAGES 4
#define SIZE  (PAGES * 4096)

static uint8_t memory[SIZE];

static struct faults make(const struct fault *fault, size_t n)
{
    struct faults f = { .bytes = memory, .size = SIZE };

    memset(memory, 0, sizeof(memory));
    for (size_t i = 0; i < n; i++)
        assert_true(faults_add(&f, fault[i]));
    assert_true(faults_begin(&f, 0));
    return f;
}

static void release(struct faults *f)
{
    free(f->fault);
    free(f->first);
    free(f->dram_lines);
}

static void store(struct faults *f, uint64_t offset, uint8_t value)
{
    memory[offset] = value;
    faults_after_store(f, offset, 1, 0);
}

TEST(test_one_cell)
{
    static const struct {
        enum fault_kind kind;
        uint8_t stored[4], read[4]; /* after each store, at a byte whose bit 3 is faulty */
    } rows[] = {
        { FAULT_STUCK0, { 0xff, 0x00, 0x08, 0xf7 }, { 0xf7, 0x00, 0x00, 0xf7 } },
        { FAULT_STUCK1, { 0xff, 0x00, 0x08, 0xf7 }, { 0xff, 0x08, 0x08, 0xff } },
        { FAULT_RISE, { 0x00, 0xff, 0xff, 0x08 }, { 0x00, 0xf7, 0xf7, 0x00 } },
        { FAULT_FALL, { 0x00, 0xff, 0x00, 0xf7 }, { 0x00, 0xff, 0x08, 0xff } },
        { FAULT_FADE, { 0x00, 0xff, 0x00, 0x08 }, { 0x00, 0xff, 0x00, 0x08 } },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fault fault = { rows[i].kind, .offset = 4095, .bit = 3, .hold_ns = 10 };
        FREED_BY(release) struct faults f = make(&fault, 1);

        for (size_t k = 0; k < 4; k++) {
            store(&f, 4094, rows[i].stored[k]);
            store(&f, 4095, rows[i].stored[k]);
            store(&f, 4096, rows[i].stored[k]);
            assert_int_equal(memory[4094], rows[i].stored[k]);
            assert_int_equal(memory[4095], rows[i].read[k]);
            assert_int_equal(memory[4096], rows[i].stored[k]);
        }
    }
}

TEST(test_stuck_before_any_store)
{
    struct fault fault = { FAULT_STUCK1, .offset = 5000, .bit = 7 };
    FREED_BY(release) struct faults f = make(&fault, 1);

    assert_int_equal(memory[5000], 0x80);
}

TEST(test_couplings)
{
    static const struct {
        uint8_t events;
        enum fault_effect effect;
        uint8_t victim_before;
        uint8_t after_rise, after_same, after_fall;
    } rows[] = {
        { EVENT_RISE | EVENT_FALL, EFFECT_INVERT, 0x00, 0x20, 0x20, 0x00 },
        { EVENT_RISE | EVENT_FALL, EFFECT_INVERT, 0xff, 0xdf, 0xdf, 0xff },
        { EVENT_RISE, EFFECT_0, 0xff, 0xdf, 0xdf, 0xdf },
        { EVENT_RISE, EFFECT_0, 0x00, 0x00, 0x00, 0x00 },
        { EVENT_RISE, EFFECT_1, 0x00, 0x20, 0x20, 0x20 },
        { EVENT_RISE, EFFECT_1, 0xff, 0xff, 0xff, 0xff },
        { EVENT_FALL, EFFECT_0, 0xff, 0xff, 0xff, 0xdf },
        { EVENT_FALL, EFFECT_1, 0x00, 0x00, 0x00, 0x20 },
        { EVENT_LOAD, EFFECT_1, 0x00, 0x00, 0x00, 0x00 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fault fault = { FAULT_COUPLE,
                               .offset = 100,
                               .bit = 1,
                               .victim_offset = 9000,
                               .victim_bit = 5,
                               .events = rows[i].events,
                               .effect = rows[i].effect };
        FREED_BY(release) struct faults f = make(&fault, 1);

        store(&f, 9000, rows[i].victim_before);
        store(&f, 100, 0xfd);
        assert_int_equal(memory[9000], rows[i].victim_before);
        store(&f, 100, 0x02);
        assert_int_equal(memory[9000], rows[i].after_rise);
        store(&f, 100, 0xff);
        assert_int_equal(memory[9000], rows[i].after_same);
        store(&f, 100, 0x00);
        assert_int_equal(memory[9000], rows[i].after_fall);
        assert_int_equal(memory[100], 0x00);
    }
}

/* A store of the same value, or a load, sets them off. */
TEST(test_disturbed)
{
    static const struct fault own = { FAULT_DISTURB, .offset = 100, .bit = 1 };
    static const struct fault coupling = {
        FAULT_COUPLE,           .offset = 100,   .bit = 1,
        .victim_offset = 9000,  .victim_bit = 5, .events = EVENT_SAME,
        .effect = EFFECT_INVERT
    };
    struct faults f = make(&own, 1);

    store(&f, 100, 0xff);
    assert_int_equal(memory[100], 0xff);
    store(&f, 100, 0xff);
    assert_int_equal(memory[100], 0xfd);
    store(&f, 100, 0x00);
    assert_int_equal(memory[100], 0x02);
    release(&f);

    f = make(&coupling, 1);
    store(&f, 100, 0x02);
    assert_int_equal(memory[9000], 0x00);
    store(&f, 100, 0xff);
    assert_int_equal(memory[9000], 0x20);
    store(&f, 100, 0x00);
    assert_int_equal(memory[9000], 0x20);
    store(&f, 100, 0x00);
    assert_int_equal(memory[9000], 0x00);
    release(&f);
}

TEST(test_loads_disturb)
{
    static const struct fault fault[] = {
        { FAULT_DECEIVE, .offset = 100, .bit = 1 },
        { FAULT_COUPLE, .offset = 108, .bit = 1, .victim_offset = 9000, .victim_bit = 5,
          .events = EVENT_LOAD, .effect = EFFECT_INVERT },
    };
    FREED_BY(release) struct faults f = make(fault, 2);

    assert_true(f.sees_loads);
    store(&f, 100, 0xff);
    assert_int_equal(memory[100], 0xff);
    assert_false(faults_after_load(&f, 96, 8));
    assert_int_equal(memory[100], 0xfd);
    assert_int_equal(memory[9000], 0);
    faults_after_load(&f, 104, 8);
    assert_int_equal(memory[100], 0xfd);
    assert_int_equal(memory[9000], 0x20);
}

TEST(test_state_coupling)
{
    static const struct fault fault = { FAULT_STATE, .offset = 100, .bit = 1, .victim_offset = 9000,
                                        .victim_bit = 5 };
    FREED_BY(release) struct faults f = make(&fault, 1);

    store(&f, 9000, 0xff);
    assert_int_equal(memory[9000], 0xff);
    store(&f, 100, 0x02);
    assert_int_equal(memory[9000], 0xdf);
    store(&f, 9000, 0xff);
    assert_int_equal(memory[9000], 0xdf);
    store(&f, 100, 0xfd);
    store(&f, 9000, 0xff);
    assert_int_equal(memory[9000], 0xff);
}

/* Whatever the aggressor does, nothing happens while the third cell holds the other value. */
TEST(test_three_cells)
{
    struct fault fault = { FAULT_COUPLE,          .offset = 100,     .bit = 1,
                           .victim_offset = 9000, .victim_bit = 5,   .events = EVENT_FALL,
                           .effect = EFFECT_1,    .has_third = true, .third_offset = 5000,
                           .third_bit = 3,        .value = true };
    FREED_BY(release) struct faults f = make(&fault, 1);

    store(&f, 100, 0x02);
    store(&f, 100, 0x00);
    assert_int_equal(memory[9000], 0);
    store(&f, 5000, 0x08);
    assert_int_equal(memory[9000], 0);
    store(&f, 100, 0x02);
    assert_int_equal(memory[9000], 0);
    store(&f, 100, 0x00);
    assert_int_equal(memory[9000], 0x20);
}

/* What the first coupling does the second undoes, until the aggressor is left as it is between. */
TEST(test_linked_couplings)
{
    static const struct fault fault[] = {
        { FAULT_COUPLE, .offset = 8, .victim_offset = 16, .events = EVENT_RISE,
          .effect = EFFECT_1 },
        { FAULT_COUPLE, .offset = 8, .victim_offset = 16, .events = EVENT_FALL,
          .effect = EFFECT_0 },
    };
    FREED_BY(release) struct faults f = make(fault, 2);

    store(&f, 8, 1);
    assert_int_equal(memory[16], 1);
    store(&f, 8, 0);
    assert_int_equal(memory[16], 0);
}

static void store_word(struct faults *f, uint64_t offset, uint64_t value)
{
    memcpy(&memory[offset], &value, sizeof(value));
    faults_after_store(f, offset, sizeof(value), 0);
}

static uint64_t word_at(uint64_t offset)
{
    uint64_t value;

    memcpy(&value, &memory[offset], sizeof(value));
    return value;
}

TEST(test_bridge)
{
    struct fault fault = { FAULT_BRIDGE, .offset = 4096, .bit = 3, .other_line = 62 };
    FREED_BY(release) struct faults f = make(&fault, 1);
    uint64_t first = UINT64_C(1) << 3, other = UINT64_C(1) << 62;

    store_word(&f, 4096, first);
    store_word(&f, 8184, other | 1);
    assert_true(word_at(4096) == 0 && word_at(8184) == 1);
    store_word(&f, 4096, first | other);
    store_word(&f, 8192, first);
    assert_true(word_at(4096) == (first | other) && word_at(8192) == first);
    store(&f, 4103, 0); /* a byte of it */
    assert_true(word_at(4096) == 0);
}

/* As lines of the page are written back, the second of two: once another one is stored. */
TEST(test_beats)
{
    for (int shifts = 0; shifts <= 1; shifts++) {
        struct fault fault = { FAULT_BEATS, .offset = 4096, .bit = 5, .one_in = 2,
                               .shifts = shifts };
        FREED_BY(release) struct faults f = make(&fault, 1);

        for (uint64_t i = 0; i < 24; i++) /* three lines */
            store_word(&f, 4096 + i * 8, 100 + i);
        for (uint64_t i = 0; i < 24; i++) {
            bool is_lost = i == 13 || (shifts && i > 13 && i < 16);

            assert_int_equal(word_at(4096 + i * 8), !is_lost ? 100 + i : shifts ? 99 + i : 0);
        }
        store_word(&f, 8192, 7);
        assert_int_equal(word_at(8192), 7);
        free(f.fault[0].before);
    }
}

TEST(test_misread)
{
    struct fault fault = { FAULT_MISREAD, .offset = 77, .bit = 2, .one_in = 20 };
    FREED_BY(release) struct faults f = make(&fault, 1);
    unsigned n = 0;

    assert_true(f.sees_loads);
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t stored = i & 1 ? 0xff : 0x00;

        if (i % 3 == 0)
            store(&f, 77, stored);
        else
            stored = memory[77] ^ (f.fault[0].is_next_wrong ? 4 : 0);
        n += memory[77] != stored; /* what a load brings now */
        faults_after_load(&f, 72, 8);
    }
    assert_in_range(n, 900, 1100);
}

TEST(test_cpus)
{
    static const struct fault fault[] = {
        { FAULT_ONE_CPU, .offset = 8, .bit = 1, .vcpu = 1 },
        { FAULT_ALL_CPUS, .offset = 9, .bit = 1 },
    };
    FREED_BY(release) struct faults f = make(fault, 2);

    assert_true(f.sees_cpus);
    for (unsigned i = 0; i < 4; i++) {
        f.vcpu = i & 1;
        f.is_crowded = i & 2;
        store(&f, 8, 0xff);
        store(&f, 9, 0xff);
        assert_int_equal(memory[8], i & 1 ? 0xfd : 0xff);
        assert_int_equal(memory[9], i & 2 ? 0xfd : 0xff);
    }
}

/* Stores that hold its byte, and no other. */
TEST(test_witness)
{
    uint64_t n = 0;
    struct fault fault = { FAULT_WITNESS, .offset = 4100, .counter = &n };
    FREED_BY(release) struct faults f = make(&fault, 1);

    assert_int_equal(n, 0);
    store(&f, 4100, 0xff);
    faults_after_store(&f, 4096, 8, 0);
    store(&f, 4099, 0xff);
    faults_after_store(&f, 4104, 64, 0);
    assert_int_equal(n, 2);
    assert_int_equal(memory[4100], 0xff);
}

#define INVERT FAULT_COUPLE, .events = EVENT_RISE | EVENT_FALL, .effect = EFFECT_INVERT

/* An aggressor that cannot change couples nothing, and couplings do not run on from victim to
 * victim. */
TEST(test_faults_together)
{
    static const struct fault stuck[] = {
        { INVERT, .offset = 8, .victim_offset = 16 },
        { FAULT_STUCK0, .offset = 8 },
    };
    static const struct fault chain[] = {
        { INVERT, .offset = 8, .victim_offset = 16 },
        { INVERT, .offset = 16, .victim_offset = 24 },
    };
    struct faults f = make(stuck, 2);

    store(&f, 8, 1);
    assert_int_equal(memory[8], 0);
    assert_int_equal(memory[16], 0);
    release(&f);

    f = make(chain, 2);
    store(&f, 8, 1);
    assert_int_equal(memory[16], 1);
    assert_int_equal(memory[24], 0);
    store(&f, 16, 1);
    assert_int_equal(memory[24], 0);
    store(&f, 16, 0);
    assert_int_equal(memory[24], 1);
    release(&f);
}

TEST(test_wide_store)
{
    static const struct fault fault[] = {
        { FAULT_STUCK0, .offset = 4096 },
        { FAULT_STUCK0, .offset = 4096 + 31 },
        { FAULT_STUCK0, .offset = 4096 + 32 },
    };
    FREED_BY(release) struct faults f = make(fault, 3);

    memset(&memory[4096], 0xff, 64);
    faults_after_store(&f, 4096, 32, 0);
    assert_int_equal(memory[4096], 0xfe);
    assert_int_equal(memory[4096 + 31], 0xfe);
    assert_int_equal(memory[4096 + 32], 0xff);
}

/* What is stored stays, and reads of a 1 are corrected. */
TEST(test_ecc)
{
    const struct fault fault[] = {
        { FAULT_ECC, .offset = 4100, .bit = 3, .one_in = 1 },
        { FAULT_STUCK1, .offset = 4101, .bit = 0 },
    };
    FREED_BY(release) struct faults f = make(fault, 2);

    assert_true(f.sees_loads);
    store(&f, 4100, 0xff);
    assert_int_equal(memory[4100], 0xff);
    assert_true(faults_after_load(&f, 4100, 1));
    assert_true(faults_after_load(&f, 4096, 8));
    assert_false(faults_after_load(&f, 4096, 4));
    assert_false(faults_after_load(&f, 4101, 8));
    assert_false(faults_after_load(&f, 0, 8));
    store(&f, 4100, 0xf7);
    assert_false(faults_after_load(&f, 4100, 1));
}

TEST(test_ecc_now_and_then)
{
    struct fault fault = { FAULT_ECC, .offset = 5, .bit = 7, .one_in = 3 };
    FREED_BY(release) struct faults f = make(&fault, 1);
    unsigned n = 0;

    store(&f, 5, 0x80);
    for (unsigned i = 0; i < 3000; i++)
        n += faults_after_load(&f, 0, 16);
    assert_in_range(n, 900, 1100);
}

TEST(test_alias)
{
    struct fault fault = { FAULT_ALIAS, .offset = 0, .victim_offset = 8192 };
    FREED_BY(release) struct faults f = make(&fault, 1);

    memcpy(&memory[40], "cells", 5);
    faults_after_store(&f, 40, 5, 0);
    assert_memory_equal(&memory[8192 + 40], "cells", 5);
    store(&f, 8192 + 41, 'a');
    assert_memory_equal(&memory[40], "calls", 5);
    store(&f, 4096 + 40, 'x');
    assert_int_equal(memory[40], 'c');
}

TEST(test_fade)
{
    struct fault fault = { FAULT_FADE, .offset = 77, .bit = 2, .hold_ns = 1000 };
    FREED_BY(release) struct faults f = make(&fault, 1);

    assert_true(f.fades);
    memory[77] = 0xff;
    faults_after_store(&f, 77, 1, 5000);
    faults_after_time(&f, 5999);
    assert_int_equal(memory[77], 0xff);
    faults_after_store(&f, 77, 1, 5999);
    faults_after_time(&f, 6998);
    assert_int_equal(memory[77], 0xff);
    faults_after_time(&f, 6999);
    assert_int_equal(memory[77], 0xfb);
}

/* Bit 2 of a word's byte 5, and of the words before and after it. */
#define LEAKS (64 + 8 + 5)

static void hold(struct faults *f, bool left, bool value, bool right, uint64_t now_ns)
{
    memory[LEAKS - 8] = (uint8_t)(left << 2 | 0xa1);
    memory[LEAKS] = (uint8_t)(value << 2 | 0xa1);
    memory[LEAKS + 8] = (uint8_t)(right << 2 | 0xa1);
    for (int i = -8; i <= 8; i += 8)
        faults_after_store(f, (uint64_t)(LEAKS + i), 1, now_ns);
}

/* Of all that three cells may hold, only what it is said to depend on loses the data. */
TEST(test_leak)
{
    for (unsigned pattern = 0; pattern < 8; pattern++) {
        struct fault fault = {
            FAULT_LEAK,           .offset = LEAKS,     .bit = 2,
            .hold_ns = 1000,      .left = pattern & 4, .value = pattern & 2,
            .right = pattern & 1,
        };
        FREED_BY(release) struct faults f = make(&fault, 1);

        assert_true(f.fades);
        for (unsigned held = 0; held < 8; held++) {
            bool lost = held == pattern, value = held & 2;

            hold(&f, held & 4, value, held & 1, 5000);
            faults_after_time(&f, 5999);
            assert_int_equal(memory[LEAKS], value << 2 | 0xa1);
            faults_after_time(&f, 6000);
            assert_int_equal(memory[LEAKS], (value != lost) << 2 | 0xa1);
            assert_int_equal(memory[LEAKS - 8], (held >> 2) << 2 | 0xa1);
            assert_int_equal(memory[LEAKS + 8], (held & 1) << 2 | 0xa1);
        }
    }
}

/* The time begins anew when a neighbour holds something else for a while. */
TEST(test_leak_of_changing_neighbours)
{
    struct fault fault = { FAULT_LEAK, .offset = LEAKS, .bit = 2, .hold_ns = 1000, .value = true };
    FREED_BY(release) struct faults f = make(&fault, 1);

    hold(&f, false, true, false, 5000);
    memory[LEAKS + 8] |= 4;
    faults_after_time(&f, 5900);
    memory[LEAKS + 8] = 0;
    faults_after_time(&f, 6899);
    assert_int_equal(memory[LEAKS], 0xa5);
    faults_after_time(&f, 6900);
    assert_int_equal(memory[LEAKS], 0xa1);
}

TEST(test_leak_without_neighbours)
{
    static const uint64_t offsets[] = { 0, 7, 56, 63, 64 + 7, 4096 - 8 };
    struct faults f = { .bytes = memory, .size = SIZE };

    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        assert_false(
            faults_add(&f, (struct fault){ FAULT_LEAK, .offset = offsets[i], .hold_ns = 1 }));
}

/* The third store, the sixth: the first is that of the start. */
TEST(test_lapse)
{
    static const uint8_t reads[] = { 0xff, 0xfb, 0xff, 0xff, 0xfb, 0xff };
    struct fault fault = { FAULT_LAPSE, .offset = 77, .bit = 2, .every = 3 };
    struct faults f = make(&fault, 1);

    for (size_t i = 0; i < sizeof(reads); i++) {
        store(&f, 77, 0xff);
        assert_int_equal(memory[77], reads[i]);
    }
    release(&f);
    fault.every = 0;
    f = (struct faults){ .bytes = memory, .size = SIZE };
    assert_false(faults_add(&f, fault));
}

/* In two stores, as vectors do. */
static void store_line(struct faults *f, uint64_t offset, uint8_t value)
{
    memset(&memory[offset], value, 32);
    faults_after_store(f, offset, 32, 0);
    memset(&memory[offset + 32], value, 32);
    faults_after_store(f, offset + 32, 32, 0);
}

/* How many of 16 bytes' bits differ from those of value. */
static unsigned wrong_bits(uint64_t offset, uint8_t value)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 16; i++)
        n += (unsigned)__builtin_popcount(memory[offset + i] ^ value);
    return n;
}

/* Blocks are right, or random as a whole, and each number of them happens. */
TEST(test_chip)
{
    struct fault fault = { FAULT_CHIP, .offset = 4096, .bit = 6, .one_in = 3 };
    FREED_BY(release) struct faults f = make(&fault, 1);
    unsigned n_wrong = 0, lines_with[5] = { 0 };

    assert_false(f.sees_loads);
    for (unsigned i = 1; i <= 3000; i++) {
        uint64_t line = 4096 + i % 64 * 64;
        unsigned n_blocks = 0;

        store_line(&f, line, 0x55);
        faults_after_load(&f, line, 64);
        for (unsigned block = 0; block < 4; block++) {
            unsigned n = wrong_bits(line + block * 16, 0x55);

            assert_true(n == 0 || (n >= 32 && n <= 96));
            n_blocks += n != 0;
            n_wrong += n;
        }
        assert_true(i % 3 == 0 || n_blocks == 0);
        lines_with[n_blocks] += i % 3 == 0;
    }
    for (unsigned n = 1; n <= 4; n++)
        assert_true(lines_with[n] > 10);
    assert_in_range(n_wrong, 60 * 3000, 68 * 3000); /* three of four blocks, of 1000 lines */
    store_line(&f, 0, 1);
    assert_int_equal(wrong_bits(0, 1), 0);
}

TEST(test_chip_that_reads_right)
{
    struct fault fault = { FAULT_CHIP, .offset = 0, .bit = 1, .one_in = 1, .reads_right = true };
    FREED_BY(release) struct faults f = make(&fault, 1);
    unsigned n = 0;

    assert_true(f.sees_loads);
    for (unsigned i = 0; i < 64; i++) {
        uint64_t line = i * 64;
        unsigned wrong;

        store_line(&f, line, 0xaa);
        wrong = wrong_bits(line, 0xaa) + wrong_bits(line + 16, 0xaa) + wrong_bits(line + 32, 0xaa) +
                wrong_bits(line + 48, 0xaa);
        n += wrong != 0;
        faults_after_load(&f, line, 32);
        assert_int_equal(f.fault[0].garbled, line); /* not to its end */
        faults_after_load(&f, line + 32, 32);
        assert_int_equal(f.fault[0].garbled, FAULTS_NO_LINE);
        for (unsigned block = 0; block < 4; block++)
            assert_int_equal(wrong_bits(line + block * 16, 0xaa), 0);
    }
    assert_true(n > 60);
    store_line(&f, 0, 1);
    store_line(&f, 64, 1); /* one line at a time */
    assert_int_equal(wrong_bits(64, 1), 0);
    store_line(&f, 0, 2); /* written over, and garbled anew */
    faults_after_load(&f, 0, 64);
    assert_int_equal(wrong_bits(0, 2), 0);
}

TEST(test_permutation)
{
    unsigned n = 0;

    for (uint64_t i = 0; i < 1000; i++) {
        struct permuted block = { { i % 7, i * i } };
        struct permuted there = permutation_store(block, i * 16), back = there;

        back = permutation_load(back, i * 16);
        assert_memory_equal(&back, &block, sizeof(block));
        there.half[i / 64 % 2] ^= UINT64_C(1) << i % 64;
        back = permutation_load(there, i * 16);
        n += (unsigned)__builtin_popcountll(back.half[0] ^ block.half[0]);
        n += (unsigned)__builtin_popcountll(back.half[1] ^ block.half[1]);
        back = permutation_store(block, i * 16 + 16);
        assert_memory_not_equal(&back, &there, sizeof(block));
    }
    assert_in_range(n, 63 * 1000, 65 * 1000);
}

TEST(test_near)
{
    struct fault fault = { FAULT_STUCK0, .offset = 4096 + 128 };
    FREED_BY(release) struct faults f = make(&fault, 1);

    assert_true(faults_near(&f, 0x7f000080, 8));
    assert_true(faults_near(&f, 0x7f00007c, 8)); /* reaches into the word */
    assert_false(faults_near(&f, 0x7f000078, 8));
    assert_true(faults_near(&f, 0x7f000087, 1));
    assert_false(faults_near(&f, 0x7f000088, 8));
    assert_true(faults_near_line(&f, 0x7f0000bf));
    assert_true(faults_near_line(&f, 0x7f000041)); /* 64 bytes from there on reach the line */
    assert_false(faults_near_line(&f, 0x7f000040));
    assert_false(faults_near_line(&f, 0x7f0000c0));
}

/* By its definition: one of the words is among those of the access. */
TEST(test_near_is_exact)
{
    for (unsigned word = 0; word < 512; word += 37) {
        struct fault fault = { FAULT_STUCK0, .offset = 4096 + word * 8 + word % 8 };
        FREED_BY(release) struct faults f = make(&fault, 1);

        for (uint64_t address = 0; address < 4096; address++) {
            for (uint64_t size = 1; size <= 64; size *= 2) {
                uint64_t first = address / 8, last = (address + size - 1) / 8;
                bool near = (word >= first && word <= last) || word + 512 <= last;

                assert_int_equal(faults_near(&f, address, size), near);
                assert_true(!near || faults_near_line(&f, address));
            }
        }
    }
}

TEST(test_near_of_a_page)
{
    struct fault fault = { FAULT_ALIAS, .offset = 0, .victim_offset = 4096 };
    FREED_BY(release) struct faults f = make(&fault, 1);

    for (uint64_t address = 0; address < 4096; address += 8)
        assert_true(faults_near(&f, address, 8));
}

TEST(test_refused)
{
    static const struct fault bad[] = {
        { FAULT_STUCK0, .offset = SIZE },
        { FAULT_STUCK0, .bit = 8 },
        { FAULT_COUPLE, .victim_offset = SIZE },
        { FAULT_COUPLE, .victim_bit = 8 },
        { FAULT_ALIAS, .victim_offset = SIZE },
        { FAULT_CHIP, .one_in = 0 },
        { FAULT_CHIP, .offset = 64, .one_in = 1 },
        { FAULT_BRIDGE, .offset = 64 },
        { FAULT_BRIDGE, .other_line = 64 },
        { FAULT_BEATS, .one_in = 0 },
        { FAULT_MISREAD, .one_in = 0 },
        { FAULT_COUPLE, .has_third = true, .third_offset = SIZE },
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        FREED_BY(release) struct faults f = { .bytes = memory, .size = SIZE };

        assert_false(faults_add(&f, bad[i]));
    }
}

/* Four pages of the first row by Skylake's map: a byte lane is stuck. */
TEST(test_dram)
{
    struct faults_dram lane = { .where = { .map = dram_map_find("skylake"),
                                           .fields = (1u << DRAM_FIELDS) - 1,
                                           .n_rows = 1,
                                           .any_column = true,
                                           .pin = 8,
                                           .n_pins = 8,
                                           .beat = DRAM_BEAT_ALL,
                                           .one_in = 1 },
                                .value = FAULTS_ALL_1 };
    FREED_BY(release) struct faults f = { .bytes = memory, .size = SIZE };

    memset(memory, 0, sizeof(memory));
    assert_true(faults_add_dram(&f, &lane));
    assert_true(faults_begin(&f, 0));
    assert_true(faults_has_page(&f, 0) && faults_has_page(&f, 3 * 4096));
    memset(memory, 0x55, 128);
    faults_after_store(&f, 0, 64, 0);
    faults_after_store(&f, 64, 64, 0);
    for (size_t i = 0; i < 128; i++)
        assert_int_equal(memory[i], i % 8 == 1 ? 0xff : 0x55);
    memset(memory + 0x100, 0x55, 64); /* address bit 8 alone: the other channel */
    faults_after_store(&f, 0x100, 64, 0);
    assert_int_equal(memory[0x101], 0x55);
    store(&f, 9, 0); /* a byte of it alone */
    store(&f, 10, 0);
    assert_int_equal(memory[9], 0xff);
    assert_int_equal(memory[10], 0);
}

/* One beat of the burst is one word of the line. */
TEST(test_near_of_dram)
{
    struct faults_dram beat = { .where = { .map = dram_map_find("skylake"),
                                           .fields = (1u << DRAM_FIELDS) - 1,
                                           .n_rows = 1,
                                           .any_column = true,
                                           .n_pins = 64,
                                           .beat = 2,
                                           .one_in = 1 } };
    FREED_BY(release) struct faults f = { .bytes = memory, .size = SIZE };

    assert_true(faults_add_dram(&f, &beat));
    assert_true(faults_begin(&f, 0));
    for (uint64_t word = 0; word < 8; word++)
        assert_int_equal(faults_near(&f, word * 8, 8), word == 2);
}

TEST(test_too_much_dram)
{
    struct faults_dram d = { .where = { .map = &dram_maps[0] } };
    struct faults f = { .bytes = memory, .size = SIZE };

    for (size_t i = 0; i < FAULTS_DRAM_MAX; i++)
        assert_true(faults_add_dram(&f, &d));
    assert_false(faults_add_dram(&f, &d));
}
