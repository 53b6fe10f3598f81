// SPDX-License-Identifier: MIT
#include "mce/error_count.h"

#include "tests/unit/unit.h"
/* cmocka wants those before. */

static struct mce_count counts;
static struct mca_record sent;

static int none_yet(void **state)
{
    memset(&counts, 0, sizeof(counts));
    return 0;
}

static struct mca_record at(uint32_t bank, uint64_t addr)
{
    return (struct mca_record){
        .bank = bank, .addr = addr, .has_addr = true, .corrected = true, .count = 1
    };
}

static bool add(struct mca_record r)
{
    memset(&sent, 0, sizeof(sent));
    return mce_count_add(&counts, &r, &sent);
}

TEST(repeats_are_sent_at_ten_times_as_many, none_yet)
{
    uint64_t n_sent = 0, counts_sent[8];

    for (uint64_t n = 1; n <= 1234; n++) {
        if (add(at(1, 0x1000)))
            counts_sent[n_sent++] = sent.count;
    }
    assert_int_equal(n_sent, 4);
    for (uint64_t i = 0, expected = 1; i < 4; i++, expected *= 10)
        assert_int_equal(counts_sent[i], expected);
    assert_true(mce_count_next_unsent(&counts, &sent));
    assert_int_equal(sent.count, 1234);
    assert_int_equal(sent.addr, 0x1000);
    assert_false(mce_count_next_unsent(&counts, &sent));
}

TEST(counts_of_the_bank_are_summed, none_yet)
{
    struct mca_record r = at(1, 0x1000);

    r.count = 5;
    assert_true(add(r));
    assert_int_equal(sent.count, 5);
    r.count = 44;
    assert_false(add(r)); /* 49 */
    r.count = 1;
    assert_true(add(r));
    assert_int_equal(sent.count, 50);
    assert_false(mce_count_next_unsent(&counts, &sent));
}

TEST(each_place_is_one_of_its_own, none_yet)
{
    struct mca_record r = at(1, 0x1000);

    assert_true(add(r));
    assert_true(add(at(2, 0x1000)));
    assert_true(add(at(1, 0x1040)));
    r.cpu = 9; /* a bank that CPUs share */
    assert_false(add(r));
    r.has_addr = false;
    assert_true(add(r));
    assert_false(add(r));
    r.cpu = 8;
    assert_true(add(r));
}

TEST(the_uncorrected_are_told_each, none_yet)
{
    struct mca_record r = at(1, 0x1000);

    assert_true(add(r));
    r.corrected = false;
    assert_true(add(r));
    assert_int_equal(sent.count, 1);
    assert_true(add(r));
    assert_int_equal(sent.count, 2);
    assert_false(sent.corrected);
}

TEST(sites_beyond_the_table_are_counted_together, none_yet)
{
    for (uint64_t n = 0; n < MCE_COUNT_ENTRIES; n++)
        assert_true(add(at(1, n << 12)));
    assert_int_equal(counts.uncounted, 0);
    assert_false(add(at(1, (uint64_t)MCE_COUNT_ENTRIES << 12)));
    assert_false(add(at(1, (uint64_t)MCE_COUNT_ENTRIES << 12)));
    assert_int_equal(counts.uncounted, 2);
    assert_false(add(at(1, 0)));
    assert_int_equal(counts.uncounted, 2);
}

static struct cper_count cper_counts;
static struct cper_report cper_sent;

static int no_cper_yet(void **state)
{
    memset(&cper_counts, 0, sizeof(cper_counts));
    return 0;
}

static struct cper_memory cper_at(uint64_t addr)
{
    return (struct cper_memory){ .severity = ERROR_CORRECTED, .has_addr = true, .addr = addr };
}

static bool cper_add(uint32_t source, struct cper_memory m)
{
    memset(&cper_sent, 0, sizeof(cper_sent));
    return cper_count_add(&cper_counts, source, &m, &cper_sent);
}

TEST(cper_repeats_are_sent_at_ten_times_as_many, no_cper_yet)
{
    uint64_t n_sent = 0, counts_sent[8];

    for (uint64_t n = 1; n <= 1234; n++) {
        if (cper_add(1, cper_at(0x1000)))
            counts_sent[n_sent++] = cper_sent.count;
    }
    assert_int_equal(n_sent, 4);
    for (uint64_t i = 0, expected = 1; i < 4; i++, expected *= 10)
        assert_int_equal(counts_sent[i], expected);
    assert_true(cper_count_next_unsent(&cper_counts, &cper_sent));
    assert_int_equal(cper_sent.count, 1234);
    assert_int_equal(cper_sent.source, 1);
    assert_int_equal(cper_sent.memory.addr, 0x1000);
    assert_false(cper_count_next_unsent(&cper_counts, &cper_sent));
}

