// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* memfd_create */
#include "sweep/line_ops.h"

#include <unistd.h>

#include "memory.h"
#include "tests/host/cpu_features.h"

/* Both sides of every group of lines (1, 2 and 4) and of the 64 lines that are prefetched. */
static const uint64_t lengths[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 48, 63, 64, 65, 69, 128, 130 };

/* One case of what all tables must do alike. */
struct lines_case {
    const struct line_ops *ops;
    struct data data;
    bool complement, down;
    uint64_t first, n;
};

/* Calls check for every table, data, polarity, direction and length, at both ends of memory. */
static void for_all_cases(void (*check)(struct memory m, const struct lines_case *c))
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    struct memory m = memory_make();

    for (size_t i = 0; i < n_ops * MEMORY_DATA * COUNT(lengths) * 8; i++) {
        size_t rest = i / 8 / COUNT(lengths);
        uint64_t n = lengths[i / 8 % COUNT(lengths)];
        struct lines_case c = {
            .ops = ops[rest / MEMORY_DATA],
            .data = memory_data(rest % MEMORY_DATA),
            .complement = i & 1,
            .down = i & 2,
            .first = i & 4 ? MEMORY_LINES - n : 0,
            .n = n,
        };

        check(m, &c);
    }
    memory_free(m);
}

static void check_fill(struct memory m, const struct lines_case *c)
{
    struct line_run run = memory_run(m, c->first, c->n, c->down);

    memory_spoil(m);
    c->ops->fill(&run, &c->data, c->complement);
    line_ops_fence();
    memory_check(m, c->first, c->n, &c->data, c->complement);
}

static void check_verify(struct memory m, const struct lines_case *c)
{
    static struct reports expected, got;
    struct line_run run = memory_run(m, c->first, c->n, c->down);
    struct line_faults faults = { .report = reports_add, .ctx = &got };
    uint64_t prng = c->n;

    memory_spoil(m);
    memory_set(m, c->first, c->n, &c->data, c->complement);
    got.n = 0;
    c->ops->verify(&run, &c->data, c->complement, &faults);
    assert_int_equal(got.n, 0);
    memory_check(m, c->first, c->n, &c->data, c->complement);

    for (unsigned rarity = 64; rarity; rarity /= 8) { /* few, many, then all words wrong */
        memory_set(m, c->first, c->n, &c->data, c->complement);
        memory_flip(m, c->first, c->n, c->down, &c->data, c->complement, rarity, &prng, &expected);
        got.n = 0;
        c->ops->verify(&run, &c->data, c->complement, &faults);
        reports_equal(&got, &expected);
    }
    assert_int_equal(expected.n, c->n * 8);
}

static void check_verify_write(struct memory m, const struct lines_case *c)
{
    static struct reports expected, got;
    struct line_run run = memory_run(m, c->first, c->n, c->down);
    struct line_faults faults = { .report = reports_add, .ctx = &got };
    uint64_t prng = c->n;

    for (unsigned k = 0; k < 6; k++) {
        bool write = k & 1;

        memory_spoil(m);
        memory_set(m, c->first, c->n, &c->data, c->complement);
        expected.n = got.n = 0;
        if (k >= 2) /* none, some, all wrong */
            memory_flip(m, c->first, c->n, c->down, &c->data, c->complement, k >= 4 ? 1 : 16, &prng,
                        &expected);
        c->ops->verify_write(&run, &c->data, c->complement, write, &faults);
        line_ops_fence();
        reports_sort(&got);
        reports_sort(&expected);
        reports_equal(&got, &expected);
        memory_check(m, c->first, c->n, &c->data, write);
    }
}

