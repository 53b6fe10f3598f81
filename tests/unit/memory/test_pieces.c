// SPDX-License-Identifier: MIT
#include "memory/pieces.h"

#include "tests/unit/unit.h"

#define ROOM 16

/* Compared by address, as the code does. */
static const char arena[] = "arena", range[] = "range", partial[] = "partial";

/* A heap block of exactly max pieces, so that ASan sees a write past it. */
static struct pieces make(size_t max)
{
    struct pieces p = { .piece = calloc(max, sizeof(struct piece)), .max = max };

    assert_non_null(p.piece);
    return p;
}

static void assert_same(const struct pieces *p, const struct piece *want, size_t n)
{
    assert_int_equal(p->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(p->piece[i].span.base, want[i].span.base);
        assert_int_equal(p->piece[i].span.size, want[i].span.size);
        assert_ptr_equal(p->piece[i].why, want[i].why);
    }
}

TEST(adds_up_to_the_limit)
{
    struct pieces p = make(2);
    const struct piece want[] = { { { 0, 4096 }, NULL }, { { 8192, 64 }, arena } };

    assert_int_equal(pieces_add(&p, want[0].span, NULL), STATUS_OK);
    assert_int_equal(pieces_add(&p, want[1].span, arena), STATUS_OK);
    assert_int_equal(pieces_add(&p, (struct span){ 16384, 64 }, NULL), STATUS_NO_SPACE);
    assert_same(&p, want, 2);
    free(p.piece);
}

