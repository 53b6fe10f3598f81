// SPDX-License-Identifier: MIT
#include "findings/findings.h"

#include "findings/findings_parts.h"
#include "lib/string.h"

/* ECC that the modules have, but that is off. */
static void warn_of_ecc(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->ecc.state != MEMORY_ECC_UNUSED)
        return;
    warn_print(warnings,
               "ECC is off by %s, although the modules have it: errors of memory are neither "
               "corrected nor reported; see whether the BIOS setup can turn it on",
               strcmp(in->ecc.by, "controller") == 0 ? "the registers of the memory controller"
                                                     : "SMBIOS");
}

void findings_static(const struct findings_input *in, const struct warnings *warnings)
{
    findings_slots(in, warnings);
    warn_of_ecc(in, warnings);
    findings_nodes(in, warnings);
}

void findings_measured(const struct findings_input *in, const struct warnings *warnings)
{
    findings_speeds(in, warnings);
    if (in->hmat)
        findings_hmat(in, warnings);
}
