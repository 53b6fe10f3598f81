// SPDX-License-Identifier: MIT
#include "device/ecc_controllers.h"

#include <stddef.h>

#define MCHBAR_TOP_BIT 38u
#define MCHBAR_BYTES   (UINT64_C(1) << 15)
#define CAPID0         0xe4
#define CAPID0_NO_ECC  (UINT32_C(1) << 25)

#define CHANNELS     2u /* each has a register after the other's */
#define ECC_DISABLED 0u
#define ECC_ENABLED  3u /* in the pins and in the logic; others are for training */

/* Where the sizes of a channel's modules are, 0 if it has none, and its mode. */
static const struct mode {
    uint16_t sizes_at, mode_at;
    uint32_t sizes;
    unsigned shift;
} in_mad_dimm = { 0x5004, 0x5004, 0xffff, 24 }, in_mad_intra = { 0x500c, 0x5004, 0x3f003f, 12 };

#define SANDY_BRIDGE &in_mad_dimm  /* to Haswell */
#define SKYLAKE      &in_mad_intra /* to Coffee Lake */
#define ALDER_LAKE   NULL          /* to Bartlett Lake */

static const struct bridge {
    uint16_t device;
    const struct mode *mode; /* NULL: not known */
} bridges[] = {
    { 0x0108, SANDY_BRIDGE }, { 0x010c, SANDY_BRIDGE }, { 0x0150, SANDY_BRIDGE },
    { 0x0158, SANDY_BRIDGE }, { 0x015c, SANDY_BRIDGE }, { 0x0c04, SANDY_BRIDGE },
    { 0x0c08, SANDY_BRIDGE }, { 0x190f, SKYLAKE },      { 0x1918, SKYLAKE },
    { 0x191f, SKYLAKE },      { 0x590f, SKYLAKE },      { 0x5918, SKYLAKE },
    { 0x3e0f, SKYLAKE },      { 0x3e18, SKYLAKE },      { 0x3e1f, SKYLAKE },
    { 0x3e30, SKYLAKE },      { 0x3e31, SKYLAKE },      { 0x3e32, SKYLAKE },
    { 0x3e33, SKYLAKE },      { 0x3ec2, SKYLAKE },      { 0x3ec6, SKYLAKE },
    { 0x3eca, SKYLAKE },      { 0x4630, ALDER_LAKE },   { 0x4639, ALDER_LAKE },
    { 0x463c, ALDER_LAKE },   { 0x4640, ALDER_LAKE },   { 0x4642, ALDER_LAKE },
    { 0x4643, ALDER_LAKE },   { 0x4648, ALDER_LAKE },   { 0x4660, ALDER_LAKE },
    { 0x4668, ALDER_LAKE },   { 0xa700, ALDER_LAKE },   { 0xa702, ALDER_LAKE },
    { 0xa703, ALDER_LAKE },   { 0xa704, ALDER_LAKE },   { 0xa731, ALDER_LAKE },
    { 0xa732, ALDER_LAKE },   { 0xa733, ALDER_LAKE },   { 0xa740, ALDER_LAKE },
    { 0xa741, ALDER_LAKE },   { 0xa744, ALDER_LAKE },   { 0xa745, ALDER_LAKE },
};

static const struct bridge *bridge_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof(bridges) / sizeof(bridges[0]); i++) {
        if (id == (VENDOR_INTEL | (uint32_t)bridges[i].device << 16))
            return &bridges[i];
    }
    return NULL;
}

static struct ecc_control read_channels(const struct ecc_source *source, const struct mode *m,
                                        uint64_t base)
{
    struct ecc_poll poll = { 0 };

    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t sizes, word, mode;

        if (!ecc_read_word(source, base + m->sizes_at + 4 * i, &sizes) ||
            !ecc_read_word(source, base + m->mode_at + 4 * i, &word)) {
            poll.is_silent = true;
            break;
        }
        if (!(sizes & m->sizes))
            continue;
        mode = word >> m->shift & 3;
        poll.is_silent |= mode != ECC_ENABLED && mode != ECC_DISABLED;
        ecc_poll_count(&poll, mode == ECC_ENABLED);
    }
    return ecc_poll_outcome(&poll);
}

struct ecc_control ecc_intel_read(const struct ecc_source *source)
{
    struct pci_function f = pci_function_at(0, 0, 0);
    const struct bridge *bridge = bridge_of(pci_read(f, PCI_ID));
    struct ecc_control control = { 0 };
    uint32_t capabilities;
    uint64_t base;

    if (!bridge)
        return control;
    capabilities = pci_read(f, CAPID0);
    if (capabilities == ECC_NO_ANSWER)
        return control;
    if (capabilities & CAPID0_NO_ECC) {
        control.is_on = ECC_NO;
        return control;
    }
    base = bridge->mode ? mchbar_address(f, MCHBAR_TOP_BIT, MCHBAR_BYTES) : 0;
    return base ? read_channels(source, bridge->mode, base) : control;
}
