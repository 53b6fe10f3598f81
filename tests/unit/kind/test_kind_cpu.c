// SPDX-License-Identifier: MIT
#include "kind/kind_cpu.h"

#include "lib/splitmix.h"
#include "tests/unit/kind/board.h"
#include "tests/unit/unit.h"

#define CPUS_MAX   290
#define ZONE       (UINT64_C(1) << 28)
#define FAULTS_MAX 1000
#define MACHINES   2000

/* What was really faulty, and what was seen of it. */
struct sim {
    uint64_t random;
    unsigned n_cpus, threads; /* threads: of a core */
    unsigned bad_core;
    bool has_started; /* faults were found: from then on each round has other shares */
    struct kind_cpu cpu[CPUS_MAX];
    struct fault fault[FAULTS_MAX];
    size_t n;
    struct page_retest page[FAULTS_MAX];
    double again[FAULTS_MAX]; /* of a page: the chance that it is bad again; below 0: of the core */
    size_t n_pages;
};

static struct sim sim;
static struct kind_cpu_work work;
static struct kind_cause_verdict verdict;

static double chance_of(struct sim *s)
{
    return (double)(splitmix_next(&s->random) >> 11) / (double)(UINT64_C(1) << 53);
}

static unsigned below(struct sim *s, unsigned n)
{
    return (unsigned)(chance_of(s) * n);
}

static void begin(struct sim *s, uint64_t seed, unsigned n_cpus, unsigned threads)
{
    memset(s, 0, sizeof(*s));
    s->random = seed << 32;
    s->n_cpus = n_cpus;
    s->threads = threads;
    for (unsigned i = 0; i < n_cpus; i++)
        s->cpu[i].core = i / threads;
}

static void add_page(struct sim *s, uint64_t addr, unsigned cpu, double again)
{
    struct page_retest *page = &s->page[s->n_pages];
    uint64_t base = addr & ~UINT64_C(4095);

    for (size_t i = 0; i < s->n_pages; i++) {
        if (s->page[i].addr == base)
            return;
    }
    s->again[s->n_pages++] = again;
    *page = (struct page_retest){ .addr = base };
    page->by[0].cpu = cpu;
    page->by[1].cpu = (cpu + s->threads) % s->n_cpus;
    page->by[2].cpu = (cpu + 2 * s->threads) % s->n_cpus;
}

static void add(struct sim *s, struct fault f, double again)
{
    if (s->n == FAULTS_MAX)
        return;
    add_page(s, f.addr, f.cpu, again);
    s->fault[s->n++] = f;
    s->has_started = true;
}

static void test_again(struct sim *s)
{
    for (size_t i = 0; i < s->n_pages; i++) {
        for (unsigned k = 0; k < PAGE_RETEST_TRIES; k++) {
            struct page_retest_by *by = &s->page[i].by[k % 2 ? 1 + k / 2 % 2 : 0];
            bool own = by->cpu / s->threads == s->bad_core;
            double p = s->again[i] >= 0 ? s->again[i] : own ? -s->again[i] : 0;
            bool bad = chance_of(s) < p;

            by->tries++;
            by->failed += bad;
            s->page[i].tries++;
            s->page[i].failed += bad;
        }
    }
}

static void judge_on(const struct kind_board *board, struct sim *s)
{
    const struct kind_cpu_input in = {
        .board = *board,
        .cpu = s->cpu,
        .n_cpus = s->n_cpus,
        .zone_bytes = ZONE,
        .record = s->fault,
        .n_records = s->n,
        .retest = s->page,
        .n_retests = s->n_pages,
    };

    kind_cpu_find(&work, &in, &verdict);
}

static const struct kind_board unknown_board = { .bus_bits = 64 };

static void judge(struct sim *s)
{
    judge_on(&unknown_board, s);
}

/* --- simple cases ----------------------------------------------------------------------------- */

/* Each CPU has swept an equal share, at the same place in each round. */
static void share_out(struct sim *s, double bytes)
{
    for (unsigned z = 0; z < KIND_CPU_ZONES; z++)
        s->cpu[z * s->n_cpus / KIND_CPU_ZONES].bytes[z] += (uint64_t)bytes;
}

