// SPDX-License-Identifier: MIT
/* An i8042 with a keyboard and a touchpad, in the states in which firmware may leave them. */
#include "console/keyboard.h"

#include "fake_clock.h"
#include "io/ports.h"
#include "lib/keys.h"
#include "tests/unit/unit.h"

#define OFF        0x10
#define MOUSE_OFF  0x20
#define TRANSLATES 0x40
#define ALL_US     120000 /* with the last wait, in which the keyboard is turned on */

struct machine {
    uint8_t command_byte;
    int set;     /* the keyboard's scan codes */
    bool silent; /* the keyboard sends no keys */
    bool chatty; /* the touchpad sends all the time */
    bool ignores_mouse_off;
    bool translation_stuck;
    bool unreadable;  /* the command byte is not given */
    bool mute;        /* the keyboard answers nothing */
    bool fuzzy;       /* it asks for each byte twice */
    bool refuses_set; /* it knows one set only */
    bool busy;        /* the controller takes nothing */
    int sulks;        /* so many reads of the status, once the keyboard was turned off */
    bool absent;
};

static struct machine m;
static struct {
    uint8_t byte;
    bool mouse;
} queue[300];
static size_t n_queued, n_reads, n_writes;
static int sulks;
static bool expects_command_byte, expects_set, has_asked_again;

static void put(uint8_t byte, bool mouse)
{
    assert_true(n_queued < sizeof(queue) / sizeof(queue[0]));
    queue[n_queued].byte = byte;
    queue[n_queued++].mouse = mouse;
}

static uint8_t translated(uint8_t byte)
{
    if (!(m.command_byte & TRANSLATES) || byte >= 0x80)
        return byte;
    return byte == 0x15 ? 0x10 : 0x7f;
}

static void press_q(void)
{
    static const uint8_t code[] = { 0, 0x10, 0x15, 0x15 };

    if (!m.silent && !(m.command_byte & OFF))
        put(translated(code[m.set]), false);
}

static void keyboard_takes(uint8_t byte)
{
    if (m.mute)
        return;
    if (m.refuses_set && byte == 0xf0) {
        put(0xfe, false);
        return;
    }
    if (m.fuzzy && !has_asked_again) {
        has_asked_again = true;
        put(0xfe, false);
        return;
    }
    has_asked_again = false;
    put(0xfa, false);
    if (expects_set) {
        m.set = byte;
        expects_set = false;
    } else if (byte == 0xf0) {
        expects_set = true;
    } else if (byte == 0xf4) {
        m.silent = false;
    }
}

static void controller_takes(uint8_t command)
{
    switch (command) {
    case 0x20:
        if (!m.unreadable)
            put(m.command_byte, false);
        break;
    case 0x60: expects_command_byte = true; break;
    case 0xa7:
        if (!m.ignores_mouse_off)
            m.command_byte |= MOUSE_OFF;
        break;
    case 0xad:
        m.command_byte |= OFF;
        sulks = m.sulks;
        break;
    case 0xae: m.command_byte &= (uint8_t)~OFF; break;
    default: fail();
    }
}

void io_out8(uint16_t port, uint8_t value)
{
    n_writes++;
    if (port == 0x64) {
        controller_takes(value);
    } else if (expects_command_byte) {
        if (m.translation_stuck)
            value = (uint8_t)((value & ~TRANSLATES) | (m.command_byte & TRANSLATES));
        if (m.ignores_mouse_off)
            value &= (uint8_t)~MOUSE_OFF;
        m.command_byte = value;
        expects_command_byte = false;
    } else {
        keyboard_takes(value);
    }
}

uint8_t io_in8(uint16_t port)
{
    uint8_t byte = 0;

    if (m.absent) {
        n_reads++;
        return 0xff;
    }
    if (port == 0x60) {
        if (!n_queued)
            return 0;
        byte = queue[0].byte;
        memmove(queue, queue + 1, --n_queued * sizeof(queue[0]));
        return byte;
    }
    n_reads++;
    if (sulks > 0 && sulks-- > 0)
        return 2;
    if (m.chatty && !(m.command_byte & MOUSE_OFF) && n_queued < 2)
        put(0x10, true); /* q, were it the keyboard's */
    return (uint8_t)((m.busy ? 2 : 0) | (n_queued ? 1 : 0) |
                     (n_queued && queue[0].mouse ? 0x20 : 0));
}

static enum status begin_denied(struct machine machine, bool is_denied)
{
    enum status status;

