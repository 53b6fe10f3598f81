// SPDX-License-Identifier: MIT
/*
 * The ports of the controller and of hubs (xHCI 1.2, 4.19; USB 2.0, 11.5 and 11.24): what went is
 * given up, what came is reset and attached.
 */
#pragma once

#include "usb/controller.h"

/* Begins what is due, when nothing is under way. Returns whether there was anything. */
bool ports_work(struct controller *c);
