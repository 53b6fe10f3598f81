// SPDX-License-Identifier: MIT
/* The way of controllers and devices to where keys come, with a controller of the fuzz targets. */
#include "usb/usb.c" /* so that its state can be cleared */

#include <string.h>

#include "fake_clock.h"
#include "fake_machine.h"
#include "fake_xhci.h"
#include "tests/unit/unit.h"
#include "usb/registers.h"

enum {
    XHCI_CLASS = 0x0c0330,
    EHCI_CLASS = 0x0c0320,
    UHCI_CLASS = 0x0c0300,
    POLL_MS = 20,
    KEYBOARD = 0,
    MOUSE = 0x80,
    HUB_WITH_TWO = 1 | (2 - 1) << 3, /* ports; which have something, follows */
    GOOD = 0,
    STALL = 0xf0,
};

/* How often fake_xhci_begin asks: what it is, its size, scratch pages, where something is. */
#define ONE_PORT 0, 0, 0, 1

static struct fake_xhci x;
static struct fuzz_input input, devices;

static void begin_with(uint32_t class_code, const uint8_t *bytes, size_t n)
{
    memset(&usb, 0, sizeof(usb));
    input = (struct fuzz_input){ bytes, n };
    fake_machine_begin(fake_xhci_begin(&x, &input), class_code);
}

#define BEGIN(class_code, ...)                                                                     \
    begin_with(class_code, (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static int end(void **state)
{
    usb_end();
    fake_machine_end();
    return 0;
}

static int poll_for(unsigned ms)
{
    int key = KEY_NONE, now;

    for (unsigned passed = 0; passed < ms; passed += POLL_MS) {
        fake_clock_pass(POLL_MS * 1000);
        while ((now = usb_read_key()) != KEY_NONE)
            key = now;
    }
    return key;
}

static int press_q(uint32_t slot)
{
    static const uint8_t up[8], q[8] = { 0, 0, 0x14 };

    fake_xhci_report(&x, slot, up, sizeof(up));
    fake_xhci_report(&x, slot, q, sizeof(q));
    return poll_for(POLL_MS);
}

/* The types of the commands so far, and whether an address was kept back. */
static bool was(const uint32_t *expected, size_t n)
{
    bool equal = x.n_logged == n;

    for (size_t i = 0; equal && i < n; i++)
        equal = (x.log[i] & (63u << 10 | TRB_BLOCK_ADDRESS)) == expected[i];
    return equal;
}

#define COMMAND(type) ((uint32_t)(type) << 10)
#define WAS(...)                                                                                   \
    was((const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

TEST(a_keyboard_at_once, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin(false), USB_DRIVEN);
    assert_false(usb_has_keyboard());
    poll_for(1000);
    assert_true(usb_has_keyboard());
    assert_true(WAS(COMMAND(TRB_ENABLE_SLOT), COMMAND(TRB_ADDRESS_DEVICE),
                    COMMAND(TRB_CONFIGURE_ENDPOINT)));
    assert_int_equal(x.resets[1], 1);
    assert_int_equal(press_q(1), 'q');
    fake_xhci_plug(&x, 1, false);
    poll_for(200);
    assert_false(usb_has_keyboard());
}

/* It stalls the first request that comes after it got its address. */
TEST(the_second_attempt_asks_before_the_address, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL);
    usb_begin(false);
    poll_for(2000);
    assert_true(WAS(COMMAND(TRB_ENABLE_SLOT), COMMAND(TRB_ADDRESS_DEVICE),
                    COMMAND(TRB_DISABLE_SLOT), COMMAND(TRB_ENABLE_SLOT),
                    COMMAND(TRB_ADDRESS_DEVICE) | TRB_BLOCK_ADDRESS, COMMAND(TRB_ADDRESS_DEVICE),
                    COMMAND(TRB_CONFIGURE_ENDPOINT)));
    assert_int_equal(x.resets[1], 2);
    assert_int_equal(press_q(1), 'q');
}

/* Its first packets are of 64 bytes, which the controller is told with the address. */
TEST(the_packet_size_is_known_before_the_address, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL, KEYBOARD | 4);
    usb_begin(false);
    poll_for(2000);
    assert_int_equal(x.log[x.n_logged - 1] & 63u << 10, COMMAND(TRB_CONFIGURE_ENDPOINT));
    for (uint32_t i = 0; i < x.n_logged; i++)
        assert_int_not_equal(x.log[i] & 63u << 10, COMMAND(TRB_EVALUATE_CONTEXT));
    assert_int_equal(press_q(1), 'q');
}

TEST(the_third_attempt_has_one_more_reset, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL, KEYBOARD, STALL);
    usb_begin(false);
    poll_for(3000);
    assert_int_equal(x.resets[1], 1 + 1 + 2);
    assert_int_equal(press_q(1), 'q');
}