/* The sequences that have a loop of their own must do the same as that loop. */
static void check_sequence(struct memory m, const struct lines_case *c)
{
    static struct reports expected, got;
    const struct march_op r = { .complement = c->complement };
    const struct march_op w = { .complement = c->complement, .write = true };
    const struct march_op opposite = { .complement = !c->complement, .write = true };
    const struct march_op read_write[] = { r, opposite };
    struct line_run run = memory_run(m, c->first, c->n, c->down);
    struct line_faults faults = { .report = reports_add, .ctx = &got };
    uint64_t prng = c->n;

    memory_spoil(m);
    c->ops->sequence(&run, &c->data, &(struct line_sequence){ &w, 1, 1, 1, 0, false }, &faults);
    line_ops_fence();
    memory_check(m, c->first, c->n, &c->data, c->complement);

    memory_flip(m, c->first, c->n, c->down, &c->data, c->complement, 5, &prng, &expected);
    got.n = 0;
    c->ops->sequence(&run, &c->data, &(struct line_sequence){ &r, 1, 1, 1, 0, false }, &faults);
    reports_equal(&got, &expected);
    got.n = 0;
    c->ops->sequence(&run, &c->data, &(struct line_sequence){ read_write, 2, 1, 1, 0, false },
                     &faults);
    line_ops_fence();
    reports_equal(&got, &expected);
    memory_check(m, c->first, c->n, &c->data, !c->complement);
}

TEST(fills)
{
    for_all_cases(check_fill);
}

TEST(verifies)
{
    for_all_cases(check_verify);
}

TEST(verifies_and_writes)
{
    for_all_cases(check_verify_write);
}

TEST(sequences_equal_the_fast_loops)
{
    for_all_cases(check_sequence);
}

/* A transient fault: the first report mends all memory. What was read must still be reported. */
struct mender {
    struct memory memory;
    const struct data *data;
    struct reports reports;
};

static void mend(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct mender *m = ctx;

    memory_set(m->memory, 0, MEMORY_LINES, m->data, false);
    reports_add(&m->reports, phys, expected, found);
}

TEST(reports_what_was_read_and_not_what_is_there_now)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    static struct mender mender;

    mender.memory = memory_make();
    for (size_t i = 0; i < n_ops * MEMORY_DATA; i++) {
        struct data data = memory_data(i % MEMORY_DATA);
        struct line_run run = memory_run(mender.memory, 0, 16, false);
        struct line_faults faults = { .report = mend, .ctx = &mender };
        uint64_t *word = mender.memory.line[4].word;

        mender.data = &data;
        for (int write = 0; write < 2; write++) {
            mender.reports.n = 0;
            memory_set(mender.memory, 0, MEMORY_LINES, &data, false);
            word[1] ^= 1;
            word[6] ^= UINT64_C(1) << 63;
            if (write)
                ops[i / MEMORY_DATA]->verify_write(&run, &data, false, false, &faults);
            else
                ops[i / MEMORY_DATA]->verify(&run, &data, false, &faults);
            assert_int_equal(mender.reports.n, 2);
            assert_int_equal(mender.reports.report[0].phys, MEMORY_PHYS + 4 * 64 + 8);
            assert_int_equal(mender.reports.report[0].found, mender.reports.report[0].expected ^ 1);
            assert_int_equal(mender.reports.report[1].phys, MEMORY_PHYS + 4 * 64 + 48);
            assert_int_equal(mender.reports.report[1].found,
                             mender.reports.report[1].expected ^ UINT64_C(1) << 63);
        }
    }
    memory_free(mender.memory);
}

