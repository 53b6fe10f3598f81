// SPDX-License-Identifier: MIT
/*
 * Whether the memory controller of Intel's desktop processors and Xeon E3 has ECC on, by registers
 * that Linux's ie31200_edac names: CAPID0 of the host bridge, and MAD_DIMM of both channels (Xeon
 * E3-1200 v3 datasheet, vol. 2, 2.1 and 2.2). Reads only. Boot CPU only.
 */
#pragma once

#include <stdint.h>

#include "firmware/memory_ecc.h"

/* Makes registers at a physical address readable; NULL: there cannot be any. */
typedef volatile void *ecc_map(uint64_t phys, uint64_t bytes);

/*
 * Nothing is said of host bridges that are not known. Since family 6's Skylake only the capability
 * is known: ECC is off if it has none, and nothing is said if it has. Channels without memory do
 * not count; when one has ECC on and the other has not, nothing is said.
 */
struct ecc_control ecc_intel_read(ecc_map *map);
