// SPDX-License-Identifier: MIT
/*
 * Whether Intel's Xeon Scalable and Xeon 6 processors, and Xeon D and Atom P of the same kinds,
 * have ECC on, by MCMTR and DIMMMTR of each channel, as Linux's skx_edac and i10nm_edac read them:
 * up to Cooper Lake in PCI's extended configuration space, since Ice Lake in memory. Reads only.
 * Boot CPU only.
 */
#pragma once

#include <stdbool.h>

#include "device/ecc_source.h"
#include "firmware/memory_ecc.h"

/* Whether it is one of them, of which ecc_scalable_read may say something. */
bool ecc_scalable_is_known(const struct cpu_model *cpu);

/*
 * Nothing is said where firmware hides the controllers, when one of them cannot be read, when some
 * channels have ECC on and others have not, and when PCI has several segments, for sockets may be
 * in others than the first. Channels without DRAM modules do not count. Looks on all buses.
 */
struct ecc_control ecc_scalable_read(const struct ecc_source *source);