/* One piece of 0x1000 to 0x5000, and what is left of it. */
TEST(excludes_every_way)
{
    static const struct {
        struct span out;
        struct piece want[3];
        size_t n;
    } cases[] = {
        { { 0, 0x1000 }, { { { 0x1000, 0x4000 }, NULL } }, 1 },
        { { 0x5000, 0x1000 }, { { { 0x1000, 0x4000 }, NULL } }, 1 },
        { { 0x2000, 0 }, { { { 0x1000, 0x4000 }, NULL } }, 1 },
        { { 0x1000, 0x4000 }, { { { 0x1000, 0x4000 }, arena } }, 1 },
        { { 0, UINT64_MAX }, { { { 0x1000, 0x4000 }, arena } }, 1 },
        { { 0, 0x1001 }, { { { 0x1000, 1 }, arena }, { { 0x1001, 0x3fff }, NULL } }, 2 },
        { { 0x1000, 1 }, { { { 0x1000, 1 }, arena }, { { 0x1001, 0x3fff }, NULL } }, 2 },
        { { 0x4fff, 1 }, { { { 0x1000, 0x3fff }, NULL }, { { 0x4fff, 1 }, arena } }, 2 },
        { { 0x4fff, 9 }, { { { 0x1000, 0x3fff }, NULL }, { { 0x4fff, 1 }, arena } }, 2 },
        { { 0x2000, 0x1000 },
          { { { 0x1000, 0x1000 }, NULL },
            { { 0x2000, 0x1000 }, arena },
            { { 0x3000, 0x2000 }, NULL } },
          3 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pieces p = make(3);

        assert_int_equal(pieces_add(&p, (struct span){ 0x1000, 0x4000 }, NULL), STATUS_OK);
        assert_int_equal(pieces_exclude(&p, cases[i].out, arena), STATUS_OK);
        assert_same(&p, cases[i].want, cases[i].n);
        free(p.piece);
    }
}

TEST(excludes_on_both_sides_of_1_mib_and_4_gib)
{
    struct pieces p = make(ROOM);
    const struct piece want[] = {
        { { MIB - 4096, 4095 }, NULL },           { { MIB - 1, 2 }, arena },
        { { MIB + 1, 4 * GIB - MIB - 2 }, NULL }, { { 4 * GIB - 1, 2 }, arena },
        { { 4 * GIB + 1, GIB - 1 }, NULL },
    };

    pieces_add(&p, (struct span){ MIB - 4096, 5 * GIB - MIB + 4096 }, NULL);
    assert_int_equal(pieces_exclude(&p, (struct span){ MIB - 1, 2 }, arena), STATUS_OK);
    assert_int_equal(pieces_exclude(&p, (struct span){ 4 * GIB - 1, 2 }, arena), STATUS_OK);
    assert_same(&p, want, COUNT(want));
    assert_int_equal(pieces_untested_bytes(&p), 4);
    assert_int_equal(pieces_tested_bytes(&p), 5 * GIB - MIB + 4096 - 4);
    free(p.piece);
}

TEST(keeps_the_first_reason)
{
    struct pieces p = make(ROOM);
    const struct piece want[] = {
        { { 0, 0x800 }, NULL },        { { 0x800, 0x800 }, range },
        { { 0x1000, 0x1000 }, arena }, { { 0x2000, 0x1000 }, partial },
        { { 0x8000, 0x1000 }, range }, { { 0x9000, 0x1000 }, NULL },
    };

    pieces_add(&p, (struct span){ 0, 0x2000 }, NULL);
    pieces_add(&p, (struct span){ 0x2000, 0x1000 }, partial);
    pieces_add(&p, (struct span){ 0x8000, 0x2000 }, NULL);
    assert_int_equal(pieces_exclude(&p, (struct span){ 0x1000, 0x1000 }, arena), STATUS_OK);
    assert_int_equal(pieces_exclude(&p, (struct span){ 0x800, 0x9000 - 0x800 }, range), STATUS_OK);
    assert_same(&p, want, COUNT(want));
    free(p.piece);
}

/* Without room to split, more is left out than asked for: never less. */
TEST(leaves_out_whole_pieces_when_full)
{
    static const struct {
        size_t max;
        struct piece want[2];
        size_t n;
    } cases[] = {
        { 1, { { { 0, 0x3000 }, arena } }, 1 },
        { 2, { { { 0, 0x1000 }, NULL }, { { 0x1000, 0x2000 }, arena } }, 2 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pieces p = make(cases[i].max);

        pieces_add(&p, (struct span){ 0, 0x3000 }, NULL);
        assert_int_equal(pieces_exclude(&p, (struct span){ 0x1000, 0x1000 }, arena),
                         STATUS_NO_SPACE);
        assert_same(&p, cases[i].want, cases[i].n);
        free(p.piece);
    }
}

TEST(trims_to_lines)
{
    static const struct {
        struct span in;
        struct piece want[3];
        size_t n;
    } cases[] = {
        { { 0x1000, 64 }, { { { 0x1000, 64 }, NULL } }, 1 },
        { { 0x1000, 63 }, { { { 0x1000, 63 }, partial } }, 1 },
        { { 0x1001, 63 }, { { { 0x1001, 63 }, partial } }, 1 },
        { { 0x1001, 126 }, { { { 0x1001, 126 }, partial } }, 1 }, /* two lines, none whole */
        { { 0x1000, 65 }, { { { 0x1000, 64 }, NULL }, { { 0x1040, 1 }, partial } }, 2 },
        { { 0x103f, 65 }, { { { 0x103f, 1 }, partial }, { { 0x1040, 64 }, NULL } }, 2 },
        { { MIB - 1, 66 },
          { { { MIB - 1, 1 }, partial }, { { MIB, 64 }, NULL }, { { MIB + 64, 1 }, partial } },
          3 },
        { { 4 * GIB - 65, 66 },
          { { { 4 * GIB - 65, 1 }, partial },
            { { 4 * GIB - 64, 64 }, NULL },
            { { 4 * GIB, 1 }, partial } },
          3 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pieces p = make(3);

        pieces_add(&p, cases[i].in, NULL);
        assert_int_equal(pieces_trim_to_lines(&p, partial), STATUS_OK);
        assert_same(&p, cases[i].want, cases[i].n);
        free(p.piece);
    }
}

TEST(trims_only_what_is_tested)
{
    struct pieces p = make(ROOM);
    const struct piece want[] = {
        { { 1, 100 }, arena },
        { { 101, 27 }, partial },
        { { 128, 64 }, NULL },
        { { 192, 8 }, partial },
    };

    pieces_add(&p, (struct span){ 1, 100 }, arena);
    pieces_add(&p, (struct span){ 101, 99 }, NULL);
    assert_int_equal(pieces_trim_to_lines(&p, partial), STATUS_OK);
    assert_same(&p, want, COUNT(want));
    free(p.piece);
}

TEST(joins_what_touches_and_agrees)
{
    struct pieces p = make(ROOM);
    const struct piece want[] = {
        { { 0, 0x3000 }, NULL },       { { 0x3000, 0x2000 }, arena },
        { { 0x5000, 0x1000 }, range }, { { 0x7000, 0x1000 }, range }, /* a gap before it */
        { { 0x8000, 0x1000 }, NULL },
    };

    for (uint64_t page = 0; page < 3; page++)
        pieces_add(&p, (struct span){ page << 12, 0x1000 }, NULL);
    pieces_add(&p, (struct span){ 0x3000, 0x1000 }, arena);
    pieces_add(&p, (struct span){ 0x4000, 0x1000 }, arena);
    pieces_add(&p, (struct span){ 0x5000, 0x1000 }, range);
    pieces_add(&p, (struct span){ 0x7000, 0x1000 }, range);
    pieces_add(&p, (struct span){ 0x8000, 0x1000 }, NULL);
    pieces_join(&p);
    assert_same(&p, want, COUNT(want));
    assert_int_equal(pieces_tested_bytes(&p), 0x4000);
    assert_int_equal(pieces_untested_bytes(&p), 0x4000);
    free(p.piece);
}

TEST(of_nothing)
{
    struct pieces p = make(1);

    assert_int_equal(pieces_exclude(&p, (struct span){ 0, UINT64_MAX }, arena), STATUS_OK);
    assert_int_equal(pieces_trim_to_lines(&p, partial), STATUS_OK);
    pieces_join(&p);
    assert_int_equal(p.n, 0);
    assert_int_equal(pieces_tested_bytes(&p), 0);
    assert_int_equal(pieces_untested_bytes(&p), 0);
    free(p.piece);
}

/* A small memory, byte by byte: whether it is RAM, and why it is not tested. */
#define BYTES 1024

static struct byte {
    bool ram;
    const char *why;
} model[BYTES];

static struct span random_span(void)
{
    uint64_t base = (uint64_t)rand() % BYTES;

    return (struct span){ base, 1 + (uint64_t)rand() % (BYTES - base) };
}

static void random_ram(struct pieces *p)
{
    memset(model, 0, sizeof(model));
    for (uint64_t at = (uint64_t)rand() % 64; at < BYTES && p->n < 6;) {
        uint64_t size = 1 + (uint64_t)rand() % 256;

        size = size < BYTES - at ? size : BYTES - at;
        pieces_add(p, (struct span){ at, size }, NULL);
        for (uint64_t i = at; i < at + size; i++)
            model[i].ram = true;
        at += size + (uint64_t)(rand() % 2 ? rand() % 100 : 0);
    }
}

/* Disjoint, sorted, all RAM and nothing else; not more tested than the model, or exactly that. */
static void assert_like_model(const struct pieces *p, bool exactly)
{
    uint64_t at = 0, tested = 0, untested = 0;

    for (size_t i = 0; i < p->n; i++) {
        struct piece piece = p->piece[i];

        assert_true(piece.span.size > 0 && piece.span.base >= at);
        for (; at < piece.span.base; at++)
            assert_false(model[at].ram);
        for (; at < span_end(piece.span); at++) {
            assert_true(model[at].ram);
            if (exactly)
                assert_ptr_equal(piece.why, model[at].why);
            else
                assert_true(piece.why || !model[at].why);
        }
        *(piece.why ? &untested : &tested) += piece.span.size;
    }
    for (; at < BYTES; at++)
        assert_false(model[at].ram);
    assert_int_equal(pieces_tested_bytes(p), tested);
    assert_int_equal(pieces_untested_bytes(p), untested);
}

TEST(like_a_map_of_bytes)
{
    static const char *const reasons[] = { arena, range };

    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct pieces p = make(6 + (size_t)rand() % 20);
        bool exactly = true;

        random_ram(&p);
        for (int i = 0; i < 6; i++) {
            struct span s = random_span();
            const char *why = reasons[rand() % 2];

            exactly &= pieces_exclude(&p, s, why) == STATUS_OK;
            for (uint64_t at = s.base; at < span_end(s); at++) {
                if (!model[at].why)
                    model[at].why = why;
            }
            if (rand() % 4 == 0)
                pieces_join(&p);
            assert_like_model(&p, exactly);
        }
        pieces_trim_to_lines(&p, partial);
        assert_like_model(&p, false);
        for (size_t i = 0; i < p.n; i++) {
            if (!p.piece[i].why)
                assert_int_equal((p.piece[i].span.base | p.piece[i].span.size) % LINE_SIZE, 0);
        }
        free(p.piece);
    }
}

TEST(lists_what_is_tested)
{
    static const struct span tested[] = { { 0x1000, 0x2000 }, { 0x3000, 0x40 } };
    struct span span[2];
    struct spans list = { .span = span, .max = 1 };
    struct pieces p = make(3);

    pieces_add(&p, tested[0], NULL);
    pieces_add(&p, tested[1], NULL); /* not joined */
    pieces_add(&p, (struct span){ 0x4000, 0x1000 }, range);
    assert_int_equal(pieces_tested(&p, &list), STATUS_NO_SPACE);
    list = (struct spans){ .span = span, .max = 2 };
    assert_int_equal(pieces_tested(&p, &list), STATUS_OK);
    assert_int_equal(list.n, 2);
    assert_memory_equal(span, tested, sizeof(tested));
    free(p.piece);
}