static struct fault fault_of(unsigned zone, uint64_t offset, unsigned cpu, unsigned pass)
{
    return (struct fault){ .addr = zone * ZONE + offset,
                           .expected = 1,
                           .cpu = cpu,
                           .writer = (uint16_t)cpu,
                           .pass = pass };
}

/* 14 faults of one CPU, all over its share; no page is bad again. */
static void make_cpu_faults(struct sim *s, unsigned cpu, unsigned n)
{
    begin(s, 1, 8, 2);
    s->bad_core = cpu / 2;
    for (unsigned z = 0; z < KIND_CPU_ZONES; z++)
        for (unsigned i = 0; i < 8; i++)
            s->cpu[i].bytes[z] = ZONE;
    for (unsigned i = 0; i < n; i++)
        add(s, fault_of(i * 5 % KIND_CPU_ZONES, i * 12345 * 8, cpu, 1 + i), 0);
}

TEST(names_the_cpu_that_read_all_faults)
{
    make_cpu_faults(&sim, 3, 14);
    test_again(&sim);
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_CPU);
    assert_int_equal(verdict.core, 1);
    assert_int_equal(verdict.cpu, 2); /* the first thread of that core */
    assert_true(verdict.percent >= 99);
    assert_string_equal(verdict.evidence,
                        "all 14 faults were read by it; other CPUs read the same cells right");
}

TEST(says_nothing_of_few_faults)
{
    for (unsigned n = 1; n <= 3; n++) {
        make_cpu_faults(&sim, 3, n);
        judge(&sim);
        assert_int_equal(verdict.cause, KIND_CAUSE_OPEN);
    }
}

/* A CPU has found 30 bad pages, and all find them again. */
static void play_bad_memory(void)
{
    begin(&sim, 1, 8, 1);
    share_out(&sim, ZONE);
    for (unsigned i = 0; i < 30; i++)
        add(&sim, fault_of(16 + i % 8, i * 8192, 2, 1 + i), 1);
    test_again(&sim);
}

TEST(memory_is_bad_whichever_cpu_tests_it)
{
    play_bad_memory();
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_MEMORY);
    assert_true(verdict.percent >= 99);
    assert_string_equal(verdict.evidence,
                        "CPUs of several cores found the same pages bad: 30 of 30 looked at");
}

TEST(a_failed_check_is_enough)
{
    make_cpu_faults(&sim, 5, 2);
    sim.cpu[5].failed = 1;
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_CPU);
    assert_int_equal(verdict.core, 2);
    assert_string_equal(verdict.evidence,
                        "all 2 faults were read by it; it failed 1 of its own checks");
}

TEST(a_failed_check_is_told_without_faults)
{
    begin(&sim, 1, 4, 1);
    sim.cpu[3].failed = 2;
    sim.cpu[3].is_left_out = true;
    judge(&sim);
    assert_true(verdict.is_known);
    assert_int_equal(verdict.cause, KIND_CAUSE_CPU);
    assert_int_equal(verdict.cpu, 3);
    assert_int_equal(verdict.percent, 99);
    assert_string_equal(verdict.evidence, "it failed 2 of its own checks");
}

TEST(a_failed_check_beside_bad_memory)
{
    for (int is_left_out = 0; is_left_out < 2; is_left_out++) {
        play_bad_memory();
        sim.cpu[5].failed = 1;
        sim.cpu[5].is_left_out = is_left_out;
        judge(&sim);
        assert_int_equal(verdict.cause, KIND_CAUSE_BOTH);
        assert_int_equal(verdict.cpu, 5);
        if (is_left_out)
            assert_string_equal(verdict.evidence,
                                "CPUs of several cores found the same pages bad: 30 of 30 looked "
                                "at; CPU 5 failed 1 of its own checks");
    }
    make_cpu_faults(&sim, 3, 2); /* undecided, without it */
    sim.cpu[6].failed = 1;
    sim.cpu[6].is_left_out = true;
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_BOTH);
    assert_int_equal(verdict.cpu, 6);
    assert_in_range(verdict.percent, 10, 99);
    begin(&sim, 1, 2, 1); /* one is left */
    sim.cpu[1].failed = 1;
    sim.cpu[1].is_left_out = true;
    add(&sim, fault_of(20, 0, 0, 1), 1);
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_BOTH);
    assert_string_equal(verdict.evidence,
                        "other CPUs read the faults; CPU 1 failed 1 of its own checks");
}

