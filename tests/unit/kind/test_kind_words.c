// SPDX-License-Identifier: MIT
#include "kind/kind_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct kind_words words;
static struct fault many[FAULT_RECORDS + 1];

static void faults_of_a_word_are_one(void **state)
{
    const struct fault record[] = {
        { .addr = 0x2000, .expected = 0xf, .found = 0xd },
        { .addr = 0x1000, .expected = 0, .found = 1 },
        { .addr = 0x2000, .expected = 0, .found = 0x10 },
    };
    const struct fault sample[] = { { .addr = 0x2000, .found = 0x20 },
                                    { .addr = 0x3000, .found = 4 } };

    kind_words_make(&words, record, 3, sample, 2);
    assert_int_equal(words.n, 3);
    assert_int_equal(words.word[0].addr, 0x1000);
    assert_int_equal(words.word[1].count, 2);
    assert_int_equal(words.word[1].falls, 2);
    assert_int_equal(words.word[1].rises, 0x30);
    assert_int_equal(kind_word_bits(&words.word[1]), 0x32);
    assert_int_equal(words.word[2].count, 0);
}

static void no_more_than_there_is_room_for(void **state)
{
    for (size_t i = 0; i < FAULT_RECORDS + 1; i++)
        many[i] = (struct fault){ .addr = i * 8, .found = 1 };
    kind_words_make(&words, many, FAULT_RECORDS + 1, NULL, 0);
    assert_int_equal(words.n, FAULT_RECORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_a_word_are_one),
        cmocka_unit_test(no_more_than_there_is_room_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
