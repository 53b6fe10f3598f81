// SPDX-License-Identifier: MIT
#include "boot/stop/stop.h"

#include <stddef.h>

#include "boot/boot_info.h"
#include "io/fw_cfg.h"
#include "io/ports.h"
#include "lib/string.h"
#include "options/words.h"

#define EXIT_PORT   0xf4
#define EXIT_FAILED 2
#define KEY         "exit="

/* No pointers: nothing relocates them. */
static const char others[][sizeof("poweroff")] = { "wait", "reboot", "poweroff" };

static bool is_other(const char *value)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(value, others[i]) == 0)
            return true;
    }
    return false;
}

/*
 * Whether exit=qemu holds after these options (options/words.h), where `before` says whether it
 * held until then: the last exit= counts, and one that is malformed changes nothing.
 */
static bool wants_qemu_exit(const char *options, bool before)
{
    struct word word;
    bool asked = before;

    while (word_next(&options, &word)) {
        const char *value = word.text + strlen(KEY);

        if (word.too_long || word.unclosed || strncmp(word.text, KEY, strlen(KEY)) != 0)
            continue;
        if (strcmp(value, "qemu") == 0)
            asked = true;
        else if (is_other(value))
            asked = false;
    }
    return asked;
}

_Noreturn void stop(const char *conf, const char *cmdline)
{
    char qemu[BOOT_CMDLINE_MAX];
    bool asked = wants_qemu_exit(cmdline, wants_qemu_exit(conf, false));

    if (fw_cfg_read_string("opt/okram/cmdline", qemu, sizeof(qemu)) != STATUS_NOT_FOUND)
        asked = wants_qemu_exit(qemu, asked);
    if (asked)
        io_out8(EXIT_PORT, EXIT_FAILED);
    for (;;)
        __asm__ volatile("cli; hlt");
}