TEST(a_failed_check_beside_errors_of_ecc)
{
    struct kind_cpu_input in = { .cpu = sim.cpu, .n_cpus = 4, .zone_bytes = ZONE, .ecc_errors = 5 };

    begin(&sim, 1, 4, 1);
    sim.cpu[2].failed = 1;
    sim.cpu[2].is_left_out = true;
    kind_cpu_find(&work, &in, &verdict);
    assert_int_equal(verdict.cause, KIND_CAUSE_BOTH);
    assert_string_equal(verdict.evidence,
                        "ECC reported errors of memory; CPU 2 failed 1 of its own checks");
}

TEST(a_failed_check_of_a_cpu_that_is_not_used)
{
    begin(&sim, 1, 4, 1);
    sim.cpu[2].failed = 1;
    sim.cpu[2].is_unused = true;
    judge(&sim);
    assert_false(verdict.is_known);
}

TEST(one_cpu_has_nothing_to_be_compared_with)
{
    begin(&sim, 1, 2, 2);
    add(&sim, fault_of(20, 0, 1, 1), 1);
    test_again(&sim);
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_OPEN);
    assert_string_equal(verdict.evidence, "");
}

/* Faults that one CPU has read, whose places have `at` in the bits that say the place. */
static void judge_places(unsigned n_faults, const struct kind_board *board, const uint64_t *at,
                         size_t n_at)
{
    make_cpu_faults(&sim, 3, n_faults);
    for (unsigned i = 0; i < n_faults; i++)
        sim.fault[i].addr = (sim.fault[i].addr & ~BOARD_BITS) | at[i % n_at];
    kind_cpu_find(&work,
                  &(struct kind_cpu_input){ .cpu = sim.cpu,
                                            .n_cpus = sim.n_cpus,
                                            .zone_bytes = ZONE,
                                            .record = sim.fault,
                                            .n_records = sim.n,
                                            .board = *board },
                  &verdict);
}

static const uint64_t everywhere[] = { 0, BOARD_CHANNEL, BOARD_MODULE,
                                       BOARD_MODULE | BOARD_CHANNEL };

TEST(says_in_how_many_modules_or_channels)
{
    const struct kind_channels given = { .n_bits = 1, .bits = { BOARD_CHANNEL }, .slots = "" };
    const struct kind_board by_person = { .channels = &given };

    judge_places(14, &board_of_map, everywhere, 4);
    assert_string_equal(verdict.evidence,
                        "all 14 faults were read by it, in all modules and one byte lane");
    judge_places(14, &board_of_map, everywhere, 3);
    assert_string_equal(verdict.evidence,
                        "all 14 faults were read by it, in 3 of 4 modules and one byte lane");
    judge_places(14, &by_person, everywhere, 4);
    assert_string_equal(verdict.evidence,
                        "all 14 faults were read by it, in both channels and one byte lane");
}

TEST(one_place_of_several_speaks_for_memory_and_all_of_them_for_a_cpu)
{
    unsigned unknown;

    judge_places(4, &unknown_board, everywhere, 1);
    unknown = verdict.percent;
    assert_int_equal(verdict.cause, KIND_CAUSE_OPEN);
    judge_places(4, &board_of_map, everywhere, 4);
    assert_int_equal(verdict.cause, KIND_CAUSE_CPU);
    judge_places(1, &board_of_map, everywhere, 1); /* one fault is in one place */
    assert_in_range(verdict.percent, 0, unknown);
    judge_places(4, &board_of_map, everywhere, 1);
    assert_int_not_equal(verdict.cause, KIND_CAUSE_CPU);
    assert_true(verdict.cause == KIND_CAUSE_MEMORY || verdict.percent < unknown);
}

