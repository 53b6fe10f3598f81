// SPDX-License-Identifier: MIT
#include "boot/stop/wants_qemu_exit.h"

#include <stddef.h>

#include "lib/string.h"
#include "options/words.h"

#define KEY "exit="

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

bool wants_qemu_exit(const char *options, bool before)
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
