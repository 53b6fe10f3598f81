// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* REG_RIP */
#include "sweep/hammer.h"

#include <signal.h>
#include <ucontext.h>

#include "memory.h"
#include "tests/host/cpu_features.h"

#define PAGES   (HAMMER_REGION_BYTES / PAGE_SIZE)
#define PHYS    UINT64_C(0x23f800000)
#define SPOILED 0xa7

static char *memory; /* HAMMER_REGION_BYTES, and a page without access before and after */

int group_set_up(void **state)
{
    memory = mmap(NULL, HAMMER_REGION_BYTES + 2 * PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    assert_true(memory != MAP_FAILED);
    memory += PAGE_SIZE;
    return mprotect(memory, HAMMER_REGION_BYTES, PROT_READ | PROT_WRITE);
}

/* Of the last bytes of memory, so that what runs over the end is seen. */
static struct slice region_of(uint64_t bytes)
{
    return (struct slice){ (struct line *)(memory + HAMMER_REGION_BYTES - bytes), PHYS,
                           bytes / sizeof(struct line) };
}

/* --- where aggressors are -----------------------------------------------------------------------
 */

/* Each way at each size of a row; pressing reads 8 MiB apart in all. */
TEST(the_table_is_sound)
{
    static const struct {
        const char *name;
        uint32_t sides, step;
    } way[] = { { "many-sided", HAMMER_ALL_SIDES, 2 },
                { "double-sided", 2, 2 },
                { "single-sided", 2, 3 },
                { "press", 2, 2 } };
    size_t n = 0;

    for (const struct hammer_pattern *p; (p = hammer_pattern(n)); n++) {
        uint64_t row_bytes = 64 * KIB << n / 4;
        char name[40];

        snprintf(name, sizeof(name), "%s %u%c", way[n % 4].name,
                 (unsigned)(row_bytes < MIB ? row_bytes / KIB : row_bytes / MIB),
                 row_bytes < MIB ? 'K' : 'M');
        assert_string_equal(p->name, name);
        assert_int_equal(p->row_bytes, row_bytes);
        assert_int_equal(p->sides, way[n % 4].sides);
        assert_int_equal(p->step, way[n % 4].step);
        assert_int_equal(p->columns, n % 4 == 3 ? 8 * MIB / row_bytes : 1);
        /* wherever the region begins */
        assert_in_range(hammer_sites(p, (struct span){ 0, HAMMER_REGION_BYTES }), 1, 128);
        assert_in_range(hammer_sites(p, (struct span){ PHYS + 4096, HAMMER_REGION_BYTES }), 1, 128);
    }
    assert_int_equal(n, 20);
    assert_null(hammer_pattern(SIZE_MAX));
}

#define ALL HAMMER_ALL_SIDES

static const struct {
    uint64_t row_bytes;
    uint32_t sides, step;
    struct span region;
    uint64_t sites;
    uint32_t sides_of_site;
    uint64_t first, last; /* the lowest aggressor of the first and of the last site */
} places[] = {
    /* the margins, and three rows between them: the least for two sides */
    { 64 * KIB, 2, 2, { 0, 0 }, 0, 0, 0, 0 },
    { 64 * KIB, 2, 2, { 4096, 4096 }, 0, 0, 0, 0 },
    { 64 * KIB, 2, 2, { 0, 2 * MIB }, 0, 0, 0, 0 },
    { 64 * KIB, 2, 2, { 0, 2 * MIB + 192 * KIB - 4096 }, 0, 0, 0, 0 },
    { 64 * KIB, 2, 2, { 0, 2 * MIB + 192 * KIB }, 1, 2, MIB, MIB },
    { 64 * KIB, 2, 2, { 4096, 2 * MIB + 192 * KIB }, 0, 0, 0, 0 },
    { 64 * KIB, 2, 2, { 4096, 2 * MIB + 252 * KIB }, 1, 2, MIB + 64 * KIB, MIB + 64 * KIB },
    { 64 * KIB, 2, 2, { 0, 2 * MIB + 256 * KIB }, 2, 2, MIB, MIB + 64 * KIB },
    { 64 * KIB, 2, 4, { 0, 2 * MIB + 256 * KIB }, 0, 0, 0, 0 },
    { 64 * KIB, 2, 4, { 0, 2 * MIB + 320 * KIB }, 1, 2, MIB, MIB },
    /* as many as find place */
    { 64 * KIB, ALL, 2, { 0, 2 * MIB + 128 * KIB }, 0, 0, 0, 0 },
    { 64 * KIB, ALL, 2, { 0, 2 * MIB + 192 * KIB }, 1, 2, MIB, MIB },
    { 64 * KIB, ALL, 2, { 0, 2 * MIB + 256 * KIB }, 2, 2, MIB, MIB + 64 * KIB },
    { 64 * KIB, ALL, 2, { 0, 2 * MIB + 320 * KIB }, 1, 3, MIB, MIB },
    { 64 * KIB, 3, 2, { 0, 2 * MIB + 448 * KIB }, 3, 3, MIB, MIB + 128 * KIB },
    { MIB, 2, 2, { PHYS, 8 * MIB }, 4, 2, PHYS + MIB, PHYS + 4 * MIB },
    { MIB, 2, 2, { PHYS + 4096, 8 * MIB }, 3, 2, PHYS + 2 * MIB, PHYS + 4 * MIB },
    { MIB, ALL, 2, { PHYS, 8 * MIB }, 2, 3, PHYS + MIB, PHYS + 2 * MIB },
    { 128 * KIB,
      ALL,
      2,
      { 4096 * MIB - 4 * MIB, 8 * MIB },
      2,
      24,
      4093 * MIB,
      4093 * MIB + 128 * KIB },
};

TEST(aggressors_find_their_places)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        struct hammer_pattern p = { "", places[i].row_bytes, places[i].sides, places[i].step, 1 };
        uint64_t n = hammer_sites(&p, places[i].region);

        assert_int_equal(n, places[i].sites);
        for (uint64_t k = 0; k < n; k++) {
            struct hammer_site site = hammer_site(&p, places[i].region, k);
            uint64_t end = site.first + (site.sides - 1) * site.step_bytes + p.row_bytes;

            assert_int_equal(site.first, places[i].first + k * p.row_bytes);
            assert_int_equal(site.sides, places[i].sides_of_site);
            assert_int_equal(site.step_bytes, p.step * p.row_bytes);
            assert_true(site.first >= places[i].region.base + HAMMER_MARGIN_BYTES);
            assert_true(end + HAMMER_MARGIN_BYTES <= span_end(places[i].region));
        }
        if (n)
            assert_int_equal(hammer_site(&p, places[i].region, n - 1).first, places[i].last);
    }
}

