// SPDX-License-Identifier: MIT
#include "external/external.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define PHYS      UINT64_C(0x5000000)
#define PAGES     UINT64_C(200)
#define SECOND_US UINT64_C(1000000)

/* Memory, what is wrong with it, and what was found of it. */
static struct {
    struct line line[PAGES * PAGE_SIZE / sizeof(struct line)];
    struct external_line kept[EXTERNAL_LINES];
    struct external external;
    uint64_t stuck;    /* a line with a cell that is stuck at 1; 0: none */
    uint64_t coupled;  /* a line with a bit that clears unless others are as they are; 0: none */
    uint64_t fades;    /* a line that holds its data for less than fades_us */
    uint64_t fades_us; /* 0: for ever */
    uint64_t bad;      /* a page that is bad */
    uint64_t now_us;
    uint64_t waited_us;  /* in all */
    uint64_t longest_us; /* that it waits */
    size_t n_faults, n_external, n_damaged;
    uint64_t last_fault, last_foreign;
    struct external_place last_place;
} t;

static struct line *at(uint64_t phys)
{
    assert_true(phys >= PHYS && phys < PHYS + sizeof(t.line));
    return &t.line[(phys - PHYS) / sizeof(struct line)];
}

/* Bits 0 and 511 of a line, and bit 1 between them, are never 0, 0 and 1 in a background. */
static void stick(void)
{
    line_ops_fence();
    if (t.stuck)
        at(t.stuck)->word[6] |= 0x10;
    if (t.coupled && !(at(t.coupled)->word[0] & 1) && !(at(t.coupled)->word[7] >> 63))
        at(t.coupled)->word[0] &= ~UINT64_C(2);
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    line_ops_scalar.fill(run, data, complement);
    stick();
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    line_ops_scalar.verify_write(run, data, read_complement, write_complement, faults);
    stick();
}

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *ops, const struct line_faults *faults)
{
    line_ops_scalar.sequence(run, data, ops, faults);
    stick();
}

static bool is_bad(void *ctx, uint64_t phys)
{
    return t.bad && phys >> PAGE_SHIFT == t.bad >> PAGE_SHIFT;
}

static bool wait_for(void *ctx, uint64_t us)
{
    if (us > t.longest_us)
        return false;
    t.waited_us += us;
    if (t.fades && us >= t.fades_us)
        memset(at(t.fades), 0, sizeof(struct line));
    return true;
}

static void take_fault(const struct external_line *line)
{
    t.n_faults++;
    t.last_fault = line->phys;
}

static void take_foreign(const struct external_line *line)
{
    t.n_external++;
    t.last_foreign = line->phys;
    t.last_place = line->place;
}

static void take_judged(void)
{
    struct external_judged judged;

    while (external_take(&t.external, &judged)) {
        if (judged.is_fault)
            take_fault(judged.line);
        else if (!judged.is_repeated)
            take_foreign(judged.line);
    }
    assert_false(external_any(&t.external));
}

/* As before a panic's end. */
static void take_all_as_faults(void)
{
    struct external_judged judged;

    while (external_take(&t.external, &judged))
        take_fault(judged.line);
}

static void judge(void)
{
    struct line_ops ops = line_ops_scalar;
    uint64_t damaged;
    const struct external_judge j = {
        .ops = &ops,
        .memory = at,
        .is_bad = is_bad,
        .wait = wait_for,
    };

    ops.fill = fill;
    ops.verify_write = verify_write;
    ops.sequence = sequence;
    while (external_take_damaged(&t.external, &damaged))
        t.n_damaged++;
    external_judge(&t.external, &j);
    take_judged();
}

static int begin(void **state)
{
    memset(&t, 0, sizeof(t));
    t.longest_us = UINT64_MAX;
    external_init(&t.external, t.kept, PHYS + sizeof(t.line));
    return 0;
}

static struct line complement_of(struct line line)
{
    for (size_t i = 0; i < 8; i++)
        line.word[i] = ~line.word[i];
    return line;
}

static const struct line expected = { { 0, 0, 0, 0, 0, 0, 0, 0 } };

