// SPDX-License-Identifier: MIT
#include "saver/saving.c" /* its warnings of what was not written */

#include "tests/unit/unit.h"

#define LIST_WHY "failed (0x8)"
#define WHY      "did not return within 60 s"

static const struct {
    struct saving_failure failure;
    const char *list, *rest; /* NULL: nothing is said */
} cases[] = {
    { { 0 }, NULL, NULL },
    { { .service = "SetVariable", .status = UEFI_NO_RETURN },
      NULL,
      "UEFI's SetVariable did not return within 60 s: the report is not kept in UEFI variables "
      "from now on" },
    { { .service = "SetVariable", .step = SAVING_DUMP },
      NULL,
      "UEFI's SetVariable did not return within 60 s: the short report for Linux's pstore is not "
      "kept" },
    { { .service = "GetVariable", .step = SAVING_BOOT_NEXT },
      NULL,
      "UEFI's GetVariable did not return within 60 s: the next start follows the boot order" },
    { { .service = "SetVariable", .step = SAVING_REST },
      NULL,
      "UEFI's SetVariable did not return within 60 s: the verdict is kept in UEFI variables, but "
      "not the rest of the report" },
    { { .service = "SetVariable", .has_old = true },
      NULL,
      "UEFI's SetVariable did not return within 60 s: the report is not kept in UEFI variables "
      "from now on; the one there is of an earlier run" },
    { { .is_full = true, .remaining = 5400, .old_is_deleted = true },
      NULL,
      "UEFI's store of variables has 5400 bytes left: the report is not kept there; the one of an "
      "earlier run is deleted" },
    /* No service is known: the CPU was lost between two of them. */
    { { .is_lost = true },
      NULL,
      "the CPU that writes UEFI variables is lost: the report is not kept in UEFI variables from "
      "now on" },
    { { .is_late = true },
      NULL,
      "UEFI takes more than 180 s to write variables: the report is not kept in UEFI variables "
      "from now on" },
    { { .is_late = true, .step = SAVING_DUMP },
      NULL,
      "UEFI takes more than 180 s to write variables: the short report for Linux's pstore is not "
      "kept" },
    { { .external = { "OkramReport03", { 0 } } },
      NULL,
      "the UEFI variable OkramReport03 is not okram's: it stays, and the report is not kept in "
      "UEFI variables" },
    { { .is_full = true, .remaining = 5400 },
      NULL,
      "UEFI's store of variables has 5400 bytes left: the report is not kept there" },
    { { .is_cut = true, .remaining = 7000 },
      NULL,
      "UEFI's store of variables has 7000 bytes left: the report there is incomplete" },
    { { .cut_at = { "OkramReport03", { 0 } } },
      NULL,
      "the UEFI variable OkramReport03 is not okram's: it stays, and the report in the variables "
      "before it is incomplete" },
    { { .is_long = true },
      NULL,
      "the report in UEFI variables is shortened to what matters most: it may take up to 15 KiB there" },
    { { .slow_s = 21 },
      NULL,
      "UEFI takes 21 s to write a variable: the report in its variables is incomplete" },
    { { .list_bytes = 40, .list_remaining = 30 },
      "the list of bad pages for the guard takes 40 bytes or more, too many for UEFI's store of "
      "variables, which has 30 bytes left: it is not kept there",
      NULL },
    { { .list_bytes = 40, .list_status = UEFI_ERROR | 8, .service = "SetVariable" },
      "UEFI's SetVariable failed (0x8): the list of bad pages for the guard, 40 bytes, is not kept "
      "in a variable",
      "UEFI's SetVariable did not return within 60 s: the report is not kept in UEFI variables "
      "from now on" },
};

static char said[3][WARNING_TEXT_MAX];
static size_t n_said;

static void hear(void *ctx, const char *text)
{
    assert_true(n_said < 3);
    strcpy(said[n_said++], text);
}

TEST(each_failure_is_one_sentence)
{
    const struct warnings to = { .warn = hear };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t at = 0;

        n_said = 0;
        saving_warn(&cases[i].failure, LIST_WHY, WHY, &to);
        assert_int_equal(n_said, (cases[i].list != NULL) + (cases[i].rest != NULL));
        if (cases[i].list)
            assert_string_equal(said[at++], cases[i].list);
        if (cases[i].rest)
            assert_string_equal(said[at], cases[i].rest);
    }
}
