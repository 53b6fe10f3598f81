// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "usb_formats/descriptors.h"

#define CONFIGURATION(length, value) 9, 2, (length), 0, 1, (value), 0, 0xa0, 50
#define INTERFACE(number, alternate, class, subclass, protocol)                                    \
    9, 4, (number), (alternate), 1, (class), (subclass), (protocol), 0
#define HID 9, 0x21, 0x11, 1, 0, 1, 0x22, 63, 0
#define ENDPOINT(address, attributes, bytes, interval)                                             \
    7, 5, (address), (attributes), (bytes)&0xff, (bytes) >> 8, (interval)

static void requests(void **state)
{
    assert_int_equal(usb_get_descriptor(USB_DESCRIPTOR_DEVICE, 8), 0x0008000001000680);
    assert_int_equal(usb_get_descriptor(USB_DESCRIPTOR_CONFIGURATION, 0x201), 0x0201000002000680);
    assert_int_equal(usb_set_configuration(5), 0x0000000000050900);
    assert_int_equal(usb_set_boot_protocol(2), 0x0000000200000b21);
    assert_int_equal(usb_set_idle(2), 0x0000000200000a21);
    assert_int_equal(usb_request_length(usb_get_descriptor(USB_DESCRIPTOR_DEVICE, 0x1234)), 0x1234);
}

static void packet_sizes(void **state)
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
    device[7] = 8;
    device[1] = 2;
    assert_int_equal(usb_device_packet_bytes(device, 8, &bytes), STATUS_INVALID);
    assert_int_equal(bytes, 64);
}

static void configuration_lengths(void **state)
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

static void finds_keyboards_and_hubs(void **state)
{
    static const struct {
        uint8_t bytes[80];
        size_t n;
        bool found;
        struct usb_function function;
    } cases[] = {
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          34,
          true,
          { USB_KEYBOARD, 1, 0, 1, 8, 10 } },
        /* A composite device: a mouse, then the keyboard. */
        { { CONFIGURATION(59, 2), INTERFACE(0, 0, 3, 1, 2), HID, ENDPOINT(0x81, 3, 4, 10),
            INTERFACE(3, 0, 3, 1, 1), HID, ENDPOINT(0x8f, 0x13, 64, 1) },
          59,
          true,
          { USB_KEYBOARD, 2, 3, 15, 64, 1 } },
        { { CONFIGURATION(25, 1), INTERFACE(0, 0, 9, 0, 0), ENDPOINT(0x81, 3, 1, 255) },
          25,
          true,
          { USB_HUB, 1, 0, 1, 1, 255 } },
        /* High-bandwidth bits are not part of the size; an OUT endpoint comes first. */
        { { CONFIGURATION(41, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x02, 3, 8, 1),
            ENDPOINT(0x83, 3, 0x1808, 4) },
          41,
          true,
          { USB_KEYBOARD, 1, 0, 3, 8, 4 } },
        /* No keyboard that okram could hear. */
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 0, 0), HID, ENDPOINT(0x81, 3, 8, 10) },
          34,
          false,
          { 0 } },
        { { CONFIGURATION(34, 1), INTERFACE(0, 1, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          34,
          false,
          { 0 } },
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 2, 8, 10) },
          34,
          false,
          { 0 } },
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x80, 3, 8, 10) },
          34,
          false,
          { 0 } },
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 0, 10) },
          34,
          false,
          { 0 } },
        { { CONFIGURATION(32, 1), INTERFACE(0, 0, 8, 6, 80), ENDPOINT(0x81, 2, 512, 0) },
          25,
          false,
          { 0 } },
        /* Cut, and lengths that contradict themselves. */
        { { CONFIGURATION(34, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          33,
          false,
          { 0 } },
        { { CONFIGURATION(33, 1), INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 10) },
          34,
          false,
          { 0 } },
        { { CONFIGURATION(36, 1), 0, 0, INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 1) },
          36,
          false,
          { 0 } },
        { { CONFIGURATION(36, 1), 1, 4, INTERFACE(0, 0, 3, 1, 1), HID, ENDPOINT(0x81, 3, 8, 1) },
          36,
          false,
          { 0 } },
        { { CONFIGURATION(34, 1), 8, 4, 0, 0, 1, 3, 1, 1, HID, ENDPOINT(0x81, 3, 8, 10) },
          33,
          false,
          { 0 } },
        { { 9, 2 }, 2, false, { 0 } },
        { { 0 }, 0, false, { 0 } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct usb_function f;

        if (usb_function_find(cases[i].bytes, cases[i].n, &f) != STATUS_OK) {
            assert_false(cases[i].found);
            continue;
        }
        assert_true(cases[i].found);
        assert_int_equal(f.kind, cases[i].function.kind);
        assert_int_equal(f.configuration, cases[i].function.configuration);
        assert_int_equal(f.interface, cases[i].function.interface);
        assert_int_equal(f.endpoint, cases[i].function.endpoint);
        assert_int_equal(f.packet_bytes, cases[i].function.packet_bytes);
        assert_int_equal(f.interval, cases[i].function.interval);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),
        cmocka_unit_test(packet_sizes),
        cmocka_unit_test(configuration_lengths),
        cmocka_unit_test(finds_keyboards_and_hubs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