/* What has no address, or one that another gets, must not hear anything. */
TEST(the_port_of_what_fails_is_disabled, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL, KEYBOARD, STALL, KEYBOARD, STALL);
    usb_begin(false);
    poll_for(4000);
    assert_false(usb_has_keyboard());
    assert_int_equal(x.resets[1], 4);
    assert_false(x.portsc[1] & XHCI_PORT_ENABLED);
    assert_int_equal(x.log[x.n_logged - 1] & 63u << 10, COMMAND(TRB_DISABLE_SLOT));
    fake_xhci_plug(&x, 1, false);
    poll_for(200);
    fake_xhci_plug(&x, 1, true); /* and what comes instead is attached */
    poll_for(1000);
    assert_int_equal(press_q(1), 'q');
}

TEST(what_is_ignored_at_a_hub_keeps_its_address, NULL, end)
{
    static const uint8_t kinds[] = { HUB_WITH_TWO, 3, MOUSE, KEYBOARD };

    BEGIN(XHCI_CLASS, ONE_PORT);
    devices = (struct fuzz_input){ kinds, sizeof(kinds) };
    x.devices = &devices;
    usb_begin(false);
    poll_for(3000);
    for (uint32_t i = 0; i < x.n_logged; i++)
        assert_int_not_equal(x.log[i] & 63u << 10, COMMAND(TRB_DISABLE_SLOT));
    for (unsigned slot = 1; slot <= 3; slot++)
        assert_true(x.slot[slot].enabled && x.slot[slot].addressed);
    assert_false(x.slot[4].enabled);
    assert_int_equal(press_q(3), 'q');
}

/* Slots are disabled from the last device to the hub. */
TEST(a_hub_that_goes_takes_the_rest_along, NULL, end)
{
    static const uint8_t kinds[] = { HUB_WITH_TWO, 3, MOUSE, KEYBOARD };

    BEGIN(XHCI_CLASS, ONE_PORT);
    devices = (struct fuzz_input){ kinds, sizeof(kinds) };
    x.devices = &devices;
    usb_begin(false);
    poll_for(3000);
    x.n_logged = 0;
    fake_xhci_plug(&x, 1, false);
    poll_for(200);
    assert_true(
        WAS(COMMAND(TRB_DISABLE_SLOT), COMMAND(TRB_DISABLE_SLOT), COMMAND(TRB_DISABLE_SLOT)));
    assert_int_equal(x.log[2] >> 24, 1);
}

TEST(ports_of_intels_ehci_are_taken, NULL, end)
{
    static const struct {
        uint32_t id, subsystem, other_class, other_id;
        bool taken;
    } cases[] = {
        { 0x8c318086, 0, EHCI_CLASS, 0x8c268086, true },
        { 0x8c318086, 0, EHCI_CLASS, 0x43961002, false },
        { 0x8c318086, 0, UHCI_CLASS, 0x29348086, false },
        { 0x1e318086, 0x90a8104d, EHCI_CLASS, 0x1e268086, false },
        { 0x01941033, 0, EHCI_CLASS, 0x8c268086, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t *config;

        if (i)
            end(state);
        BEGIN(XHCI_CLASS, ONE_PORT);
        config = fake_config();
        config[0] = cases[i].id;
        config[0x2c / 4] = cases[i].subsystem;
        config[0xd4 / 4] = 0x3fff;
        config[0xdc / 4] = 0x3f;
        fake_add_function(cases[i].other_class)[0] = cases[i].other_id;
        assert_int_equal(usb_begin(false), USB_DRIVEN);
        poll_for(1000);
        assert_int_equal(config[0xd0 / 4], cases[i].taken ? 0x3fff : 0);
        assert_int_equal(config[0xd8 / 4], cases[i].taken ? 0x3f : 0);
        assert_int_equal(press_q(1), 'q');
    }
}

TEST(older_controllers_are_told_from_none, NULL, end)
{
    BEGIN(EHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin(false), USB_OLDER);
    end(state);
    BEGIN(UHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin(false), USB_OLDER);
    end(state);
    BEGIN(0x010601, ONE_PORT);
    assert_int_equal(usb_begin(false), USB_NONE);
}

/* One that firmware owns, but without its SMIs on, is nobody's. */
TEST(firmwares_controller_is_left, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT);
    x.extended[1] = XHCI_LEGACY_SMIS;
    assert_int_equal(usb_begin(true), USB_FIRMWARES);
    poll_for(1000);
    assert_int_equal(x.n_logged, 0);
    assert_true(x.extended[0] & XHCI_LEGACY_BIOS_OWNED);
    end(state);
    BEGIN(XHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin(true), USB_DRIVEN);
    end(state);
    BEGIN(XHCI_CLASS, ONE_PORT);
    x.extended[1] = XHCI_LEGACY_SMIS;
    assert_int_equal(usb_begin(false), USB_DRIVEN);
    poll_for(1000);
    assert_int_equal(press_q(1), 'q');
}
