// SPDX-License-Identifier: MIT
/*
 * Whether Intel's processors for laptops and embedded systems have in-band ECC on: check bits in a
 * part of ordinary memory. By the registers that Linux's igen6_edac reads: the capability of the
 * host bridge, and IBECC_ACTIVATE of each memory controller. Reads only. Boot CPU only.
 */
#pragma once

#include <stdbool.h>

#include "device/ecc_source.h"
#include "firmware/memory_ecc.h"

/*
 * Nothing is said of host bridges that are not known, and when a register cannot be read. The
 * controllers of those that are known have no other ECC: it is off where in-band ECC is.
 * Controllers that are not there or have no memory do not count. It may be on for a part of the
 * memory alone.
 */
struct ecc_control ecc_in_band_read(const struct ecc_source *source);
