// SPDX-License-Identifier: MIT
#include "sweep/tests.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "sweep/block_move.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MARCH(test_name, march, ...)                                                               \
    {                                                                                              \
        .name = (test_name), .kind = TEST_MARCH, .notation = (march), __VA_ARGS__                  \
    }

/* Over all backgrounds of a word. */
#define CLASSIC(test_name, n_pairs, march)                                                         \
    MARCH(test_name, march, .data = DATA_BACKGROUND, .rounds = DATA_BACKGROUNDS_WORD,              \
          .pairs = (n_pairs))

/* Once, on the solid background: no other round is needed to order all lines (sweep/order.h). */
#define IN_THREE_LEGS(test_name, n_pairs, march)                                                   \
    MARCH(test_name, march, .data = DATA_BACKGROUND, .rounds = 1, .pairs = (n_pairs))

/* All lanes switching, and neighbours against each other: what draws and disturbs most. */
#define PULSE_ROUNDS 2

#define FADE_ROUNDS 4

/* The notations are the literature's, those with a + with two elements more; what each detects is
 * in tests/coverage. */
static const struct test tests[] = {
    MARCH("address", "up(w0);up(r0);down(w1);down(r1)", .data = DATA_ADDRESS, .rounds = 1),
    MARCH("address-up", "up(w0);up(r0)", .data = DATA_ADDRESS, .rounds = 1),
    MARCH("random", "down(w0);down(r0,w1);down(r1)", .data = DATA_RANDOM, .rounds = 1),
    MARCH("retention", "any(w0);del(2000);any(r0);any(w1);del(2000);any(r1)", .data = DATA_RANDOM,
          .rounds = 1, .opposite_first = true),
    MARCH("fade", "any(w0);del(60000);any(r0);any(w1);del(60000);any(r1)", .data = DATA_RANDOM,
          .rounds = FADE_ROUNDS, .opposite_first = true),
    MARCH("moving-inversions", "any(w0);up(r0,w1);down(r1,w0)", .data = DATA_WALKING,
          .rounds = DATA_WALKING_ROUNDS),
    MARCH("backgrounds", "any(w0);any(r0)", .data = DATA_SEQUENCE, .rounds = DATA_SEQUENCE_ROUNDS),
    { .name = "block-move", .kind = TEST_BLOCK_MOVE, .data = DATA_RANDOM, .rounds = 1 },
    MARCH("bus-stress", "any(w0);any(r0);up(r0,w1);any(r1);down(r1,w0);any(r0)", .data = DATA_BUS,
          .rounds = DATA_BUS_ROUNDS),
    MARCH("bus-pulse", "any(w0);up(r0,w1);down(r1,w0);any(r0)", .data = DATA_BUS,
          .rounds = PULSE_ROUNDS, .in_pulses = true),
    MARCH("bus-random", "any(w0);up(r0,w1);down(r1,w0);any(r0)", .data = DATA_TOGGLES, .rounds = 1),
    { .name = "row-hammer", .kind = TEST_HAMMER, .data = DATA_RANDOM, .rounds = 1 },
    CLASSIC("mats+", 0, "any(w0);up(r0,w1);down(r1,w0)"),
    CLASSIC("march-y", 0, "any(w0);up(r0,w1,r1);down(r1,w0,r0);any(r0)"),
    CLASSIC("march-c-", 24, "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)"),
    CLASSIC("pmovi", 25, "down(w0);up(r0,w1,r1);up(r1,w0,r0);down(r0,w1,r1);down(r1,w0,r0)"),
    CLASSIC("march-mss", 36,
            "any(w0);up(r0,r0,w1,w1);up(r1,r1,w0,w0);"
            "down(r0,r0,w1,w1);down(r1,r1,w0,w0);any(r0)"),
    IN_THREE_LEGS("march-mss+", 36,
                  "any(w0);up(r0,r0,w1,w1);up(r1,r1,w0,w0);"
                  "down(r0,r0,w1,w1);down(r1,r1,w0,w0);"
                  "up(r0,r0,w1,w1);up(r1,r1,w0,w0);any(r0)"),
    CLASSIC("march-ss", 36,
            "any(w0);up(r0,r0,w0,r0,w1);up(r1,r1,w1,r1,w0);"
            "down(r0,r0,w0,r0,w1);down(r1,r1,w1,r1,w0);any(r0)"),
    CLASSIC("march-raw", 36,
            "any(w0);up(r0,w0,r0,r0,w1,r1);up(r1,w1,r1,r1,w0,r0);"
            "down(r0,w0,r0,r0,w1,r1);down(r1,w1,r1,r1,w0,r0);any(r0)"),
    IN_THREE_LEGS("march-raw+", 36,
                  "any(w0);up(r0,w0,r0,r0,w1,r1);up(r1,w1,r1,r1,w0,r0);"
                  "down(r0,w0,r0,r0,w1,r1);down(r1,w1,r1,r1,w0,r0);"
                  "up(r0,w0,r0,r0,w1,r1);up(r1,w1,r1,r1,w0,r0);any(r0)"),
};

