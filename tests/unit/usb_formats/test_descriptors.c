// SPDX-License-Identifier: MIT
#include "usb_formats/descriptors.h"

#include "tests/unit/unit.h"

#define CONFIGURATION(length, value) 9, 2, (length), 0, 1, (value), 0, 0xa0, 50
#define INTERFACE(number, alternate, class, subclass, protocol)                                    \
    9, 4, (number), (alternate), 1, (class), (subclass), (protocol), 0
#define HID 9, 0x21, 0x11, 1, 0, 1, 0x22, 63, 0
#define ENDPOINT(address, attributes, bytes, interval)                                             \
    7, 5, (address), (attributes), (bytes)&0xff, (bytes) >> 8, (interval)

TEST(requests)
{
    assert_int_equal(usb_get_descriptor(USB_DESCRIPTOR_DEVICE, 8), 0x0008000001000680);
    assert_int_equal(usb_get_descriptor(USB_DESCRIPTOR_CONFIGURATION, 0x201), 0x0201000002000680);
    assert_int_equal(usb_set_configuration(5), 0x0000000000050900);
    assert_int_equal(usb_set_boot_protocol(2), 0x0000000200000b21);
    assert_int_equal(usb_set_idle(2), 0x0000000200000a21);
    assert_int_equal(usb_clear_halt(0x81), 0x0000008100000102);
    assert_int_equal(usb_request_length(usb_get_descriptor(USB_DESCRIPTOR_DEVICE, 0x1234)), 0x1234);
}

TEST(packet_sizes)
{
    static const uint8_t valid[] = { 8, 16, 32, 64 };
    uint8_t device[8] = { 18, 1, 0, 2, 0, 0, 0, 8 };
    uint16_t bytes = 1;

    for (size_t i = 0; i < sizeof(valid); i++) {
        device[7] = valid[i];
        assert_int_equal(usb_device_packet_bytes(device, 8, &bytes), STATUS_OK);
        assert_int_equal(bytes, valid[i]);
    }
    assert_int_equal(usb_device_packet_bytes(device, 7, &bytes), STATUS_INVALID);
    device[7] = 9;
    assert_int_equal(usb_device_packet_bytes(device, 8, &bytes), STATUS_INVALID);
    assert_int_equal(bytes, 64);
    device[3] = 3; /* of USB 3: a power of two */
    assert_int_equal(usb_device_packet_bytes(device, 8, &bytes), STATUS_OK);
    assert_int_equal(bytes, 512);
    device[7] = 8;
    device[1] = 2;
    assert_int_equal(usb_device_packet_bytes(device, 8, &bytes), STATUS_INVALID);
    assert_int_equal(bytes, 512);
}

TEST(configuration_lengths)
{
    uint8_t head[9] = { 9, 2, 0x34, 0x12 };
    uint16_t bytes;

    assert_int_equal(usb_configuration_bytes(head, 9, &bytes), STATUS_OK);
    assert_int_equal(bytes, 0x1234);
    assert_int_equal(usb_configuration_bytes(head, 8, &bytes), STATUS_INVALID);
    head[2] = 8;
    head[3] = 0;
    assert_int_equal(usb_configuration_bytes(head, 9, &bytes), STATUS_INVALID);
    head[2] = 9;
    assert_int_equal(usb_configuration_bytes(head, 9, &bytes), STATUS_OK);
    head[1] = 4;
    assert_int_equal(usb_configuration_bytes(head, 9, &bytes), STATUS_INVALID);
}

