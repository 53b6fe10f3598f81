// SPDX-License-Identifier: MIT
/*
 * A loader's regions. The input: physical address bits (1), entries lost (1), and regions: type
 * (1), base (8), size (8). The type is e820's, or, from 0x80 on, okram's own kind.
 */
#include "firmware/region_kind.h"
#include "fuzz.h"
#include "memory_map_checks.h"

#define OWN_KIND 0x80u

static struct boot_region region[BOOT_REGIONS_MAX + 8];

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    unsigned bits = (unsigned)fuzz_number(&in, 1);
    uint64_t lost = fuzz_number(&in, 1);
    size_t n = 0;

    while (in.left && n < sizeof(region) / sizeof(region[0])) {
        uint32_t type = (uint32_t)fuzz_number(&in, 1);

        region[n].kind = type < OWN_KIND ? region_kind_of_e820(type) : type - OWN_KIND;
        region[n].firmware_type = type;
        region[n].base = fuzz_number(&in, 8);
        region[n++].size = fuzz_number(&in, 8);
    }
    memory_map_checks(region, n, lost, bits);
    return 0;
}
