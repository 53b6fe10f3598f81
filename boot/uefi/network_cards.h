// SPDX-License-Identifier: MIT
/*
 * The addresses of network cards, as firmware knows them: of the Simple Network Protocols that its
 * drivers have installed (UEFI 2.10, 24.1). No card is opened or started. Cards whose driver
 * firmware has not started, as with a fast boot, are not known.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "boot/boot_info.h"

/* Each address once; those beyond BOOT_MACS_MAX are left out. Before drivers are disconnected. */
uint32_t network_cards_list(uint8_t ret_mac[BOOT_MACS_MAX][BOOT_MAC_BYTES]);

/*
 * Whether a program that is still loaded has a card open for itself; controller: the PCI function's
 * handle. False where that cannot be found out.
 *
 * GRUB opens a card's Simple Network Protocol with EXCLUSIVE (UEFI 2.10, 7.3.9) and never closes
 * it. A driver cannot stop then: its protocol cannot be uninstalled (7.3.3), and EDK2's
 * DisconnectController does not return from GRUB 2.06's card.
 */
bool network_is_in_use(EFI_HANDLE controller);
