// SPDX-License-Identifier: MIT
#include "sel/sel_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void the_verdict_and_the_pages(void **state)
{
    static const struct {
        struct sel_verdict verdict;
        uint8_t record[SEL_RECORD_BYTES];
    } cases[] = {
        { { VERDICT_PASS, true, 0, 1 }, { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'P', 1, [15] = 1 } },
        { { VERDICT_FAIL, false, 0x12345, 0x1234 },
          { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'F', 0, 0, 1, 0x23, 0x45, 0x12, 0x34 } },
        { { VERDICT_STOPPED, false, UINT64_C(1) << 32, 0x10000 },
          { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'S', 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
        { { VERDICT_CORRECTED, true, 0, 0 }, { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'C', 1 } },
        { { VERDICT_ERROR, false, 0, 0 }, { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'E', 0 } },
    };
    uint8_t record[SEL_RECORD_BYTES];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sel_record_make(&cases[i].verdict, record);
        assert_memory_equal(record, cases[i].record, sizeof(record));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_verdict_and_the_pages) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
