// SPDX-License-Identifier: MIT
#include "console/keyboard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/tsc.h"
#include "io/ports.h"
#include "lib/minmax.h"

/* IBM PS/2 Hardware Interface Technical Reference, "Keyboard and Auxiliary Device Controller". */
#define DATA_PORT          0x60
#define STATUS_PORT        0x64
#define COMMAND_PORT       0x64
#define OUTPUT_FULL        0x01 /* a byte waits at DATA_PORT */
#define INPUT_FULL         0x02 /* the controller has not taken the last one yet */
#define FROM_MOUSE         0x20 /* the waiting byte is the pointing device's */
#define COMMAND_READ_BYTE  0x20
#define COMMAND_WRITE_BYTE 0x60
#define COMMAND_MOUSE_OFF  0xa7
#define COMMAND_OFF        0xad
#define COMMAND_ON         0xae
#define BYTE_INTERRUPTS    0x03 /* of both ports */
#define BYTE_OFF           0x10
#define BYTE_MOUSE_OFF     0x20
#define BYTE_TRANSLATES    0x40 /* set 2 to set 1 */
#define NO_CONTROLLER      0xff

/* Of the keyboard: ibid., "Keyboard (101- and 102-Key)". */
#define KEYBOARD_SET    0xf0 /* its number follows */
#define KEYBOARD_SEND   0xf4
#define KEYBOARD_ACK    0xfa
#define KEYBOARD_RESEND 0xfe

#define PREFIX_EXTENDED 0xe0
#define PREFIX_RELEASED 0xf0 /* set 2 only */
#define RELEASED_BIT    0x80 /* set 1 only */

#define ANSWER_US   20000
#define ALL_US      100000
#define DRAIN_BYTES 64 /* more than any controller holds */
#define SENDS_MAX   3
#define REPEAT_US   1200000 /* ibid.: a held key comes again after a second at most */

/* Scan code set 1, and set 2 where the controller does not translate it. */
struct scancode {
    bool set2;
    bool extended; /* the byte before was 0xe0 */
    bool released; /* set 2: the byte before was 0xf0 */
    unsigned held; /* the code of the key that went down last; 0: none, or it went up */
    uint64_t held_until;
};

static struct {
    bool present, answers;
    uint64_t end; /* of all waits of keyboard_init */
    struct scancode scancode;
} keyboard;

/* For one answer, from now on. */
static uint64_t deadline(void)
{
    return min_u64(tsc_now() + tsc_from_us(ANSWER_US), keyboard.end);
}

static bool wait_until_taken(void)
{
    uint64_t end = deadline();

    while (io_in8(STATUS_PORT) & INPUT_FULL) {
        if (tsc_now() >= end)
            return false;
    }
    return true;
}

static bool send(uint16_t port, uint8_t byte)
{
    if (!wait_until_taken())
        return false;
    io_out8(port, byte);
    return true;
}

/* The next byte that is not the pointing device's; -1: none came in time. */
static int receive(void)
{
    uint64_t end = deadline();

    for (;;) {
        uint8_t status = io_in8(STATUS_PORT), byte;

        if (status & OUTPUT_FULL) {
            byte = io_in8(DATA_PORT);
            if (!(status & FROM_MOUSE))
                return byte;
        }
        if (tsc_now() >= end)
            return -1;
    }
}

static void drain(void)
{
    for (unsigned i = 0; i < DRAIN_BYTES && io_in8(STATUS_PORT) & OUTPUT_FULL; i++)
        (void)io_in8(DATA_PORT);
}

static int read_command_byte(void)
{
    return send(COMMAND_PORT, COMMAND_READ_BYTE) ? receive() : -1;
}

/* Turns translation on; whether it is. What cannot be read is taken to be what PCs have. */
static bool set_command_byte(void)
{
    int byte = read_command_byte();

    if (byte < 0)
        return true;
    byte |= BYTE_TRANSLATES | BYTE_MOUSE_OFF;
    byte &= ~(BYTE_INTERRUPTS | BYTE_OFF);
    if (send(COMMAND_PORT, COMMAND_WRITE_BYTE))
        send(DATA_PORT, (uint8_t)byte);
    byte = read_command_byte();
    return byte < 0 || byte & BYTE_TRANSLATES;
}

