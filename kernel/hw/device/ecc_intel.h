// SPDX-License-Identifier: MIT
/*
 * Whether the memory controllers of Intel's desktop processors, Xeon E3 and Xeon E have ECC on, by
 * the registers of the host bridge that Linux's ie31200_edac names, and the mode of each channel:
 * MAD_DIMM bits 25:24 up to Haswell (4th generation Core datasheet vol. 2, 4.2.16), MAD_INTRA bits
 * 13:12 since Skylake (10th generation Core datasheet vol. 2, 3.2.36). In-band ECC of processors
 * for laptops and embedded systems is in ecc_in_band.h. Reads only. Boot CPU only.
 */
#pragma once

#include "device/ecc_source.h"
#include "firmware/memory_ecc.h"

/*
 * Nothing is said of host bridges that are not known. Since Alder Lake only the capability is
 * known: ECC is off if it has none, and nothing is said if it has. Channels without memory do not
 * count; when one has ECC on and the other has not, nothing is said.
 */
struct ecc_control ecc_intel_read(const struct ecc_source *source);
