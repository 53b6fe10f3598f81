// SPDX-License-Identifier: MIT
/* Counters of machines that the test plays: of AMD's with UMCs 0 and 3, which have four each; of
 * Intel's in the window; and of Intel's in configuration space. */
#include "controller/traffic.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "device/pci.h"
#include "tests/unit/unit.h"

#define FIRST 0xc0010800u
#define MSRS  32
#define N     1000

static struct {
    uint64_t msr[MSRS];
    bool has_counters, is_missing;
    uint32_t active;
    unsigned refused; /* this write fails, counted from 1; 0: none */
    unsigned ignored; /* this one does nothing */
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
    if (played.writes != played.ignored)
        played.msr[msr - FIRST] = value;
    return true;
}

static enum traffic_verdict judge_lines(const uint8_t (*line)[2], unsigned n, unsigned channels)
{
    struct traffic_line lines[16];

    for (unsigned i = 0; i < n; i++)
        lines[i] = (struct traffic_line){ line[i][0], line[i][1] };
    return traffic_judge_lines(lines, n, channels);
}

static const struct decoded_controller controller = {
    .n_channels = 2,
    .channel = { { .controller = 0 }, { .controller = 3 } },
};
static struct traffic traffic;
static struct traffic_counts counts;

/* Intel's window: two counters, of controllers 0 and 1. */
#define READS_COUNTED 0xd858u

static struct {
    uint64_t count[2];
    bool is_silent, wraps; /* the low half wraps after its first reading */
} window;

static bool read_window(struct register_id id, uint32_t *ret_value)
{
    uint64_t *count = &window.count[id.offset >> 16];

    assert_int_equal(id.offset & 0xffff & ~4u, READS_COUNTED);
    *ret_value = (uint32_t)(id.offset & 4 ? *count >> 32 : *count);
    if (window.wraps && id.offset & 4)
        *count = (*count | 0xffffffff) + 1;
    window.wraps = false;
    return !window.is_silent;
}

/* Configuration space: the functions of two channels, 4 counters in each. */
#define FUNCTION(i)  (0x1752u + 4 * (i))
#define COUNT_AT(k)  (0xa0 + 8 * (k))
#define CONTROL(k)   (0xd8 + 4 * (k))
#define BOX          0xf4
#define COUNTS_READS 0x400304u

static struct {
    uint32_t word[2][64];
    bool is_locked; /* it keeps what is in its controls */
    unsigned writes;
} pmon;

static uint32_t *pmon_word(unsigned unit, uint32_t offset)
{
    assert_in_range(offset, COUNT_AT(0), BOX);
    assert_true(unit == FUNCTION(0) || unit == FUNCTION(1));
    return &pmon.word[unit == FUNCTION(1)][offset / 4];
}

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ bus << 16 | device << 11 | number << 8 };
}

/* Bits that are not of use read as ones; a box is not written. */
void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    pmon.writes++;
    assert_true(offset < BOX);
    if (offset < CONTROL(0))
        *pmon_word(f.address >> 8, offset) = value;
    else if (!pmon.is_locked)
        *pmon_word(f.address >> 8, offset) = value | 0x80000;
}

static bool read_register(void *ctx, struct register_id id, uint32_t *ret_value)
{
    if (id.space == REGISTER_MCHBAR)
        return read_window(id, ret_value);
    assert_int_equal(id.space, REGISTER_PCI);
    *ret_value = *pmon_word(id.unit, id.offset);
    return true;
}

static const struct register_source source = { read_register, NULL };

/* DDR5: a controller's second channel is the other half of its modules. */
static const struct decoded_controller alder_lake = {
    .n_channels = 4,
    .channel = { { .dimm = { { .bytes = 1 } },
                   .reads_counted = { REGISTER_MCHBAR, 0, READS_COUNTED } },
                 { .reads_counted = { REGISTER_MCHBAR, 0, READS_COUNTED } },
                 { .dimm = { { .bytes = 1 } },
                   .reads_counted = { REGISTER_MCHBAR, 0, 0x10000 + READS_COUNTED } },
                 { .reads_counted = { REGISTER_MCHBAR, 0, 0x10000 + READS_COUNTED } } },
};

