// SPDX-License-Identifier: MIT
#include "log/log_bits.h"

#include "badram/machine.h"

#define N_WORDS (2 * LOG_PAGE_WORDS)
#define ROUNDS  2000

static uint64_t memory[LOG_COPIES][N_WORDS];
static struct log_bits bits;

static void make(void)
{
    log_bits_init(&bits, (void *[]){ memory[0], memory[1], memory[2] }, N_WORDS);
}

static void each_bit_is_set_once(void **state)
{
    make();
    for (uint64_t bit = 0; bit < N_WORDS * LOG_WORD_BITS; bit++) {
        assert_true(log_bits_set(&bits, bit));
        assert_false(log_bits_set(&bits, bit));
        assert_int_equal(log_bits_word(&bits, bit / LOG_WORD_BITS) >> bit % LOG_WORD_BITS, 1);
    }
}

/* One bit or two, anywhere in the word: the two others, both of them damaged beyond repair, do not
 * matter when the third is sound, and it is noticed when it is not. */
static void check_noticed(uint64_t word, uint64_t flips)
{
    struct log_damage damage[LOG_COPIES] = { 0 };
    uint64_t first, end, truth = memory[0][word];

    memory[0][word] = memory[1][word] = memory[2][word] = truth ^ flips;
    log_bits_scrub(&bits, word / LOG_PAGE_WORDS, damage, &first, &end);
    assert_true(damage[0].lost);
    assert_int_equal(first, word * LOG_WORD_BITS);
    assert_int_equal(end, (word + 1) * LOG_WORD_BITS);
    memory[0][word] = memory[1][word] = memory[2][word] = truth;
}

static void one_bit_or_two_are_noticed(void **state)
{
    uint64_t seed = 1;

    make();
    for (size_t round = 0; round < ROUNDS / 100; round++) {
        uint64_t word = machine_random(&seed) % N_WORDS;

        for (size_t i = 0; i < round; i++)
            log_bits_set(&bits, word * LOG_WORD_BITS + machine_random(&seed) % LOG_WORD_BITS);
        for (unsigned a = 0; a < 64; a++)
            for (unsigned b = 0; b <= a; b++)
                check_noticed(word, UINT64_C(1) << a | UINT64_C(1) << b);
    }
}

/* Zeros, and a word of another place. */
static void a_wrong_word_is_noticed(void **state)
{
    make();
    for (uint64_t word = 1; word < N_WORDS; word++) {
        check_noticed(word, memory[0][word]);
        check_noticed(word, memory[0][word] ^ memory[0][word - 1]);
    }
}

/* As if a CPU had been stopped between one copy and the next: nothing is wrong. */
static void what_one_copy_has_all_get(void **state)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        struct log_damage damage[LOG_COPIES] = { 0 };
        uint64_t first, end, before;

        make();
        before = memory[copy][7];
        log_bits_set(&bits, 7 * LOG_WORD_BITS + 3);
        for (size_t i = 0; i < LOG_COPIES; i++)
            memory[i][7] = i == copy ? memory[i][7] : before;
        assert_int_equal(log_bits_word(&bits, 7), 1 << 3);
        assert_false(log_bits_set(&bits, 7 * LOG_WORD_BITS + 3));
        log_bits_scrub(&bits, 0, damage, &first, &end);
        for (size_t i = 0; i < LOG_COPIES; i++) {
            assert_int_equal(damage[i].words, 0);
            assert_int_equal(memory[i][7], memory[copy][7]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bit_is_set_once),
        cmocka_unit_test(one_bit_or_two_are_noticed),
        cmocka_unit_test(a_wrong_word_is_noticed),
        cmocka_unit_test(what_one_copy_has_all_get),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
