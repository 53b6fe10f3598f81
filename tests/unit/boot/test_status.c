// SPDX-License-Identifier: MIT
#include "boot/guard/status.h"

#include "../guardlist/samples.h"

#include <efi.h>
#include <efilib.h>

static char stored[1024], printed[1024];
static UINT32 stored_attributes;

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    assert_true(size < sizeof(stored));
    memcpy(stored, data, size);
    stored[size] = 0;
    stored_attributes = attributes;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES services = { .SetVariable = set_variable };
EFI_RUNTIME_SERVICES *RT = &services;

/* The format is L"okram-guard: %a.\r\n". */
UINTN Print(IN CONST CHAR16 *format, ...)
{
    va_list args;

    va_start(args, format);
    strcpy(printed, va_arg(args, const char *));
    va_end(args);
    return 0;
}

static const struct {
    struct guard_source source;
    struct guard_tally tally;
    const char *line, *json;
    uint64_t reserved, n_room, n_beyond;
} cases[] = {
    { { .state = GUARD_NONE, .why = "there is no list" },
      { 0 },
      .line = "no bad page masked: there is no list",
      "\"state\":\"none\",\"source\":null,\"why\":\"there is no list\",\"made\":null,\"pages\":0,"
      "\"masked\":0,\"held\":0,\"kept\":0,\"reserved\":0,\"outside\":0,\"between\":0,\"room\":0,\"beyond\":0,\"microseconds\":5,\"patrol\":null}\n" },
    { { .state = GUARD_MASKED,
        .origin = GUARD_VARIABLE,
        .list.head = { .n_pages = 1, .made = 1795305600 } },
      { .masked = 1 },
      .line = "1 bad page masked (list in the variable, made 2026-11-22)",
      "\"state\":\"masked\",\"source\":\"variable\",\"why\":null,\"made\":\"2026-11-22\","
      "\"pages\":1,\"masked\":1,\"held\":0,\"kept\":0,\"reserved\":0,\"outside\":0,\"between\":0,\"room\":0,\"beyond\":0,\"microseconds\":5,"
      "\"patrol\":null}\n" },
    { { .state = GUARD_MASKED, .origin = GUARD_FILE, .list.head = { .n_pages = 10 } },
      { .masked = 4, .free = 1, .held = 1, .kept = 1, .outside = 3 },
      .line =
          "4 of 7 bad pages masked (list in the file); Windows still uses the other 3: replace the module; 30 "
          "good pages between them masked, too; firmware holds 3; of these Linux leaves 2 alone; 3 "
          "listed pages outside RAM",
      "\"state\":\"masked\",\"source\":\"file\",\"why\":null,\"made\":null,\"pages\":10,"
      "\"masked\":4,\"held\":3,\"kept\":1,\"reserved\":2,\"outside\":3,\"between\":30,\"room\":0,\"beyond\":0,\"microseconds\":5,\"patrol\":null}\n",
      .reserved = 2 },
    { { .state = GUARD_STALE,
        .origin = GUARD_VARIABLE,
        .why = "the memory modules changed since it was made",
        .list.head = { .n_pages = 7, .made = 1795305600 } },
      { 0 },
      .line =
          "0 bad pages masked (list in the variable, made 2026-11-22; the memory modules changed since "
          "it was made); test again with okram",
      "\"state\":\"stale\",\"source\":\"variable\",\"why\":\"the memory modules changed since it "
      "was made\",\"made\":\"2026-11-22\",\"pages\":7,\"masked\":0,\"held\":0,\"kept\":0,\"reserved\":0,"
      "\"outside\":0,\"between\":0,\"room\":0,\"beyond\":0,\"microseconds\":5,\"patrol\":null}\n" },
    { { .state = GUARD_INVALID,
        .origin = GUARD_FILE,
        .why = "it does not begin with \"OkramGrd\"" },
      { 0 },
      .line =
          "0 bad pages masked (list in the file; it does not begin with \"OkramGrd\"); test again "
          "with okram",
      "\"state\":\"invalid\",\"source\":\"file\",\"why\":\"it does not begin with "
      "\\\"OkramGrd\\\"\",\"made\":null,\"pages\":0,\"masked\":0,\"held\":0,\"kept\":0,\"reserved\":0,"
      "\"outside\":0,\"between\":0,\"room\":0,\"beyond\":0,\"microseconds\":5,\"patrol\":null}\n" },
    { { .state = GUARD_MASKED, .origin = GUARD_FILE, .list.head = { .n_pages = 200 } },
      { .masked = 100, .free = 90, .held = 10 },
      .line =
          "100 of 200 bad pages masked (list in the file); Windows and Linux still use the other 100: replace the "
          "module; firmware holds 10; 32 bad pages left in use: a system needs the memory to start; 58 bad pages left in use: too scattered; of these Linux leaves 48 alone",
      "\"state\":\"masked\",\"source\":\"file\",\"why\":null,\"made\":null,\"pages\":200,"
      "\"masked\":100,\"held\":10,\"kept\":0,\"reserved\":48,\"outside\":0,\"between\":0,\"room\":32,"
      "\"beyond\":58,\"microseconds\":5,\"patrol\":null}\n",
      .reserved = 48,
      .n_room = 32,
      .n_beyond = 58 },
    /* Of a patrol, whose list could not be written. */
    { { .state = GUARD_MASKED, .why = "it cannot be written", .list.head = { .n_pages = 1 } },
      { .masked = 1 },
      .line = "1 bad page masked (it cannot be written)",
      "\"state\":\"masked\",\"source\":null,\"why\":\"it cannot be written\",\"made\":null,"
      "\"pages\":1,\"masked\":1,\"held\":0,\"kept\":0,\"reserved\":0,\"outside\":0,\"between\":0,\"room\":0,\"beyond\":0,\"microseconds\":5,"
      "\"patrol\":null}\n" },
};

