// SPDX-License-Identifier: MIT
#include "acpi/hpet.h"

#include "firmware/damage.h"
#include "firmware/q35.h"

#define HPET_BYTES 56

/* Field offsets of the HPET specification 1.0a, 3.2.4. */
enum { AT_SPACE = 40, AT_ADDRESS = 44 };

static struct warning_log log_;

static enum status read_one(size_t length, uint8_t space, uint64_t address, struct hpet *ret_hpet)
{
    struct warnings warnings = warnings_to(&log_);
    uint8_t bytes[HPET_BYTES] = { 0 };
    struct acpi_header *table = malloc(length);
    enum status status;

    memset(&log_, 0, sizeof(log_));
    make_header((void *)bytes, "HPET", 1);
    bytes[AT_SPACE] = space;
    memcpy(bytes + AT_ADDRESS, &address, 8);
    memcpy(table, bytes, length);
    seal_table(table, length);
    status = hpet_read(table, &warnings, ret_hpet);
    free(table);
    return status;
}

static void takes_an_address_in_memory(void **state)
{
    static const uint64_t addresses[] = { 0xfed00000, 1, 0x100000000, UINT64_MAX - 1024 };
    struct hpet h;

    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        assert_int_equal(read_one(HPET_BYTES, 0, addresses[i], &h), STATUS_OK);
        assert_int_equal(h.address, addresses[i]);
        assert_int_equal(log_.n, 0);
    }
}

static void refuses_others(void **state)
{
    static const struct {
        size_t length;
        uint8_t space;
        uint64_t address;
        const char *says;
    } cases[] = {
        { HPET_BYTES - 1, 0, 0xfed00000, "55 bytes are too short" },
        { sizeof(struct acpi_header), 0, 0, "36 bytes are too short" },
        { HPET_BYTES, 0, 0, "an invalid address" },
        { HPET_BYTES, 1, 0x608, "address space 1" },
        { HPET_BYTES, 0, UINT64_MAX - 1023, "an invalid address" },
    };
    struct hpet h = { 7 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_one(cases[i].length, cases[i].space, cases[i].address, &h),
                         STATUS_INVALID);
        assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(h.address, 7);
    }
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    struct hpet h;

    hpet_read(table, warnings, &h);
}

static void reads_a_real_machine(void **state)
{
    struct q35 q;
    struct hpet h;

    q35_open(&q, "HPET");
    assert_int_equal(hpet_read(q.table, &q.warnings, &h), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(h.address, 0xfed00000);
    damage_table(q.table, q.table->length, "HPET", read_any);
    fake_free(&q.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_an_address_in_memory),
        cmocka_unit_test(refuses_others),
        cmocka_unit_test(reads_a_real_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
