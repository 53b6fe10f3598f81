// SPDX-License-Identifier: MIT
#include "guardlist/guard_list.h"

#include "lib/splitmix.h"
#include "samples.h"

#define ROOM      4096
#define RUNS_MAX  64
#define LISTS     10000
#define LAST_PAGE (GUARD_LIST_PAGES - 1)

static uint8_t bytes[ROOM];

static void assert_reads(size_t size, const struct guard_run *run, size_t n)
{
    struct guard_list list;
    struct guard_reader reader;
    struct guard_back_reader back;
    struct guard_run found;
    const char *why = NULL;
    uint64_t n_pages = 0;

    assert_int_equal(guard_list_open(bytes, size, &list, &why), STATUS_OK);
    assert_null(why);
    reader = guard_list_read(&list);
    for (size_t i = 0; i < n; i++) {
        assert_true(guard_reader_next(&reader, &found));
        assert_true(found.first == run[i].first && found.n == run[i].n);
        n_pages += found.n;
    }
    assert_false(guard_reader_next(&reader, &found));
    back = guard_list_read_back(&list);
    for (size_t i = n; i-- > 0;) {
        assert_true(guard_back_reader_next(&back, &found));
        assert_true(found.first == run[i].first && found.n == run[i].n);
    }
    assert_false(guard_back_reader_next(&back, &found));
    assert_int_equal(list.head.n_runs, n);
    assert_true(list.head.n_pages == n_pages);
}

TEST(keeps_what_it_was_given)
{
    static const struct guard_run runs[] = {
        { 0, 1 },
        { 2, 127 },
        { 0x10000, 128 },
        { UINT64_C(0x100000), 129 },
        { UINT64_C(0x40000000), UINT64_C(0x10000000) },
        { LAST_PAGE, 1 },
    };
    struct guard_list list;
    const char *why;

    for (size_t n = 0; n <= sizeof(runs) / sizeof(runs[0]); n++)
        assert_reads(make_list(runs, n, bytes, ROOM), runs, n);
    assert_int_equal(guard_list_open(bytes, ROOM, &list, &why), STATUS_OK);
    assert_null(guard_fingerprint_differs(&list.head.machine, &sample_machine));
    assert_int_equal(list.head.made, 1795305600);
}

/* The board's UUID is in no list. */
TEST(hides_the_board)
{
    static const struct guard_run runs[] = { { 5, 1 } };
    size_t size = make_list(runs, 1, bytes, ROOM);

    for (size_t at = 0; at + 4 <= size; at++)
        assert_memory_not_equal(bytes + at, sample_machine.board, 4);
}

TEST(reads_lists_of_version_1)
{
    static const struct guard_run runs[] = { { 5, 1 }, { 0x12345, 3 }, { 0x4000000, 500 } };
    struct guard_list list;
    const char *why;
    size_t size;

    for (size_t n = 0; n <= 3; n++)
        assert_reads(make_old_list(runs, n, bytes, ROOM), runs, n);
    size = make_old_list(runs, 3, bytes, ROOM);
    assert_int_equal(guard_list_open(bytes, size, &list, &why), STATUS_OK);
    assert_memory_equal(&list.head.machine, &sample_machine, sizeof(sample_machine));
    assert_int_equal(list.head.hmac[0], 0);
    for (size_t i = 0; i < size; i++)
        assert_non_null(why_not(bytes, i));
    size = make_old_list(runs, 0, bytes, ROOM);
    assert_int_equal(size, GUARD_LIST_HEAD_1);
    assert_null(why_not(bytes, size));
}

