// SPDX-License-Identifier: MIT
#include "usb_formats/boot_report.h"

#include <stdbool.h>

/* Byte 0 has the modifiers, byte 1 is reserved (B.1). */
#define FIRST_KEY 2

#define USAGE_LAST_ERROR 3 /* 1: too many keys, 2, 3: errors; 0: no key */

/* HID Usage Tables 1.12, 10: keyboard page. */
static const struct {
    uint8_t usage;
    int key;
} known[] = {
    { 0x14, 'q' },       { 0x15, 'r' },       { 0x0f, 'l' },        { 0x05, 'b' },
    { 0x06, 'c' },       { 0x1b, 'x' },       { 0x16, 's' },        { 0x2c, ' ' },
    { 0x28, KEY_ENTER }, { 0x58, KEY_ENTER }, { 0x29, KEY_ESCAPE },
};

static int key_of(uint8_t usage)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].usage == usage)
            return known[i].key;
    }
    return KEY_NONE;
}

static bool was_down(const struct boot_keys *keys, uint8_t usage)
{
    for (size_t i = 0; i < BOOT_REPORT_KEYS; i++) {
        if (keys->usage[i] == usage)
            return true;
    }
    return false;
}

size_t boot_report_keys(struct boot_keys *keys, const uint8_t *report, size_t n,
                        int ret_key[BOOT_REPORT_KEYS])
{
    struct boot_keys now = { 0 };
    size_t n_pressed = 0;

    if (n <= FIRST_KEY)
        return 0;
    for (size_t i = 0; i < BOOT_REPORT_KEYS && FIRST_KEY + i < n; i++) {
        now.usage[i] = report[FIRST_KEY + i];
        if (now.usage[i] && now.usage[i] <= USAGE_LAST_ERROR)
            return 0;
    }
    for (size_t i = 0; i < BOOT_REPORT_KEYS; i++) {
        int key = key_of(now.usage[i]);

        if (key != KEY_NONE && !was_down(keys, now.usage[i]))
            ret_key[n_pressed++] = key;
    }
    *keys = now;
    return n_pressed;
}
