// SPDX-License-Identifier: MIT
#include "boot/stop/stop.c"

#include "io/fw_cfg.h"
#include "options/words.h"
#include "tests/unit/unit.h"

/* Of stop() itself, which does not return. */
enum status fw_cfg_read_string(const char *name, char *to, size_t size)
{
    return STATUS_NOT_FOUND;
}

static const struct {
    const char *options;
    bool before, asked;
} lists[] = {
    { "", false, false },
    { "", true, true },
    { "exit=qemu", false, true },
    { "/boot/okram.elf tests=quick exit=qemu passes=2", false, true },
    { "exit=wait", true, false },
    { "exit=reboot", true, false },
    { "exit=poweroff", true, false },
    { "exit=qemu exit=wait", false, false },
    { "exit=wait exit=qemu", false, true },
    { "exit=qemu2", false, false }, /* malformed: as if it were not there */
    { "exit=qem", false, false },
    { "exit=QEMU", false, false },
    { "exit=", true, true },
    { "exit=waits", true, true },
    { "exit", true, true },
    { "xexit=qemu", false, false },
    { "serial=exit=qemu", false, false },
    { "'exit=qemu'", false, true },
    { "'exit=qemu", false, false },
    { "'tests=quick exit=qemu'", false, false }, /* one word */
    { "# exit=qemu", false, false },
    { "# no\nexit=qemu", false, true },
};

TEST(test_last_exit_counts)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (wants_qemu_exit(lists[i].options, lists[i].before) != lists[i].asked)
            fail_msg("%s", lists[i].options);
    }
}

/* A word that is cut does not become another one. */
TEST(test_too_long)
{
    char text[WORD_MAX + 16];

    memset(text, 0, sizeof(text));
    memset(text, '"', WORD_MAX); /* dropped: the word is short after all */
    strcat(text, "exit=qemu");
    assert_true(wants_qemu_exit(text, false));
    memset(text, 0, sizeof(text));
    strcpy(text, "exit=qemu");
    memset(text + strlen(text), 'x', WORD_MAX);
    assert_false(wants_qemu_exit(text, false));
}
