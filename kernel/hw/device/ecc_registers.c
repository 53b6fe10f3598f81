// SPDX-License-Identifier: MIT
#include "device/ecc_registers.h"

void ecc_poll_count(struct ecc_poll *poll, bool is_on)
{
    poll->asked++;
    poll->on += is_on;
}

struct ecc_control ecc_poll_outcome(const struct ecc_poll *poll)
{
    struct ecc_control control = { 0 };

    if (!poll->asked || poll->is_silent)
        return control;
    if (poll->on == poll->asked)
        control.is_on = ECC_YES;
    else if (!poll->on)
        control.is_on = ECC_NO;
    if (poll->with_ecc_modules == poll->asked)
        control.modules_have_it = ECC_YES;
    return control;
}

static struct ecc_control read_intel(const struct ecc_source *source)
{
    struct ecc_control control;

    if (ecc_xeon_is_known(&source->cpu))
        return ecc_xeon_read();
    if (ecc_scalable_is_known(&source->cpu))
        return ecc_scalable_read(source);
    control = ecc_intel_read(source);
    return control.is_on == ECC_NOT_SAID ? ecc_in_band_read(source) : control;
}

struct ecc_control ecc_registers_read(const struct ecc_source *source)
{
    if (source->is_virtual)
        return (struct ecc_control){ 0 };
    switch (source->cpu.vendor) {
    case CPU_VENDOR_AMD:
    case CPU_VENDOR_HYGON: return ecc_amd_read(source);
    case CPU_VENDOR_INTEL: return read_intel(source);
    default: return (struct ecc_control){ 0 };
    }
}