/* Whether the keyboard takes the byte. Keys may be pressed meanwhile. */
static bool tell_keyboard(uint8_t byte)
{
    for (unsigned sends = 0; sends < SENDS_MAX && send(DATA_PORT, byte); sends++) {
        int answer = receive();

        for (unsigned i = 0; i < DRAIN_BYTES && answer >= 0; i++) {
            if (answer == KEYBOARD_ACK) {
                keyboard.answers = true;
                return true;
            }
            if (answer == KEYBOARD_RESEND)
                break;
            answer = receive();
        }
        if (answer != KEYBOARD_RESEND)
            return false;
    }
    return false;
}

/* With both ports off, so that nothing comes in between. False: it does not take commands. */
static bool set_controller(void)
{
    if (!send(COMMAND_PORT, COMMAND_OFF) || !send(COMMAND_PORT, COMMAND_MOUSE_OFF) ||
        !wait_until_taken())
        return false;
    drain();
    keyboard.scancode.set2 = !set_command_byte();
    return true;
}

/* However late it is. */
static void turn_on(void)
{
    keyboard.end = max_u64(keyboard.end, tsc_now() + tsc_from_us(ANSWER_US));
    send(COMMAND_PORT, COMMAND_ON);
}

enum status keyboard_init(bool is_denied)
{
    keyboard.present = keyboard.answers = false;
    keyboard.scancode = (struct scancode){ 0 };
    keyboard.end = tsc_now() + tsc_from_us(ALL_US);
    if (io_in8(STATUS_PORT) == NO_CONTROLLER || !wait_until_taken())
        return STATUS_NOT_FOUND;
    keyboard.present = set_controller();
    turn_on();
    if (!keyboard.present)
        return STATUS_NOT_FOUND;
    if (tell_keyboard(KEYBOARD_SET))
        tell_keyboard(2);
    tell_keyboard(KEYBOARD_SEND);
    keyboard.present = keyboard.answers || !is_denied;
    return keyboard.present ? STATUS_OK : STATUS_NOT_FOUND;
}

bool keyboard_answers(void)
{
    return keyboard.answers;
}

static const struct {
    uint8_t set1, set2;
    int key;
} keys[] = {
    { 0x31, 0x31, 'n' }, { 0x23, 0x33, 'h' }, { 0x10, 0x15, 'q' },       { 0x13, 0x2d, 'r' },
    { 0x26, 0x4b, 'l' }, { 0x30, 0x32, 'b' }, { 0x2e, 0x21, 'c' },       { 0x2d, 0x22, 'x' },
    { 0x1f, 0x1b, 's' }, { 0x39, 0x29, ' ' }, { 0x1c, 0x5a, KEY_ENTER }, { 0x01, 0x76, KEY_ESCAPE },
};

/* Until it goes up; a release may be lost, but then no repeat comes either. */
static bool is_repeated(struct scancode *s, unsigned code)
{
    const uint64_t now = tsc_now();
    const bool is_held = code == s->held && now < s->held_until;

    s->held = code;
    s->held_until = now + tsc_from_us(REPEAT_US);
    return is_held;
}

/* The key that goes down with this byte; KEY_NONE for any other, a release, a key that is held, and
 * within a sequence. */
static int scancode_key(struct scancode *s, uint8_t byte)
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
    if (released || (!s->set2 && byte & RELEASED_BIT)) {
        s->held = 0;
        return KEY_NONE;
    }
    if (is_repeated(s, byte | extended << 8))
        return KEY_NONE;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        /* Of the extended keys only the number pad's Enter means what its plain twin does. */
        if (byte == (s->set2 ? keys[i].set2 : keys[i].set1) &&
            (!extended || keys[i].key == KEY_ENTER))
            return keys[i].key;
    }
    return KEY_NONE;
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