/* The most that there are: the time is some tens of milliseconds. */
TEST(takes_288_cpus)
{
    begin(&sim, 1, 288, 1);
    sim.bad_core = 287;
    for (unsigned z = 0; z < KIND_CPU_ZONES; z++)
        for (unsigned i = 0; i < 288; i++)
            sim.cpu[i].bytes[z] = ZONE;
    for (unsigned i = 0; i < 6; i++)
        add(&sim, fault_of(i * 5, i * 12345 * 8, 287, 1 + i), 0);
    judge(&sim);
    assert_int_equal(verdict.cause, KIND_CAUSE_CPU);
    assert_int_equal(verdict.cpu, 287);
}

/* --- sums ------------------------------------------------------------------------------------- */

/* clang-format off */
#define ONE    { 20, 1, 1 } /* zone, reader, writer */
#define FAR    { 0, 1, 1 }, { 20, 1, 1 }, { 40, 1, 1 }, { 63, 1, 1 }
/* clang-format on */
#define BUSY_1 5 /* times as much as others, CPU 1 reads and writes in the lower half */

/*
 * Four cores. Percents are by Bayes' rule from what kind_cpu.c says of each piece of evidence,
 * worked out apart from it: of a fault of a CPU, where that is open or the cause; else of memory's.
 */
