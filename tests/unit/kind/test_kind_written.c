// SPDX-License-Identifier: MIT
#include "kind/kind_written.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct kind_words words;
static struct kind_input input;

static int begin(void **state)
{
    memset(&words, 0, sizeof(words));
    input = (struct kind_input){ .n_bad_pages = 1 };
    return 0;
}

static void add(uint64_t rises, uint64_t falls)
{
    words.word[words.n] = (struct kind_word){ 0x1000 + 8 * words.n, rises, falls, 1 };
    words.n++;
}

/* OHCI's frame number: 16 bits that count, and 16 that are zero (OHCI 1.0a, 4.4). */
static void frame_number(void **state)
{
    add(0x00001234, 0x55550000);
    assert_true(kind_looks_written(&input, &words));
    words.word[0].falls = 0x00550000;
    assert_true(kind_looks_written(&input, &words));
}

/* Each bit counts, for its own lane alone. */
static void each_bit_of_a_lane(void **state)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned lane = bit / 8;
        uint64_t one = UINT64_C(1) << bit, next = UINT64_C(1) << (lane + 1) % 8 * 8;

        words.n = 0;
        add(one, next);
        assert_false(kind_looks_written(&input, &words));
        words.n = 0;
        add(one | UINT64_C(0x80) << (lane + 6) % 8 * 8, next);
        assert_true(kind_looks_written(&input, &words));
    }
}

static void what_one_chip_does(void **state)
{
    add(0x00001234, 0); /* of 16 bits */
    assert_false(kind_looks_written(&input, &words));
    add(0x80, 0);
    add(1, UINT64_C(1) << 63);
    assert_false(kind_looks_written(&input, &words));
}

/* More than half of them. */
static void most_words(void **state)
{
    add(0x010101, 0);
    add(1, 0);
    assert_false(kind_looks_written(&input, &words));
    add(0, UINT64_C(0x8000000000010080));
    assert_true(kind_looks_written(&input, &words));
}

static void few_pages(void **state)
{
    add(UINT64_MAX, 0);
    input.n_bad_pages = KIND_WRITTEN_PAGES_MAX;
    assert_true(kind_looks_written(&input, &words));
    input.n_bad_pages++;
    assert_false(kind_looks_written(&input, &words));
}

static void where_bits_say_nothing(void **state)
{
    assert_false(kind_looks_written(&input, &words)); /* no word */
    add(UINT64_MAX, 0);
    input.is_encrypted = true;
    assert_false(kind_looks_written(&input, &words));
    input.is_encrypted = false;
    input.alias_pages = 1;
    assert_false(kind_looks_written(&input, &words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(frame_number, begin),
        cmocka_unit_test_setup(each_bit_of_a_lane, begin),
        cmocka_unit_test_setup(what_one_chip_does, begin),
        cmocka_unit_test_setup(most_words, begin),
        cmocka_unit_test_setup(few_pages, begin),
        cmocka_unit_test_setup(where_bits_say_nothing, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
