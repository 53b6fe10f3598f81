// SPDX-License-Identifier: MIT
#include "controller/ecc.h"

#include <stddef.h>

#include "device/pci.h"
#include "device/smn.h"

#define VENDOR_AMD   0x1022u
#define VENDOR_HYGON 0x1d94u
#define HOST_BRIDGE  0x0600u /* class and subclass */

/* A node's device: its north bridge's, since family 17h its data fabric's. One a node, in a row. */
#define NODE_FIRST_DEVICE 0x18u
#define NODES_MAX         8u
#define ROOTS_MAX         64u

/* Of a unified memory controller, in SMN. */
#define UMC_BASE(channel) (UINT32_C(0x50000) + ((uint32_t)(channel) << 20))
#define UMC_CHIP_SELECT   0x000u /* four base addresses, then four secondary ones */
#define UMC_CHIP_SELECTS  8u
#define UMC_CFG           0x100u
#define UMC_SDP_CTRL      0x104u
#define UMC_CAP_HI        0xdf4u
#define CHIP_SELECT_ON    UINT32_C(1)
#define CFG_DIMMS_ECC     (UINT32_C(1) << 12)
#define SDP_INIT          (UINT32_C(1) << 31) /* the channel is in use */
#define CAP_HI_ECC_ON     (UINT32_C(1) << 30)

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

/*
 * How many memory controllers a node has; one that is not there must not be read. Hygon's family
 * 18h has its controllers elsewhere from model 4 on.
 */
static const struct umc_model {
    uint32_t family, first_model, last_model;
    unsigned channels;
} umc_models[] = {
    { 0x17, 0x00, 0x2f, 2 },  { 0x17, 0x30, 0x3f, 8 },  { 0x17, 0x60, 0x7f, 2 },
    { 0x18, 0x00, 0x03, 2 },  { 0x19, 0x00, 0x0f, 8 },  { 0x19, 0x10, 0x1f, 12 },
    { 0x19, 0x20, 0x2f, 2 },  { 0x19, 0x40, 0x4f, 4 },  { 0x19, 0x50, 0x6f, 2 },
    { 0x19, 0x70, 0x7f, 4 },  { 0x19, 0xa0, 0xaf, 12 }, { 0x1a, 0x00, 0x1f, 12 },
    { 0x1a, 0x40, 0x4f, 2 },  { 0x1a, 0x50, 0x57, 16 }, { 0x1a, 0x90, 0xaf, 8 },
    { 0x1a, 0xc0, 0xc7, 16 },
};

/* Device numbers of the north bridges' function 3: families 0Fh, 10h, 15h and 16h. */
static const uint16_t north_bridges[] = { 0x1103, 0x1203, 0x1603, 0x141d, 0x1573, 0x1533, 0x1583 };

/* Host bridges with SMN registers, in the order of their buses. */
struct roots {
    struct pci_function root[ROOTS_MAX];
    unsigned n; /* more than ROOTS_MAX: not all are listed */
};

static bool is_of_amd(const struct controller_source *source)
{
    return source->cpu.vendor == CPU_VENDOR_AMD || source->cpu.vendor == CPU_VENDOR_HYGON;
}

static bool has_umcs(const struct controller_source *source)
{
    return is_of_amd(source) && source->cpu.family >= FAMILY_UMC;
}

static bool has_north_bridges(const struct controller_source *source)
{
    return is_of_amd(source) && source->cpu.family < FAMILY_UMC;
}

static unsigned channels_of(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(umc_models) / sizeof(umc_models[0]); i++) {
        const struct umc_model *m = &umc_models[i];

        if (cpu->family == m->family && cpu->model >= m->first_model && cpu->model <= m->last_model)
            return m->channels;
    }
    return 0;
}

static bool is_amds(struct pci_function f)
{
    uint32_t vendor = pci_read(f, PCI_ID) & 0xffff;

    return vendor == VENDOR_AMD || vendor == VENDOR_HYGON;
}

static void note_root(void *ctx, struct pci_function f)
{
    struct roots *roots = ctx;

    if (pci_device(f) || pci_number(f) || !is_amds(f) ||
        pci_read(f, PCI_CLASS) >> 16 != HOST_BRIDGE)
        return;
    if (roots->n < ROOTS_MAX)
        roots->root[roots->n] = f;
    roots->n++;
}

static unsigned count_nodes(void)
{
    unsigned n = 0;

    while (n < NODES_MAX && is_amds(pci_function_at(0, NODE_FIRST_DEVICE + n, 0)))
        n++;
    return n;
}

/* A chip select is on: there is a module. False also when that cannot be read. */
static bool umc_has_modules(struct pci_function root, unsigned channel, struct ecc_poll *p)
{
    for (unsigned i = 0; i < UMC_CHIP_SELECTS; i++) {
        uint32_t base;

        if (!smn_read(root, UMC_BASE(channel) + UMC_CHIP_SELECT + 4 * i, &base)) {
            p->is_silent = true;
            return false;
        }
        if (base & CHIP_SELECT_ON)
            return true;
    }
    return false;
}

static void ask_umc(struct pci_function root, unsigned channel, struct ecc_poll *p)
{
    uint32_t sdp, cfg, cap;

    if (!smn_read(root, UMC_BASE(channel) + UMC_SDP_CTRL, &sdp)) {
        p->is_silent = true;
        return;
    }
    if (!(sdp & SDP_INIT) || !umc_has_modules(root, channel, p))
        return;
    if (!smn_read(root, UMC_BASE(channel) + UMC_CFG, &cfg) ||
        !smn_read(root, UMC_BASE(channel) + UMC_CAP_HI, &cap)) {
        p->is_silent = true;
        return;
    }
    ecc_poll_count(p, cap & CAP_HI_ECC_ON);
    p->with_ecc_modules += (cfg & CFG_DIMMS_ECC) != 0;
}

static void ask_node(struct pci_function root, unsigned channels, struct ecc_poll *p)
{
    uint32_t index = pci_read(root, SMN_INDEX);

    for (unsigned i = 0; i < channels && !p->is_silent; i++)
        ask_umc(root, i, p);
    pci_write(root, SMN_INDEX, index);
}

/* A node has one host bridge or several in a row, all nodes as many: the first one is asked. */
static struct ecc_control read_umcs(const struct controller_source *source)
{
    unsigned channels = channels_of(&source->cpu), nodes;
    struct roots roots = { .n = 0 };
    struct ecc_poll p = { 0 };

    if (!channels)
        return (struct ecc_control){ 0 };
    nodes = count_nodes();
    pci_for_each(note_root, &roots);
    if (!nodes || !roots.n || roots.n > ROOTS_MAX || roots.n % nodes ||
        (nodes > 1 && source->mcfg.has_segments))
        return (struct ecc_control){ 0 };
    for (unsigned i = 0; i < nodes && !p.is_silent; i++)
        ask_node(roots.root[i * (roots.n / nodes)], channels, &p);
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