static const struct decoded_controller skylake = {
    .n_channels = 3,
    .channel = { { .dimm = { { .bytes = 1 } },
                   .reads_counted = { REGISTER_PCI, FUNCTION(0), 0xa0 } },
                 { .number = 1 },
                 { .dimm = { { 0 }, { .bytes = 1 } },
                   .reads_counted = { REGISTER_PCI, FUNCTION(1), 0xa0 } } },
};

/* NULL: it counts; else why it does not. */
static const char *begins(const struct decoded_controller *c)
{
    const char *unknown;

    if (traffic_begin(&traffic, c, &source, &unknown))
        return unknown;
    return unknown ? unknown : "there are none";
}

static int begin(void **state)
{
    memset(&played, 0, sizeof(played));
    played.has_counters = true;
    played.active = 0x9;
    played.msr[0] = 0x11; /* off, of somebody else */
    played.msr[1] = 77;
    played.msr[8] = 0x22;
    return 0;
}

static void add(uint64_t n0, uint64_t n3)
{
    played.msr[1] = (played.msr[1] + n0) & 0xffffffffffff;
    played.msr[9] += n3;
}

/* Counts n reads at the controllers' counters, and then no more. */
static void count(uint64_t n0, uint64_t n3)
{
    traffic_count(&traffic, counts.before);
    add(n0, n3);
    traffic_count(&traffic, counts.after);
    counts.idle[0] = counts.after[0];
    counts.idle[1] = counts.after[1];
}

static enum traffic_verdict judge(unsigned channel)
{
    return traffic_judge(&traffic, &counts, channel, N);
}

TEST(reads_are_counted, begin)
{
    assert_null(begins(&controller));
    assert_int_equal(played.msr[0], 0x8000010a);
    assert_int_equal(played.msr[8], 0x8000010a);
    count(N, 3);
    assert_int_equal(judge(0), TRAFFIC_AGREES);
    assert_int_equal(judge(1), TRAFFIC_CONTRADICTS);
    count(N, N); /* each line counts at both: others read, too */
    assert_int_equal(judge(0), TRAFFIC_UNCLEAR);
    count(N / 2, N / 2); /* it is no function of the channel */
    assert_int_equal(judge(0), TRAFFIC_CONTRADICTS);
    count(N / 2, 0);
    assert_int_equal(judge(0), TRAFFIC_UNCLEAR);
    count(0, 0);
    assert_int_equal(judge(0), TRAFFIC_STILL);
    traffic_end(&traffic);
    assert_int_equal(played.msr[0], 0x11);
    assert_int_equal(played.msr[1], 77);
    assert_int_equal(played.msr[8], 0x22);
    assert_int_equal(played.msr[9], 0);
}

TEST(a_count_that_wraps, begin)
{
    played.msr[1] = 0xffffffffff00;
    assert_null(begins(&controller));
    count(N, 0);
    assert_int_equal(judge(0), TRAFFIC_AGREES);
}

TEST(machines_without_such_counters, begin)
{
    struct decoded_controller other = controller;

    played.has_counters = false;
    assert_string_equal(begins(&controller), "there are none");
    begin(NULL);
    played.is_missing = true;
    assert_string_equal(begins(&controller), "a counter of reads does not answer");
    begin(NULL);
    played.active = 0x1;
    assert_string_equal(begins(&controller), "a channel has no counter of reads");
    assert_int_equal(played.msr[0], 0x11);
    begin(NULL);
    other.channel[1].node = 1; /* another socket's */
    assert_string_equal(begins(&other), "a channel has no counter of reads");
    begin(NULL);
    assert_string_equal(begins(&(struct decoded_controller){ 0 }), "there are none");
}

