// SPDX-License-Identifier: MIT
#include "sweep/unit_check.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

static _Alignas(64) struct line lines[UNIT_CHECK_LINES];
static const struct line_ops *ops[LINE_OPS_MAX];

static size_t list_ops(void)
{
    return line_ops_list((struct line_features){ .avx2 = __builtin_cpu_supports("avx2"),
                                                 .avx512 = __builtin_cpu_supports("avx512f") },
                         ops);
}

TEST(this_cpu_computes_right)
{
    size_t n = list_ops();

    assert_true(n >= 2);
    assert_null(unit_check(ops, n, lines));
}

/* As line_ops.h says it. */
TEST(all_instruction_sets_mix_alike)
{
    for (size_t i = 0, n = list_ops(); i < n; i++) {
        uint64_t seed = 5;

        for (size_t k = 0; k < sizeof(lines) / 8; k++)
            lines->word[k] = splitmix_next(&seed);
        seed = 5;
        ops[i]->mix(lines, UNIT_CHECK_LINES - 1);
        for (size_t k = 0; k < sizeof(lines) / 8; k++) {
            uint64_t w = splitmix_next(&seed);
            uint64_t mixed = (w & UINT32_MAX) * (w >> 32) ^ (w << 32 | w >> 32);

            assert_int_equal(lines->word[k], k < 8 * (UNIT_CHECK_LINES - 1) ? mixed : w);
        }
    }
}

static void lose_a_lane(struct line *at, size_t n)
{
    line_ops_sse2.mix(at, n);
    at[n / 2].word[5] ^= UINT64_C(1) << 40;
}

static void keep_stale(struct line *at, size_t n)
{
    struct line stale = at[3];

    line_ops_scalar.mix(at, n);
    at[3] = stale;
}

TEST(one_wrong_bit_or_stale_line_is_seen)
{
    const struct line_ops lane = { .name = "lane", .mix = lose_a_lane };
    const struct line_ops cache = { .name = "cache", .mix = keep_stale };
    const struct line_ops *const wrong[] = { &line_ops_scalar, &lane }, *const stale[] = { &cache };

    assert_string_equal(unit_check(wrong, 2, lines), "lane");
    assert_string_equal(unit_check(stale, 1, lines), "cache");
}
