// SPDX-License-Identifier: MIT
#include "console/keyboard.h"

#include <stdbool.h>
#include <stdint.h>

#include "arch/io.h"
#include "console/scancode.h"

/* IBM PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device Controller". */
#define DATA_PORT         0x60
#define STATUS_PORT       0x64
#define COMMAND_PORT      0x64
#define OUTPUT_FULL       0x01 /* a byte waits at DATA_PORT */
#define INPUT_FULL        0x02 /* the controller has not taken the last one yet */
#define FROM_MOUSE        0x20 /* the waiting byte is the mouse's */
#define COMMAND_READ_BYTE 0x20
#define COMMAND_ENABLE    0xae
#define BYTE_TRANSLATES   0x40 /* set 2 to set 1 */
#define NO_CONTROLLER     0xff

#define WAIT_READS  50000 /* 5 to 50 ms */
#define DRAIN_BYTES 64    /* more than any controller holds */

static struct {
    bool present;
    struct scancode scancode;
} keyboard;

static bool wait_status(uint8_t bit, uint8_t value)
{
    for (unsigned i = 0; i < WAIT_READS; i++) {
        if ((io_in8(STATUS_PORT) & bit) == value)
            return true;
    }
    return false;
}

static bool send_command(uint8_t command)
{
    if (!wait_status(INPUT_FULL, 0))
        return false;
    io_out8(COMMAND_PORT, command);
    return true;
}

static void drain(void)
{
    for (unsigned i = 0; i < DRAIN_BYTES && io_in8(STATUS_PORT) & OUTPUT_FULL; i++)
        (void)io_in8(DATA_PORT);
}

enum status keyboard_init(void)
{
    keyboard.present = false;
    keyboard.scancode = (struct scancode){ 0 };
    if (io_in8(STATUS_PORT) == NO_CONTROLLER)
        return STATUS_NOT_FOUND;
    if (!send_command(COMMAND_ENABLE))
        return STATUS_NOT_FOUND;
    drain();
    if (send_command(COMMAND_READ_BYTE) && wait_status(OUTPUT_FULL, OUTPUT_FULL))
        keyboard.scancode.set2 = !(io_in8(DATA_PORT) & BYTE_TRANSLATES);
    keyboard.present = true;
    return STATUS_OK;
}

int keyboard_read(void)
{
    if (!keyboard.present)
        return KEY_NONE;
    for (unsigned i = 0; i < DRAIN_BYTES; i++) {
        uint8_t status = io_in8(STATUS_PORT), byte;
        int key;

        if (status == NO_CONTROLLER || !(status & OUTPUT_FULL))
            return KEY_NONE;
        byte = io_in8(DATA_PORT);
        if (status & FROM_MOUSE)
            continue;
        key = scancode_key(&keyboard.scancode, byte);
        if (key != KEY_NONE)
            return key;
    }
    return KEY_NONE;
}
