// SPDX-License-Identifier: MIT
#include "usb_formats/legacy.h"

#include "tests/unit/unit.h"

#define BIOS_OWNED 0x10001u /* capability 1, the last */

static struct {
    uint32_t config[64], memory[1024];
} fake;

static uint32_t read_config(void *ctx, uint8_t offset)
{
    assert_int_equal(offset % 4, 0);
    return fake.config[offset / 4];
}

static uint32_t read_memory(void *ctx, uint32_t offset)
{
    assert_int_equal(offset % 4, 0);
    return offset / 4 < 1024 ? fake.memory[offset / 4] : UINT32_MAX;
}

static const struct usb_registers registers = { read_config, read_memory, NULL };

static int set_up(void **state)
{
    memset(&fake, 0, sizeof(fake));
    return 0;
}

TEST(uhci, set_up)
{
    static const struct {
        uint32_t legsup;
        bool on;
    } cases[] = {
        { 0, false },          { 0x2000, false }, { 0x2001, true }, /* as after a reset; port 0x60
                                                                     */
        { 0x2010, true },      { 0x8f00, false }, { 0x003f, true }, { 0x0020, false },
        { UINT32_MAX, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake.config[0xc0 / 4] = cases[i].legsup;
        assert_int_equal(usb_legacy_is_on(USB_UHCI, &registers), cases[i].on);
    }
}

TEST(ohci, set_up)
{
    assert_false(usb_legacy_is_on(USB_OHCI, &registers));
    fake.memory[1] = 0x100;
    assert_true(usb_legacy_is_on(USB_OHCI, &registers));
    fake.memory[1] = ~0x100u;
    assert_false(usb_legacy_is_on(USB_OHCI, &registers));
    fake.memory[1] = UINT32_MAX;
    assert_false(usb_legacy_is_on(USB_OHCI, &registers));
}

static const struct {
    uint32_t head, control;
    bool ehci, xhci;
} owners[] = {
    { BIOS_OWNED, 0x2000, true, true },
    { BIOS_OWNED, 0x0001, true, true },
    { BIOS_OWNED, 0x0020, true, false },      /* only EHCI has this SMI */
    { BIOS_OWNED, 0, false, false },          /* nobody would hear of it */
    { BIOS_OWNED, 0xe0000000, false, false }, /* status, not control */
    { BIOS_OWNED, UINT32_MAX, false, false },
    { 0x01000001, 0x2000, false, false }, /* the operating system's */
    { 1, 0x2000, false, false },
    { UINT32_MAX, 0x2000, false, false },
};

TEST(ehci, set_up)
{
    for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
        set_up(state);
        fake.memory[2] = 0x6800 | 0x06;
        fake.config[0x68 / 4] = owners[i].head;
        fake.config[0x6c / 4] = owners[i].control;
        assert_int_equal(usb_legacy_is_on(USB_EHCI, &registers), owners[i].ehci);
        if (owners[i].head == UINT32_MAX)
            continue;
        /* Behind another capability. */
        fake.memory[2] = 0x5000;
        fake.config[0x50 / 4] = 0x680a;
        assert_int_equal(usb_legacy_is_on(USB_EHCI, &registers), owners[i].ehci);
    }
}

TEST(xhci, set_up)
{
    for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
        set_up(state);
        fake.memory[4] = 0x20 << 16; /* at 0x80 */
        fake.memory[0x80 / 4] = owners[i].head;
        fake.memory[0x84 / 4] = owners[i].control;
        assert_int_equal(usb_legacy_is_on(USB_XHCI, &registers), owners[i].xhci);
        if (owners[i].head == UINT32_MAX)
            continue;
        fake.memory[4] = 0x18 << 16; /* at 0x60; the next is 8 words on */
        fake.memory[0x60 / 4] = 0x0802;
        assert_int_equal(usb_legacy_is_on(USB_XHCI, &registers), owners[i].xhci);
    }
}

/* Capabilities that lead nowhere, or in a circle, or out of the registers. */
TEST(broken_lists, set_up)
{
    assert_false(usb_legacy_is_on(USB_EHCI, &registers));
    assert_false(usb_legacy_is_on(USB_XHCI, &registers));
    fake.memory[2] = fake.memory[4] = UINT32_MAX;
    assert_false(usb_legacy_is_on(USB_EHCI, &registers));
    assert_false(usb_legacy_is_on(USB_XHCI, &registers));
    fake.memory[2] = 0x3c00; /* in the header */
    fake.config[0x3c / 4] = BIOS_OWNED;
    fake.config[0x40 / 4] = 0x2000;
    assert_false(usb_legacy_is_on(USB_EHCI, &registers));
    fake.memory[2] = 0x5000;
    fake.config[0x50 / 4] = 0x500a;
    assert_false(usb_legacy_is_on(USB_EHCI, &registers));
    fake.memory[4] = 0xffffu << 16;
    assert_false(usb_legacy_is_on(USB_XHCI, &registers));
    fake.memory[4] = 0x18 << 16;
    fake.memory[0x60 / 4] = 0xff02;
    fake.memory[0x60 / 4 + 0xff] = 0xff02;
    assert_false(usb_legacy_is_on(USB_XHCI, &registers));
}

TEST(other_interfaces, set_up)
{
    memset(&fake, 0x11, sizeof(fake));
    assert_false(usb_legacy_is_on(0x40, &registers)); /* USB4 */
    assert_false(usb_legacy_is_on(0xfe, &registers)); /* a device */
}