TEST(evidence_adds_up)
{
    static const struct {
        struct {
            unsigned zone, reader, writer;
        } at[8];
        unsigned n, rights; /* faults; the first ones, which another CPU read right at once */
        unsigned again[3];  /* failed tries of CPUs 1, 2, 3: of 4, 2 and 2 */
        enum kind_cause cause;
        unsigned percent;
        bool is_retested, lost_data, is_busy, has_ecc_errors;
        unsigned errors_of; /* a CPU; 0: none */
        unsigned places;    /* ranks on the board that faults take in turn; 0: they are not known */
    } rows[] = {
        { { FAR }, .n = 3, .percent = 57 },
        { { FAR }, .n = 4, .percent = 78 },
        { { FAR, { 10, 1, 1 } }, .n = 5, .cause = KIND_CAUSE_CPU, .percent = 90 },
        { { { 20, 1, 1 }, { 21, 1, 1 }, { 22, 1, 1 } }, .n = 3, .percent = 16 },
        { { { 0, 1, 1 }, { 20, 1, 1 }, { 40, 1, 1 }, { 63, 2, 2 } }, .n = 4, .percent = 8 },
        { { FAR, { 10, 1, 1 }, { 30, 1, 1 }, { 0, 2, 2 } }, .n = 7, .percent = 54 }, /* shared */

        /* One core has read all that others wrote, or has written all. */
        { { { 0, 1, 2 },
            { 9, 1, 3 },
            { 18, 1, 0 },
            { 27, 1, 1 },
            { 36, 1, 2 },
            { 45, 1, 3 },
            { 54, 1, 0 } },
          .n = 7,
          .cause = KIND_CAUSE_CPU,
          .percent = 94 },
        { { { 0, 2, 1 },
            { 9, 3, 1 },
            { 18, 0, 1 },
            { 27, 1, 1 },
            { 36, 2, 1 },
            { 45, 3, 1 },
            { 54, 0, 1 } },
          .n = 7,
          .cause = KIND_CAUSE_CPU,
          .percent = 94 },

        { { FAR }, .n = 1, .rights = 1, .percent = 29 },
        { { FAR }, .n = 2, .rights = 2, .cause = KIND_CAUSE_CPU, .percent = 93 },
        { { FAR, { 0, 2, 2 } }, .n = 5, .rights = 4, .cause = KIND_CAUSE_CPU, .percent = 97 },

        { { FAR, { 10, 1, 1 } }, .n = 5, .has_ecc_errors = true, .percent = 65 },
        { { FAR }, .n = 2, .errors_of = 1, .cause = KIND_CAUSE_CPU, .percent = 97 },
        { { FAR }, .n = 2, .errors_of = 2, .percent = 36 },

        { { FAR }, .n = 3, .places = 1, .cause = KIND_CAUSE_MEMORY, .percent = 97 },
        { { FAR }, .n = 3, .places = 8, .cause = KIND_CAUSE_CPU, .percent = 91 },

        { { ONE }, 1, 0, { 1, 0, 0 }, .percent = 17, .is_retested = true },
        { { ONE }, 1, 0, { 2, 0, 0 }, .percent = 34, .is_retested = true },
        { { ONE }, 1, 0, { 4, 0, 0 }, KIND_CAUSE_CPU, 94, .is_retested = true },
        { { ONE }, 1, 0, { 4, 1, 0 }, KIND_CAUSE_MEMORY, 96, .is_retested = true },
        { { ONE }, 1, 0, { 4, 0, 0 }, .percent = 46, .is_retested = true, .lost_data = true },

        { { { 1, 1, 1 }, { 20, 1, 1 }, { 31, 1, 1 } }, .n = 3, .is_busy = true, .percent = 17 },
        { { { 33, 1, 1 }, { 50, 1, 1 }, { 63, 1, 1 }, { 40, 1, 1 } },
          .n = 4,
          .is_busy = true,
          .percent = 26 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kind_cpu_input in = { .cpu = sim.cpu,
                                     .n_cpus = 4,
                                     .zone_bytes = ZONE,
                                     .record = sim.fault,
                                     .n_records = rows[i].n,
                                     .retest = sim.page,
                                     .n_retests = rows[i].is_retested,
                                     .ecc_errors = rows[i].has_ecc_errors };

        if (rows[i].places)
            in.board = board_of_map;
        begin(&sim, 1, 4, 1);
        for (unsigned z = 0; z < KIND_CPU_ZONES; z++)
            for (unsigned k = 0; k < 4; k++)
                sim.cpu[k].bytes[z] = ZONE * (rows[i].is_busy && k == 1 && z < 32 ? BUSY_1 : 1);
        for (unsigned k = 0; k < rows[i].n; k++) {
            sim.fault[k] = fault_of(rows[i].at[k].zone,
                                    rows[i].places ? k % rows[i].places * BOARD_CHANNEL : 0,
                                    rows[i].at[k].reader, 1);
            sim.fault[k].writer = (uint16_t)rows[i].at[k].writer;
            sim.fault[k].again = k < rows[i].rights ? FAULT_AGAIN_OTHER_RIGHT : 0;
        }
        sim.page[0] = (struct page_retest){ .addr = rows[i].at[0].zone * ZONE,
                                            .lost_data = rows[i].lost_data };
        for (unsigned k = 0; k < 3; k++)
            sim.page[0].by[k] =
                (struct page_retest_by){ (uint16_t)(k + 1), k ? 2 : 4, (uint8_t)rows[i].again[k] };
        if (rows[i].errors_of)
            sim.cpu[rows[i].errors_of].errors = 1;
        kind_cpu_find(&work, &in, &verdict);
        if (verdict.cause != rows[i].cause || verdict.percent != rows[i].percent)
            fail_msg("row %zu: %u, %u %%", i, verdict.cause, verdict.percent);
        if (verdict.cause != KIND_CAUSE_MEMORY)
            assert_int_equal(verdict.core, 1);
    }
}

/* --- exceptions ------------------------------------------------------------------------------- */

static void judge_exception(unsigned cpu, double own_part)
{
    begin(&sim, 1, 8, 1);
    sim.cpu[cpu].exceptions = 1;
    kind_cpu_find(
        &work,
        &(struct kind_cpu_input){
            .cpu = sim.cpu, .n_cpus = sim.n_cpus, .zone_bytes = ZONE, .own_part = own_part },
        &verdict);
}

/* The more of memory is okram's own, the more likely a fault of memory is there. */
TEST(an_exception_by_a_wrong_bit_points_to_its_cpu)
{
    static const struct {
        unsigned cpu;
        double own_part;
        enum kind_cause cause;
        unsigned percent; /* by Bayes' rule */
    } rows[] = {
        { 0, 0.0001, KIND_CAUSE_CPU, 99 }, { 0, 0.01, KIND_CAUSE_CPU, 98 },
        { 0, 0.5, KIND_CAUSE_OPEN, 54 },   { 5, 0.0001, KIND_CAUSE_CPU, 99 },
        { 5, 1, KIND_CAUSE_OPEN, 82 },     { 0, 0, KIND_CAUSE_OPEN, 7 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        judge_exception(rows[i].cpu, rows[i].own_part);
        assert_true(verdict.is_known);
        assert_int_equal(verdict.cause, rows[i].cause);
        assert_int_equal(verdict.percent, rows[i].percent);
        assert_int_equal(verdict.cpu, rows[i].cpu);
        assert_string_equal(
            verdict.evidence,
            "it raised an exception in okram's intact code, at an address with one wrong bit");
    }
}

/* A fault of memory that all CPUs see is not excused by an exception elsewhere. */
TEST(an_exception_does_not_acquit_memory)
{
    play_bad_memory();
    sim.cpu[6].exceptions = 1;
    judge(&sim);
    assert_int_not_equal(verdict.cause, KIND_CAUSE_CPU);
}

TEST(an_address_with_one_wrong_bit_is_told_from_an_error_in_code)
{
    const struct span own[] = { { UINT64_C(0xffffffff80000000), 0x3c0000 },
                                { UINT64_C(0xffffff0000000000), UINT64_C(0xc00000) } };
    static const struct {
        uint64_t address;
        bool is_flipped;
    } rows[] = {
        { UINT64_C(0xdfffffff8020aaf8), true },  /* bit 61 */
        { UINT64_C(0xfffffff78020ab68), true },  /* bit 35 */
        { UINT64_C(0xffffff0100000000), true },  /* bit 32, the lowest that tells */
        { UINT64_C(0x7fffff0000bfffff), true },  /* bit 63, of the last byte */
        { UINT64_C(0x7fffff0000c00000), false }, /* one byte beyond */
        { UINT64_C(0xffffff0080000000), false }, /* bit 31: an index may be as large */
        { UINT64_C(0xffffffff8020aaf8), false }, /* okram's own, and so not wrong */
        { UINT64_C(0x9fffffff8020aaf8), false }, /* two bits */
        { 0, false },
        { 0x38, false },
        { UINT64_MAX, false },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(kind_cpu_is_flipped(rows[i].address, own, 2), rows[i].is_flipped);
}

TEST(verdicts_in_words)
{
    static const struct {
        enum kind_cause cause;
        const char *word, *text;
    } cases[] = {
        { KIND_CAUSE_OPEN, "open", "memory or CPU 3 (core 1): undecided" },
        { KIND_CAUSE_MEMORY, "memory", "memory, no CPU, 95 %" },
        { KIND_CAUSE_CPU, "cpu", "points to CPU 3 (core 1), 95 %" },
        { KIND_CAUSE_BOTH, "both", "memory and CPU 3 (core 1), 95 %" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct kind_cause_verdict v = { true, cases[i].cause, 3, 1, 95, "" };
        char text[80];
        struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));

        kind_cause_append(&v, &out);
        assert_string_equal(text, cases[i].text);
        assert_string_equal(kind_cause_word(v.cause), cases[i].word);
        assert_int_equal(kind_cause_is_cpu(&v), i >= KIND_CAUSE_CPU);
    }
}

/* --- many machines ---------------------------------------------------------------------------- */

enum truth { OF_MEMORY, OF_CPU, OF_BOTH, TRUTHS };

enum of_memory { CELLS, ROW, COLUMN, CHIP, BUS, RETENTION, COUPLING, OF_MEMORIES };

struct ram_fault {
    enum of_memory kind;
    unsigned n; /* places */
    uint64_t place[200];
    double shows, again;  /* in a round that meets it; when tested again */
    uint64_t same, board; /* bits of an address that say the place on the board: all have these */
    unsigned lane;        /* LANES: each time another */
};

#define LANES 8

static uint64_t anywhere(struct sim *s)
{
    return (uint64_t)(chance_of(s) * (KIND_CPU_ZONES * ZONE)) & ~UINT64_C(7);
}

static void place(struct sim *s, struct ram_fault *f, unsigned n, uint64_t within)
{
    uint64_t first = anywhere(s) % (KIND_CPU_ZONES * ZONE - within);

    f->n = n;
    for (unsigned i = 0; i < n; i++)
        f->place[i] = (first + (uint64_t)(chance_of(s) * (double)within)) & ~UINT64_C(7);
}

/*
 * A chip's are of a rank and a lane; a bus's of a channel, and of a lane or not. Single cells are,
 * too, of one chip in 4 of 5 machines: a second bad module is rare (B. Schroeder, E. Pinheiro,
 * W.-D. Weber, "DRAM Errors in the Wild", SIGMETRICS 2009, of modules 8 % have errors in a year).
 */
static void keep_to_board(struct sim *s, struct ram_fault *f)
{
    f->same = f->kind == BUS ? BOARD_CHANNEL : BOARD_BITS;
    f->board = (uint64_t)below(s, 8) * BOARD_CHANNEL & f->same;
    f->lane = f->kind != BUS || below(s, 2) ? below(s, LANES) : LANES;
    for (unsigned i = 0; i < f->n; i++)
        f->place[i] = (f->place[i] & ~f->same) | f->board;
}

static void make_ram_fault(struct sim *s, struct ram_fault *f)
{
    static const double shows[] = { 1, 0.5, 0.1, 0.02 };

    *f = (struct ram_fault){ .kind = (enum of_memory)below(s, OF_MEMORIES), .lane = LANES };
    f->shows = shows[below(s, 4)];
    f->again = f->shows;
    switch (f->kind) {
    case CELLS: place(s, f, 1 + below(s, 4), KIND_CPU_ZONES * ZONE - 8); break;
    case ROW: place(s, f, 4 + below(s, 100), UINT64_C(1) << 18); break;
    case COLUMN: place(s, f, 20 + below(s, 180), UINT64_C(1) << 27); break;
    case CHIP: place(s, f, 200, KIND_CPU_ZONES * ZONE - 8); break;
    case RETENTION: place(s, f, 1 + below(s, 10), KIND_CPU_ZONES * ZONE - 8); break;
    case COUPLING:
        place(s, f, 1 + below(s, 3), KIND_CPU_ZONES * ZONE - 8);
        f->again = 0;
        break;
    default: f->shows /= 10; break; /* a bus: new places each time, none of them bad again */
    }
    if (f->kind == ROW || f->kind == COLUMN || f->kind == CHIP || f->kind == BUS || below(s, 5))
        keep_to_board(s, f);
}

struct cpu_fault {
    double rate;  /* faults in a round */
    bool stores;  /* else loads */
    double again; /* a page of it */
    unsigned lane;
};

static void make_cpu_fault(struct sim *s, struct cpu_fault *f)
{
    static const double rates[] = { 0.1, 0.3, 1, 5, 50 };

    f->rate = rates[below(s, 5)];
    f->stores = below(s, 2);
    f->again = f->rate >= 5 ? -0.3 : -0.001;
    s->bad_core = below(s, s->n_cpus / s->threads);
    f->lane = below(s, 2) ? below(s, LANES) : LANES;
}

/* Who has a zone in this round; now and then another one helps. */
static unsigned cpu_at(struct sim *s, unsigned zone, unsigned round)
{
    unsigned owner = zone * s->n_cpus / KIND_CPU_ZONES + (s->has_started ? round : 0);

    if (chance_of(s) < 0.1)
        owner += 1 + below(s, s->n_cpus);
    return owner % s->n_cpus;
}

static void take_wrong_bit(struct sim *s, unsigned lane, struct fault *at)
{
    lane = lane == LANES ? below(s, LANES) : lane;
    at->found = at->expected ^ UINT64_C(1) << (lane * 8 + below(s, 8));
}

static void meet_ram(struct sim *s, const struct ram_fault *f, unsigned zone, struct fault at)
{
    if (f->kind == BUS && chance_of(s) < f->shows / 4) {
        for (unsigned i = 1 + below(s, 3); i; i--) {
            at.addr = ((zone * ZONE + anywhere(s) % ZONE) & ~f->same) | f->board;
            take_wrong_bit(s, f->lane, &at);
            add(s, at, 0);
        }
    }
    for (unsigned i = 0; i < f->n; i++) {
        if (f->place[i] / ZONE != zone || chance_of(s) >= f->shows)
            continue;
        at.addr = f->place[i];
        take_wrong_bit(s, f->lane == LANES ? (unsigned)(at.addr >> 20) % LANES : f->lane, &at);
        add(s, at, f->again);
    }
}

static void meet_cpu(struct sim *s, const struct cpu_fault *f, unsigned zone, struct fault at)
{
    unsigned core = (f->stores ? at.writer : at.cpu) / s->threads;
    double mean = f->rate / KIND_CPU_ZONES * s->n_cpus;

    for (; core == s->bad_core && chance_of(s) < mean / (1 + mean); mean /= 2) {
        at.addr = zone * ZONE + anywhere(s) % ZONE;
        take_wrong_bit(s, f->lane, &at);
        add(s, at, f->again);
    }
}

static void run_rounds(struct sim *s, enum truth truth, const struct ram_fault *ram,
                       const struct cpu_fault *cpu)
{
    unsigned rounds = 20 + below(s, 100);

    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned z = 0; z < KIND_CPU_ZONES; z++) {
            struct fault at = { .expected = 1, .test = round % 10, .pass = 1 + round / 20 };

            at.writer = (uint16_t)cpu_at(s, z, round);
            at.cpu = chance_of(s) < 0.8 ? at.writer : cpu_at(s, z, round);
            s->cpu[at.cpu].bytes[z] += ZONE;
            s->cpu[at.writer].bytes[z] += ZONE;
            if (truth != OF_CPU)
                meet_ram(s, ram, z, at);
            if (truth != OF_MEMORY)
                meet_cpu(s, cpu, z, at);
        }
    }
}

