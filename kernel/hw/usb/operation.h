// SPDX-License-Identifier: MIT
/*
 * A controller does one thing at a time for its driver: a command (xHCI 1.2, 4.6), a control
 * transfer (4.11.2.2), a bulk transfer, or a delay. When it has ended well, the step that was named
 * is called. If it fails, the device that it was for is given up.
 */
#pragma once

#include "lib/span.h"
#include "usb/controller.h"

/* parameter: the TRB's. slot 0 and endpoint 0 where the command has none. */
void operation_command(struct controller *c, struct usb_device *d, struct trb command,
                       usb_step next);

/* A control transfer without data, or with data from the device, which are in c->buffer then. */
void operation_control(struct controller *c, struct usb_device *d, uint64_t setup, usb_step next);

/* Like operation_control, but a device may refuse it: that is not a failure (USB 2.0, 8.5.3.4). */
void operation_request(struct controller *c, struct usb_device *d, uint64_t setup, usb_step next);

/*
 * A transfer of memory, in one page, at a bulk endpoint of a storage device, which
 * may stall it: then the endpoint is made to go on (USB 2.0, 9.4.5) before the step, which finds
 * c->stalled.is_bulk, and c->operation.received otherwise.
 */
void operation_bulk(struct controller *c, struct usb_device *d, bool in, struct span memory,
                    usb_step next);

/* d: for which it waits. */
void operation_delay(struct controller *c, struct usb_device *d, uint32_t ms, usb_step next);

/* An event that is about a command, or about endpoint 0 or a bulk endpoint of a device. */
void operation_receive(struct controller *c, const struct trb *event);

/* Ends a delay or an operation that takes too long. Returns whether there was one. */
bool operation_expire(struct controller *c);

/* What is at that port has its turn again. hub: NULL: a root port. */
void operation_look_again(struct controller *c, struct usb_device *hub, uint8_t port);

/*
 * Gives up a device and all that is connected through it: its slot is disabled when there is time.
 * again: what is at its port is attached once more, unless it has failed too often.
 */
void operation_give_up(struct controller *c, struct usb_device *d, bool again);