/* Each row that keeps the margin is an aggressor in one site and next to one in another. */
TEST(all_rows_have_their_turn)
{
    struct span region = { PHYS, HAMMER_REGION_BYTES };

    for (size_t i = 0; hammer_pattern(i); i++) {
        const struct hammer_pattern *p = hammer_pattern(i);
        uint64_t n = hammer_sites(p, region), end = span_end(region) - HAMMER_MARGIN_BYTES;

        for (uint64_t row = PHYS + HAMMER_MARGIN_BYTES; row < end; row += p->row_bytes) {
            bool hammers = false, suffers = false;

            for (uint64_t k = 0; k < n; k++) {
                struct hammer_site site = hammer_site(p, region, k);
                bool below = hammer_is_aggressor(p, &site, row - p->row_bytes);
                bool above = hammer_is_aggressor(p, &site, row + p->row_bytes);

                hammers |= hammer_is_aggressor(p, &site, row);
                suffers |= !hammer_is_aggressor(p, &site, row) && (below || above);
            }
            assert_true(hammers);
            assert_true(suffers);
        }
    }
}

TEST(tells_aggressors_by_their_address)
{
    static const struct {
        uint64_t phys;
        bool is;
    } at[] = {
        { 0, false },
        { PHYS - 1, false },
        { PHYS, true },
        { PHYS + 128 * KIB - 1, true },
        { PHYS + 128 * KIB, false },
        { PHYS + 512 * KIB - 1, false },
        { PHYS + 512 * KIB, true },
        { PHYS + 1024 * KIB + 5, true },
        { PHYS + 1152 * KIB - 1, true },
        { PHYS + 1152 * KIB, false },
        { PHYS + 1536 * KIB, false },
        { UINT64_MAX, false },
    };
    struct hammer_pattern p = { "", 128 * KIB, 3, 4, 1 };
    struct hammer_site site = { PHYS, 512 * KIB, 3 };

    for (size_t i = 0; i < COUNT(at); i++)
        assert_int_equal(hammer_is_aggressor(&p, &site, at[i].phys), at[i].is);
}

/* --- rounds -------------------------------------------------------------------------------------
 */