enum outcome { RIGHT, HALF, UNDECIDED, WRONG, OUTCOMES };

static enum outcome outcome_of(const struct sim *s, enum truth truth)
{
    bool names = verdict.cause == KIND_CAUSE_CPU || verdict.cause == KIND_CAUSE_BOTH;

    if (verdict.cause == KIND_CAUSE_OPEN)
        return UNDECIDED;
    if (truth == OF_MEMORY || (names && verdict.core != s->bad_core))
        return names ? WRONG : RIGHT;
    if (truth == OF_CPU)
        return verdict.cause == KIND_CAUSE_CPU ? RIGHT : WRONG;
    return verdict.cause == KIND_CAUSE_BOTH ? RIGHT : HALF;
}

static void print_counts(const char *board, const unsigned count[TRUTHS][OUTCOMES])
{
    static const char *const name[] = { "memory", "one CPU", "both" };

    for (unsigned t = 0; t < TRUTHS; t++) {
        unsigned n = 0;

        for (unsigned o = 0; o < OUTCOMES; o++)
            n += count[t][o];
        printf("%s, %s: %u machines, right %.1f %%, one of two %.1f %%, undecided %.1f %%, "
               "wrong %.2f %%\n",
               board, name[t], n, 100.0 * count[t][RIGHT] / n, 100.0 * count[t][HALF] / n,
               100.0 * count[t][UNDECIDED] / n, 100.0 * count[t][WRONG] / n);
        assert_true(count[t][RIGHT] + count[t][HALF] > n * 3 / 5);
        assert_true(count[t][WRONG] * 50 < n);
    }
}