/* The form that docs/guard-forms.md describes, byte by byte. */
TEST(has_the_documented_form)
{
    static const struct guard_run runs[] = { { 0x123, 1 }, { 0x325, 0x82 } };
    static const uint8_t head[] = { 'O', 'k', 'r', 'a', 'm', 'G', 'r', 'd' };
    static const uint8_t behind_crc[] = { 2, 0, 128,  0, 135, 0, 0, 0, 2, 0,
                                          0, 0, 0x83, 0, 0,   0, 0, 0, 0, 0 };
    static const uint8_t no_hmac[HMAC_BYTES];
    static const uint8_t numbers[] = { 0xa3, 0x02, 0x00, 0x81, 0x04, 0x81, 0x01 };
    uint8_t hmac[HMAC_BYTES];
    uint32_t crc;

    assert_int_equal(make_list(runs, 2, bytes, ROOM), 135);
    assert_memory_equal(bytes, head, sizeof(head));
    assert_memory_equal(bytes + 12, behind_crc, sizeof(behind_crc));
    assert_memory_equal(bytes + 128, numbers, sizeof(numbers));
    crc = crc32c(bytes + 12, 135 - 12);
    assert_memory_equal(bytes + 8, &crc, sizeof(crc));
    hmac_sha256(bytes + 80, 16, &(struct hmac_part){ sample_machine.board, 16 }, 1, hmac);
    assert_memory_equal(bytes + 40, hmac, 16);
    assert_memory_equal(bytes + 56, &sample_machine.installed_bytes, 24);
    assert_memory_equal(bytes + 96, no_hmac, sizeof(no_hmac));
}

TEST(joins_runs_that_touch_or_meet)
{
    static const struct guard_run runs[] = { { 5, 1 }, { 5, 1 },  { 6, 2 },  { 7, 5 },
                                             { 8, 1 }, { 13, 1 }, { 14, 0 }, { 15, 2 } };
    static const struct guard_run joined[] = { { 5, 7 }, { 13, 1 }, { 15, 2 } };

    assert_reads(make_list(runs, 8, bytes, ROOM), joined, 3);
}

TEST(refuses_runs_that_are_wrong)
{
    static const struct guard_run wrong[][2] = {
        { { 5, 1 }, { 4, 1 } },
        { { 5, 1 }, { 4, 10 } },
        { { 5, 1 }, { GUARD_LIST_PAGES, 1 } },
        { { 5, 1 }, { LAST_PAGE, 2 } },
        { { 5, 1 }, { UINT64_MAX, 1 } },
        { { 5, 1 }, { 7, UINT64_MAX } },
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(make_list(wrong[i], 2, bytes, ROOM), 0);
}

TEST(takes_all_pages_there_are)
{
    static const struct guard_run all = { 0, GUARD_LIST_PAGES }, last = { LAST_PAGE, 1 };

    assert_reads(make_list(&all, 1, bytes, ROOM), &all, 1);
    assert_reads(make_list(&last, 1, bytes, ROOM), &last, 1);
}

TEST(does_not_write_past_the_end)
{
    static const struct guard_run runs[] = { { 0x123, 1 }, { 0x325, 0x82 } };

    for (size_t size = 0; size < 135; size++) {
        uint8_t *room = malloc(size ? size : 1);

        assert_int_equal(make_list(runs, 2, room, size), 0);
        free(room);
    }
    assert_int_equal(make_list(runs, 2, bytes, 135), 135);
}

TEST(is_no_longer_than_the_limit)
{
    size_t size = GUARD_LIST_MAX + 16;
    uint8_t *room = malloc(size);
    struct guard_writer writer = guard_writer_begin(room, size);
    uint64_t n = (GUARD_LIST_MAX - GUARD_LIST_HEAD) / 2;
    struct guard_list list;
    const char *why;

    for (uint64_t i = 0; i < n; i++)
        guard_writer_add(&writer, (struct guard_run){ i * 2, 1 });
    assert_int_equal(guard_writer_end(&writer, &sample_machine, 0), GUARD_LIST_MAX);
    assert_int_equal(guard_list_open(room, size, &list, &why), STATUS_OK);

    writer = guard_writer_begin(room, size);
    for (uint64_t i = 0; i <= n; i++)
        guard_writer_add(&writer, (struct guard_run){ i * 2, 1 });
    assert_int_equal(guard_writer_end(&writer, &sample_machine, 0), 0);
    free(room);
}

TEST(ignores_what_is_behind_the_list)
{
    static const struct guard_run runs[] = { { 5, 1 }, { 9, 3 } };
    size_t size = make_list(runs, 2, bytes, ROOM);

    memset(bytes + size, 0xff, ROOM - size);
    assert_reads(ROOM, runs, 2);
}

TEST(sees_every_changed_bit_and_every_cut)
{
    static const struct guard_run runs[] = { { 5, 1 }, { 0x12345, 3 }, { 0x4000000, 500 } };
    size_t size = make_list(runs, 3, bytes, ROOM);

    assert_null(why_not(bytes, size));
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_non_null(why_not(bytes, size));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t n = 0; n < size; n++)
        assert_non_null(why_not(bytes, n));
}

