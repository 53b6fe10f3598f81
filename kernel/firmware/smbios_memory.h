/* The memory modules that SMBIOS lists: type 17 (DMTF DSP0134 3.7, 7.18). */
#pragma once

#include <stdint.h>

#include "firmware/smbios.h"
#include "firmware/warn.h"
#include "lib/status.h"

/* What they add up to. ROM and flash chips do not count. */
struct smbios_memory {
    uint64_t installed_bytes; /* of the slots whose size is known */
    uint32_t slots;
    uint32_t populated;
    uint32_t unknown; /* populated slots that do not tell their size */
};

/* STATUS_NOT_FOUND: no memory device is listed. A list that breaks off gives one warning. */
enum status smbios_memory_read(const struct smbios *smbios, const struct warnings *warnings,
                               struct smbios_memory *ret_memory);
