#include "sweep/tests.h"

#include "lib/panic.h"
#include "lib/string.h"

#define MARCH_C     "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)"
#define MARCH_PLAIN "any(w0);any(r0);any(w1);any(r1)"

/* The notations are the literature's; what each detects is in tests/coverage. */
static const struct test tests[] = {
    { "address", MARCH_PLAIN, DATA_ADDRESS, 1 },
    { "random", MARCH_PLAIN, DATA_RANDOM, 1 },
    { "mats+", "any(w0);up(r0,w1);down(r1,w0)", DATA_BACKGROUND, DATA_BACKGROUNDS_WORD },
    { "march-y", "any(w0);up(r0,w1,r1);down(r1,w0,r0);any(r0)", DATA_BACKGROUND,
      DATA_BACKGROUNDS_WORD },
    { "march-c-", MARCH_C, DATA_BACKGROUND, DATA_BACKGROUNDS_WORD },
    { "pmovi", "down(w0);up(r0,w1,r1);up(r1,w0,r0);down(r0,w1,r1);down(r1,w0,r0)", DATA_BACKGROUND,
      DATA_BACKGROUNDS_WORD },
    { "march-mss",
      "any(w0);up(r0,r0,w1,w1);up(r1,r1,w0,w0);down(r0,r0,w1,w1);down(r1,r1,w0,w0);any(r0)",
      DATA_BACKGROUND, DATA_BACKGROUNDS_WORD },
    { "march-ss",
      "any(w0);up(r0,r0,w0,r0,w1);up(r1,r1,w1,r1,w0);"
      "down(r0,r0,w0,r0,w1);down(r1,r1,w1,r1,w0);any(r0)",
      DATA_BACKGROUND, DATA_BACKGROUNDS_WORD },
    { "march-raw",
      "any(w0);up(r0,w0,r0,r0,w1,r1);up(r1,w1,r1,r1,w0,r0);"
      "down(r0,w0,r0,r0,w1,r1);down(r1,w1,r1,r1,w0,r0);any(r0)",
      DATA_BACKGROUND, DATA_BACKGROUNDS_WORD },
};

/* The rows of one level stand together, in the order in which they run. */
static const struct {
    const char *level;
    const char *test;
    uint32_t rounds;
} levels[] = {
    { "quick", "address", 1 },
    { "quick", "march-c-", 1 },
    { "standard", "address", 1 },
    { "standard", "march-c-", DATA_BACKGROUNDS_WORD },
    { "standard", "random", 1 },
    { "thorough", "address", 1 },
    { "thorough", "march-c-", DATA_BACKGROUNDS_WORD },
    { "thorough", "march-mss", DATA_BACKGROUNDS_WORD },
    { "thorough", "random", 8 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

static enum status list_add(struct test_list *list, const struct test *test, uint32_t rounds)
{
    if (list->n_tests == TEST_LIST_MAX)
        return STATUS_NO_SPACE;
    list->test[list->n_tests] = *test;
    list->test[list->n_tests].rounds = rounds;
    list->n_tests++;
    return STATUS_OK;
}

/* Adds what one word stands for. */
static enum status list_add_word(struct test_list *list, const char *word, size_t length)
{
    const struct test *test = find(word, length);
    enum status status = STATUS_NOT_FOUND;

    if (test)
        return list_add(list, test, test->rounds);
    for (size_t i = 0; i < COUNT(levels); i++) {
        if (!word_is(word, length, levels[i].level))
            continue;
        test = find(levels[i].test, strlen(levels[i].test));
        ASSERT(test);
        status = list_add(list, test, levels[i].rounds);
        if (status != STATUS_OK)
            break;
    }
    return status;
}

enum status tests_select(const char *words, struct test_list *ret_list, struct test_word *ret_bad)
{
    struct test_list list = { 0 };
    const char *word = words, *comma;

    do {
        size_t length;
        enum status status;

        comma = strchr(word, ',');
        length = comma ? (size_t)(comma - word) : strlen(word);
        status = list_add_word(&list, word, length);
        if (status != STATUS_OK) {
            *ret_bad = (struct test_word){ .position = (size_t)(word - words), .length = length };
            return status;
        }
        word += length + 1;
    } while (comma);
    *ret_list = list;
    return STATUS_OK;
}

enum status tests_add_march(struct test_list *list, const char *notation,
                            struct march_error *ret_error)
{
    const struct test test = { .name = "march", .notation = notation, .data = DATA_BACKGROUND };
    struct march march;

    if (march_parse(notation, &march, ret_error) != MARCH_OK)
        return STATUS_INVALID;
    if (list_add(list, &test, 1) != STATUS_OK) {
        *ret_error = (struct march_error){ .status = MARCH_TOO_LONG, .expected = "a shorter list" };
        return STATUS_NO_SPACE;
    }
    return STATUS_OK;
}

void test_march(const struct test *test, struct march *ret_march)
{
    struct march_error error;

    ASSERT(march_parse(test->notation, ret_march, &error) == MARCH_OK);
}

uint32_t test_sweeps(const struct test *test)
{
    struct march march;

    test_march(test, &march);
    return test->rounds * march_sweeps(&march);
}