static struct line random_line(void)
{
    static uint64_t seed = 5;
    struct line line;

    for (size_t i = 0; i < 8; i++)
        line.word[i] = splitmix_mix(seed += SPLITMIX_STEP);
    return line;
}

static bool add(uint64_t phys)
{
    struct line found = random_line(), again = complement_of(expected);

    return external_add(&t.external, &(struct wrong_line){ phys, &expected, &found, &again },
                        (struct external_place){ .test = 1, .pass = 1, .cpu = 3 });
}

/* An element of a second that finds a line changed. */
static void element_with(uint64_t phys)
{
    external_begin_element(&t.external, t.now_us);
    assert_true(add(phys));
    t.now_us += SECOND_US;
    external_end_element(&t.external, true, t.now_us);
}

TEST(one_that_is_good_again_is_foreign, begin)
{
    assert_false(external_ever(&t.external));
    element_with(PHYS);
    assert_true(external_any(&t.external));
    judge();
    assert_true(external_ever(&t.external));
    assert_int_equal(t.n_external, 1);
    assert_int_equal(t.last_foreign, PHYS);
    assert_int_equal(t.last_place.test, 1);
    assert_int_equal(t.last_place.cpu, 3);
    assert_int_equal(t.n_faults, 0);
    judge();
    assert_int_equal(t.n_external, 1);
}

TEST(one_that_is_bad_again_is_a_fault, begin)
{
    element_with(PHYS);
    element_with(PHYS + 0x1040);
    t.stuck = PHYS + 0x1040;
    judge();
    assert_int_equal(t.n_external, 1);
    assert_int_equal(t.n_faults, 1);
    assert_int_equal(t.last_fault, PHYS + 0x1040);
}

static bool add_as(uint64_t phys, const struct line *should)
{
    struct line found = random_line();

    return external_add(&t.external, &(struct wrong_line){ phys, should, &found, &found },
                        (struct external_place){ 0 });
}

/* It holds what was expected, so that only the march over other data finds it. */
TEST(one_that_fails_over_other_data_is_a_fault, begin)
{
    struct line ones = complement_of(expected);

    assert_true(add_as(PHYS, &ones));
    assert_true(add_as(PHYS + 0x1040, &ones));
    t.stuck = PHYS + 0x1040;
    judge();
    assert_int_equal(t.n_faults, 1);
    assert_int_equal(t.last_fault, PHYS + 0x1040);
    assert_int_equal(t.n_external, 1);
}

TEST(one_that_fails_over_no_background_is_a_fault, begin)
{
    for (uint32_t n = 0; n < DATA_BACKGROUNDS_LINE; n++) {
        const struct line line = data_background(n).background;
        const unsigned bits = (line.word[0] & 3) << 1 | line.word[7] >> 63;

        assert_true(bits != 4 && bits != 3);
    }
    assert_true(add_as(PHYS, &expected));
    t.coupled = PHYS;
    judge();
    assert_int_equal(t.n_faults, 1);
}

/* It is tested over data that are not what was expected, and holds no more what was found. */
TEST(one_is_written_over_when_it_is_tested_again, begin)
{
    struct line found = random_line();

    *at(PHYS) = found;
    assert_true(external_add(&t.external, &(struct wrong_line){ PHYS, &expected, &found, &found },
                             (struct external_place){ 0 }));
    judge();
    assert_int_equal(t.n_external, 1);
    assert_memory_equal(at(PHYS), &expected, sizeof(expected));
}

/* Text of no test: a device's, for no garbage has the same bit in all of its bytes. */
static struct line text_line(void)
{
    struct line line;

    memcpy(&line, "Where memory is encrypted, a fault makes all 16 bytes of a block", 64);
    return line;
}

static bool add_found(uint64_t phys, struct line found)
{
    return external_add(&t.external, &(struct wrong_line){ phys, &expected, &found, &found },
                        (struct external_place){ 0 });
}

