// SPDX-License-Identifier: MIT
/* Hubs: requests, descriptor and port status (USB 2.0, 11.23, 11.24). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"
#include "usb_formats/context.h"

#define HUB_DESCRIPTOR_BYTES 9 /* of a hub with up to 7 ports; okram needs no more */
#define HUB_STATUS_BYTES     4

/* Ports that okram uses; bit 0 of a change bitmap is the hub itself. */
#define HUB_PORTS_MAX 31

/* Table 11-17. A port's changes are its features 16 to 20, in the order of the change bits. */
enum hub_feature {
    HUB_PORT_ENABLE = 1,
    HUB_PORT_RESET = 4,
    HUB_PORT_POWER = 8,
    HUB_CHANGE_CONNECTION = 16
};
#define HUB_CHANGES 5

uint64_t hub_get_descriptor(void);
uint64_t hub_get_port_status(uint8_t port);
uint64_t hub_set_port_feature(uint8_t port, enum hub_feature feature);
uint64_t hub_clear_port_feature(uint8_t port, unsigned feature);

struct hub_descriptor {
    uint8_t n_ports;        /* 1 to HUB_PORTS_MAX */
    uint16_t power_good_ms; /* from power on until a port can be used */
    uint8_t think_time;     /* as the slot context codes it */
};

/* Table 11-13. STATUS_INVALID: it is none, or too short, or has no ports. */
enum status hub_descriptor_read(const uint8_t *bytes, size_t n, struct hub_descriptor *ret_hub);

struct hub_port {
    bool connected, enabled;
    enum usb_speed speed;   /* once it is enabled */
    bool connection_change; /* something was plugged in or out */
    bool reset_change;      /* a reset has ended */
    uint8_t changes;        /* all of them: bit n is the feature 16 + n */
};

/* Tables 11-21 and 11-22. STATUS_INVALID: too short. */
enum status hub_port_read(const uint8_t *bytes, size_t n, struct hub_port *ret_port);
