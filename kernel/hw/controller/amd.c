// SPDX-License-Identifier: MIT
#include "controller/ecc.h"

#include <stddef.h>

#include "device/pci.h"

#define VENDOR_AMD 0x1022u

/* A node's device: its north bridge's, since family 17h its data fabric's. One a node, in a row. */
#define NODE_FIRST_DEVICE 0x18u
#define NODES_MAX         8u

/* Of a north bridge, before family 17h. */
#define NB_MAP          1u /* the function */
#define NB_RANGES       8u
#define NB_BASE(range)  (uint8_t)(0x40 + 8 * (range))
#define NB_LIMIT(range) (uint8_t)(0x44 + 8 * (range))
#define BASE_IN_USE     UINT32_C(3) /* readable or writable */
#define LIMIT_NODE      UINT32_C(7)
#define NB_CONTROL      3u
#define NB_CFG          0x44
#define NB_CAP          0xe8
#define CFG_ECC_ON      (UINT32_C(1) << 22)
#define CAP_ECC         (UINT32_C(1) << 3)

#define FAMILY_UMC 0x17u /* the first with unified memory controllers */

/* Device numbers of the north bridges' function 3: families 0Fh, 10h, 15h and 16h. */
static const uint16_t north_bridges[] = { 0x1103, 0x1203, 0x1603, 0x141d, 0x1573, 0x1533, 0x1583 };

static bool is_of_amd(const struct controller_source *source)
{
    return source->cpu.vendor == CPU_VENDOR_AMD || source->cpu.vendor == CPU_VENDOR_HYGON;
}

static bool has_umcs(const struct controller_source *source)
{
    return is_of_amd(source) && source->cpu.family >= FAMILY_UMC && amd_umcs(&source->cpu);
}

static bool has_north_bridges(const struct controller_source *source)
{
    return is_of_amd(source) && source->cpu.family < FAMILY_UMC;
}

static struct ecc_control read_umcs(const struct controller_source *source)
{
    const struct register_source registers = controllers_source(source);
    unsigned umcs = amd_umcs(&source->cpu);
    struct ecc_poll p = { 0 };

    for (unsigned i = 0; i < NODES_MAX * umcs && amd_has_node(&registers, i / umcs); i++) {
        struct amd_umc_ecc ecc;

        p.is_silent |= !amd_umc_read_ecc(&registers, i / umcs, i % umcs, &ecc);
        if (p.is_silent || !ecc.is_in_use)
            continue;
        ecc_poll_count(&p, ecc.is_on);
        p.with_ecc_modules += ecc.modules_have_it;
    }
    return ecc_poll_outcome(&p);
}

static bool is_north_bridge(uint32_t id)
{
    for (size_t i = 0; i < sizeof(north_bridges) / sizeof(north_bridges[0]); i++) {
        if (id == (VENDOR_AMD | (uint32_t)north_bridges[i] << 16))
            return true;
    }
    return false;
}

/* Some range of addresses goes to it. */
static bool node_has_memory(unsigned node)
{
    struct pci_function map = pci_function_at(0, NODE_FIRST_DEVICE + node, NB_MAP);

    for (unsigned i = 0; i < NB_RANGES; i++) {
        uint32_t base = pci_read(map, NB_BASE(i));

        if (base != CONTROLLER_NO_ANSWER && base & BASE_IN_USE &&
            (pci_read(map, NB_LIMIT(i)) & LIMIT_NODE) == node)
            return true;
    }
    return false;
}

static struct ecc_control read_north_bridges(const struct controller_source *source)
{
    struct ecc_poll p = { 0 };

    for (unsigned i = 0; i < NODES_MAX; i++) {
        struct pci_function f = pci_function_at(0, NODE_FIRST_DEVICE + i, NB_CONTROL);
        uint32_t cfg, cap;

        if (!is_north_bridge(pci_read(f, PCI_ID)))
            break;
        if (!node_has_memory(i))
            continue;
        cfg = pci_read(f, NB_CFG);
        cap = pci_read(f, NB_CAP);
        p.is_silent |= cfg == CONTROLLER_NO_ANSWER || cap == CONTROLLER_NO_ANSWER;
        ecc_poll_count(&p, cfg & CFG_ECC_ON && cap & CAP_ECC);
    }
    return ecc_poll_outcome(&p);
}

const struct controller_family controller_amd_umc = { has_umcs, read_umcs };
const struct controller_family controller_amd_north_bridge = { has_north_bridges,
                                                               read_north_bridges };
