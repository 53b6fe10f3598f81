// SPDX-License-Identifier: MIT
/*
 * What a keyboard sends. The input: the scan code set (1), and its bytes. The controller translates
 * nothing where that is set 2, and the keyboard answers no command.
 */
#include "console/keyboard.h"

#include <stddef.h>

#include "fake_clock.h"
#include "fuzz.h"
#include "io/ports.h"

enum { DATA = 0x60, STATUS = 0x64, READ_COMMAND_BYTE = 0x20, OUTPUT = 1, TRANSLATES = 0x40 };
enum { SET1_Q = 0x10, SET2_Q = 0x15, SET1_UP = 0x80, SET2_UP = 0xf0 };

static struct {
    bool set2, has_output;
    uint8_t output;
} keyboard;

static void put(uint8_t byte)
{
    keyboard.output = byte;
    keyboard.has_output = true;
}

uint8_t io_in8(uint16_t port)
{
    CHECK(port == DATA || port == STATUS);
    if (port == STATUS)
        return keyboard.has_output ? OUTPUT : 0;
    keyboard.has_output = false;
    return keyboard.output;
}

void io_out8(uint16_t port, uint8_t value)
{
    if (port == STATUS && value == READ_COMMAND_BYTE)
        put(keyboard.set2 ? 0 : TRANSLATES);
}

static int key_of(uint8_t byte)
{
    put(byte);
    return keyboard_read();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint8_t q, up;

    fake_clock_begin();
    keyboard.set2 = fuzz_number(&in, 1) & 1;
    keyboard.has_output = false;
    CHECK(keyboard_init(false) == STATUS_OK);
    while (in.left) {
        int key = key_of((uint8_t)fuzz_number(&in, 1));

        CHECK(key == KEY_NONE || fuzz_is_key(key));
    }
    /* Whatever came, the key after the next one works again, once that one is up. */
    q = keyboard.set2 ? SET2_Q : SET1_Q;
    up = keyboard.set2 ? q : q | SET1_UP;
    key_of(q);
    if (keyboard.set2)
        key_of(SET2_UP);
    key_of(up);
    CHECK(key_of(q) == 'q');
    return 0;
}