/* Heads with a right CRC. */
TEST(refuses_heads_that_are_wrong)
{
    static const struct guard_run runs[] = { { 5, 1 }, { 9, 3 } };
    static const struct {
        size_t at;
        uint8_t value;
        const char *why;
    } wrong[] = {
        { 0, 'o', "it does not begin with \"OkramGrd\"" },
        { 12, 0, "it is of another version" },
        { 12, 1, "it is of another version" },
        { 12, 3, "it is of another version" },
        { 14, 80, "it is of another version" },
        { 14, 127, "it is of another version" },
        { 16, 127, "its length is impossible" },
        { 18, 0x11, "its length is impossible" },
        { 16, 200, "it is cut off" },
        { 20, 1, "it has not as many pages as its head says" },
        { 20, 3, "it has not as many pages as its head says" },
        { 24, 5, "it has not as many pages as its head says" },
        { 31, 1, "it has not as many pages as its head says" },
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        size_t size = make_list(runs, 2, bytes, ROOM);

        bytes[wrong[i].at] = wrong[i].value;
        mend_crc(bytes, size);
        assert_string_equal(why_not(bytes, size), wrong[i].why);
    }
}

TEST(refuses_numbers_that_are_wrong)
{
    static const struct {
        uint8_t n, n_runs, number[14];
        const char *why;
    } wrong[] = {
        { 1, 0, { 0x80 }, "a run of pages in it is malformed" },       /* no end */
        { 1, 0, { 5 }, "a run of pages in it is malformed" },          /* half a run */
        { 3, 1, { 5, 0, 0x85 }, "a run of pages in it is malformed" }, /* half of the next */
        { 3, 1, { 0x85, 0, 0 }, "a run of pages in it is malformed" }, /* not the shortest */
        { 4, 2, { 5, 0, 0, 0 }, "two runs of pages in it touch" },
        { 7, 1, { 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0 }, "a run of pages in it is malformed" },
        { 7, 1, { 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f }, "a run of pages in it is malformed" },
        { 8, 1, { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0 }, "a run of pages in it is malformed" },
        { 9,
          2,
          { 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0 },
          "a run of pages in it is malformed" },
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        size_t size = GUARD_LIST_HEAD + wrong[i].n;

        make_list(NULL, 0, bytes, ROOM);
        memcpy(bytes + GUARD_LIST_HEAD, wrong[i].number, wrong[i].n);
        bytes[16] = (uint8_t)size;
        bytes[20] = wrong[i].n_runs;
        mend_crc(bytes, size);
        assert_string_equal(why_not(bytes, size), wrong[i].why);
    }
}

static size_t random_runs(uint64_t *seed, struct guard_run *run)
{
    size_t n = splitmix_below(seed, RUNS_MAX + 1);
    uint64_t next = 0;

    for (size_t i = 0; i < n; i++) {
        next += splitmix_next(seed) >> (30 + splitmix_below(seed, 34));
        run[i] = (struct guard_run){ next,
                                     1 + (splitmix_next(seed) >> (30 + splitmix_below(seed, 34))) };
        next += run[i].n + 1;
    }
    return n;
}

