// SPDX-License-Identifier: MIT
#include "findings/findings_parts.h"

#include "lib/string.h"

void findings_ecc(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->ecc.state != MEMORY_ECC_UNUSED)
        return;
    warn_print(warnings,
               "ECC is off by %s, although the modules have it: errors of memory are neither "
               "corrected nor reported; see whether the BIOS setup can turn it on",
               strcmp(in->ecc.by, "controller") == 0 ? "the registers of the memory controller"
                                                     : "SMBIOS");
}