/*
 * The only moments at which a round lets others act: it asks whether to stop when it has written a
 * region and before each batch of reads. So here memory is looked at and spoiled.
 */
struct watcher {
    struct slice region;
    const struct hammer_pattern *pattern;
    bool has_clflushopt;
    uint64_t n_asked;
    uint64_t stop_at, flip_at; /* when asked so often, from 1 on; 0: never */
    uint64_t flip_offset;
};

static bool watch(void *ctx)
{
    struct watcher *w = ctx;

    w->n_asked++;
    if (w->n_asked == w->flip_at)
        ((uint64_t *)w->region.virt)[w->flip_offset / 8] ^= UINT64_C(1) << 44;
    return w->stop_at && w->n_asked >= w->stop_at;
}

static struct reports got;

static uint64_t run_round(struct watcher *w, uint64_t n_reads)
{
    struct sweep sweep = {
        .ops = &line_ops_sse2,
        .has_clflushopt = w->has_clflushopt,
        .faults = { .report = reports_add, .ctx = &got },
    };

    got.n = 0;
    return hammer_round(&sweep, w->region, w->pattern, n_reads, watch, w);
}

/* Six rows and the margins, also where rows are cut by the region's ends. */
TEST(good_memory_passes)
{
    for (size_t i = 0; hammer_pattern(i); i++) {
        struct watcher w = {
            .region = region_of(2 * MIB + 6 * hammer_pattern(i)->row_bytes - i % 3 * PAGE_SIZE),
            .pattern = hammer_pattern(i),
            .has_clflushopt = i % 2 && host_has_clflushopt(),
        };
        uint64_t phys = w.region.phys += i % 4 * PAGE_SIZE;
        struct span span = { phys, w.region.n_lines * sizeof(struct line) };
        uint64_t n = hammer_sites(w.pattern, span);
        struct hammer_site last = hammer_site(w.pattern, span, n - 1);

        memset(memory, SPOILED, HAMMER_REGION_BYTES);
        assert_int_equal(run_round(&w, 1), 2 * 2 * n);
        assert_int_equal(got.n, 0);
        assert_int_equal(w.n_asked, 2 * 2 * n);
        for (uint64_t a = 0; a < HAMMER_REGION_BYTES - span.size; a++)
            assert_int_equal((uint8_t)memory[a], SPOILED);
        for (uint64_t a = 0; a < span.size; a += 8) {
            bool aggressor = hammer_is_aggressor(w.pattern, &last, phys + a);

            assert_int_equal(w.region.virt[a / 64].word[a / 8 % 8], aggressor ? 0 : UINT64_MAX);
        }
    }
}

TEST(regions_without_a_site_are_left_alone)
{
    static const uint64_t bytes[] = { 0, 64, 4096, 2 * MIB, 2 * MIB + 128 * KIB };

    memset(memory, SPOILED, HAMMER_REGION_BYTES);
    for (size_t i = 0; i < COUNT(bytes) * 20; i++) {
        struct watcher w = {
            .region = region_of(bytes[i / 20]),
            .pattern = hammer_pattern(i % 20),
        };

        assert_int_equal(run_round(&w, 1000), 0);
        assert_int_equal(got.n, 0);
        assert_int_equal(w.n_asked, 0);
    }
    for (uint64_t i = 0; i < HAMMER_REGION_BYTES; i++)
        assert_int_equal((uint8_t)memory[i], SPOILED);
}

/* Flips while rows are hammered are reported where they are: victims, aggressors, the margins. */
TEST(flips_are_reported_where_they_are)
{
    static const struct hammer_pattern p = { "", 64 * KIB, 2, 2, 1 };
    static const struct {
        uint64_t offset;
        bool aggressor;
    } flips[] = {
        { 0, false },
        { MIB - 8, false },
        { MIB, true },
        { MIB + 64 * KIB - 8, true },
        { MIB + 64 * KIB, false },
        { MIB + 96 * KIB + 24, false },
        { MIB + 128 * KIB - 8, false },
        { MIB + 128 * KIB, true },
        { MIB + 192 * KIB, false },
        { 2 * MIB + 192 * KIB - 8, false },
    };

    for (size_t i = 0; i < COUNT(flips) * 2; i++) {
        bool complement = i % 2;
        bool ones = flips[i / 2].aggressor != complement;
        struct watcher w = {
            .region = region_of(2 * MIB + 192 * KIB),
            .pattern = &p,
            .flip_at = complement ? 4 : 2, /* before each polarity, and when it has written */
            .flip_offset = flips[i / 2].offset,
        };

        run_round(&w, 1000);
        assert_int_equal(w.n_asked, 4);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.report[0].phys, PHYS + flips[i / 2].offset);
        assert_int_equal(got.report[0].expected, ones ? UINT64_MAX : 0);
        assert_int_equal(got.report[0].found, got.report[0].expected ^ UINT64_C(1) << 44);
    }
}

