// SPDX-License-Identifier: MIT
/* What a code says is read back from pictures by tests/tools/test_qr.py. */

#include "qr/qr.h"
#include "tests/unit/unit.h"

static struct qr q;

TEST(both_sides_of_each_capacity)
{
    static char text[QR_CAPACITY_MAX + 1];

    memset(text, 'x', sizeof(text));
    assert_int_equal(qr_capacity(0), 0);
    assert_int_equal(qr_capacity(20), 0);
    for (unsigned version = 1; version <= QR_VERSION_MAX; version++) {
        unsigned size = QR_SIZE(version);
        size_t n = qr_capacity(size);

        assert_int_equal(qr_capacity(size + 3), n);
        assert_true(n > qr_capacity(size - 1));
        assert_int_equal(qr_encode(&q, text, n, size), STATUS_OK);
        assert_int_equal(q.size, size);
        assert_int_equal(qr_encode(&q, text, n + 1, size), STATUS_NO_SPACE);
        assert_int_equal(q.size, size); /* as it was */
    }
    assert_int_equal(qr_capacity(1000), QR_CAPACITY_MAX);
    assert_int_equal(qr_encode(&q, "x", 1, 1000), STATUS_OK);
    assert_int_equal(q.size, 21);
}

/* ISO/IEC 18004, 6.3: in three corners, and nothing outside. */
TEST(finder_patterns)
{
    static const char *const finder[8] = {
        "#######.", "#.....#.", "#.###.#.", "#.###.#.",
        "#.###.#.", "#.....#.", "#######.", "........",
    };

    assert_int_equal(qr_encode(&q, "badram=0x1000,0xffffffffff000", 29, 37), STATUS_OK);
    assert_int_equal(q.size, 29);
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 8; x++) {
            bool dark = finder[y][x] == '#';

            assert_int_equal(qr_is_dark(&q, x, y), dark);
            assert_int_equal(qr_is_dark(&q, q.size - 1 - x, y), dark);
            assert_int_equal(qr_is_dark(&q, x, q.size - 1 - y), dark);
        }
    assert_false(qr_is_dark(&q, q.size, 0));
    assert_false(qr_is_dark(&q, 0, q.size));
}
