// SPDX-License-Identifier: MIT
/*
 * Network and USB functions that firmware's drivers have turned on, on all PCI segments. They are
 * off before ExitBootServices, for then the memory that they write to is free. The kernel looks
 * again, for what firmware turns on while it shuts down.
 */
#pragma once

#include <efi.h>

/* What is needed to stop USB at the last moment, when nothing may be allocated any more. */
struct bus_masters {
    void **function; /* all PCI functions' protocols; NULL: there are none */
    UINTN n;
};

/*
 * Ends firmware's drivers of network functions, so that they need not wait in vain for the network
 * when they shut down, and clears bus mastering.
 */
void bus_masters_stop_network(void);

/* Takes that back: firmware goes on, and may start another system by the network. */
void bus_masters_restart_network(void);

/* Allocates memory, and so changes firmware's memory map. */
void bus_masters_find(struct bus_masters *ret_found);

/* Where nothing is stopped after all. */
void bus_masters_free(struct bus_masters *found);

/*
 * Clears bus mastering of USB controllers, but for those that firmware's SMM drives
 * (usb_formats/legacy.h). From then on firmware has neither keys nor files by USB. Allocates
 * nothing.
 */
void bus_masters_stop_usb(const struct bus_masters *found);
