// SPDX-License-Identifier: MIT
#include "device/ecc_amd.h"

#include <stdbool.h>
#include <stddef.h>

#include "device/pci.h"

#define VENDOR_AMD   0x1022u
#define VENDOR_HYGON 0x1d94u
#define NOT_THERE    UINT32_MAX

/* Of the host bridge, since family 17h. */
#define SMN_INDEX 0x60
#define SMN_DATA  0x64

/* Of a unified memory controller, in SMN. */
#define UMC_BASE(channel) (UINT32_C(0x50000) + ((uint32_t)(channel) << 20))
#define UMC_CFG           0x100u
#define UMC_SDP_CTRL      0x104u
#define UMC_CAP_HI        0xdf4u
#define CFG_DIMMS_ECC     (UINT32_C(1) << 12)
#define SDP_INIT          (UINT32_C(1) << 31) /* the channel is in use */
#define CAP_HI_ECC_ON     (UINT32_C(1) << 30)

/* Of a north bridge's function 3, before family 17h. */
#define NB_FIRST_DEVICE 0x18u
#define NB_COUNT_MAX    8u
#define NB_FUNCTION     3u
#define NB_CFG          0x44
#define NB_CAP          0xe8
#define CFG_ECC_ON      (UINT32_C(1) << 22)
#define CAP_ECC         (UINT32_C(1) << 3)

#define FAMILY_UMC 0x17u /* the first with unified memory controllers */

/* How many memory controllers a die has; one that is not there must not be read. */
static const struct umc_model {
    uint32_t family, first_model, last_model;
    unsigned channels;
} umc_models[] = {
    { 0x17, 0x00, 0x2f, 2 },  { 0x17, 0x30, 0x3f, 8 }, { 0x17, 0x60, 0x7f, 2 },
    { 0x18, 0x00, 0xff, 2 },  { 0x19, 0x00, 0x0f, 8 }, { 0x19, 0x10, 0x1f, 12 },
    { 0x19, 0x20, 0x2f, 2 },  { 0x19, 0x50, 0x6f, 2 }, { 0x19, 0x70, 0x7f, 4 },
    { 0x19, 0xa0, 0xaf, 12 }, { 0x1a, 0x00, 0x1f, 12 }, { 0x1a, 0x40, 0x4f, 2 },
};

/* Device numbers of host bridges with the SMN registers. */
static const uint16_t smn_bridges[] = { 0x1450, 0x15d0, 0x1480, 0x1630, 0x14a4,
                                        0x14d8, 0x14e8, 0x153a };

/* Device numbers of the north bridges' function 3: families 0Fh, 10h, 15h and 16h. */
static const uint16_t north_bridges[] = { 0x1103, 0x1203, 0x1603, 0x141d, 0x1573, 0x1533, 0x1583 };

/* What several controllers say. */
struct poll {
    unsigned asked, on, with_modules;
};

static bool is_listed(const uint16_t *list, size_t n, uint32_t device)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == device)
            return true;
    }
    return false;
}

static struct ecc_control outcome_of(const struct poll *p)
{
    struct ecc_control control = { 0 };

    if (p->asked && p->on == p->asked)
        control.is_on = ECC_YES;
    else if (p->asked && !p->on)
        control.is_on = ECC_NO;
    if (p->asked && p->with_modules == p->asked)
        control.modules_have_it = ECC_YES;
    return control;
}

static unsigned channels_of(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(umc_models) / sizeof(umc_models[0]); i++) {
        const struct umc_model *m = &umc_models[i];

        if (cpu->family == m->family && cpu->model >= m->first_model &&
            cpu->model <= m->last_model)
            return m->channels;
    }
    return 0;
}

/* False: it cannot be read. */
static bool read_smn(struct pci_function bridge, uint32_t address, uint32_t *ret_value)
{
    pci_write(bridge, SMN_INDEX, address);
    if (pci_read(bridge, SMN_INDEX) != address)
        return false;
    *ret_value = pci_read(bridge, SMN_DATA);
    return *ret_value != NOT_THERE;
}

static bool ask_umc(struct pci_function bridge, unsigned channel, struct poll *p)
{
    uint32_t sdp, cfg, cap;

    if (!read_smn(bridge, UMC_BASE(channel) + UMC_SDP_CTRL, &sdp))
        return false;
    if (!(sdp & SDP_INIT))
        return true;
    if (!read_smn(bridge, UMC_BASE(channel) + UMC_CFG, &cfg) ||
        !read_smn(bridge, UMC_BASE(channel) + UMC_CAP_HI, &cap))
        return false;
    p->asked++;
    p->on += (cap & CAP_HI_ECC_ON) != 0;
    p->with_modules += (cfg & CFG_DIMMS_ECC) != 0;
    return true;
}

static bool has_smn(struct pci_function bridge)
{
    uint32_t id = pci_read(bridge, PCI_ID), vendor = id & 0xffff;

    return (vendor == VENDOR_AMD || vendor == VENDOR_HYGON) &&
           is_listed(smn_bridges, sizeof(smn_bridges) / sizeof(smn_bridges[0]), id >> 16);
}

static struct ecc_control read_umcs(const struct cpu_model *cpu)
{
    struct pci_function bridge = pci_function_at(0, 0, 0);
    unsigned channels = channels_of(cpu);
    struct poll p = { 0 };
    bool is_whole = true;
    uint32_t index;

    if (!channels || !has_smn(bridge))
        return (struct ecc_control){ 0 };
    index = pci_read(bridge, SMN_INDEX);
    for (unsigned i = 0; i < channels && is_whole; i++)
        is_whole = ask_umc(bridge, i, &p);
    pci_write(bridge, SMN_INDEX, index);
    return is_whole ? outcome_of(&p) : (struct ecc_control){ 0 };
}

static bool is_north_bridge(struct pci_function f)
{
    uint32_t id = pci_read(f, PCI_ID);

    return (id & 0xffff) == VENDOR_AMD &&
           is_listed(north_bridges, sizeof(north_bridges) / sizeof(north_bridges[0]), id >> 16);
}

/* One a node, in a row. */
static struct ecc_control read_north_bridges(void)
{
    struct poll p = { 0 };

    for (unsigned i = 0; i < NB_COUNT_MAX; i++) {
        struct pci_function f = pci_function_at(0, NB_FIRST_DEVICE + i, NB_FUNCTION);
        uint32_t cfg, cap;

        if (!is_north_bridge(f))
            break;
        cfg = pci_read(f, NB_CFG);
        cap = pci_read(f, NB_CAP);
        if (cfg == NOT_THERE || cap == NOT_THERE)
            return (struct ecc_control){ 0 };
        p.asked++;
        p.on += (cfg & CFG_ECC_ON) && (cap & CAP_ECC);
    }
    return outcome_of(&p);
}

struct ecc_control ecc_amd_read(const struct cpu_model *cpu)
{
    return cpu->family >= FAMILY_UMC ? read_umcs(cpu) : read_north_bridges();
}
