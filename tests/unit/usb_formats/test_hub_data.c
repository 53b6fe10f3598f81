// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "usb_formats/hub_data.h"

/* As USB 2.0, table 11-15, has them, the first byte lowest. */
static void requests(void **state)
{
    assert_int_equal(hub_get_descriptor(), 0x00090000290006a0);
    assert_int_equal(hub_get_port_status(3), 0x00040003000000a3);
    assert_int_equal(hub_set_port_feature(2, HUB_PORT_POWER), 0x0000000200080323);
    assert_int_equal(hub_set_port_feature(2, HUB_PORT_RESET), 0x0000000200040323);
    assert_int_equal(hub_clear_port_feature(31, HUB_CHANGE_CONNECTION), 0x0000001f00100123);
}

static void descriptors(void **state)
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

static void port_statuses(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(port_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