/* The rows of one level stand together, in the order in which they run. */
static const struct {
    const char *level;
    const char *test;
    uint32_t rounds;
} levels[] = {
    { "quick", "address-up", 1 },
    { "quick", "march-c-", 1 },
    { "standard", "address", 1 },
    { "standard", "march-mss+", 1 },
    { "standard", "backgrounds", DATA_SEQUENCE_ROUNDS },
    { "standard", "retention", 1 },
    { "thorough", "address", 1 },
    { "thorough", "march-raw+", 2 },
    { "thorough", "backgrounds", DATA_SEQUENCE_ROUNDS },
    { "thorough", "block-move", 1 },
    { "thorough", "bus-stress", DATA_BUS_ROUNDS },
    { "thorough", "bus-pulse", PULSE_ROUNDS },
    { "thorough", "row-hammer", 1 },
    { "thorough", "fade", FADE_ROUNDS },
    { "thorough", "random", 9 },
    { LEVEL_STABILITY, "bus-pulse", PULSE_ROUNDS },
    { LEVEL_STABILITY, "bus-random", 4 },
    { LEVEL_STABILITY, "random", 6 },
    { LEVEL_STABILITY, "block-move", 1 },
    { LEVEL_HOT, "march-mss+", 1 },
    { LEVEL_HOT, "retention", 4 },
    { LEVEL_HOT, "random", 3 },
    { LEVEL_HOT, "row-hammer", 1 },
};

const struct test *tests_row(size_t i)
{
    return i < COUNT(tests) ? &tests[i] : NULL;
}

static bool word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

static const struct test *find(const char *word, size_t length)
{
    for (size_t i = 0; i < COUNT(tests); i++) {
        if (word_is(word, length, tests[i].name))
            return &tests[i];
    }
    return NULL;
}

/* How many data of a kind that depends on the seed the tests of a list have. */
static uint32_t count_data(const struct test_list *list, enum data_kind kind)
{
    uint32_t n = 0;

    for (size_t i = 0; i < list->n_tests; i++)
        n += list->test[i].data == kind ? list->test[i].rounds : 0;
    return n;
}

static enum status list_add(struct test_list *list, const struct test *test, uint32_t rounds)
{
    struct test *t = &list->test[list->n_tests];

    if (list->n_tests == TEST_LIST_MAX)
        return STATUS_NO_SPACE;
    *t = *test;
    t->rounds = rounds;
    t->first_data = test_has_seed(test) ? count_data(list, test->data) : 0;
    list->n_tests++;
    return STATUS_OK;
}

enum status tests_add_march(struct test_list *list, const char *notation,
                            struct march_error *ret_error)
{
    const struct test test = { .name = TEST_OWN, .notation = notation, .data = DATA_BACKGROUND };
    struct march march;

    if (march_parse(notation, &march, ret_error) != MARCH_OK)
        return STATUS_INVALID;
    if (list_add(list, &test, 1) != STATUS_OK) {
        *ret_error = (struct march_error){ .status = MARCH_TOO_LONG, .expected = "a shorter list" };
        return STATUS_NO_SPACE;
    }
    return STATUS_OK;
}

static enum status list_add_own(struct test_list *list, const char *own)
{
    struct march_error error;
    enum status status = tests_add_march(list, own, &error);

    return status == STATUS_INVALID ? STATUS_NOT_FOUND : status;
}

/* Adds what one word stands for. */
static enum status list_add_word(struct test_list *list, const char *word, size_t length,
                                 const char *own)
{
    const struct test *test = find(word, length);
    enum status status = STATUS_NOT_FOUND;

    if (word_is(word, length, TEST_OWN))
        return list_add_own(list, own);
    if (test)
        return list_add(list, test, test->rounds);
    for (size_t i = 0; i < COUNT(levels); i++) {
        if (!word_is(word, length, levels[i].level))
            continue;
        test = find(levels[i].test, strlen(levels[i].test));
        ASSERT(test);
        status = list_add(list, test, levels[i].rounds);
        list->is_stability |= word_is(word, length, LEVEL_STABILITY);
        list->is_hot = list->is_hot || word_is(word, length, LEVEL_HOT);
        if (status != STATUS_OK)
            break;
    }
    return status;
}

enum status tests_select(const char *words, const char *own, struct test_list *ret_list,
                         struct test_word *ret_bad)
{
    struct test_list list = { 0 };
    const char *word = words, *comma;