TEST(where_memory_is_encrypted_garbage_is_a_fault_the_first_time, begin)
{
    assert_false(external_is_encrypted(&t.external));
    assert_true(add_found(PHYS, random_line()));
    judge();
    assert_int_equal(t.n_external, 1);
    external_set_encrypted(&t.external);
    assert_true(external_is_encrypted(&t.external));
    assert_false(external_wants_look(&t.external));
    for (unsigned i = 0; i < 1000; i++) {
        struct line turned = complement_of(expected), found = random_line();

        assert_false(add_found(PHYS + i * 64, random_line()));
        assert_false(external_add(&t.external,
                                  &(struct wrong_line){ PHYS, &expected, &found, &turned },
                                  (struct external_place){ 0 }));
    }
    assert_true(add_found(PHYS + 0x1000, text_line()));
    judge();
    assert_int_equal(t.n_external, 2);
    assert_int_equal(t.last_foreign, PHYS + 0x1000);
}

/* One block of four, as it is read; it may be right the next time. */
static void garble_a_block(uint64_t phys, size_t block)
{
    struct line found = expected, random = random_line();

    memcpy(&found.word[2 * block], &random.word[2 * block], 16);
    assert_false(external_is_encrypted(&t.external));
    assert_true(external_wants_look(&t.external));
    external_look(&t.external, &(struct wrong_line){ phys, &expected, &found, &found });
}

TEST(the_look_of_encryption_makes_what_is_kept_a_fault, begin)
{
    assert_true(add_found(PHYS, random_line()));
    assert_true(add_found(PHYS + 0x1000, text_line()));
    for (size_t i = 0; i < GARBLE_LINES; i++)
        garble_a_block(PHYS + 0x2000 + i * 64, i);
    assert_true(external_is_encrypted(&t.external));
    judge();
    assert_int_equal(t.n_faults, 1);
    assert_int_equal(t.last_fault, PHYS);
    assert_int_equal(t.n_external, 1);
    assert_int_equal(t.last_foreign, PHYS + 0x1000);
    assert_false(add_found(PHYS, random_line()));
}

/* As many as a test of a device writes, and more. */
TEST(what_a_device_writes_does_not_look_encrypted, begin)
{
    for (unsigned i = 0; i < 200; i++) {
        struct line found = random_line(), turned = complement_of(expected);

        external_look(&t.external,
                      &(struct wrong_line){ PHYS + i * 64, &expected, &found, &found });
        external_look(&t.external,
                      &(struct wrong_line){ PHYS + i * 64, &expected, &found, &turned });
        assert_true(external_wants_look(&t.external));
    }
    assert_false(external_is_encrypted(&t.external));
}

/* Two elements may be between the write and the read: it is held for as long. */
TEST(one_that_does_not_hold_is_a_fault, begin)
{
    t.external.written.memory_end = 0;
    element_with(PHYS);
    element_with(PHYS + 0x2000);
    t.fades = PHYS + 0x2000;
    t.fades_us = 2 * SECOND_US;
    memset(t.line, 0, sizeof(t.line));
    judge();
    assert_int_equal(t.waited_us, 2 * SECOND_US);
    assert_int_equal(t.n_faults, 0); /* zeros were expected */
    for (unsigned i = 0; i < 2; i++) {
        struct line ones = complement_of(expected), found = random_line();

        external_begin_element(&t.external, 10 * SECOND_US);
        assert_true(external_add(
            &t.external, &(struct wrong_line){ PHYS + 0x3000 * (i + 1), &ones, &found, &found },
            (struct external_place){ 0 }));
        external_end_element(&t.external, false, 12 * SECOND_US);
    }
    t.fades = PHYS + 0x3000;
    judge();
    assert_int_equal(t.n_faults, 1);
    assert_int_equal(t.last_fault, PHYS + 0x3000);
    assert_int_equal(t.n_external, 3);
}

static bool is_in_page(const void *ctx, uint64_t phys)
{
    return phys >> PAGE_SHIFT == *(const uint64_t *)ctx >> PAGE_SHIFT;
}

