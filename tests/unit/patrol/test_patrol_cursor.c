// SPDX-License-Identifier: MIT
#include "boot/guard/patrol/patrol_cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
    struct patrol_cursor place;
    uint64_t packed;
} places[] = {
    { { 0, 0, 0 }, 0 },
    { { 0x100, 0, 0 }, 0x100 },
    { { 0xffffffffff, 0, 0 }, 0xffffffffff },
    { { 0, 1, 0 }, UINT64_C(1) << 40 },
    { { 0, 255, 0 }, UINT64_C(0xff) << 40 },
    { { 0, 0, 1 }, UINT64_C(1) << 48 },
    { { 0x123456789a, 2, 0xfedc }, UINT64_C(0xfedc02123456789a) },
    { { 0xffffffffff, 0xff, 0xffff }, UINT64_MAX },
};

static void packed_and_unpacked(void **state)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct patrol_cursor p = patrol_cursor_unpack(places[i].packed);

        assert_int_equal(patrol_cursor_pack(places[i].place), places[i].packed);
        assert_int_equal(p.page, places[i].place.page);
        assert_int_equal(p.unfinished, places[i].place.unfinished);
        assert_int_equal(p.lap, places[i].place.lap);
    }
}

/* A page number that is too large gets into nothing else. */
static void a_page_beyond_all_memory(void **state)
{
    assert_int_equal(patrol_cursor_pack((struct patrol_cursor){ UINT64_C(1) << 40, 0, 0 }), 0);
}

static void begins_twice_in_vain(void **state)
{
    struct patrol_cursor p = { 7, 0, 3 };

    for (int i = 0; i < PATROL_UNFINISHED_MAX; i++) {
        assert_true(patrol_cursor_may_begin(p));
        p = patrol_cursor_unpack(patrol_cursor_pack(patrol_cursor_begun(p)));
    }
    assert_false(patrol_cursor_may_begin(p));
    assert_int_equal(p.page, 7);
    assert_int_equal(p.lap, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_and_unpacked),
        cmocka_unit_test(a_page_beyond_all_memory),
        cmocka_unit_test(begins_twice_in_vain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
