// SPDX-License-Identifier: MIT
#include "acpi/cedt.h"

#include "firmware/builder.h"
#include "firmware/damage.h"

#define GIB UINT64_C(0x40000000)

static struct cedt cedt;
static struct warning_log log_;

static enum status read_built(struct builder *b)
{
    struct warnings warnings = warnings_to(&log_);
    struct acpi_header *table = builder_table(b);
    enum status status;

    memset(&cedt, 0xaa, sizeof(cedt));
    memset(&log_, 0, sizeof(log_));
    status = cedt_read(table, &warnings, &cedt);
    free(table);
    return status;
}

/* CXL 3.1, 9.18.1.3, with two host bridges. */
static void add_window(struct builder *b, uint64_t base, uint64_t size)
{
    uint8_t e[44] = { 1, 0, 44, 0 };

    memcpy(e + 8, &base, 8);
    memcpy(e + 16, &size, 8);
    builder_add(b, e, sizeof(e));
}

static void reads_windows(void **state)
{
    static const uint8_t empty[4] = { 9, 0, 4, 0 }, host_bridge[32] = { 0, 0, 32, 0, 7 };
    struct builder b;

    builder_begin(&b, "CEDT", 1, 36);
    builder_add(&b, empty, sizeof(empty));
    builder_add(&b, host_bridge, sizeof(host_bridge));
    add_window(&b, 64 * GIB, 16 * GIB);
    add_window(&b, 0 - 4 * GIB, 4 * GIB); /* up to the end of the address space */
    assert_int_equal(read_built(&b), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(cedt.n, 2);
    assert_int_equal(cedt.window[0].base, 64 * GIB);
    assert_int_equal(cedt.window[0].size, 16 * GIB);
    assert_int_equal(cedt.window[1].base, 0 - 4 * GIB);
}

static void leaves_out_what_is_wrong(void **state)
{
    static const uint8_t is_short[16] = { 1, 0, 16, 0 };
    struct builder b;

    builder_begin(&b, "CEDT", 1, 36);
    builder_add(&b, is_short, sizeof(is_short));
    add_window(&b, GIB, 0);
    add_window(&b, 0 - GIB, 2 * GIB);
    add_window(&b, GIB, GIB);
    assert_int_equal(read_built(&b), STATUS_OK);
    assert_int_equal(cedt.n, 1);
    assert_warned(&log_, 1, "CEDT: malformed memory windows, ignored: 3");
}

static void stops_at_an_impossible_length(void **state)
{
    static const uint8_t no_length[8] = { 1 };
    struct builder b;

    builder_begin(&b, "CEDT", 1, 36);
    add_window(&b, GIB, GIB);
    builder_add(&b, no_length, sizeof(no_length));
    assert_int_equal(read_built(&b), STATUS_OK);
    assert_int_equal(cedt.n, 1);
    assert_warned(&log_, 1, "CEDT: a structure has an impossible length; bytes not read: 8");
}

static void lists_64_windows(void **state)
{
    struct builder b;

    builder_begin(&b, "CEDT", 1, 36);
    for (uint64_t i = 0; i < CEDT_WINDOWS_MAX + 2; i++)
        add_window(&b, i * GIB, GIB);
    assert_int_equal(read_built(&b), STATUS_OK);
    assert_int_equal(cedt.n, CEDT_WINDOWS_MAX);
    assert_warned(&log_, 1, "CEDT: memory windows beyond the first 64, not listed: 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_windows),
        cmocka_unit_test(leaves_out_what_is_wrong),
        cmocka_unit_test(stops_at_an_impossible_length),
        cmocka_unit_test(lists_64_windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
