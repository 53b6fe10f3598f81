// SPDX-License-Identifier: MIT
/*
 * Network and USB functions that firmware's drivers have turned on, on all PCI segments. They are
 * off before ExitBootServices, for then the memory that they write to is free. The kernel looks
 * again, for what firmware turns on while it shuts down.
 */
#pragma once

/*
 * Ends firmware's drivers of network functions, so that they need not wait in vain for the network
 * when they shut down, and clears bus mastering.
 */
void bus_masters_stop_network(void);

/*
 * Clears bus mastering of USB controllers, but for those that firmware's SMM drives
 * (usbdata/legacy.h). From then on firmware has neither keys nor files by USB.
 */
void bus_masters_stop_usb(void);
