// SPDX-License-Identifier: MIT
/*
 * The addresses of network cards, as firmware knows them: of the Simple Network Protocols that its
 * drivers have installed (UEFI 2.10, 24.1). No card is opened or started. Cards whose driver
 * firmware has not started, as with a fast boot, are not known.
 */
#pragma once

#include "boot/boot_info.h"

/* Each address once; those beyond BOOT_MACS_MAX are left out. Before drivers are disconnected. */
uint32_t network_cards_list(uint8_t ret_mac[BOOT_MACS_MAX][BOOT_MAC_BYTES]);