    do {
        size_t length;
        enum status status;

        comma = strchr(word, ',');
        length = comma ? (size_t)(comma - word) : strlen(word);
        status = list_add_word(&list, word, length, own);
        if (status != STATUS_OK) {
            *ret_bad = (struct test_word){ .position = (size_t)(word - words), .length = length };
            return status;
        }
        word += length + 1;
    } while (comma);
    *ret_list = list;
    return STATUS_OK;
}

bool tests_have_own(const struct test_list *list)
{
    for (size_t i = 0; i < list->n_tests; i++) {
        if (strcmp(list->test[i].name, TEST_OWN) == 0)
            return true;
    }
    return false;
}

void tests_set_fade(struct test_list *list, uint32_t seconds)
{
    for (size_t i = 0; i < list->n_tests; i++) {
        if (strcmp(list->test[i].name, "fade") == 0)
            list->test[i].pause_ms = seconds * 1000;
    }
}

void test_march(const struct test *test, struct march *ret_march)
{
    struct march_error error;

    ASSERT(test->kind == TEST_MARCH);
    ASSERT(march_parse(test->notation, ret_march, &error) == MARCH_OK);
    for (uint32_t i = 0; test->pause_ms && i < ret_march->n_elements; i++) {
        if (ret_march->element[i].kind == MARCH_PAUSE)
            ret_march->element[i].pause_ms = test->pause_ms;
    }
}

uint32_t tests_most_pairs(const struct test_list *list)
{
    uint32_t most = 0;

    for (size_t i = 0; i < list->n_tests; i++)
        most = max_u64(list->test[i].pairs, most);
    return most;
}

bool test_orders_all(const struct test *test, const struct march *march)
{
    return test->rounds > 1 || march_legs(march) >= ORDER_LEGS;
}

struct data test_data(const struct test *test, uint32_t round, struct pass pass)
{
    uint32_t number = test->first_data + round;
    bool is_opposite = test->opposite_first && round == 0 && pass.number == 1;

    if (is_opposite)
        return data_make(DATA_TOGGLES, ~number, pass.seed); /* those of no other test */
    return data_make(test->data, number, pass.seed);
}

bool test_data_of(const struct test *test, struct pass pass, uint64_t phys, uint64_t word,
                  struct data *ret_data)
{
    for (uint32_t round = 0; round < test->rounds; round++) {
        struct data data = test_data(test, round, pass);
        uint64_t wrong = data_word(&data, phys) ^ word;

        if (wrong && ~wrong)
            continue;
        *ret_data = data;
        return true;
    }
    return false;
}

bool test_has_seed(const struct test *test)
{
    return test->data == DATA_TOGGLES || test->data == DATA_ADDRESS || test->data == DATA_RANDOM;
}

uint32_t test_sweeps(const struct test *test)
{
    struct march march;

    if (test->kind == TEST_HAMMER)
        return 0;
    if (test->kind == TEST_BLOCK_MOVE)
        return test->rounds * BLOCK_MOVE_SWEEPS;
    test_march(test, &march);
    return test->rounds * march_sweeps(&march);
}

enum test_cost test_cost(const struct test *test)
{
    if (!test_has_seed(test))
        return TEST_COST_PLAIN;
    return test->data == DATA_RANDOM ? TEST_COST_RANDOM : TEST_COST_ADDRESS;
}

void tests_count_sweeps(const struct test_list *list, double ret_sweeps[TEST_COSTS])
{
    memset(ret_sweeps, 0, TEST_COSTS * sizeof(*ret_sweeps));
    for (size_t i = 0; i < list->n_tests; i++) {
        const struct test *test = &list->test[i];

        if (test->kind == TEST_MARCH)
            ret_sweeps[test_cost(test)] += test_sweeps(test);
    }
}

uint32_t test_reads(const struct test *test)
{
    struct march march;
    uint32_t reads = 0;

    if (test->kind != TEST_MARCH)
        return 0;
    test_march(test, &march);
    for (uint32_t i = 0; i < march.n_elements; i++) {
        for (uint32_t op = 0; op < march.element[i].n_ops; op++)
            reads += !march.element[i].op[op].write;
    }
    return test->rounds * reads;
}

/* Of one round. */
static uint64_t pauses_ms(const struct test *test, uint32_t *ret_longest_ms)
{
    struct march march;
    uint64_t ms = 0;

    *ret_longest_ms = 0;
    if (test->kind != TEST_MARCH)
        return 0;
    test_march(test, &march);
    for (uint32_t i = 0; i < march.n_elements; i++) {
        ms += march.element[i].pause_ms;
        *ret_longest_ms = (uint32_t)max_u64(*ret_longest_ms, march.element[i].pause_ms);
    }
    return ms;
}

uint64_t test_pause_ms(const struct test *test)
{
    uint32_t longest;

    return pauses_ms(test, &longest) * test->rounds;
}

uint32_t test_longest_pause_ms(const struct test *test)
{
    uint32_t longest;

    pauses_ms(test, &longest);
    return longest;
}