TEST(one_that_is_kept_is_known_by_its_address, begin)
{
    uint64_t there = PHYS + 0x3000, elsewhere = PHYS + 0x2000;

    element_with(PHYS);
    element_with(there);
    assert_true(external_any_at(&t.external, is_in_page, &there));
    assert_false(external_any_at(&t.external, is_in_page, &elsewhere));
    judge();
    assert_false(external_any_at(&t.external, is_in_page, &there));
}

/* Between the write and the read other memory was written. */
TEST(one_that_held_longer_than_its_element_says, begin)
{
    element_with(PHYS);
    external_held(&t.external, 5 * SECOND_US);
    judge();
    assert_int_equal(t.waited_us, 5 * SECOND_US);
    element_with(PHYS + 0x1000);
    external_held(&t.external, 0);
    judge();
    assert_int_equal(t.waited_us, 7 * SECOND_US); /* since the last write: 2 s */
}

/* Since the element that wrote before began, whatever came earlier, and whatever took long later.
 */
TEST(it_is_held_as_long_as_it_was_in_the_test, begin)
{
    t.now_us = 100 * SECOND_US;
    external_begin_element(&t.external, t.now_us);
    t.now_us += SECOND_US;
    external_end_element(&t.external, true, t.now_us);
    element_with(PHYS);
    external_begin_element(&t.external, t.now_us);
    t.now_us += 50 * SECOND_US; /* nothing was found */
    external_end_element(&t.external, false, t.now_us);
    judge();
    assert_int_equal(t.waited_us, 2 * SECOND_US);
}

/* What random data of the round have at an address that there is, a wrong address line brings. */
TEST(data_of_the_round_are_a_fault, begin)
{
    const struct data data = data_random(77);
    const uint64_t there = PHYS + 0x8000, beyond = PHYS + 2 * sizeof(t.line);
    struct line line;

    line_ops_scalar.fill(&(struct line_run){ .first = &line, .phys = there, .n_lines = 1 }, &data,
                         false);
    assert_true(add_found(PHYS, line));
    external_round(&t.external, &data);
    assert_false(add_found(PHYS, line));
    line_ops_scalar.fill(&(struct line_run){ .first = &line, .phys = beyond, .n_lines = 1 }, &data,
                         false);
    assert_true(add_found(PHYS, line));
}

TEST(one_that_cannot_be_held_is_a_fault, begin)
{
    element_with(PHYS);
    t.longest_us = 0;
    judge();
    assert_int_equal(t.n_faults, 1);
    assert_int_equal(t.n_external, 0);
}

TEST(all_of_a_bad_page_is_a_fault, begin)
{
    element_with(PHYS + 0x40);
    t.bad = PHYS;
    judge();
    assert_int_equal(t.n_faults, 1);
}

/* All lines of a page in one element are one run. */
TEST(a_page_that_changes_again_and_again_is_bad, begin)
{
    for (unsigned run = 1; run <= EXTERNAL_RUNS + 1; run++) {
        external_begin_element(&t.external, 0);
        for (unsigned i = 0; i < 64; i++)
            assert_true(add(PHYS + i * 64));
        assert_true(add(PHYS + 0x1000 * run));
        external_end_element(&t.external, true, SECOND_US);
        t.n_external = t.n_faults = 0;
        judge();
        assert_int_equal(t.n_external, run < EXTERNAL_RUNS ? 65 : 1);
        assert_int_equal(t.n_faults, run < EXTERNAL_RUNS ? 0 : 64);
    }
}

TEST(runs_of_one_round_count, begin)
{
    for (unsigned run = 1; run <= EXTERNAL_RUNS; run++)
        element_with(PHYS + run * 64);
    judge();
    assert_int_equal(t.n_faults, EXTERNAL_RUNS);
}

TEST(a_line_read_twice_in_an_element_is_one, begin)
{
    external_begin_element(&t.external, 0);
    assert_true(add(PHYS));
    assert_true(add(PHYS));
    external_end_element(&t.external, true, 1);
    judge();
    assert_int_equal(t.n_external, 1);
}