/* 10,000 lists come back as they were; with bytes changed and the CRC made right, never wrong. */
TEST(random_lists)
{
    struct guard_run run[RUNS_MAX], found;
    uint64_t seed = 17;
    unsigned n_opened = 0;

    for (unsigned i = 0; i < LISTS; i++) {
        size_t n = random_runs(&seed, run), size = make_list(run, n, bytes, ROOM);
        struct guard_list list;
        struct guard_reader reader;
        uint64_t next = 0, n_pages = 0;
        const char *why;

        assert_reads(size, run, n);
        for (unsigned k = 0; k < 1 + i % 4; k++)
            bytes[12 + splitmix_below(&seed, size - 12)] = (uint8_t)splitmix_next(&seed);
        mend_crc(bytes, size);
        if (guard_list_open(bytes, size, &list, &why) != STATUS_OK)
            continue;
        n_opened++;
        reader = guard_list_read(&list);
        for (unsigned k = 0; guard_reader_next(&reader, &found); k++) {
            assert_true(found.n && found.first >= next + !!k);
            next = found.first + found.n;
            n_pages += found.n;
            assert_true(next <= GUARD_LIST_PAGES);
        }
        assert_true(n_pages == list.head.n_pages);
    }
    assert_in_range(n_opened, LISTS / 100, LISTS - LISTS / 100);
}

static uint8_t three[3][400];

static struct guard_list list_of(unsigned i, const struct guard_run *run, size_t n)
{
    return open_list(three[i], make_list(run, n, three[i], sizeof(three[i])));
}

/* Both in either order make this list, which holds both. */
static void check_merge(const struct guard_run *a, size_t n_a, const struct guard_run *b,
                        size_t n_b, const struct guard_run *both, size_t n_both)
{
    uint8_t wanted[400];
    size_t size = make_list(both, n_both, wanted, sizeof(wanted));
    struct guard_list list_a = list_of(0, a, n_a), list_b = list_of(1, b, n_b), made;
    const char *why;

    assert_int_equal(guard_merge(&list_a, &list_b, three[2], sizeof(three[2])), size);
    assert_same_list(three[2], wanted, size);
    assert_int_equal(guard_merge(&list_b, &list_a, three[2], sizeof(three[2])), size);
    assert_same_list(three[2], wanted, size);
    assert_int_equal(guard_list_open(three[2], size, &made, &why), STATUS_OK);
    assert_true(guard_list_holds(&made, &list_a) && guard_list_holds(&made, &list_b));
    assert_int_equal(guard_list_holds(&list_a, &made),
                     n_a == n_both && memcmp(a, both, n_a * sizeof(*a)) == 0);
}

TEST(both_lists_are_in_it)
{
    static const struct guard_run one = { 5, 1 }, far[] = { { 0, 2 }, { 9, 1 } };
    static const struct guard_run between[] = { { 0, 2 }, { 5, 1 }, { 9, 1 } };
    static const struct guard_run wide = { 1, 8 }, joined = { 0, 10 };

    check_merge(far, 2, far, 2, far, 2);
    check_merge(&one, 1, far, 2, between, 3);
    check_merge(&wide, 1, far, 2, &joined, 1);
    check_merge(&one, 0, &wide, 1, &wide, 1);
    check_merge(&one, 1, &wide, 1, &wide, 1);
}

TEST(the_second_one_says_when_and_where)
{
    static const struct guard_run one = { 5, 1 };
    struct guard_list a = list_of(0, &one, 1), b = list_of(1, &one, 1), made;
    const char *why;
    size_t size;

    b.head.made = 77;
    b.head.machine.n_modules = 4;
    size = guard_merge(&a, &b, three[2], sizeof(three[2]));
    assert_int_equal(guard_list_open(three[2], size, &made, &why), STATUS_OK);
    assert_int_equal(made.head.made, 77);
    assert_int_equal(made.head.machine.n_modules, 4);
    assert_int_equal(guard_merge(NULL, &b, three[2], sizeof(three[2])), size);
}

