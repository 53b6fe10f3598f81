// SPDX-License-Identifier: MIT
#include "usb_formats/hub_data.h"

#include "usb_formats/descriptors.h"

/* Table 11-15. */
#define CLASS_FROM_HUB  0xa0
#define CLASS_FROM_PORT 0xa3
#define CLASS_TO_PORT   0x23

/* Table 11-16. */
#define GET_STATUS     0
#define CLEAR_FEATURE  1
#define SET_FEATURE    3
#define GET_DESCRIPTOR 6

#define DESCRIPTOR_HUB 0x29

#define PORT_CONNECTED  (1u << 0)
#define PORT_ENABLED    (1u << 1)
#define PORT_LOW_SPEED  (1u << 9)
#define PORT_HIGH_SPEED (1u << 10)

#define CHANGE_CONNECTION (1u << 0)
#define CHANGE_RESET      (1u << 4)

uint64_t hub_get_descriptor(void)
{
    return usb_request(CLASS_FROM_HUB, GET_DESCRIPTOR, DESCRIPTOR_HUB << 8, 0,
                       HUB_DESCRIPTOR_BYTES);
}

uint64_t hub_get_port_status(uint8_t port)
{
    return usb_request(CLASS_FROM_PORT, GET_STATUS, 0, port, HUB_STATUS_BYTES);
}

uint64_t hub_set_port_feature(uint8_t port, enum hub_feature feature)
{
    return usb_request(CLASS_TO_PORT, SET_FEATURE, (uint16_t)feature, port, 0);
}

uint64_t hub_clear_port_feature(uint8_t port, unsigned feature)
{
    return usb_request(CLASS_TO_PORT, CLEAR_FEATURE, (uint16_t)feature, port, 0);
}

enum status hub_descriptor_read(const uint8_t *bytes, size_t n, struct hub_descriptor *ret_hub)
{
    if (n < 7 || bytes[1] != DESCRIPTOR_HUB || bytes[2] == 0)
        return STATUS_INVALID;
    *ret_hub = (struct hub_descriptor){
        .n_ports = bytes[2] < HUB_PORTS_MAX ? bytes[2] : HUB_PORTS_MAX,
        .power_good_ms = (uint16_t)(2 * bytes[5]),
        .think_time = bytes[3] >> 5 & 3,
    };
    return STATUS_OK;
}

enum status hub_port_read(const uint8_t *bytes, size_t n, struct hub_port *ret_port)
{
    unsigned status, change;

    if (n < HUB_STATUS_BYTES)
        return STATUS_INVALID;
    status = bytes[0] | (unsigned)bytes[1] << 8;
    change = bytes[2] | (unsigned)bytes[3] << 8;
    *ret_port = (struct hub_port){
        .connected = status & PORT_CONNECTED,
        .enabled = status & PORT_ENABLED,
        .speed = status & PORT_LOW_SPEED    ? USB_LOW_SPEED
                 : status & PORT_HIGH_SPEED ? USB_HIGH_SPEED
                                            : USB_FULL_SPEED,
        .connection_change = change & CHANGE_CONNECTION,
        .reset_change = change & CHANGE_RESET,
        .changes = change & ((1u << HUB_CHANGES) - 1),
    };
    return STATUS_OK;
}
