// SPDX-License-Identifier: MIT
#include "controller/ecc.h"

#include <stddef.h>

#include "device/pci.h"
#include "firmware/memory_ecc.h"

#define VENDOR_INTEL 0x8086u
#define CHANNELS     2u /* of a controller */

/* Of the host bridge, 00:00.0, by which these processors are known. */
static uint32_t bridge_id(void)
{
    return pci_read(pci_function_at(0, 0, 0), PCI_ID);
}

/*
 * The registers of the memory controllers are at an address that the host bridge names (4th
 * generation Core datasheet vol. 2, 3.1.12, MCHBAR).
 * top_bit: the highest of the address, which differs by generation; bytes: its alignment.
 */
static uint64_t mchbar_address(struct pci_function bridge, unsigned top_bit, uint64_t bytes)
{
    uint32_t low = pci_read(bridge, 0x48), high = pci_read(bridge, 0x4c);
    uint64_t bar = (uint64_t)high << 32 | low;

    if (low == UINT32_MAX || high == UINT32_MAX || !(bar & 1)) /* not there, or off */
        return 0;
    return bar & ((UINT64_C(2) << top_bit) - 1) & ~(bytes - 1);
}

/* Desktop processors: ECC of the modules. */

#define MCHBAR_TOP_BIT 38u
#define MCHBAR_BYTES   (UINT64_C(1) << 15)
#define CAPID0         0xe4
#define CAPID0_NO_ECC  (UINT32_C(1) << 25)

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

static const struct desktop_bridge {
    uint16_t device;
    const struct mode *mode; /* NULL: not known */
} desktop_bridges[] = {
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

static const struct desktop_bridge *desktop_bridge_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof(desktop_bridges) / sizeof(desktop_bridges[0]); i++) {
        if (id == (VENDOR_INTEL | (uint32_t)desktop_bridges[i].device << 16))
            return &desktop_bridges[i];
    }
    return NULL;
}

static bool is_desktop(const struct controller_source *source)
{
    return source->cpu.vendor == CPU_VENDOR_INTEL && desktop_bridge_of(bridge_id());
}

static struct ecc_control read_channels(const struct controller_source *source,
                                        const struct mode *m, uint64_t base)
{
    struct ecc_poll poll = { 0 };

    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t sizes, word, mode;

        if (!controller_read(source, base + m->sizes_at + 4 * i, &sizes) ||
            !controller_read(source, base + m->mode_at + 4 * i, &word)) {
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

static struct ecc_control read_desktop(const struct controller_source *source)
{
    struct pci_function f = pci_function_at(0, 0, 0);
    const struct desktop_bridge *bridge = desktop_bridge_of(bridge_id());
    struct ecc_control control = { 0 };
    uint32_t capabilities;
    uint64_t base;

    if (!bridge)
        return control;
    capabilities = pci_read(f, CAPID0);
    if (capabilities == CONTROLLER_NO_ANSWER)
        return control;
    if (capabilities & CAPID0_NO_ECC) {
        control.is_on = ECC_NO;
        return control;
    }
    base = bridge->mode ? mchbar_address(f, MCHBAR_TOP_BIT, MCHBAR_BYTES) : 0;
    return base ? read_channels(source, bridge->mode, base) : control;
}

const struct controller_family controller_intel_desktop = { is_desktop, read_desktop };

/* Laptops and embedded systems: in-band ECC. */

#define CONTROLLER_BYTES UINT64_C(0x10000) /* of each one's registers, one after the other */
#define ACTIVATE_ON      UINT32_C(1)
#define MAD_DIMM         0x0cu     /* of a channel, at the controller's base */
#define MAD_DIMM_SIZES   0x7f007fu /* of both modules; 0: the channel has none */

static const struct family {
    uint8_t capability; /* in the host bridge's configuration space */
    uint8_t bit;
    bool is_with; /* the bit says that it has in-band ECC, not that it lacks it */
    uint8_t min_stepping;
    uint8_t top_bit; /* of MCHBAR */
    uint8_t controllers;
    uint16_t base, activate; /* of a controller */
} elkhart_lake = { 0xec, 15, true, 0, 38, 1, 0x5000, 0xdc00 },
  ice_lake = { 0xec, 15, false, 1, 38, 1, 0x5000, 0xd800 },
  tiger_lake = { 0xf0, 12, false, 0, 38, 2, 0x5000, 0xd400 },
  alder_lake = { 0xf0, 12, false, 0, 41, 2, 0xd800, 0xd400 },
  meteor_lake = { 0xf0, 18, false, 0, 41, 2, 0xd800, 0xd400 };

/* Host bridges by the numbers of their devices, first to last. */
static const struct bridge {
    uint16_t device;
    const struct family *family;
} bridges[] = {
    { 0x4514, &elkhart_lake }, { 0x4516, &elkhart_lake }, { 0x4518, &elkhart_lake },
    { 0x451a, &elkhart_lake }, { 0x4528, &elkhart_lake }, { 0x452a, &elkhart_lake },
    { 0x452c, &elkhart_lake }, { 0x452e, &elkhart_lake }, { 0x4532, &elkhart_lake },
    { 0x4534, &elkhart_lake }, { 0x4536, &elkhart_lake }, { 0x4581, &ice_lake },
    { 0x4585, &ice_lake },     { 0x4589, &ice_lake },     { 0x458d, &ice_lake },
    { 0x9a14, &tiger_lake },   { 0x4601, &alder_lake },   { 0x4602, &alder_lake },
    { 0x4614, &alder_lake },   { 0x4617, &alder_lake },   { 0x461b, &alder_lake },
    { 0x461c, &alder_lake },   { 0x4621, &alder_lake },   { 0x4632, &alder_lake },
    { 0x4641, &alder_lake },   { 0x4646, &alder_lake },   { 0x464a, &alder_lake },
    { 0x4652, &alder_lake },   { 0x4673, &alder_lake },   { 0x4674, &alder_lake },
    { 0x4675, &alder_lake },   { 0x4676, &alder_lake },   { 0x4677, &alder_lake },
    { 0x4678, &alder_lake },   { 0x4679, &alder_lake },   { 0x467c, &alder_lake },
    { 0xa706, &alder_lake },   { 0xa707, &alder_lake },   { 0xa708, &alder_lake },
    { 0xa716, &alder_lake },   { 0xa718, &alder_lake },   { 0x7d01, &meteor_lake },
    { 0x7d02, &meteor_lake },  { 0x7d06, &meteor_lake },  { 0x7d14, &meteor_lake },
    { 0x7d20, &meteor_lake },  { 0x7d30, &meteor_lake },
};

static const struct family *family_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof(bridges) / sizeof(bridges[0]); i++) {
        if (id == (VENDOR_INTEL | (uint32_t)bridges[i].device << 16))
            return bridges[i].family;
    }
    return NULL;
}

