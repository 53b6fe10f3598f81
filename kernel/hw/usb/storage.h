// SPDX-License-Identifier: MIT
/*
 * A command to a storage device (usb_formats/storage.h): its wrapper, its data, how it went. A
 * device that breaks these rules, or takes too long, is given up, and attached anew: that resets
 * it.
 */
#pragma once

#include "usb/controller.h"

/*
 * Begins a command to a device that is_disk, when nothing is under way. Data, a page at most, are
 * in c->data, or come from `out`. c->storage.has_ended: it went as c->storage.result says, with
 * c->storage.received bytes; d->gone: the device is given up.
 */
void storage_begin(struct controller *c, struct usb_device *d,
                   const struct storage_command *command, const void *out);
