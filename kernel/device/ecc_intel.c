// SPDX-License-Identifier: MIT
#include "device/ecc_intel.h"

#include <stdbool.h>
#include <stddef.h>

#include "device/pci.h"

#define VENDOR_INTEL 0x8086u
#define NOT_THERE    UINT32_MAX

#define MCHBAR        0x48
#define MCHBAR_ON     UINT64_C(1)
#define MCHBAR_MASK   (((UINT64_C(1) << 39) - 1) & ~(MCHBAR_BYTES - 1))
#define MCHBAR_BYTES  (UINT64_C(1) << 15)
#define CAPID0        0xe4
#define CAPID0_NO_ECC (UINT32_C(1) << 25)

/* Of each channel, behind MCHBAR. */
#define CHANNELS       2u
#define MAD_DIMM(i)    (0x5004u + 4 * (i))
#define MAD_SIZES      0xffffu /* of both modules; 0: the channel has none */
#define MAD_ECC(value) ((value) >> 24 & 3)
#define ECC_DISABLED   0u
#define ECC_ENABLED    3u /* in the pins and in the logic */

static const struct bridge {
    uint16_t device;
    bool has_mad_ecc; /* the mode in MAD_DIMM: from Sandy Bridge to Haswell */
} bridges[] = {
    { 0x0108, true },  { 0x010c, true },  { 0x0150, true },  { 0x0158, true },  { 0x015c, true },
    { 0x0c04, true },  { 0x0c08, true },  { 0x190f, false }, { 0x1918, false }, { 0x191f, false },
    { 0x590f, false }, { 0x5918, false }, { 0x3e0f, false }, { 0x3e18, false }, { 0x3e1f, false },
    { 0x3e30, false }, { 0x3e31, false }, { 0x3e32, false }, { 0x3e33, false }, { 0x3ec2, false },
    { 0x3ec6, false }, { 0x3eca, false }, { 0xa703, false }, { 0x4640, false }, { 0x4630, false },
    { 0xa700, false }, { 0xa740, false }, { 0xa704, false }, { 0x4660, false },
};

static const struct bridge *bridge_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof(bridges) / sizeof(bridges[0]); i++) {
        if (id == (VENDOR_INTEL | (uint32_t)bridges[i].device << 16))
            return &bridges[i];
    }
    return NULL;
}

/* NULL: they are off, or cannot be where they are said to be. */
static const volatile uint32_t *map_registers(struct pci_function f, ecc_map *map)
{
    uint32_t low = pci_read(f, MCHBAR), high = pci_read(f, MCHBAR + 4);
    uint64_t bar = (uint64_t)high << 32 | low, base = bar & MCHBAR_MASK;

    if (low == NOT_THERE || high == NOT_THERE || !(bar & MCHBAR_ON) || !base)
        return NULL;
    return map(base, MCHBAR_BYTES);
}

static enum ecc_answer read_channels(const volatile uint32_t *registers)
{
    enum ecc_answer all = ECC_NOT_SAID;

    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t mad = registers[MAD_DIMM(i) / sizeof(mad)];
        enum ecc_answer one;

        if (mad == NOT_THERE)
            return ECC_NOT_SAID;
        if (!(mad & MAD_SIZES))
            continue;
        if (MAD_ECC(mad) != ECC_ENABLED && MAD_ECC(mad) != ECC_DISABLED)
            return ECC_NOT_SAID;
        one = MAD_ECC(mad) == ECC_ENABLED ? ECC_YES : ECC_NO;
        if (all != ECC_NOT_SAID && one != all)
            return ECC_NOT_SAID;
        all = one;
    }
    return all;
}

struct ecc_control ecc_intel_read(ecc_map *map)
{
    struct pci_function f = pci_function_at(0, 0, 0);
    const struct bridge *bridge = bridge_of(pci_read(f, PCI_ID));
    const volatile uint32_t *registers;
    struct ecc_control control = { 0 };
    uint32_t capabilities;

    if (!bridge)
        return control;
    capabilities = pci_read(f, CAPID0);
    if (capabilities == NOT_THERE)
        return control;
    if (capabilities & CAPID0_NO_ECC) {
        control.is_on = ECC_NO;
    } else if (bridge->has_mad_ecc) {
        registers = map_registers(f, map);
        if (registers)
            control.is_on = read_channels(registers);
    }
    return control;
}
