// SPDX-License-Identifier: MIT
#include "guardlist/ram_use.h"

#include "lib/splitmix.h"
#include "samples.h"

#define BELOW_4G (UINT64_C(1) << 20)
#define ROOM     4096
#define SMALL    256 /* pages of a random machine */

static uint8_t bytes[ROOM], masked_bytes[ROOM], usable_bytes[ROOM];

static struct guard_list list_of(const struct guard_run *run, size_t n)
{
    return open_list(bytes, make_list(run, n, bytes, ROOM));
}

TEST(sorts_and_parts)
{
    struct guard_piece piece[] = {
        { 30, 10, GUARD_HELD },
        { 0, 10, GUARD_FREE },
        { 5, 10, GUARD_KEPT },    /* its first half is in the one before */
        { 6, 2, GUARD_UNUSABLE }, /* all of it is */
        { 50, 0, GUARD_FREE },
        { GUARD_LIST_PAGES - 1, 2, GUARD_FREE },
        { GUARD_LIST_PAGES - 2, 2, GUARD_FREE }, /* up to the last page of a list */
        { UINT64_MAX, UINT64_MAX, GUARD_FREE },
        { 60, UINT64_MAX, GUARD_FREE },
    };
    static const struct guard_piece sorted[] = { { 0, 10, GUARD_FREE },
                                                 { 10, 5, GUARD_KEPT },
                                                 { 30, 10, GUARD_HELD },
                                                 { GUARD_LIST_PAGES - 2, 2, GUARD_FREE } };
    struct guard_ram_use pieces = { piece, sizeof(piece) / sizeof(piece[0]) };

    guard_ram_use_sort(&pieces);
    assert_int_equal(pieces.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(piece[i].first == sorted[i].first && piece[i].n == sorted[i].n &&
                    piece[i].use == sorted[i].use);
    assert_int_equal(guard_ram_use_bytes(&pieces), 27 * 4096);
}

TEST(finds_the_first_part)
{
    struct guard_piece piece[] = { { 0, 10, GUARD_FREE },
                                   { 10, 5, GUARD_KEPT },
                                   { 30, 10, GUARD_HELD } };
    const struct guard_ram_use pieces = { piece, 3 }, none = { NULL, 0 };
    static const struct {
        struct guard_run run;
        uint64_t first, n;
        enum guard_use use;
    } parts[] = {
        { { 0, 1 }, 0, 1, GUARD_FREE },      { { 9, 1 }, 9, 1, GUARD_FREE },
        { { 9, 2 }, 9, 1, GUARD_FREE },      { { 10, 100 }, 10, 5, GUARD_KEPT },
        { { 15, 100 }, 30, 10, GUARD_HELD }, { { 29, 2 }, 30, 1, GUARD_HELD },
        { { 29, 1 }, 29, 0, GUARD_FREE },    { { 40, 1 }, 40, 0, GUARD_FREE },
        { { 39, 9 }, 39, 1, GUARD_HELD },
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        struct guard_piece p = guard_ram_use_part(&pieces, parts[i].run);

        assert_true(p.first == parts[i].first && p.n == parts[i].n);
        assert_int_equal(p.use, parts[i].use);
    }
    assert_int_equal(guard_ram_use_part(&none, (struct guard_run){ 5, 5 }).n, 0);
}

TEST(half_of_the_free_memory_is_too_much)
{
    struct guard_piece piece[] = { { 0, 1000, GUARD_FREE },
                                   { 1000, 5000, GUARD_HELD },
                                   { BELOW_4G - 100, 3100, GUARD_FREE } };
    const struct guard_ram_use pieces = { piece, 3 };
    static const struct {
        struct guard_run run[2];
        bool too_much;
    } lists[] = {
        { { { 0, 550 } }, false }, /* of 1100 below 4 GiB */
        { { { 0, 551 } }, true },
        { { { BELOW_4G, 2050 } }, false }, /* of 4100 */
        { { { BELOW_4G, 2051 } }, true },
        { { { 0, 50 }, { BELOW_4G, 2001 } }, true },
        { { { 2000, 4000 }, { BELOW_4G + 3000, 1 << 30 } }, false }, /* none of it is free */
        { { { 0, GUARD_LIST_PAGES } }, true },
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct guard_list list = list_of(lists[i].run, lists[i].run[1].n ? 2 : 1);

        assert_int_equal(guard_takes_too_much(&list, &pieces), lists[i].too_much);
    }
}

TEST(says_what_is_masked_and_who_uses_the_rest)
{
    static const struct {
        struct guard_counts counts;
        const char *note, *text;
    } cases[] = {
        { { 1, 1, 0, 0 }, "", "1 bad page masked" },
        { { 1, 2, 0, 0 }, "at a start", "2 bad pages masked (at a start)" },
        { { 2, 1, 1, 0 },
          "",
          "1 of 2 bad pages masked; firmware still uses the other: replace the module" },
        { { 5, 1, 2, 2 },
          "",
          "1 of 5 bad pages masked; Windows still uses the other 4: replace the module" },
        { { 5, 1, 2, 1 },
          "why",
          "1 of 5 bad pages masked (why); Windows and Linux still use the other 4: replace the "
          "module" },
        { { 1, 0, 1, 0 },
          "",
          "0 of 1 bad page masked; firmware still uses it: replace the module" },
        { { 2, 0, 1, 1 },
          "",
          "0 of 2 bad pages masked; Windows still uses them: replace the module" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[200];
        struct fmt_buffer out = fmt_buffer_make(text, sizeof(text));

        guard_append_masked(&cases[i].counts, cases[i].note, &out);
        assert_string_equal(text, cases[i].text);
    }
}

/* Page by page: what each is, by a table, is what the tally says. */
TEST(random_machines)
{
    uint64_t seed = 5;

    for (unsigned round = 0; round < 2000; round++) {
        struct guard_piece piece[SMALL];
        struct guard_ram_use pieces = { piece, 0 };
        struct guard_run run[SMALL];
        int use[SMALL];
        uint64_t expected[6] = { 0 };
        size_t n_runs = 0;
        struct guard_writer masked = guard_writer_begin(masked_bytes, ROOM);
        struct guard_writer usable = guard_writer_begin(usable_bytes, ROOM);
        struct guard_tally t;
        struct guard_list list;

        for (uint64_t at = 0, n; at < SMALL; at += n) {
            int kind = (int)splitmix_below(&seed, 5);

            n = 1 + splitmix_below(&seed, 20);
            n = n < SMALL - at ? n : SMALL - at;
            for (uint64_t i = 0; i < n; i++)
                use[at + i] = kind;
            if (kind < 4)
                piece[pieces.n++] = (struct guard_piece){ at, n, (enum guard_use)kind };
        }
        for (uint64_t at = splitmix_below(&seed, 30), n; at < SMALL;
             at += n + 1 + splitmix_below(&seed, 30)) {
            n = 1 + splitmix_below(&seed, 30);
            run[n_runs++] = (struct guard_run){ at, n };
            for (uint64_t i = at; i < at + n; i++)
                expected[i < SMALL ? use[i] : 4]++;
        }
        list = list_of(run, n_runs);
        guard_tally(&list, &pieces, &masked, &usable, &t);
        assert_int_equal(t.free, expected[GUARD_FREE]);
        assert_int_equal(t.held, expected[GUARD_HELD]);
        assert_int_equal(t.kept, expected[GUARD_KEPT]);
        assert_int_equal(t.masked, expected[GUARD_UNUSABLE]);
        assert_int_equal(t.outside, expected[4]);
        list = open_list(masked_bytes, guard_writer_end(&masked, &sample_machine, 0));
        assert_int_equal(list.head.n_pages, t.masked);
        list = open_list(usable_bytes, guard_writer_end(&usable, &sample_machine, 0));
        assert_int_equal(list.head.n_pages, t.free + t.held);
    }
}
