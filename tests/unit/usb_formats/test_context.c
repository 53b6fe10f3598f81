// SPDX-License-Identifier: MIT
#include "tests/unit/unit.h"
#include "usb_formats/context.h"

static void assert_route(struct usb_route r, enum usb_speed speed, uint32_t string, uint8_t depth,
                         uint8_t tt_slot, uint8_t tt_port)
{
    assert_int_equal(r.speed, speed);
    assert_int_equal(r.string, string);
    assert_int_equal(r.depth, depth);
    assert_int_equal(r.tt_slot, tt_slot);
    assert_int_equal(r.tt_port, tt_port);
    assert_int_equal(r.root_port, 7);
}

/* A translator is in the last high-speed hub on the way, whatever is behind it. */
TEST(routes_through_hubs)
{
    struct usb_route root = { .speed = USB_HIGH_SPEED, .root_port = 7 };
    struct usb_route high = usb_route_behind(&root, 1, 2, USB_HIGH_SPEED);
    struct usb_route full = usb_route_behind(&high, 2, 3, USB_FULL_SPEED);
    struct usb_route low = usb_route_behind(&full, 3, 4, USB_LOW_SPEED);
    struct usb_route slow_root = { .speed = USB_FULL_SPEED, .root_port = 7 };

    assert_route(high, USB_HIGH_SPEED, 0x2, 1, 0, 0);
    assert_route(full, USB_FULL_SPEED, 0x32, 2, 2, 3);
    assert_route(low, USB_LOW_SPEED, 0x432, 3, 2, 3);
    assert_route(usb_route_behind(&root, 1, 5, USB_LOW_SPEED), USB_LOW_SPEED, 0x5, 1, 1, 5);
    assert_route(usb_route_behind(&slow_root, 1, 5, USB_LOW_SPEED), USB_LOW_SPEED, 0x5, 1, 0, 0);
    assert_route(usb_route_behind(&root, 1, 15, USB_HIGH_SPEED), USB_HIGH_SPEED, 0xf, 1, 0, 0);
    assert_route(usb_route_behind(&root, 1, 16, USB_HIGH_SPEED), USB_HIGH_SPEED, 0xf, 1, 0, 0);
}

/* Both sizes of entries (xHCI 1.2, 6.2.2, 6.2.3). */
TEST(contexts_are_as_specified)
{
    static _Alignas(8) uint8_t bytes[CONTEXT_INPUT_BYTES_MAX + 1];
    static const struct usb_route route = {
        USB_LOW_SPEED, .root_port = 9, .string = 0x4321, .tt_slot = 5, .tt_port = 6,
    };

    for (uint32_t entry = 32; entry <= 64; entry *= 2) {
        const struct context c = { bytes, entry };
        const struct context_endpoint first = { CONTEXT_CONTROL, false, 64,
                                                .ring_phys = 0x1234567890 },
                                      highest = { 31, false, 8, 10, 0xabcdef0120 };
        const uint32_t *control = (void *)bytes, *slot = (void *)(bytes + entry);
        const uint32_t *zero = (void *)(bytes + 2 * entry), *last = (void *)(bytes + 32 * entry);

        memset(bytes, 0xff, sizeof(bytes));
        context_make(&c, &route, &(struct context_hub){ 0 }, &first, 1, false);
        assert_int_equal(control[0], 0);
        assert_int_equal(control[1], 0x2);
        assert_int_equal(slot[0], 1u << 27 | 2u << 20 | 0x4321);
        assert_int_equal(slot[1], 9u << 16);
        assert_int_equal(slot[2], 6u << 8 | 5);
        assert_int_equal(zero[0], 0);
        assert_int_equal(zero[1], 64u << 16 | 4u << 3 | 3u << 1);
        assert_int_equal(zero[2], 0x34567891);
        assert_int_equal(zero[3], 0x12);
        assert_int_equal(zero[4], 8);
        assert_int_equal(last[1], 0);
        context_make(&c, &route, &(struct context_hub){ 0 }, &first, 1, true);
        assert_int_equal(control[1], 0x3);

        context_make(&c, &route, &(struct context_hub){ 4, 3 }, &highest, 1, true);
        assert_int_equal(control[0], 0);
        assert_int_equal(control[1], 0x80000001);
        assert_int_equal(slot[0], 31u << 27 | 1u << 26 | 2u << 20 | 0x4321);
        assert_int_equal(slot[1], 4u << 24 | 9u << 16);
        assert_int_equal(slot[2], 3u << 16 | 6u << 8 | 5);
        assert_int_equal(zero[1], 0);
        assert_int_equal(last[0], 6u << 16);
        assert_int_equal(last[1], 8u << 16 | 7u << 3 | 3u << 1);
        assert_int_equal(last[2], 0xcdef0121);
        assert_int_equal(last[3], 0xab);
        assert_int_equal(last[4], 8u << 16 | 8);
        assert_int_equal(bytes[33 * entry], 0xff);
    }
}

TEST(device_is_no_hub)
{
    static _Alignas(8) uint8_t bytes[CONTEXT_INPUT_BYTES_MAX];
    const struct context c = { bytes, 32 };

    context_make(&c, &(struct usb_route){ USB_FULL_SPEED, .root_port = 1 },
                 &(struct context_hub){ 0 }, &(struct context_endpoint){ 1, false, 8, 0, 0 }, 1,
                 true);
    assert_int_equal(*(uint32_t *)(void *)(bytes + 32), 1u << 27 | 1u << 20);
}

/* xHCI 1.2, table 6-12; the interval is the next lower power of two. */
TEST(intervals)
{
    static const struct {
        enum usb_speed speed;
        uint8_t given, expected;
    } cases[] = {
        { USB_LOW_SPEED, 0, 3 },    { USB_LOW_SPEED, 1, 3 },    { USB_LOW_SPEED, 2, 4 },
        { USB_FULL_SPEED, 3, 4 },   { USB_FULL_SPEED, 4, 5 },   { USB_FULL_SPEED, 10, 6 },
        { USB_LOW_SPEED, 127, 9 },  { USB_LOW_SPEED, 128, 10 }, { USB_FULL_SPEED, 255, 10 },
        { USB_HIGH_SPEED, 0, 0 },   { USB_HIGH_SPEED, 1, 0 },   { USB_HIGH_SPEED, 7, 6 },
        { USB_HIGH_SPEED, 16, 15 }, { USB_HIGH_SPEED, 17, 15 }, { USB_HIGH_SPEED, 255, 15 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static _Alignas(8) uint8_t bytes[CONTEXT_INPUT_BYTES_MAX];
        const struct context c = { bytes, 32 };

        context_make(&c, &(struct usb_route){ cases[i].speed, .root_port = 1 },
                     &(struct context_hub){ 0 },
                     &(struct context_endpoint){ 3, false, 8, cases[i].given, 0 }, 1, true);
        assert_int_equal(*(uint32_t *)(void *)(bytes + 4 * 32), cases[i].expected << 16);
    }
}

TEST(endpoint_numbers)
{
    assert_int_equal(CONTEXT_ENDPOINT_IN(1), 3);
    assert_int_equal(CONTEXT_ENDPOINT_IN(15), 31);
    assert_int_equal(usb_first_packet_bytes(USB_LOW_SPEED), 8);
    assert_int_equal(usb_first_packet_bytes(USB_FULL_SPEED), 8);
    assert_int_equal(usb_first_packet_bytes(USB_HIGH_SPEED), 64);
}
