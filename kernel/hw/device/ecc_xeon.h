// SPDX-License-Identifier: MIT
/*
 * Whether Intel's Xeon E5 and E7, v1 to v4, and Xeon D-1500 have ECC and mirroring on, by the
 * registers that Linux's sb_edac reads: MCMTR of each memory controller, DIMMMTR of its channels,
 * RASENABLES and HASYSDEFEATURE2. Reads only. Boot CPU only.
 */
#pragma once

#include <stdbool.h>

#include "cpudata/cpu_model.h"
#include "firmware/memory_ecc.h"

/* Whether it is one of them, of which ecc_xeon_read may say something. */
bool ecc_xeon_is_known(const struct cpu_model *cpu);

/*
 * Nothing is said where firmware hides the controllers' functions, when one of them cannot be read,
 * and when some controllers have ECC on and others have not. Controllers without modules do not
 * count. Looks for them on all buses.
 */
struct ecc_control ecc_xeon_read(void);
