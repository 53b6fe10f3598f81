// SPDX-License-Identifier: MIT
/*
 * Attaches a device, from the reset of its port until its reports come (USB 2.0, 9.1.2; xHCI 1.2,
 * 4.3): a slot, an address, descriptors, the configuration, the interrupt endpoint. A device that
 * is neither keyboard nor hub is given up.
 */
#pragma once

#include "usb/controller.h"

/* The port at work (c->work) has been reset: there is a device of this speed. */
void attach_begin(struct controller *c, enum usb_speed speed);

/* An event of a device's interrupt endpoint: a report, which is not long-lived; n 0: none. */
const uint8_t *attach_take_report(struct controller *c, struct usb_device *d,
                                  const struct trb *event, uint32_t *ret_bytes);
