// SPDX-License-Identifier: MIT
#include "controller/ecc.h"

#include <stddef.h>

/*
 * Of the channels that have modules, as they were decoded. In-band ECC may be on for a part of the
 * memory alone; the controllers that have it have no other.
 */
static struct ecc_control of_decoded(const struct decoded_controller *decoded)
{
    struct ecc_control control;
    struct ecc_poll poll = { 0 };
    bool is_in_band = false;

    for (unsigned i = 0; i < decoded->n_channels; i++) {
        const struct decoded_channel *c = &decoded->channel[i];

        if (!decoded_bytes(c))
            continue;
        poll.is_silent |= c->ecc == DECODED_ECC_UNKNOWN;
        is_in_band |= c->ecc == DECODED_ECC_IN_BAND;
        ecc_poll_count(&poll, c->ecc >= DECODED_ECC_IN_BAND);
        poll.with_ecc_modules += c->ecc == DECODED_ECC_UNUSED;
    }
    control = ecc_poll_outcome(&poll);
    if (is_in_band && control.is_on == ECC_YES)
        control.repair = MEMORY_REPAIR_IN_BAND_ECC;
    return control;
}

static bool are_decoded(const struct controller_source *source)
{
    return controllers_get()->decoded.family;
}

static struct ecc_control read_decoded(const struct controller_source *source)
{
    return of_decoded(&controllers_get()->decoded);
}

/* Intel's for clients, and AMD's of which the data fabric alone says how many there are. */
static const struct controller_family others = { are_decoded, read_decoded };

/* Those of Xeons match by the CPU, and come first. */
static const struct controller_family *const families[] = {
    &controller_amd_umc,
    &controller_amd_north_bridge,
    &controller_intel_e5,
    &controller_intel_scalable,
    &others,
};

struct ecc_control controller_ecc(const struct controller_source *source)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !source->is_virtual; i++) {
        if (families[i]->matches(source))
            return families[i]->read_ecc(source);
    }
    return (struct ecc_control){ 0 };
}