TEST(finds_keyboards_and_hubs)
{
    static const struct {
        uint8_t bytes[80];
        size_t n;
        struct usb_function function; /* packets of 0 bytes: none is found */
    } cases[] = {
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          34,
          { USB_KEYBOARD, 1, 0, 1, 8, 10, 0, 0 } },
        /* A composite device: a mouse, then the keyboard. */
        { { CONFIGURATION(59, 2), INTERFACE(0, 0, 3, 1, 2), HID, ENDPOINT(0x81, 3, 4, 10),
            INTERFACE(3, 0, 3, 1, 1), HID, ENDPOINT(0x8f, 0x13, 64, 1) },
          59,
          { USB_KEYBOARD, 2, 3, 15, 64, 1, 0, 0 } },
        { { CONFIGURATION(25, 1), INTERFACE(0, 0, 9, 0, 0), ENDPOINT(0x81, 3, 1, 255) },
          25,
          { USB_HUB, 1, 0, 1, 1, 255, 0, 0 } },
        /* High-bandwidth bits are not part of the size; an OUT endpoint comes first. */
        { { CONFIGURATION(41, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x02, 3, 8, 1),
            ENDPOINT(0x83, 3, 0x1808, 4) },
          41,
          { USB_KEYBOARD, 1, 0, 3, 8, 4, 0, 0 } },
        /* No keyboard that okram could hear. */
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 0, 0), HID, ENDPOINT(0x81, 3, 8, 10) },
          .n = 34 },
        { { CONFIGURATION(34, 1), INTERFACE(0, 1, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          .n = 34 },
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 2, 8, 10) },
          .n = 34 },
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x80, 3, 8, 10) },
          .n = 34 },
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 0, 10) },
          .n = 34 },
        /* Storage devices: both endpoints, in any order, with what USB 3 adds between. */
        { { CONFIGURATION(32, 1), INTERFACE(0, 0, 8, 6, 80), ENDPOINT(0x81, 2, 512, 0) }, .n = 25 },
        { { CONFIGURATION(32, 1), INTERFACE(0, 0, 8, 6, 80), ENDPOINT(0x81, 2, 512, 0),
            ENDPOINT(0x02, 2, 512, 0) },
          32,
          { USB_STORAGE, 1, 0, 1, 512, 0, 2, 512 } },
        { { CONFIGURATION(44, 1), INTERFACE(0, 0, 8, 6, 80), ENDPOINT(0x0f, 2, 1024, 0), 6, 48, 15,
            0, 0, 0, ENDPOINT(0x81, 2, 1024, 0), 6, 48, 15, 0, 0, 0 },
          44,
          { USB_STORAGE, 1, 0, 1, 1024, 0, 15, 1024 } },
        { { CONFIGURATION(32, 1), INTERFACE(0, 0, 8, 6, 80), ENDPOINT(0x81, 2, 512, 0),
            ENDPOINT(0x02, 3, 512, 0) },
          .n = 32 },
        { { CONFIGURATION(32, 1), INTERFACE(0, 0, 8, 6, 98), ENDPOINT(0x81, 2, 512, 0),
            ENDPOINT(0x02, 2, 512, 0) },
          .n = 32 },
        /* One that is a keyboard, too, is that. */
        { { CONFIGURATION(57, 1), INTERFACE(0, 0, 8, 6, 80), ENDPOINT(0x81, 2, 512, 0),
            ENDPOINT(0x02, 2, 512, 0), INTERFACE(1, 0, 3, 1, 1), HID, ENDPOINT(0x83, 3, 8, 10) },
          57,
          { USB_KEYBOARD, 1, 1, 3, 8, 10, 0, 0 } },
        /* Cut, and lengths that contradict themselves. */
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          .n = 33 },
        { { CONFIGURATION(33, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          .n = 34 },
        { { CONFIGURATION(36, 1), 0, 0, INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 1) },
          .n = 36 },
        { { CONFIGURATION(36, 1), 1, 4, INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 1) },
          .n = 36 },
        { { CONFIGURATION(34, 1), 8, 4, 0, 0, 1, 3, 1, 1, HID, ENDPOINT(0x81, 3, 8, 10) },
          .n = 33 },
        { { 9, 2 }, .n = 2 },
        { { 0 }, .n = 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct usb_function f;

        if (usb_function_find(cases[i].bytes, cases[i].n, &f) != STATUS_OK) {
            assert_int_equal(cases[i].function.packet_bytes, 0);
            continue;
        }
        assert_int_not_equal(f.packet_bytes, 0);
        assert_int_equal(f.kind, cases[i].function.kind);
        assert_int_equal(f.configuration, cases[i].function.configuration);
        assert_int_equal(f.interface, cases[i].function.interface);
        assert_int_equal(f.endpoint, cases[i].function.endpoint);
        assert_int_equal(f.packet_bytes, cases[i].function.packet_bytes);
        assert_int_equal(f.interval, cases[i].function.interval);
        assert_int_equal(f.endpoint_out, cases[i].function.endpoint_out);
        assert_int_equal(f.packet_bytes_out, cases[i].function.packet_bytes_out);
    }
}

#define LAST -2 /* after the keys expected */