TEST(counters_in_use_stay, begin)
{
    played.msr[8] = 0x80000000 | 0x22;
    assert_string_equal(begins(&controller), "the counters of reads are in use");
    assert_int_equal(played.msr[0], 0x11);
    assert_int_equal(played.msr[8], 0x80000022);
    begin(NULL);
    played.refused = 2;
    assert_string_equal(begins(&controller),
                        "a counter of reads does not keep what is written to it");
    assert_int_equal(played.msr[0], 0x11);
    begin(NULL);
    played.ignored = 2;
    assert_string_equal(begins(&controller),
                        "a counter of reads does not keep what is written to it");
    assert_int_equal(played.msr[0], 0x11);
    assert_int_equal(played.msr[8], 0x22);
}

/* Somebody sets a count meanwhile, or it cannot be read any more. */
TEST(counts_that_jump, begin)
{
    const struct decoded_controller one = { .n_channels = 1 };
    uint64_t *const times[] = { counts.before, counts.after, counts.idle };
    unsigned moved;

    assert_null(begins(&one));
    for (unsigned i = 0; i < 3; i++) {
        memset(&counts, 0, sizeof(counts));
        counts.before[0] = 1000 * N;
        counts.after[0] = counts.idle[0] = 1001 * N;
        assert_int_equal(judge(0), TRAFFIC_AGREES);
        for (unsigned k = i; k < 3; k++)
            times[k][0] = i; /* it is set to that, and stands still */
        assert_int_equal(judge(0), i ? TRAFFIC_UNCLEAR : TRAFFIC_STILL);
        assert_int_equal(traffic_moved(&traffic, &counts, N, &moved), !i);

        played.is_missing = true; /* it cannot be read that once */
        traffic_count(&traffic, times[i]);
        played.is_missing = false;
        for (unsigned k = 0; k < 3; k++) {
            if (k != i)
                times[k][0] = (1000 + k) * N;
        }
        assert_int_equal(judge(0), TRAFFIC_UNCLEAR);
        assert_false(traffic_moved(&traffic, &counts, N, &moved));
    }
}

/* As a picture on the screen is read: it does not count if it goes on as it was. */
TEST(others_reads, begin)
{
    assert_null(begins(&controller));
    count(N + 5 * N, 5 * N);
    assert_int_equal(judge(0), TRAFFIC_UNCLEAR);
    add(5 * N, 5 * N);
    traffic_count(&traffic, counts.idle);
    assert_int_equal(judge(0), TRAFFIC_AGREES);
    assert_int_equal(judge(1), TRAFFIC_UNCLEAR);
    add(N / 2, 0); /* more than before */
    traffic_count(&traffic, counts.idle);
    assert_int_equal(judge(0), TRAFFIC_UNCLEAR);
    count(0, 5 * N); /* one stands still, and the other counts no more than without */
    add(0, 5 * N);
    traffic_count(&traffic, counts.idle);
    assert_int_equal(judge(0), TRAFFIC_STILL);
}

TEST(counters_that_are_only_read, begin)
{
    memset(&window, 0, sizeof(window));
    assert_null(begins(&alder_lake));
    traffic_count(&traffic, counts.before);
    window.count[1] += N;
    traffic_count(&traffic, counts.after);
    counts.idle[2] = counts.after[2];
    assert_int_equal(judge(2), TRAFFIC_AGREES);
    assert_int_equal(judge(0), TRAFFIC_CONTRADICTS);
    window.count[0] = 0x1ffffffff;
    window.wraps = true;
    traffic_count(&traffic, counts.after);
    assert_int_equal(counts.after[0], 0x200000000);
    traffic_end(&traffic);
    assert_int_equal(played.writes, 0);
    window.count[1] = UINT64_MAX; /* nothing answers */
    assert_string_equal(begins(&alder_lake), "a counter of reads does not answer");
    window.count[1] = 0;
    window.is_silent = true;
    assert_string_equal(begins(&alder_lake), "a counter of reads does not answer");
}

/* As firmware leaves them. */
static void begin_pmon(void)
{
    memset(&pmon, 0, sizeof(pmon));
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 4; k++) {
            *pmon_word(FUNCTION(i), CONTROL(k)) = 0x80b01 + k;
            *pmon_word(FUNCTION(i), COUNT_AT(k)) = 0xffffff00;
            *pmon_word(FUNCTION(i), COUNT_AT(k) + 4) = 0xffff;
        }
    }
}