TEST(what_was_only_read_wrong_is_a_fault, begin)
{
    struct line found = random_line(), other = random_line(), turned = complement_of(expected);
    struct external_place place = { 0 };

    assert_false(external_add(&t.external,
                              &(struct wrong_line){ PHYS, &expected, &found, &expected }, place));
    assert_false(
        external_add(&t.external, &(struct wrong_line){ PHYS, &expected, &found, &other }, place));
    assert_false(external_any(&t.external));
    assert_true(
        external_add(&t.external, &(struct wrong_line){ PHYS, &expected, &found, &found }, place));
    assert_true(
        external_add(&t.external, &(struct wrong_line){ PHYS, &expected, &found, &turned }, place));
    turned.word[7] ^= 1;
    assert_false(
        external_add(&t.external, &(struct wrong_line){ PHYS, &expected, &found, &turned }, place));
}

TEST(what_finds_no_room_is_a_fault, begin)
{
    external_begin_element(&t.external, 0);
    for (unsigned i = 0; i < EXTERNAL_LINES; i++)
        assert_true(add(PHYS + i * 64));
    for (unsigned i = 0; i < 3; i++)
        assert_false(add(PHYS + 0x10000));
    external_end_element(&t.external, true, 1);
    judge();
    assert_int_equal(t.n_external, EXTERNAL_LINES);
    assert_true(add(PHYS));
}

/* The lines are all that there is room for: under ASan what is beyond ends the test. */
TEST(nothing_beyond_the_room_is_touched, begin)
{
    struct external_line *room = calloc(EXTERNAL_LINES, sizeof(*room));
    const uint64_t nowhere = 0;

    external_init(&t.external, room, PHYS + sizeof(t.line));
    for (unsigned i = 0; i < EXTERNAL_LINES + 1; i++)
        assert_int_equal(add(PHYS + i * 64), i < EXTERNAL_LINES);
    assert_false(external_any_at(&t.external, is_in_page, &nowhere));
    judge();
    assert_int_equal(t.n_external, EXTERNAL_LINES);
    for (unsigned i = 0; i < EXTERNAL_LINES; i++)
        assert_true(add(PHYS + i * 64));
    take_all_as_faults();
    assert_int_equal(t.n_faults, EXTERNAL_LINES);
    free(room);
}

/* A CPU may have its place, but not have written to it: what stood there before is forgotten. */
TEST(one_that_is_not_written_yet_is_none, begin)
{
    element_with(PHYS);
    judge();
    atomic_fetch_add(&t.external.n_lines, 1);
    judge();
    assert_int_equal(t.n_external, 1);
}

TEST(begins_empty, begin)
{
    memset(&t.external, 0xff, sizeof(t.external));
    external_init(&t.external, t.kept, PHYS + sizeof(t.line));
    assert_false(external_any(&t.external));
    assert_false(external_is_encrypted(&t.external));
    assert_true(external_wants_look(&t.external));
    element_with(PHYS);
    judge();
    assert_int_equal(t.n_external, 1);
    assert_int_equal(t.waited_us, SECOND_US);
}

/* Beyond EXTERNAL_PAGES nothing can be counted. */
TEST(a_page_that_cannot_be_counted_is_bad, begin)
{
    for (unsigned i = 0; i < EXTERNAL_PAGES; i++)
        t.external.page[i].page = i + 1;
    t.external.n_pages = EXTERNAL_PAGES;
    element_with(PHYS);
    judge();
    assert_int_equal(t.n_faults, 1);
}

TEST(one_that_is_damaged_is_no_pass, begin)
{
    element_with(PHYS);
    element_with(PHYS + 0x1000);
    t.kept[1].found.word[2] ^= 4;
    judge();
    assert_int_equal(t.n_damaged, 1);
    assert_int_equal(t.n_external, 1);
}

TEST(gives_all_up, begin)
{
    element_with(PHYS);
    element_with(PHYS + 0x1000);
    take_all_as_faults();
    assert_int_equal(t.n_faults, 2);
    take_all_as_faults();
    assert_int_equal(t.n_faults, 2);
}