TEST(cper_places_are_counted_separately, no_cper_yet)
{
    struct cper_memory named = cper_at(0x1000), worse = cper_at(0x1000),
                       without = { .severity = ERROR_CORRECTED };

    strcpy(named.fru, "DIMM_B1");
    worse.severity = ERROR_FATAL;
    assert_true(cper_add(1, cper_at(0x1000)));
    assert_true(cper_add(1, cper_at(0x1040)));
    assert_true(cper_add(2, cper_at(0x1000)));
    assert_true(cper_add(1, named));
    assert_true(cper_add(1, worse));
    assert_true(cper_add(1, without));
    assert_int_equal(cper_sent.count, 1);
    assert_false(cper_add(1, cper_at(0x1000)));
    assert_false(cper_add(1, without));
    assert_int_equal(cper_counts.n, 6);
}

TEST(cper_that_finds_no_entry_is_counted, no_cper_yet)
{
    for (uint64_t i = 0; i < CPER_COUNT_ENTRIES; i++)
        assert_true(cper_add(1, cper_at(i << 12)));
    assert_false(cper_add(1, cper_at(CPER_COUNT_ENTRIES << 12)));
    assert_int_equal(cper_counts.uncounted, 1);
    assert_false(cper_add(1, cper_at(0)));
    assert_int_equal(cper_counts.uncounted, 1);
}

/* cmocka wants those before. */

static struct error_watch w;

static int nothing_seen(void **state)
{
    memset(&w, 0, sizeof(w));
    return 0;
}

static enum error_news see(const char *report, bool clears)
{
    enum error_news news = error_watch_report(&w, report, strlen(report));

    error_watch_cleared(&w, clears);
    return news;
}

TEST(each_report_is_news_once_it_was_cleared, nothing_seen)
{
    assert_int_equal(see("a", true), ERROR_NEWS);
    assert_int_equal(see("b", true), ERROR_NEWS);
    assert_int_equal(see("b", true), ERROR_NEWS); /* the same error again */
    error_watch_empty(&w);
    assert_int_equal(see("b", true), ERROR_NEWS);
}

/* It is one error, however often it is looked at. */
TEST(a_report_that_cannot_be_cleared_counts_once, nothing_seen)
{
    assert_int_equal(see("a", false), ERROR_NEWS);
    for (unsigned i = 1; i < ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", false), ERROR_NO_NEWS);
    assert_int_equal(see("a", false), ERROR_IGNORED);
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", false), ERROR_NO_NEWS);
}

TEST(another_one_there_is_news, nothing_seen)
{
    assert_int_equal(see("a", false), ERROR_NEWS);
    assert_int_equal(see("b", false), ERROR_NEWS);
    assert_int_equal(see("b", false), ERROR_NO_NEWS);
    error_watch_empty(&w); /* cleared late */
    assert_int_equal(see("b", false), ERROR_NEWS);
    assert_int_equal(see("b", false), ERROR_NO_NEWS);
}

TEST(one_that_is_written_again_and_again_is_ignored, nothing_seen)
{
    for (unsigned i = 0; i < ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", true), ERROR_NEWS);
    assert_int_equal(see("a", true), ERROR_IGNORED);
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see("a", true), ERROR_NO_NEWS);
    assert_int_equal(see("b", true), ERROR_NEWS); /* no other is lost */
}

/* A storm of errors at different places goes on, and so does one with pauses. */
TEST(different_reports_are_never_ignored, nothing_seen)
{
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++)
        assert_int_equal(see(i & 1 ? "a" : "b", true), ERROR_NEWS);
    for (unsigned i = 0; i < 10 * ERROR_WATCH_SAME_MAX; i++) {
        error_watch_empty(&w);
        assert_int_equal(see("a", true), ERROR_NEWS);
    }
}

/* Whether it can be cleared or not at each look. */
TEST(a_mixture_is_ignored_too, nothing_seen)
{
    for (unsigned i = 0; i < ERROR_WATCH_SAME_MAX; i++)
        assert_int_not_equal(see("a", i % 3 == 0), ERROR_IGNORED);
    assert_int_equal(see("a", true), ERROR_IGNORED);
}
