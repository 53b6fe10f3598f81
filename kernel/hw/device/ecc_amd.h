// SPDX-License-Identifier: MIT
/*
 * Whether AMD's memory controllers have ECC on, by the registers that Linux's amd64_edac reads:
 * since family 17h the unified memory controllers' UMC_CFG, SDP_CTRL and UMC_CAP_HI, by the system
 * management network (SMN) of a host bridge of each node, as in Linux's amd_node; before, the north
 * bridges' configuration and capabilities (BKDG family 10h, F3x44 and F3xE8). Boot CPU only.
 */
#pragma once

#include "device/ecc_source.h"
#include "firmware/memory_ecc.h"

/*
 * Nothing is said of models that are not known, when a register cannot be read, when some
 * controllers have ECC on and others have not, and when host bridges and nodes do not match or may
 * be in several PCI segments. Channels and nodes without modules do not count. Writes SMN's index
 * registers alone, which then have their old values again.
 */
struct ecc_control ecc_amd_read(const struct ecc_source *source);