TEST(what_does_not_fit_makes_none)
{
    static const struct guard_run one = { 5, 1 }, other = { 7, 1 };
    struct guard_list a = list_of(0, &one, 1), b = list_of(1, &other, 1);

    assert_int_equal(guard_merge(&a, &b, three[2], 132), 132);
    assert_int_equal(guard_merge(&a, &b, three[2], 131), 0);
}

TEST(a_run_has_to_be_held_whole)
{
    static const struct guard_run whole[] = { { 4, 4 }, { 10, 1 } };
    static const struct {
        struct guard_run run;
        bool held;
    } cases[] = {
        { { 4, 4 }, true },  { { 5, 2 }, true },  { { 10, 1 }, true },  { { 3, 2 }, false },
        { { 7, 2 }, false }, { { 8, 1 }, false }, { { 10, 2 }, false }, { { 11, 1 }, false },
    };
    struct guard_list list = list_of(0, whole, 2);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_list part = list_of(1, &cases[i].run, 1);

        assert_int_equal(guard_list_holds(&list, &part), cases[i].held);
    }
}

static const uint8_t key[HMAC_BYTES] = { 3, 1, 4, 1, 5, 9 };
static const struct guard_run signed_runs[] = { { 5, 1 }, { 0x12345, 3 }, { 0x4000000, 500 } };

/* docs/guard-forms.md, byte by byte. */
TEST(has_the_documented_hmac)
{
    size_t size = make_list(signed_runs, 3, bytes, ROOM);
    uint8_t wanted[HMAC_BYTES];

    hmac_sha256(key, sizeof(key),
                (struct hmac_part[]){ { "okram guard list", 17 }, { bytes + 12, size - 12 } }, 2,
                wanted);
    guard_list_sign(bytes, key);
    assert_memory_equal(bytes + 96, wanted, sizeof(wanted));
}

TEST(a_signed_list_is_a_list)
{
    size_t size = make_list(signed_runs, 3, bytes, ROOM);
    struct guard_list list = open_list(bytes, size);

    assert_false(guard_list_is_signed(&list, key));
    guard_list_sign(bytes, key);
    list = open_list(bytes, size);
    assert_true(guard_list_is_signed(&list, key));
    assert_null(guard_fingerprint_differs(&list.head.machine, &sample_machine));
    memset(bytes + size, 0xff, ROOM - size); /* what follows does not count */
    list = open_list(bytes, ROOM);
    assert_true(guard_list_is_signed(&list, key));
}

TEST(another_key_signs_another_list)
{
    size_t size = make_list(signed_runs, 3, bytes, ROOM);
    uint8_t other[HMAC_BYTES];
    struct guard_list list;

    guard_list_sign(bytes, key);
    list = open_list(bytes, size);
    for (size_t bit = 0; bit < 8 * sizeof(key); bit++) {
        memcpy(other, key, sizeof(other));
        other[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(guard_list_is_signed(&list, other));
    }
}

/* Whatever is changed, with a CRC that is right: it is not a list, or not signed. */
TEST(a_changed_list_is_not_signed)
{
    size_t size = make_list(signed_runs, 3, bytes, ROOM);
    unsigned n_lists = 0;
    struct guard_list list;
    const char *why;

    guard_list_sign(bytes, key);
    for (size_t bit = 8 * 12; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        mend_crc(bytes, size);
        if (guard_list_open(bytes, size, &list, &why) == STATUS_OK) {
            assert_false(guard_list_is_signed(&list, key));
            n_lists++;
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_in_range(n_lists, 8 * (HMAC_BYTES + 48), 8 * size);
    mend_crc(bytes, size);
    list = open_list(bytes, size);
    assert_true(guard_list_is_signed(&list, key));
}

TEST(an_old_list_is_not_signed)
{
    struct guard_list list = open_list(bytes, make_old_list(signed_runs, 3, bytes, ROOM));

    assert_false(guard_list_is_signed(&list, key));
}
