// SPDX-License-Identifier: MIT
#include "firmware/ipmi.h"

#include "fake.h"
#include "tests/unit/unit.h"

#define END 127, 4, 0, 3, 0, 0

struct list {
    uint8_t bytes[48];
    size_t length;
    struct smbios_ipmi ipmi;
};

#define LIST(interface, is_memory, base, spacing, ...)                                             \
    {                                                                                              \
        { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }),                                       \
        {                                                                                          \
            interface, is_memory, base, spacing                                                    \
        }                                                                                          \
    }
#define BASE(low, high) low, high, 0, 0, 0, 0, 0, 0

static const struct list lists[] = {
    LIST(IPMI_NONE, false, 0, 0, END),
    LIST(IPMI_KCS, false, 0xca2, 1, 38, 18, 0, 1, 1, 0x20, 0x20, 0xff, BASE(0xa3, 0x0c), 0, 0, 0, 0,
         END),
    LIST(IPMI_KCS, false, 0xca3, 4, 38, 18, 0, 1, 1, 0x20, 0x20, 0xff, BASE(0xa3, 0x0c), 0x50, 0, 0,
         0, END),
    LIST(IPMI_BT, true, 0x10ca2, 16, 38, 18, 0, 1, 3, 0x20, 0x20, 0xff, 0xa2, 0x0c, 1, 0, 0, 0, 0,
         0, 0x80, 0, 0, 0, END),
    LIST(IPMI_KCS, false, 0xca2, 0, 38, 18, 0, 1, 1, 0x20, 0x20, 0xff, BASE(0xa3, 0x0c), 0xc0, 0, 0,
         0, END),
    LIST(IPMI_NONE, false, 0xca2, 1, 38, 18, 0, 1, 9, 0x20, 0x20, 0xff, BASE(0xa3, 0x0c), 0, 0, 0,
         0, END),
    /* Without the modifier, of before SMBIOS 2.3.1; too short; the first counts. */
    LIST(IPMI_SMIC, false, 0xca8, 1, 38, 16, 0, 1, 2, 0x20, 0x20, 0xff, BASE(0xa9, 0x0c), 0, 0,
         END),
    LIST(IPMI_NONE, false, 0, 0, 38, 8, 0, 1, 1, 0x20, 0x20, 0xff, 0, 0, END),
};

TEST(where_it_is)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        uint8_t *copy = malloc(lists[i].length); /* ASan sees its end */
        struct smbios s = { .structures = copy,
                            .length = lists[i].length,
                            .n_structures = UINT32_MAX,
                            .major = 3,
                            .minor = 7 };
        struct smbios_ipmi ipmi;

        assert_non_null(copy);
        memcpy(copy, lists[i].bytes, lists[i].length);
        smbios_ipmi_read(&s, &ipmi);
        assert_int_equal(ipmi.interface, lists[i].ipmi.interface);
        assert_int_equal(ipmi.is_memory, lists[i].ipmi.is_memory);
        assert_int_equal(ipmi.base, lists[i].ipmi.base);
        assert_int_equal(ipmi.spacing, lists[i].ipmi.spacing);
        free(copy);
    }
}

TEST(the_verdict_and_the_pages)
{
    static const struct {
        struct sel_verdict verdict;
        uint8_t record[SEL_RECORD_BYTES];
    } cases[] = {
        { { "pass", true, 0, 1 }, { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'P', 1, [15] = 1 } },
        { { "fail", false, 0x12345, 0x1234 },
          { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'F', 0, 0, 1, 0x23, 0x45, 0x12, 0x34 } },
        { { "stopped", false, UINT64_C(1) << 32, 0x10000 },
          { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'S', 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
        { { "corrected", true, 0, 0 }, { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'C', 1 } },
        { { "error", false, 0, 0 }, { 0, 0, 0xe0, 'o', 'k', 'r', 'a', 'm', 'E', 0 } },
    };
    uint8_t record[SEL_RECORD_BYTES];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sel_record_make(&cases[i].verdict, record);
        assert_memory_equal(record, cases[i].record, sizeof(record));
    }
}