/* Each twice: where the board is unknown, and where it is known. */
TEST(of_thousands_of_machines_few_are_judged_wrong)
{
    unsigned unknown[TRUTHS][OUTCOMES] = { 0 }, known[TRUTHS][OUTCOMES] = { 0 };

    for (unsigned m = 0; m < MACHINES; m++) {
        static const unsigned n_cpus[] = { 2, 4, 8, 16, 32 };
        struct ram_fault ram;
        struct cpu_fault cpu;
        enum truth truth = m % TRUTHS;

        begin(&sim, m + 1, n_cpus[m / 3 % 5], 1);
        make_ram_fault(&sim, &ram);
        make_cpu_fault(&sim, &cpu);
        run_rounds(&sim, truth, &ram, &cpu);
        if (!sim.n)
            continue;
        test_again(&sim);
        judge(&sim);
        unknown[truth][outcome_of(&sim, truth)]++;
        judge_on(&board_of_map, &sim);
        known[truth][outcome_of(&sim, truth)]++;
    }
    print_counts("unknown board", unknown);
    print_counts("known board", known);
    assert_true(known[OF_CPU][RIGHT] > unknown[OF_CPU][RIGHT]);
    assert_true(known[OF_CPU][RIGHT] + known[OF_MEMORY][RIGHT] >
                unknown[OF_CPU][RIGHT] + unknown[OF_MEMORY][RIGHT]);
}
