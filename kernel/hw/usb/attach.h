// SPDX-License-Identifier: MIT
/*
 * Attaches a device, from the reset of its port until its reports come (USB 2.0, 9.1.2; xHCI 1.2,
 * 4.3): a slot, an address, descriptors, the configuration, the endpoints. What is neither keyboard
 * nor hub nor a storage device that is wanted is ignored until it is unplugged. At a hub it keeps
 * its slot and its address: a controller would give the address of a slot that was disabled to the
 * next device, and both would answer to it.
 *
 * Some devices fail if they get their address at once: from the second attempt on they are asked
 * for the head of their descriptor at address 0 before that, and the third one waits longer, too.
 */
#pragma once

#include "usb/controller.h"

/* The port at work (c->work) has been reset: there is a device of this speed. */
void attach_begin(struct controller *c, enum usb_speed speed);

/* An event of a device's interrupt endpoint: a report, which is not long-lived; n 0: none. */
const uint8_t *attach_take_report(struct controller *c, struct usb_device *d,
                                  const struct trb *event, uint32_t *ret_bytes);

/*
 * For the ports of the controller and of hubs (xHCI 1.2, 4.19; USB 2.0, 11.5 and 11.24): what went
 * is given up, what came is reset and attached. Begins what is due, when nothing is under way.
 * Returns whether there was anything.
 */
bool ports_work(struct controller *c);
