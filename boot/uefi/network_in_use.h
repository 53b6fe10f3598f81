// SPDX-License-Identifier: MIT
/*
 * Whether a program that is still loaded has a network card open for itself.
 *
 * GRUB opens a card's Simple Network Protocol with EXCLUSIVE (UEFI 2.10, 7.3.9) and never closes
 * it. A driver cannot stop then: its protocol cannot be uninstalled (7.3.3), and EDK2's
 * DisconnectController does not return from GRUB 2.06's card.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

/* controller: the PCI function's handle. False where that cannot be found out. */
bool network_is_in_use(EFI_HANDLE controller);