TEST(reports_give_keys)
{
    static const struct {
        uint8_t bytes[10];
        size_t n;
        int keys[7];
    } reports[] = {
        { { 0 }, 8, { LAST } },
        { { 0, 0, 0x14 }, 8, { 'q', LAST } },
        { { 0, 0, 0x14 }, 8, { LAST } }, /* held */
        { { 0, 0, 0x15, 0x14 }, 8, { 'r', LAST } },
        { { 0, 0, 1, 1, 1, 1, 1, 1 }, 8, { LAST } }, /* too many keys: no change */
        { { 0, 0, 0x15, 0x14 }, 8, { LAST } },
        { { 0 }, 8, { LAST } },
        { { 0, 0, 0x14 }, 2, { LAST } }, /* too short: no change */
        { { 0, 0, 0x14 }, 3, { 'q', LAST } },
        { { 0, 0, 0x1b, 0x11, 0x0b }, 5, { 'x', 'n', 'h', LAST } },
        { { 0 }, 8, { LAST } },
        { { 0x02, 0xff, 0x0f }, 8, { 'l', LAST } }, /* with shift */
        { { 0, 0, 0x05, 0x06, 0x2c, 0x28, 0x58, 0x29 },
          8,
          { 'b', 'c', ' ', KEY_ENTER, KEY_ENTER, KEY_ESCAPE, LAST } },
        { { 0 }, 8, { LAST } },
        { { 0, 0, 4, 0xff, 0x59, 0x27, 0x13, 0x17 }, 8, { LAST } },
        { { 0, 0, 0x16 }, 8, { 's', LAST } },
        { { 0, 0, 0, 0, 0, 0, 0, 0x14, 0x15, 0x0f }, 10, { 'q', LAST } }, /* six keys, no more */
        { { 0, 0, 0, 0, 0, 0, 0, 3 }, 8, { LAST } },
        { { 0, 0, 0x15, 0, 0, 0, 0, 0x14 }, 8, { 'r', LAST } },
    };
    struct boot_keys keys = { 0 };

    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        int found[BOOT_REPORT_KEYS];
        size_t n = boot_report_keys(&keys, reports[i].bytes, reports[i].n, found);

        for (size_t k = 0; k < n; k++)
            assert_int_equal(found[k], reports[i].keys[k]);
        assert_int_equal(reports[i].keys[n], LAST);
    }
}

/* As USB 2.0, table 11-15, has them, the first byte lowest. */
TEST(hub_data_requests)
{
    assert_int_equal(hub_get_descriptor(), 0x00090000290006a0);
    assert_int_equal(hub_get_port_status(3), 0x00040003000000a3);
    assert_int_equal(hub_set_port_feature(2, HUB_PORT_POWER), 0x0000000200080323);
    assert_int_equal(hub_set_port_feature(2, HUB_PORT_RESET), 0x0000000200040323);
    assert_int_equal(hub_clear_port_feature(31, HUB_CHANGE_CONNECTION), 0x0000001f00100123);
}

TEST(descriptors)
{
    static const struct {
        uint8_t bytes[9];
        size_t n;
        enum status status;
        struct hub_descriptor hub;
    } cases[] = {
        { { 9, 0x29, 4, 0xe9, 0, 50, 100, 0, 0xff }, 9, STATUS_OK, { 4, 100, 3 } },
        { { 9, 0x29, 8, 0x0a, 0, 255, 0, 0, 0 }, 7, STATUS_OK, { 8, 510, 0 } },
        { { 9, 0x29, 31 }, 9, STATUS_OK, { 31, 0, 0 } },
        { { 9, 0x29, 32 }, 9, STATUS_OK, { 31, 0, 0 } },
        { { 9, 0x29, 255 }, 9, STATUS_OK, { 31, 0, 0 } },
        { { 9, 0x29, 0 }, 9, STATUS_INVALID, { 0 } },
        { { 9, 0x2a, 4 }, 9, STATUS_INVALID, { 0 } },
        { { 9, 0x29, 4 }, 6, STATUS_INVALID, { 0 } },
        { { 0 }, 0, STATUS_INVALID, { 0 } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hub_descriptor hub = { 0 };

        assert_int_equal(hub_descriptor_read(cases[i].bytes, cases[i].n, &hub), cases[i].status);
        assert_int_equal(hub.n_ports, cases[i].hub.n_ports);
        assert_int_equal(hub.power_good_ms, cases[i].hub.power_good_ms);
        assert_int_equal(hub.think_time, cases[i].hub.think_time);
    }
}

TEST(port_statuses)
{
    static const struct {
        uint8_t bytes[4];
        struct hub_port port;
    } cases[] = {
        { { 0, 1, 0, 0 }, { .speed = USB_FULL_SPEED } },
        { { 1, 1, 1, 0 }, { true, false, USB_FULL_SPEED, true, false, 0x01 } },
        { { 3, 3, 0x10, 0 }, { true, true, USB_LOW_SPEED, false, true, 0x10 } },
        { { 3, 5, 0, 0 }, { true, true, USB_HIGH_SPEED, false, false, 0 } },
        { { 0, 0, 0xff, 0xff }, { false, false, USB_FULL_SPEED, true, true, 0x1f } },
    };
    struct hub_port port;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(hub_port_read(cases[i].bytes, 4, &port), STATUS_OK);
        assert_int_equal(port.connected, cases[i].port.connected);
        assert_int_equal(port.enabled, cases[i].port.enabled);
        assert_int_equal(port.speed, cases[i].port.speed);
        assert_int_equal(port.connection_change, cases[i].port.connection_change);
        assert_int_equal(port.reset_change, cases[i].port.reset_change);
        assert_int_equal(port.changes, cases[i].port.changes);
    }
    assert_int_equal(hub_port_read(cases[0].bytes, 3, &port), STATUS_INVALID);
}
