// SPDX-License-Identifier: MIT
#include "findings/findings.h"

#include "findings/findings_parts.h"

void findings_static(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->slots)
        findings_slots(in, warnings);
    findings_ecc(in, warnings);
    findings_nodes(in, warnings);
}

void findings_measured(const struct findings_input *in, const struct warnings *warnings)
{
    findings_speeds(in, warnings);
    if (in->hmat)
        findings_hmat(in, warnings);
}