static void assert_as_before(const char *unknown)
{
    uint32_t before[2][64];

    memcpy(before, pmon.word, sizeof(before));
    assert_string_equal(begins(&skylake), unknown);
    assert_memory_equal(pmon.word, before, sizeof(before));
}

/* Reads are counted in the 48 bits of counter k; then no more. */
static void count_pmon(unsigned k, uint64_t n0, uint64_t n2)
{
    const uint64_t n[] = { n0, n2 };

    traffic_count(&traffic, counts.before);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *low = pmon_word(FUNCTION(i), COUNT_AT(k)), *high = low + 1;
        uint64_t count = ((uint64_t)*high << 32 | *low) + n[i];

        *low = (uint32_t)count;
        *high = count >> 32 & 0xffff;
    }
    traffic_count(&traffic, counts.after);
    memcpy(counts.idle, counts.after, sizeof(counts.idle));
}

TEST(reads_of_each_channel_of_a_server)
{
    uint32_t before[2][64];

    begin_pmon();
    memcpy(before, pmon.word, sizeof(before));
    assert_null(begins(&skylake));
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(*pmon_word(FUNCTION(i), CONTROL(0)) & 0xffc4ffff, COUNTS_READS);
    count_pmon(0, N, 3);
    assert_int_equal(judge(0), TRAFFIC_AGREES);
    assert_int_equal(judge(2), TRAFFIC_CONTRADICTS);
    count_pmon(0, 3, N);
    assert_int_equal(judge(2), TRAFFIC_AGREES);
    count_pmon(0, N, N);
    assert_int_equal(judge(0), TRAFFIC_UNCLEAR);
    count_pmon(0, 0, 0);
    assert_int_equal(judge(0), TRAFFIC_STILL);
    traffic_end(&traffic);
    for (unsigned i = 0; i < 2; i++) { /* the first counter was one that nobody uses */
        assert_int_equal(*pmon_word(FUNCTION(i), CONTROL(0)), before[i][CONTROL(0) / 4]);
        assert_int_equal(*pmon_word(FUNCTION(i), COUNT_AT(0)), before[i][COUNT_AT(0) / 4]);
        assert_int_equal(*pmon_word(FUNCTION(i), COUNT_AT(0) + 4), before[i][COUNT_AT(0) / 4 + 1]);
    }
    assert_int_equal(pmon.writes, 2 * 4);
}

TEST(a_servers_counters_in_use_stay)
{
    begin_pmon();
    for (unsigned k = 0; k < 3; k++)
        *pmon_word(FUNCTION(1), CONTROL(k)) |= 0x400000;
    assert_null(begins(&skylake)); /* by the fourth */
    assert_int_equal(*pmon_word(FUNCTION(1), CONTROL(2)), 0x480b03);
    assert_int_equal(*pmon_word(FUNCTION(1), CONTROL(3)) & 0xffc4ffff, COUNTS_READS);
    assert_int_equal(*pmon_word(FUNCTION(0), CONTROL(3)), 0x80b04);
    traffic_end(&traffic);
    *pmon_word(FUNCTION(1), CONTROL(3)) |= 0x400000;
    assert_as_before("the counters of reads are in use");
}

TEST(a_servers_counters_that_cannot_be_used)
{
    struct decoded_controller other = skylake;

    begin_pmon();
    *pmon_word(FUNCTION(1), BOX) = 0x100;
    assert_as_before("a counter of reads is frozen");
    begin_pmon();
    pmon.is_locked = true;
    assert_as_before("a counter of reads does not keep what is written to it");
    begin_pmon();
    memset(pmon.word[1], 0xff, sizeof(pmon.word[1])); /* the function is gone */
    assert_as_before("a counter of reads does not answer");
    begin_pmon();
    *pmon_word(FUNCTION(1), CONTROL(0)) = UINT32_MAX;
    assert_as_before("a counter of reads does not answer");
    begin_pmon();
    *pmon_word(FUNCTION(1), COUNT_AT(0)) = *pmon_word(FUNCTION(1), COUNT_AT(0) + 4) = UINT32_MAX;
    assert_as_before("a counter of reads does not answer");
    begin_pmon();
    other.channel[2].reads_counted.offset = 0; /* firmware has hidden it */
    assert_string_equal(begins(&other), "a channel has no counter of reads");
    assert_int_equal(*pmon_word(FUNCTION(0), CONTROL(0)), 0x80b01);
}