/* All operations of a line are done, whatever its reads found, before those of the next line. */
TEST(sequences_do_all_operations)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    struct memory m = memory_make();
    static struct reports got;
    struct line_faults faults = { .report = reports_add, .ctx = &got };
    struct march march;
    struct march_error error;
    const struct march_element *e = &march.element[1];

    assert_int_equal(march_parse("any(w0);up(r0,r0,w0,r0,w1,w1,r1,r1,w0,r0)", &march, &error),
                     MARCH_OK);
    for (size_t i = 0; i < n_ops * MEMORY_DATA * 2; i++) {
        struct data data = memory_data(i / 2 % MEMORY_DATA);
        struct line_run run = memory_run(m, 0, MEMORY_LINES, i & 1);
        struct line_sequence sequence = {
            .op = e->op,
            .n_ops = e->n_ops,
            .n_lanes = 1,
            .window = 1,
            .has_clflushopt = i % 3 && host_has_clflushopt(),
        };

        memory_spoil(m);
        memory_set(m, 0, MEMORY_LINES, &data, false);
        m.line[7].word[3] ^= 0x10;
        m.line[9].word[0] ^= 0x20;
        got.n = 0;
        ops[i / 2 / MEMORY_DATA]->sequence(&run, &data, &sequence, &faults);
        line_ops_fence();

        /* each is found by the two reads before the first write, and by no other */
        assert_int_equal(got.n, 4);
        for (size_t k = 0; k < 4; k++) {
            bool ninth = (k >= 2) != (i & 1);

            assert_int_equal(got.report[k].phys, m.phys + (ninth ? 9 * 64 : 7 * 64 + 3 * 8));
            assert_int_equal(got.report[k].expected, data_word(&data, got.report[k].phys));
            assert_int_equal(got.report[k].found ^ got.report[k].expected, ninth ? 0x20 : 0x10);
        }
        memory_check(m, 0, MEMORY_LINES, &data, false);
    }
    memory_free(m);
}

/* Two pages that are the same memory, as with a broken address line: which of the two is seen as
 * wrong shows the direction in which read-and-write goes. */
/* ctx: the physical address of the line taken; then what was wrong in it. */
static bool take_one(void *ctx, uint64_t phys, bool complement, const struct line *diff)
{
    uint64_t *taken = ctx;

    uint64_t any = 0;

    assert_false(complement);
    for (size_t i = 0; i < 8; i++)
        any |= diff->word[i];
    assert_true(any); /* lines that are right among them are not handed over */
    if (phys != taken[0])
        return false;
    for (size_t i = 0; i < 8; i++)
        taken[1] |= diff->word[i];
    return true;
}

static uint64_t words_reported;

static void report_not_of_line_taken(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    const uint64_t *taken = ctx;

    assert_true(phys - taken[0] >= sizeof(struct line));
    words_reported++;
}

TEST(a_line_may_be_taken_whole)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    static struct line lines[8];
    uint64_t taken[2] = { 0x5040 };
    struct line_run run = { .first = lines, .phys = 0x5000, .n_lines = 8 };
    struct line_faults faults = { report_not_of_line_taken, taken, take_one };
    struct data data = data_background(0);

    for (size_t i = 0; i < 8; i++) {
        for (size_t n = 2; n < 8; n++)
            lines[n].word[i] = data_word(&data, 0x5000 + 64 * n + 8 * i);
        lines[0].word[i] = data_word(&data, 0x5000 + 8 * i) ^ (i < 3);
        lines[1].word[i] = data_word(&data, 0x5040 + 8 * i) ^ UINT64_C(1) << i;
    }
    for (size_t i = 0; i < n_ops; i++) {
        words_reported = taken[1] = 0;
        line_ops_flush(&run, false);
        ops[i]->verify(&run, &data, false, &faults);
        assert_int_equal(words_reported, 3);
        assert_int_equal(taken[1], 0xff);
    }
}

