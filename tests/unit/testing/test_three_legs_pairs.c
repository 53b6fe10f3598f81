// SPDX-License-Identifier: MIT
/*
 * Whether a march finds all 36 faults between two lines for any two of them, wherever okram is
 * meanwhile: by the order of operations as three_legs.c, rounds.c, element.c, order.c and the
 * engine make it, with 1 to 8 CPUs, and lines that are in no order in whichever order hides the
 * fault.
 */
#include "testing/fake_machine.h"

#include <search.h>

#include "calibration/selection.h"
#include "plan/plan.h"
#include "plan/unpaired.h"
#include "sweep/engine.h"
#include "testing/fake_order.h"
#include "testing/two_cells.h"

#define OKRAM_PAGES 1912 /* of 64 MiB */
#define IN_A_PLACE  24   /* lines that are looked at: in each of okram's places, */
#define NEAR        120  /* near them, */
#define ANYWHERE    120

/* --- all pairs ------------------------------------------------------------------------------- */

/* The events of two lines, a letter each; equal for many pairs. */
struct history {
    char letters[ORDER_EVENTS_MAX + 1];
    bool has_all;
};

#define LOST_LETTER 'p' /* and the two bits of which of them is lost */

static void write_history(size_t a, size_t b, struct history *ret)
{
    for (size_t i = 0; i < order_notes.n_events; i++) {
        const struct order_event *e = &order_notes.event[i];

        ret->letters[i] = (char)(e->is_move ? LOST_LETTER + e->is_lost[a] + 2 * e->is_lost[b]
                                            : '0' + (int)order_of_two(e, a, b));
    }
    ret->letters[order_notes.n_events] = 0;
}

static bool finds(size_t fault, const struct history *h)
{
    unsigned states = TWO_CELLS_ANY;

    for (size_t i = 0; i < order_notes.n_events; i++) {
        const struct order_event *e = &order_notes.event[i];
        int lost = h->letters[i] - LOST_LETTER;

        states = e->is_move ? two_cells_lose(states, lost & 1, lost >> 1)
                            : two_cells_element(fault, e->op, e->n_ops,
                                                (enum order_of_two)(h->letters[i] - '0'), states);
    }
    return !states;
}

static bool finds_all(const struct history *h)
{
    for (size_t i = 0; i < TWO_CELLS_FAULTS; i++) {
        if (!finds(i, h))
            return false;
    }
    return true;
}

static int compare_histories(const void *a, const void *b)
{
    return strcmp(((const struct history *)a)->letters, ((const struct history *)b)->letters);
}

/* Each history once: there are few. */
static bool has_all(size_t a, size_t b)
{
    static void *known;
    struct history *h = malloc(sizeof(*h)), **found;

    write_history(a, b, h);
    found = tsearch(h, &known, compare_histories);
    if (*found == h)
        h->has_all = finds_all(h);
    else
        free(h);
    return (*found)->has_all;
}

static bool is_unpaired(size_t line)
{
    return unpaired_has_page(&fake.run.unpaired, order_notes.line[line]);
}

/* Pairs that lack a fault, and that are not listed as unpaired. */
static size_t count_lacking(void)
{
    size_t n = 0;

    for (size_t a = 0; a < order_notes.n_lines; a++) {
        for (size_t b = 0; b < order_notes.n_lines; b++)
            n += a != b && !is_unpaired(a) && !is_unpaired(b) && !has_all(a, b);
    }
    return n;
}

/* --- machines -------------------------------------------------------------------------------- */

static struct setting {
    const char *test;
    const char *march; /* unless NULL: of the test "march" */
    uint32_t rounds;   /* unless 0 */
    uint64_t bytes;
    uint32_t cpus;
    bool has_lanes;
    uint32_t first_bad_try, n_bad_tries;
} setting;

static void choose_lines(size_t n, size_t first_page, size_t n_pages)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t line = (uint64_t)rand() % (n_pages * PAGE_SIZE / LINE_SIZE);

        assert_true(order_notes.n_lines < ORDER_LINES_MAX);
        order_notes.line[order_notes.n_lines++] =
            FAKE_BASE + first_page * PAGE_SIZE + line * LINE_SIZE;
    }
}