/* Asked at least every 32768 reads; what was hammered until then is verified. */
TEST(stops_when_told)
{
    for (size_t i = 0; i < 20; i++) {
        struct watcher w = {
            .region = region_of(HAMMER_REGION_BYTES),
            .pattern = hammer_pattern(i),
            .stop_at = 4,
            .flip_at = 4,
            .flip_offset = 4096,
        };

        assert_int_equal(run_round(&w, UINT64_MAX), 2);
        assert_int_equal(w.n_asked, 5);
        assert_int_equal(got.n, 1);
        assert_int_equal(got.report[0].phys, PHYS + 4096);

        w = (struct watcher){ .region = w.region, .pattern = w.pattern, .stop_at = 1 };
        memset(memory, SPOILED, 64);
        assert_int_equal(run_round(&w, UINT64_MAX), 0);
        assert_int_equal(w.n_asked, 1);
        assert_int_equal((uint8_t)memory[0], SPOILED);
    }
}

TEST(is_asked_often)
{
    static const struct hammer_pattern p = { "", 64 * KIB, 2, 2, 1 };
    struct watcher w = { .region = region_of(2 * MIB + 192 * KIB), .pattern = &p };

    run_round(&w, 1 << 20);
    assert_int_equal(w.n_asked, 2 * (1 + (1 << 20) / 32768));
}

/* --- what is read while hammering ---------------------------------------------------------------
 */

/*
 * When the region is written no page of it can be accessed any more; each first access, which has
 * to be a read and no flush, opens its page and is written down.
 */
static struct {
    struct slice region;
    bool closed, accessed[PAGES];
    unsigned n_asked;
} trap;

/* CLFLUSH is 0f ae /7, CLFLUSHOPT 66 0f ae /7: Intel SDM, volume 2. */
static bool is_flush(const uint8_t *instruction)
{
    instruction += instruction[0] == 0x66;
    return instruction[0] == 0x0f && instruction[1] == 0xae;
}

static void page_accessed(int number, siginfo_t *info, void *context)
{
    uint64_t page = ((uint64_t)info->si_addr - (uint64_t)trap.region.virt) / PAGE_SIZE;
    const ucontext_t *at = context;

    if (!trap.closed || page >= PAGES || trap.accessed[page] ||
        is_flush((const uint8_t *)at->uc_mcontext.gregs[REG_RIP]))
        abort();
    trap.accessed[page] = true;
    mprotect((char *)trap.region.virt + page * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE);
}

static bool close_then_stop(void *ctx)
{
    trap.n_asked++;
    if (trap.n_asked == 2) {
        mprotect(memory, HAMMER_REGION_BYTES, PROT_NONE);
        trap.closed = true;
    }
    if (trap.n_asked == 3) {
        mprotect(memory, HAMMER_REGION_BYTES, PROT_READ | PROT_WRITE);
        trap.closed = false;
    }
    return trap.n_asked >= 3;
}

TEST(only_aggressors_are_read_and_all_banks_of_them)
{
    struct sigaction action = { .sa_sigaction = page_accessed, .sa_flags = SA_SIGINFO }, before;
    struct sweep sweep = { .ops = &line_ops_sse2,
                           .faults = { .report = reports_add, .ctx = &got } };

    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    for (size_t i = 0; hammer_pattern(i); i++) {
        const struct hammer_pattern *p = hammer_pattern(i);
        struct hammer_site site = hammer_site(p, (struct span){ PHYS, HAMMER_REGION_BYTES }, 0);

        memset(&trap, 0, sizeof(trap));
        trap.region = region_of(HAMMER_REGION_BYTES);
        hammer_round(&sweep, trap.region, p, UINT64_MAX, close_then_stop, NULL);
        assert_false(trap.closed);
        for (uint64_t page = 0; page < PAGES; page++) {
            bool upper_half = page % 2;
            bool expected = hammer_is_aggressor(p, &site, PHYS + page * PAGE_SIZE) &&
                            (!upper_half || p->columns > 64);

            assert_int_equal(trap.accessed[page], expected);
        }
    }
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
}
