// SPDX-License-Identifier: MIT
#include "log/log_vote.h"

#include "redundant.h"

/* Damages each copy in another word: neither CRC holds. */
static void spoil(struct redundant *r, uint32_t block)
{
    for (int copy = 0; copy < 2; copy++) {
        struct log_block *b = (void *)(r->part[copy] + (1 + (size_t)block) * LOG_BLOCK_BYTES);

        b->word[3 + copy] ^= 0x10;
    }
}

static enum log_verdict vote(struct redundant *r, uint32_t block, enum log_evidence evidence,
                             bool has_parity, uint64_t *truth)
{
    uint64_t words[2][LOG_BLOCK_WORDS];
    const struct log_store *store = &r->m.log.store;
    struct log_view a = log_view_read(store, LOG_COPY_A, block, words[0]);
    struct log_view b = log_view_read(store, LOG_COPY_B, block, words[1]);

    return log_vote_block(store, block, &a, &b, evidence, has_parity, truth);
}

static struct redundant *logged(void)
{
    struct redundant *r = redundant_make(LOG_PARTS);
    uint64_t seed = 4;

    redundant_log(r, &seed, 500);
    return r;
}

static void a_crc_that_holds_is_enough(void **state)
{
    struct redundant *r = logged();
    uint64_t before[LOG_BLOCK_WORDS], truth[LOG_BLOCK_WORDS] = { 0 };

    assert_int_equal(vote(r, 0, LOG_BY_CRC, false, before), LOG_TRUE);
    redundant_flip(r, LOG_COPY_A, (LOG_BLOCK_BYTES + 128) * 8);
    assert_int_equal(vote(r, 0, LOG_BY_CRC, false, truth), LOG_TRUE);
    assert_memory_equal(truth, before, sizeof(truth));
    redundant_free(r);
}

static void no_vote_goes_beyond_its_evidence(void **state)
{
    struct redundant *r = logged();
    uint64_t before[LOG_BLOCK_WORDS], truth[LOG_BLOCK_WORDS] = { 0 };

    assert_int_equal(vote(r, 0, LOG_BY_CRC, true, before), LOG_TRUE);
    spoil(r, 0);
    assert_int_equal(vote(r, 0, LOG_BY_CRC, true, truth), LOG_UNKNOWN);
    assert_int_equal(vote(r, 0, LOG_BY_PARITY, false, truth), LOG_UNKNOWN);
    assert_int_equal(vote(r, 0, LOG_BY_GUESS, false, truth), LOG_GUESSED);
    assert_int_equal(vote(r, 0, LOG_BY_PARITY, true, truth), LOG_TRUE);
    assert_memory_equal(truth, before, sizeof(truth));

    /* Another block of its group is damaged: the parity proves nothing. */
    spoil(r, r->m.log.store.n_groups);
    assert_int_equal(vote(r, 0, LOG_BY_PARITY, true, truth), LOG_UNKNOWN);
    assert_int_equal(vote(r, 0, LOG_BY_GUESS, true, truth), LOG_GUESSED);
    redundant_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crc_that_holds_is_enough),
        cmocka_unit_test(no_vote_goes_beyond_its_evidence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
