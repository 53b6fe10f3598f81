// SPDX-License-Identifier: MIT
/*
 * Network and USB functions that firmware's drivers have turned on, on all PCI segments. They are
 * turned off before ExitBootServices, because the memory that they write to is free after it. The
 * kernel looks again, for what firmware turns on while it shuts down.
 */
#pragma once

#include <efi.h>

/* What is needed to stop USB at the last moment, when nothing may be allocated any more. */
struct bus_masters {
    void **function; /* all PCI functions' protocols; NULL: there are none */
    UINTN n;
};

/*
 * Disconnects firmware's drivers from network functions, so that they do not wait for the network
 * in vain when they shut down, and clears bus mastering. Each is named on the console first. A card
 * that another program uses (network_cards.h) stays connected. To be called when all is loaded:
 * okram itself may have come over one of these cards.
 */
void bus_masters_stop_network(void);

/* Undoes that: firmware goes on, and may start another system from the network. */
void bus_masters_restart_network(void);

/* Allocates memory, and so changes firmware's memory map. */
void bus_masters_find(struct bus_masters *ret_found);

/* If nothing is stopped after all. */
void bus_masters_free(struct bus_masters *found);

/*
 * Clears bus mastering of USB controllers, except those that firmware's SMM drives
 * (usb_formats/legacy.h). From then on firmware has no USB keyboards or drives. Allocates nothing.
 */
void bus_masters_stop_usb(const struct bus_masters *found);
