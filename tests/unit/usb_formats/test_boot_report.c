// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "usb_formats/boot_report.h"

#define LAST -2 /* after the keys expected */

static void reports_give_keys(void **state)
{
    static const struct {
        uint8_t bytes[10];
        size_t n;
        int keys[7];
    } reports[] = {
        { { 0 }, 8, { LAST } },
        { { 0, 0, 0x14 }, 8, { 'q', LAST } },
        { { 0, 0, 0x14 }, 8, { LAST } }, /* held */
        { { 0, 0, 0x15, 0x14 }, 8, { 'r', LAST } },
        { { 0, 0, 1, 1, 1, 1, 1, 1 }, 8, { LAST } }, /* too many keys: no change */
        { { 0, 0, 0x15, 0x14 }, 8, { LAST } },
        { { 0 }, 8, { LAST } },
        { { 0, 0, 0x14 }, 2, { LAST } }, /* too short: no change */
        { { 0, 0, 0x14 }, 3, { 'q', LAST } },
        { { 0, 0, 0x1b }, 3, { 'x', LAST } },
        { { 0 }, 8, { LAST } },
        { { 0x02, 0xff, 0x0f }, 8, { 'l', LAST } }, /* with shift */
        { { 0, 0, 0x05, 0x06, 0x2c, 0x28, 0x58, 0x29 },
          8,
          { 'b', 'c', ' ', KEY_ENTER, KEY_ENTER, KEY_ESCAPE, LAST } },
        { { 0 }, 8, { LAST } },
        { { 0, 0, 4, 0xff, 0x59, 0x27, 0x13, 0x17 }, 8, { LAST } },
        { { 0, 0, 0x16 }, 8, { 's', LAST } },
        { { 0, 0, 0, 0, 0, 0, 0, 0x14, 0x15, 0x0f }, 10, { 'q', LAST } }, /* six keys, no more */
        { { 0, 0, 0, 0, 0, 0, 0, 3 }, 8, { LAST } },
        { { 0, 0, 0x15, 0, 0, 0, 0, 0x14 }, 8, { 'r', LAST } },
    };
    struct boot_keys keys = { 0 };

    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        int found[BOOT_REPORT_KEYS];
        size_t n = boot_report_keys(&keys, reports[i].bytes, reports[i].n, found);

        for (size_t k = 0; k < n; k++)
            assert_int_equal(found[k], reports[i].keys[k]);
        assert_int_equal(reports[i].keys[n], LAST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_give_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
