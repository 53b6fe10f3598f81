// SPDX-License-Identifier: MIT
/* What a controller reports: ends of commands and transfers, reports of devices, ports that change.
 */
#pragma once

#include "usb/controller.h"

/* Called for each key that goes down (lib/keys.h). */
typedef void (*events_key)(int key);

/* Takes the events that have come. Returns whether there were any. */
bool events_take(struct controller *c, events_key pressed);