static int compare_lines(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Each once, sorted. */
static void sort_lines(void)
{
    size_t n = 0;

    qsort(order_notes.line, order_notes.n_lines, sizeof(order_notes.line[0]), compare_lines);
    for (size_t i = 0; i < order_notes.n_lines; i++) {
        if (!n || order_notes.line[i] != order_notes.line[n - 1])
            order_notes.line[n++] = order_notes.line[i];
    }
    order_notes.n_lines = n;
}

/* okram's places follow each other, from where it is first. */
static void choose_all_lines(void)
{
    size_t first = fake.home[0], near = 6 * OKRAM_PAGES;

    for (size_t place = 0; place < 4; place++)
        choose_lines(IN_A_PLACE, first + place * OKRAM_PAGES, OKRAM_PAGES);
    choose_lines(NEAR, 0, near < fake.size.pages ? near : fake.size.pages);
    choose_lines(ANYWHERE, 0, fake.size.pages);
    sort_lines();
}

static void select_test(struct selection *selection)
{
    struct test *test = &selection->tests.test[0];
    struct march march;
    struct march_error error;

    if (setting.march) {
        selection->tests.n_tests = 0;
        assert_int_equal(tests_add_march(&selection->tests, setting.march, &error), STATUS_OK);
        test->pairs = TWO_CELLS_FAULTS;
    }
    if (setting.rounds)
        test->rounds = setting.rounds;
    test_march(test, &march);
    fake_order_begin(selection, setting.has_lanes);
    selection->has_lanes[0] = sweep_has_lanes(&march);
    selection->orders_all_pairs[0] = test_orders_all(test, &march);
}

static void run_once(void)
{
    srand(1);
    fake.size = (struct fake_size){ setting.bytes / PAGE_SIZE, OKRAM_PAGES, setting.cpus };
    fake_begin(setting.march ? "march-mss+" : setting.test);
    select_test(&fake.run.selection);
    choose_all_lines();
    if (setting.n_bad_tries) {
        fake.first_bad_try = setting.first_bad_try;
        fake.n_bad_tries = setting.n_bad_tries;
    }
    fake_run(1);
}

static void check_pairs(void)
{
    size_t lacking;

    run_once();
    assert_true(order_notes.n_lines > 300);
    lacking = count_lacking();
    if (lacking)
        print_error("%zu of %zu ordered pairs lack a fault: %s, %u CPUs, %lu MiB, lanes %d\n",
                    lacking, order_notes.n_lines * (order_notes.n_lines - 1),
                    setting.march ? setting.march : setting.test, setting.cpus,
                    (unsigned long)(setting.bytes >> 20), setting.has_lanes);
    assert_int_equal(lacking, 0);
    assert_int_equal(unpaired_remains(&fake.run.unpaired), setting.n_bad_tries > 1);
}

static void with_any_cpus(void **state)
{
    for (setting.cpus = 1; setting.cpus <= FAKE_CPUS_MAX; setting.cpus += UNIT_STEP(7))
        fake_machine_run(check_pairs);
}

TEST(no_pair_lacks_a_fault)
{
    setting = (struct setting){ .test = "march-mss+", .bytes = 64 * MIB };
    with_any_cpus(state);
}

TEST(none_does_in_lanes)
{
    setting = (struct setting){ .test = "march-mss+", .bytes = 1024 * MIB, .has_lanes = true };
    with_any_cpus(state);
}

TEST(none_does_in_a_longer_march)
{
    setting = (struct setting){ .test = "march-raw+", .bytes = 256 * MIB, .has_lanes = true };
    with_any_cpus(state);
}

TEST(none_does_down_up_and_down)
{
    setting = (struct setting){ .march = "any(w0);down(r0,r0,w1,w1);down(r1,r1,w0,w0);"
                                         "up(r0,r0,w1,w1);up(r1,r1,w0,w0);"
                                         "down(r0,r0,w1,w1);down(r1,r1,w0,w0);any(r0)",
                                .bytes = 256 * MIB,
                                .has_lanes = true };
    with_any_cpus(state);
}

/* A test of several rounds is done in two halves, with okram in another place in each. */
TEST(none_does_in_halves)
{
    setting = (struct setting){ .test = "march-mss", .bytes = 256 * MIB, .has_lanes = true };
    with_any_cpus(state);
    setting = (struct setting){
        .test = "march-raw+", .rounds = 2, .bytes = 256 * MIB, .has_lanes = true
    };
    with_any_cpus(state);
}

/* okram moves into its second, third or last place in vain. */
TEST(none_does_when_a_place_is_bad)
{
    for (uint32_t i = 0; i < 3; i++) {
        setting = (struct setting){
            .test = "march-mss+", .bytes = 64 * MIB, .cpus = 2, .first_bad_try = i, .n_bad_tries = 1
        };
        fake_machine_run(check_pairs);
    }
}

/* And in each attempt again: memory that was not tested together is listed. */
TEST(what_lacks_a_fault_is_listed)
{
    static const uint32_t n_bad[] = { 4, 4, 5 }; /* the last place is chosen twice */

    for (uint32_t i = 0; i < 3; i++) {
        setting = (struct setting){ .test = "march-mss+",
                                    .bytes = 64 * MIB,
                                    .cpus = 2,
                                    .first_bad_try = i,
                                    .n_bad_tries = n_bad[i] };
        fake_machine_run(check_pairs);
    }
}