    m = machine;
    n_queued = n_reads = n_writes = 0;
    sulks = 0;
    fake_clock_begin();
    expects_command_byte = expects_set = has_asked_again = false;
    status = keyboard_init(is_denied);
    assert_true(fake_clock_looks() <= ALL_US);
    return status;
}

static enum status begin(struct machine machine)
{
    return begin_denied(machine, false);
}

static int read_key(void)
{
    int key = KEY_NONE;

    for (int i = 0; i < 10 && key == KEY_NONE; i++)
        key = keyboard_read();
    return key;
}

static void check_q(void)
{
    assert_int_equal(read_key(), KEY_NONE);
    press_q();
    assert_int_equal(read_key(), 'q');
    assert_int_equal(read_key(), KEY_NONE);
}

TEST(every_state_that_firmware_may_leave)
{
    for (unsigned bits = 0; bits < 1 << 8; bits++) {
        for (int set = 1; set <= 3; set++) {
            const struct machine given = {
                .command_byte = (uint8_t)(3 | (bits & 1 ? TRANSLATES : 0) | (bits & 2 ? OFF : 0)),
                .silent = bits & 4,
                .chatty = bits & 8,
                .ignores_mouse_off = bits & 16,
                .translation_stuck = bits & 32,
                .fuzzy = bits & 64,
                .unreadable = bits & 128,
                .set = set,
            };

            if (given.unreadable && !(given.command_byte & TRANSLATES))
                continue; /* this cannot be told from it */
            assert_int_equal(begin(given), STATUS_OK);
            check_q();
        }
    }
}

/* Firmware's emulation of one may answer no command: then it is as PCs have it. */
TEST(a_keyboard_that_answers_nothing)
{
    assert_int_equal(begin((struct machine){ .command_byte = TRANSLATES, .set = 2, .mute = true }),
                     STATUS_OK);
    check_q();
    assert_int_equal(begin((struct machine){ .set = 2, .mute = true, .translation_stuck = true }),
                     STATUS_OK);
    check_q();
}

TEST(a_keyboard_with_one_set_is_told_to_send)
{
    assert_int_equal(begin((struct machine){ .set = 2, .silent = true, .refuses_set = true }),
                     STATUS_OK);
    check_q();
}