/* ECC_NOT_SAID: some register cannot be read. */
static enum ecc_answer has_memory(const struct controller_source *source, uint64_t controller)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t sizes;

        if (!controller_read(source, controller + MAD_DIMM + 4 * i, &sizes))
            return ECC_NOT_SAID;
        if (sizes & MAD_DIMM_SIZES)
            return ECC_YES;
    }
    return ECC_NO;
}

/* Of one that is not there, all registers read as ones. */
static void ask_controller(const struct controller_source *source, const struct family *family,
                           uint64_t registers, struct ecc_poll *poll)
{
    uint32_t word;

    if (!controller_read(source, registers + family->base, &word))
        return;
    switch (has_memory(source, registers + family->base)) {
    case ECC_YES:
        if (controller_read(source, registers + family->activate, &word))
            ecc_poll_count(poll, word & ACTIVATE_ON);
        else
            poll->is_silent = true;
        break;
    case ECC_NO: break;
    default: poll->is_silent = true;
    }
}

static bool has_in_band(const struct controller_source *source)
{
    return source->cpu.vendor == CPU_VENDOR_INTEL && family_of(bridge_id());
}

static bool is_available(const struct controller_source *source, const struct family *family,
                         uint32_t capability)
{
    return ((capability >> family->bit & 1) != 0) == family->is_with &&
           source->cpu.stepping >= family->min_stepping;
}

static struct ecc_control read_in_band(const struct controller_source *source)
{
    struct pci_function f = pci_function_at(0, 0, 0);
    const struct family *family = family_of(bridge_id());
    struct ecc_control control = { 0 };
    struct ecc_poll poll = { 0 };
    uint32_t capability;
    uint64_t base;

    if (!family)
        return control;
    capability = pci_read(f, family->capability);
    if (capability == CONTROLLER_NO_ANSWER)
        return control;
    if (!is_available(source, family, capability)) {
        control.is_on = ECC_NO;
        return control;
    }
    base = mchbar_address(f, family->top_bit, CONTROLLER_BYTES * family->controllers);
    if (!base)
        return control;
    for (unsigned i = 0; i < family->controllers; i++)
        ask_controller(source, family, base + i * CONTROLLER_BYTES, &poll);
    control = ecc_poll_outcome(&poll);
    if (control.is_on == ECC_YES)
        control.repair = MEMORY_REPAIR_IN_BAND_ECC;
    return control;
}

const struct controller_family controller_intel_in_band = { has_in_band, read_in_band };