TEST(lines_and_variables)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_status status = {
            .source = &cases[i].source,
            .tally = cases[i].tally,
            .reserved = cases[i].reserved,
            .n_between = 10 * cases[i].tally.outside,
            .n_room = cases[i].n_room,
            .n_beyond = cases[i].n_beyond,
            .us = 5,
        };

        guard_status_print(&status);
        assert_string_equal(printed, cases[i].line);
        guard_status_store(&status);
        assert_non_null(strstr(stored, "{\"type\":\"guard\",\"version\":\"" OKRAM_VERSION "\","));
        assert_string_equal(strstr(stored, "\"state\""), cases[i].json);
        assert_int_equal(stored_attributes,
                         EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS);
    }
}

static const struct {
    struct guard_patrol patrol;
    const char *line, *json;
} patrols[] = {
    { { .bytes = UINT64_C(3) << 30,
        .free_bytes = UINT64_C(12) << 30,
        .next = 0x123456000,
        .us = 4987654,
        .lap = 3,
        .n_found = 1 },
      "3 GiB of 12 GiB tested in 4987 ms, 1 bad page found",
      "{\"bytes\":3221225472,\"of\":12884901888,\"next\":\"0x123456000\",\"lap\":3,\"faults\":1,"
      "\"why\":null,\"microseconds\":4987654}}\n" },
    { { .bytes = 1 << 20, .free_bytes = 2 << 20, .us = 999, .why = "a key was pressed" },
      "1 MiB of 2 MiB tested in 0 ms, 0 bad pages found: a key was pressed",
      "{\"bytes\":1048576,\"of\":2097152,\"next\":\"0x0\",\"lap\":0,\"faults\":0,"
      "\"why\":\"a key was pressed\",\"microseconds\":999}}\n" },
    { { .next = 0x1000, .why = "it did not end" },
      "no memory tested: it did not end",
      "{\"bytes\":0,\"of\":0,\"next\":\"0x1000\",\"lap\":0,\"faults\":0,"
      "\"why\":\"it did not end\",\"microseconds\":0}}\n" },
};

TEST(with_a_patrol)
{
    for (size_t i = 0; i < sizeof(patrols) / sizeof(patrols[0]); i++) {
        static const char name[] = "\"patrol\":";
        struct guard_status status = { .source = &cases[0].source, .patrol = &patrols[i].patrol };
        const char *found;

        guard_status_print(&status);
        assert_string_equal(printed, patrols[i].line);
        guard_status_store(&status);
        found = strstr(stored, name);
        assert_non_null(found);
        assert_string_equal(found + strlen(name), patrols[i].json);
    }
}