TEST(sequences_give_keys)
{
    static const struct {
        bool set2;
        uint8_t bytes[8];
        size_t n;
        int keys[8];
    } cases[] = {
        { false, { 0x10, 0x90 }, 2, { 'q', KEY_NONE } },
        { false, { 0x13, 0x93, 0x39, 0xb9 }, 4, { 'r', KEY_NONE, ' ', KEY_NONE } },
        { false, { 0x26, 0xa6 }, 2, { 'l', KEY_NONE } },
        { true, { 0x4b, 0xf0, 0x4b }, 3, { 'l', KEY_NONE, KEY_NONE } },
        { false, { 0x30, 0xb0 }, 2, { 'b', KEY_NONE } },
        { true, { 0x32, 0xf0, 0x32 }, 3, { 'b', KEY_NONE, KEY_NONE } },
        { false, { 0x2e, 0xae }, 2, { 'c', KEY_NONE } },
        { false, { 0x2d, 0xad }, 2, { 'x', KEY_NONE } },
        { true, { 0x22, 0xf0, 0x22 }, 3, { 'x', KEY_NONE, KEY_NONE } },
        { true, { 0x21, 0xf0, 0x21 }, 3, { 'c', KEY_NONE, KEY_NONE } },
        { false, { 0x1f, 0x9f }, 2, { 's', KEY_NONE } },
        { true, { 0x1b, 0xf0, 0x1b }, 3, { 's', KEY_NONE, KEY_NONE } },
        { false, { 0x1c, 0x01 }, 2, { KEY_ENTER, KEY_ESCAPE } },
        { false, { 0xe0, 0x1c, 0xe0, 0x9c }, 4, { KEY_NONE, KEY_ENTER, KEY_NONE, KEY_NONE } },
        { false, { 0xe0, 0x10, 0x10 }, 3, { KEY_NONE, KEY_NONE, 'q' } }, /* previous track */
        { false,
          { 0x15, 0x4b, 0xff, 0x00, 0xfa },
          5,
          { KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE } },
        { false,
          { 0xe1, 0x1d, 0x45, 0xe1, 0x9d, 0xc5 },
          6, /* pause */
          { KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE, KEY_NONE } },
        { true, { 0x15, 0xf0, 0x15, 0x15 }, 4, { 'q', KEY_NONE, KEY_NONE, 'q' } },
        { true, { 0x2d, 0x29, 0x5a, 0x76 }, 4, { 'r', ' ', KEY_ENTER, KEY_ESCAPE } },
        { true,
          { 0xe0, 0x5a, 0xe0, 0xf0, 0x5a },
          5,
          { KEY_NONE, KEY_ENTER, KEY_NONE, KEY_NONE, KEY_NONE } },
        { false, { 0x10, 0x10, 0x10, 0x90, 0x10 }, 5, { 'q', KEY_NONE, KEY_NONE, KEY_NONE, 'q' } },
        { true, { 0x15, 0x15, 0xf0, 0x15, 0x15 }, 5, { 'q', KEY_NONE, KEY_NONE, KEY_NONE, 'q' } },
        { false, { 0x10, 0x13, 0x13, 0x10 }, 4, { 'q', 'r', KEY_NONE, 'q' } },
        { true, { 0x10, 0x13, 0x90 }, 3, { KEY_NONE, KEY_NONE, KEY_NONE } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct machine given = {
            .command_byte = cases[i].set2 ? 0 : TRANSLATES,
            .set = 2,
            .translation_stuck = cases[i].set2,
        };

        assert_int_equal(begin(given), STATUS_OK);
        for (size_t j = 0; j < cases[i].n; j++) {
            put(cases[i].bytes[j], false);
            assert_int_equal(keyboard_read(), cases[i].keys[j]);
        }
    }
}

/* However long; but one whose release was lost can be pressed again. */
TEST(a_held_key_is_one_press)
{
    begin((struct machine){ .set = 2 });
    check_q();
    for (int i = 0; i < 100; i++) {
        fake_clock_pass(i ? 33000 : 1000000);
        press_q();
        assert_int_equal(read_key(), KEY_NONE);
    }
    fake_clock_pass(1200000);
    check_q();
}

TEST(bytes_that_wait_are_no_keys)
{
    m = (struct machine){ .command_byte = TRANSLATES, .set = 2 };
    n_queued = 0;
    for (int i = 0; i < 16; i++)
        put(0x10, i % 2);
    assert_int_equal(keyboard_init(false), STATUS_OK);
    check_q();
}

TEST(what_takes_nothing_is_given_up)
{
    assert_int_equal(begin((struct machine){ .busy = true }), STATUS_NOT_FOUND);
    assert_int_equal(n_writes, 0);
    assert_int_equal(keyboard_read(), KEY_NONE);
}

/* One that falls silent is given up, but the keyboard is on, for firmware may need it. */
TEST(the_keyboard_is_on_afterwards)
{
    assert_int_equal(begin((struct machine){ .set = 2, .sulks = 30000 }), STATUS_NOT_FOUND);
    assert_false(m.command_byte & OFF);
    assert_int_equal(begin((struct machine){ .set = 2, .sulks = 10000 }), STATUS_OK);
    assert_false(m.command_byte & OFF);
    assert_int_equal(begin((struct machine){ .set = 2, .sulks = 1000000 }), STATUS_NOT_FOUND);
}

TEST(whether_a_keyboard_answers)
{
    begin((struct machine){ .set = 2 });
    assert_true(keyboard_answers());
    begin((struct machine){ .set = 2, .mute = true });
    assert_false(keyboard_answers());
    begin((struct machine){ .absent = true });
    assert_false(keyboard_answers());
}

/* Firmware says that there is no controller: only a keyboard that answers shows that it is wrong.
 */
TEST(a_keyboard_that_firmware_denies)
{
    assert_int_equal(begin_denied((struct machine){ .set = 2, .silent = true }, true), STATUS_OK);
    assert_true(keyboard_answers());
    check_q();
    assert_int_equal(begin_denied((struct machine){ .set = 2, .mute = true }, true),
                     STATUS_NOT_FOUND);
    press_q();
    assert_int_equal(read_key(), KEY_NONE);
    assert_int_equal(begin_denied((struct machine){ .absent = true }, true), STATUS_NOT_FOUND);
}

TEST(an_absent_controller_costs_one_read)
{
    assert_int_equal(begin((struct machine){ .absent = true }), STATUS_NOT_FOUND);
    assert_int_equal(n_reads, 1);
    assert_int_equal(keyboard_read(), KEY_NONE);
    assert_int_equal(n_reads + n_writes, 1);
}
