// SPDX-License-Identifier: MIT
#include "console/keyboard.h"

#include <stddef.h>

#define PREFIX_EXTENDED 0xe0
#define PREFIX_RELEASED 0xf0 /* set 2 only */
#define RELEASED_BIT    0x80 /* set 1 only */

static const struct {
    uint8_t set1, set2;
    int key;
} keys[] = {
    { 0x10, 0x15, 'q' },       { 0x13, 0x2d, 'r' },        { 0x26, 0x4b, 'l' }, { 0x30, 0x32, 'b' },
    { 0x2e, 0x21, 'c' },       { 0x2d, 0x22, 'x' },        { 0x1f, 0x1b, 's' }, { 0x39, 0x29, ' ' },
    { 0x1c, 0x5a, KEY_ENTER }, { 0x01, 0x76, KEY_ESCAPE },
};

int scancode_key(struct scancode *s, uint8_t byte)
{
    bool released = s->released, extended = s->extended;

    if (byte == PREFIX_EXTENDED) {
        s->extended = true;
        return KEY_NONE;
    }
    if (s->set2 && byte == PREFIX_RELEASED) {
        s->released = true;
        return KEY_NONE;
    }
    s->extended = s->released = false;
    if (released || (!s->set2 && byte & RELEASED_BIT))
        return KEY_NONE;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        /* Of the extended keys only the number pad's Enter means what its plain twin does. */
        if (byte == (s->set2 ? keys[i].set2 : keys[i].set1) &&
            (!extended || keys[i].key == KEY_ENTER))
            return keys[i].key;
    }
    return KEY_NONE;
}