/* The channel of each of some lines, and the counters that its reads move. */
TEST(lines_that_are_counted_together)
{
    static const struct {
        unsigned n, n_channels;
        uint8_t line[8][2];
        enum traffic_verdict verdict;
    } cases[] = {
        { 4, 2, { { 0, 1 }, { 1, 2 }, { 0, 1 }, { 1, 2 } }, TRAFFIC_AGREES },
        { 4, 2, { { 0, 0x30 }, { 1, 0xc0 }, { 0, 0x30 }, { 1, 0xc0 } }, TRAFFIC_AGREES },
        { 4, 2, { { 0, 1 }, { 1, 4 }, { 0, 2 }, { 1, 8 } }, TRAFFIC_AGREES }, /* two in turn */
        { 4, 2, { { 0, 5 }, { 1, 6 }, { 0, 5 }, { 1, 6 } }, TRAFFIC_AGREES }, /* one of all */
        { 4, 4, { { 0, 8 }, { 1, 4 }, { 2, 1 }, { 3, 2 } }, TRAFFIC_AGREES },
        { 4, 2, { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 1, 1 } }, TRAFFIC_CONTRADICTS },
        { 4, 2, { { 0, 5 }, { 1, 6 }, { 0, 6 }, { 1, 6 } }, TRAFFIC_CONTRADICTS },
        { 5, 4, { { 0, 8 }, { 1, 4 }, { 2, 1 }, { 3, 2 }, { 3, 1 } }, TRAFFIC_CONTRADICTS },
        { 4, 2, { { 0, 0 }, { 1, 0 }, { 0, 0 }, { 1, 0 } }, TRAFFIC_STILL },
        { 4, 2, { { 0, 1 }, { 1, 1 }, { 0, 1 }, { 1, 1 } }, TRAFFIC_UNCLEAR },
        { 4, 2, { { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 } }, TRAFFIC_UNCLEAR },
        { 4, 2, { { 0, 1 }, { 1, 2 }, { 0, 0 }, { 1, 2 } }, TRAFFIC_UNCLEAR },
        { 4, 2, { { 0, 1 }, { 1, 6 }, { 0, 1 }, { 1, 2 } }, TRAFFIC_UNCLEAR },
        { 4, 4, { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 3, 2 } }, TRAFFIC_UNCLEAR }, /* not all apart */
        { 4, 2, { { 0, 1 }, { 1, 2 }, { 0, 4 }, { 1, 1 } }, TRAFFIC_UNCLEAR },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(judge_lines(cases[i].line, cases[i].n, cases[i].n_channels),
                         cases[i].verdict);
}

TEST(counters_that_a_line_moves)
{
    const struct traffic four = { .n = FABRIC_COUNTERS };
    unsigned moved;

    memset(&counts, 0, sizeof(counts));
    counts.after[0] = counts.idle[0] = N - N / 10;
    counts.after[1] = 5 * N; /* as before */
    counts.idle[1] = 9 * N;
    counts.after[2] = counts.idle[2] = 3 * N; /* a line may count several times */
    counts.after[3] = counts.idle[3] = N / 10 - 1;
    assert_true(traffic_moved(&four, &counts, N, &moved));
    assert_int_equal(moved, 7);
    counts.after[3] = counts.idle[3] = N / 10; /* a part */
    assert_false(traffic_moved(&four, &counts, N, &moved));
    counts.after[3] = 0;
    counts.idle[3] = N / 10 - 1;
    assert_true(traffic_moved(&four, &counts, N, &moved));
    counts.idle[3] = N / 10; /* others began to read */
    assert_false(traffic_moved(&four, &counts, N, &moved));
}
