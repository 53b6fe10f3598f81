// SPDX-License-Identifier: MIT
#include "findings/findings_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static char said[WARNING_TEXT_MAX];
static int n_said;

static void take(void *ctx, const char *text)
{
    n_said++;
    assert_true(strlen(text) < WARNING_TEXT_MAX);
    strcpy(said, text);
}

static const struct warnings warnings = { .warn = take };

static void not_write_back(void **state)
{
    struct findings_type t = { 512 * MIB, { 4 * GIB, 512 * MIB }, "uncacheable", 151.4, 9000 };

    findings_not_write_back(&t, &warnings);
    assert_string_equal(said,
                        "MTRRs: 512 MiB of RAM is not write-back, 0x100000000-0x11fffffff is "
                        "uncacheable: swept at 151 MB/s, other RAM at 9000 MB/s; operating systems "
                        "are slow there or leave it out: a BIOS update may help");
    t.usual_mb_s = 0;
    findings_not_write_back(&t, &warnings);
    assert_string_equal(said,
                        "MTRRs: 512 MiB of RAM is not write-back, 0x100000000-0x11fffffff is "
                        "uncacheable; operating systems are slow there or leave it out: a BIOS "
                        "update may help");
    assert_int_equal(n_said, 2);
    t.bytes = 0;
    findings_not_write_back(&t, &warnings);
    assert_int_equal(n_said, 2);
}

static void unequal(void **state)
{
    struct findings_unequal_type t = {
        4096, { 0x9e000, 4096 }, 7, 3, "write-through", "uncacheable", 8000, 12.3
    };

    n_said = 0;
    findings_unequal_types(&t, &warnings);
    assert_string_equal(said,
                        "MTRRs: 4 KiB of RAM has different types for 7 CPUs than for the boot CPU: "
                        "0x9e000-0x9efff is uncacheable for cpu 3 (swept at 12 MB/s), "
                        "write-through for cpu 0 (8000 MB/s); CPUs may read stale data there: a "
                        "BIOS update may help");
    t = (struct findings_unequal_type){ .bytes = MIB, .n_cpus = 1, .boot_type = "a", .type = "b" };
    findings_unequal_types(&t, &warnings);
    assert_non_null(strstr(said, "for 1 CPU than"));
    assert_null(strstr(said, "MB/s"));
    t.bytes = 0;
    findings_unequal_types(&t, &warnings);
    assert_int_equal(n_said, 2);
}

/* The longest numbers are not cut. */
static void longest(void **state)
{
    const uint64_t much = UINT64_C(63) << 40;
    struct findings_unequal_type t = {
        much, { much, much }, 1023, 1023, "write-combining", "of a reserved type", 1e6, 1e6
    };
    struct findings_type own = { much, { much, much }, "of a reserved type", 1e6, 1e6 };

    findings_unequal_types(&t, &warnings);
    assert_non_null(strstr(said, "may help"));
    findings_not_write_back(&own, &warnings);
    assert_non_null(strstr(said, "may help"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_write_back),
        cmocka_unit_test(unequal),
        cmocka_unit_test(longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