TEST(a_line_is_written_before_later_ones_are_read)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n_ops = memory_tables(ops);
    int file = memfd_create("aliases", 0);
    size_t page = 4096;
    char *p = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static struct reports got;
    struct line_faults faults = { .report = reports_add, .ctx = &got };
    struct memory m = { .line = (struct line *)p, .phys = 0x5000 };

    assert_true(file >= 0 && ftruncate(file, (off_t)page) == 0);
    for (int i = 0; i < 2; i++)
        assert_true(mmap(p + (size_t)i * page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                         file, 0) != MAP_FAILED);
    for (size_t i = 0; i < n_ops * 4; i++) {
        struct line_run run = memory_run(m, 0, 128, i & 1);
        struct data data = data_background(1);
        const struct march_op op[] = { { 0 }, { .write = true, .complement = true } };
        const struct line_ops *o = ops[i / 4];

        memory_set(m, 0, 64, &data, false);
        got.n = 0;
        if (i & 2)
            o->sequence(&run, &data, &(struct line_sequence){ op, 2, 1, 1, 0, false }, &faults);
        else
            o->verify_write(&run, &data, false, true, &faults);
        assert_int_equal(got.n, 64 * 8);
        for (size_t k = 0; k < got.n; k++) {
            assert_int_equal(got.report[k].phys / page, i & 1 ? 5 : 6);
            assert_int_equal(got.report[k].found, ~got.report[k].expected);
        }
    }
    munmap(p, 2 * page);
    close(file);
}

TEST(chooses_a_table)
{
    static const struct line_features plain = { 0 }, avx2 = { .avx2 = true };
    static const struct line_features avx512 = { .avx2 = true, .avx512 = true };
    const struct line_ops *ops[LINE_OPS_MAX];

    assert_ptr_equal(line_ops_choose(plain, NULL), &line_ops_sse2);
    assert_ptr_equal(line_ops_choose(avx2, NULL), &line_ops_avx2);
    assert_ptr_equal(line_ops_choose(avx2, ""), &line_ops_avx2);
    assert_ptr_equal(line_ops_choose(avx2, "sse2"), &line_ops_sse2);
    assert_ptr_equal(line_ops_choose(plain, "scalar"), &line_ops_scalar);
    assert_null(line_ops_choose(plain, "avx2"));
    assert_null(line_ops_choose(avx2, "avx512"));
    assert_null(line_ops_choose(avx2, "sse"));

    assert_ptr_equal(line_ops_choose(avx512, "avx512"), &line_ops_avx512);
    assert_ptr_equal(line_ops_choose(avx512, "avx2"), &line_ops_avx2);

    /* A hybrid machine: AVX-512 on some CPUs, CLFLUSHOPT on others. */
    assert_false(line_features_both(avx512, avx2).avx512);
    assert_true(line_features_both(avx512, avx2).avx2);
    assert_false(line_features_both(avx2, avx512).avx512);
    assert_true(line_features_both(avx512, avx512).avx512);
    assert_false(line_features_both(avx512, plain).avx2);
    for (int i = 0; i < 4; i++)
        assert_int_equal(line_features_both((struct line_features){ .clflushopt = i & 1 },
                                            (struct line_features){ .clflushopt = i & 2 })
                             .clflushopt,
                         i == 3);
    assert_int_equal(line_ops_list(line_features_both(avx512, avx2), ops), 3);
    assert_int_equal(line_ops_list(line_features_both(avx2, plain), ops), 2);
    assert_int_equal(line_ops_list(plain, ops), 2);
    assert_int_equal(line_ops_list(avx512, ops), 4);
    assert_int_equal(line_ops_list(avx2, ops), 3);
    for (size_t i = 0; i < 3; i++)
        assert_ptr_equal(line_ops_choose(avx2, ops[i]->name), ops[i]);
}

/* The flush leaves memory as it is, and touches nothing outside its run. */
TEST(flushes)
{
    struct memory m = memory_make();
    struct data data = data_background(2);

    for (int i = 0; i < 4; i++) {
        struct line_run run = memory_run(m, 0, MEMORY_LINES, i & 1);
        struct line_run one = memory_run(m, MEMORY_LINES - 1, 1, i & 1);

        memory_set(m, 0, MEMORY_LINES, &data, false);
        line_ops_flush(&run, i & 2 && host_has_clflushopt());
        line_ops_flush(&one, i & 2 && host_has_clflushopt());
        memory_check(m, 0, MEMORY_LINES, &data, false);
    }
    memory_free(m);
}
