// SPDX-License-Identifier: MIT
#include "controller/ecc.h"

#include <stddef.h>

/* Those of Xeons match by the CPU and come before those that match by the host bridge. */
static const struct controller_family *const families[] = {
    &controller_amd_umc,        &controller_amd_north_bridge, &controller_intel_e5,
    &controller_intel_scalable, &controller_intel_desktop,    &controller_intel_in_band,
};

struct ecc_control controller_ecc(const struct controller_source *source)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !source->is_virtual; i++) {
        if (families[i]->matches(source))
            return families[i]->read_ecc(source);
    }
    return (struct ecc_control){ 0 };
}
