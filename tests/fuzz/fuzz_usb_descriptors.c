// SPDX-License-Identifier: MIT
/* Descriptors of a USB device: the input is what a control transfer has returned. */
#include "usb_formats/descriptors.h"

#include <stdlib.h>

#include "fuzz.h"

static void check_function(const uint8_t *bytes, size_t size)
{
    struct usb_function f;

    if (usb_function_find(bytes, size, &f) != STATUS_OK)
        return;
    CHECK(f.kind == USB_KEYBOARD || f.kind == USB_HUB || f.kind == USB_STORAGE);
    CHECK(f.endpoint_out <= 15 && f.packet_bytes_out <= 0x7ff);
    CHECK(f.kind != USB_STORAGE || (f.endpoint_out && f.packet_bytes_out));
    CHECK(f.endpoint >= 1 && f.endpoint <= 15);
    CHECK(f.packet_bytes >= 1 && f.packet_bytes <= 0x7ff);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = fuzz_copy(bytes, size);
    struct hub_descriptor hub;
    struct hub_port port;
    uint16_t n;

    check_function(copy, size);
    if (usb_device_packet_bytes(copy, size, &n) == STATUS_OK)
        CHECK((n >= 8 && n <= 64) || n == 512);
    if (usb_configuration_bytes(copy, size, &n) == STATUS_OK)
        CHECK(n >= USB_CONFIGURATION_HEAD_BYTES);
    if (hub_descriptor_read(copy, size, &hub) == STATUS_OK)
        CHECK(hub.n_ports >= 1 && hub.n_ports <= HUB_PORTS_MAX && hub.think_time <= 3);
    if (hub_port_read(copy, size, &port) == STATUS_OK)
        CHECK(port.changes < 1u << HUB_CHANGES);
    free(copy);
    return 0;
}
