#include "boot/check/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* RFC 3720, B.4, and the check value that catalogues of CRCs give. */
static void published_values(void **state)
{
    uint8_t bytes[32];

    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c("", 0), 0);
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x62a8ab43);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x46dd794e);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    assert_int_equal(crc32c(bytes, sizeof(bytes)), 0x113fdb5c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(published_values) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
