// SPDX-License-Identifier: MIT
#include "device/ecc_xeon.h"

#include <stddef.h>

#include "device/pci.h"

#define FAMILY_INTEL 6u
#define VENDOR_INTEL 0x8086u
#define MCMTR        0x7c
#define MCMTR_ECC    (UINT32_C(1) << 2)
#define NOT_THERE    UINT32_MAX

/* Sandy Bridge, Ivy Bridge, Haswell, Broadwell, Broadwell-DE. */
static const uint32_t models[] = { 0x2d, 0x3e, 0x3f, 0x4f, 0x56 };

/* Device numbers of the functions that have MCMTR: "target address", of both home agents. */
static const uint16_t controllers[] = { 0x3ca8, 0x0ea8, 0x0e68, 0x2fa8, 0x2f68, 0x6fa8, 0x6f68 };

struct found {
    unsigned asked, on;
    bool is_silent;
};

bool ecc_xeon_is_known(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (cpu->family == FAMILY_INTEL && cpu->model == models[i])
            return true;
    }
    return false;
}

static bool is_controller(uint32_t id)
{
    for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
        if (id == (VENDOR_INTEL | (uint32_t)controllers[i] << 16))
            return true;
    }
    return false;
}

static void ask(void *ctx, struct pci_function f)
{
    struct found *found = ctx;
    uint32_t mcmtr;

    if (!is_controller(pci_read(f, PCI_ID)))
        return;
    mcmtr = pci_read(f, MCMTR);
    found->is_silent |= mcmtr == NOT_THERE;
    found->asked++;
    found->on += (mcmtr & MCMTR_ECC) != 0;
}

struct ecc_control ecc_xeon_read(void)
{
    struct ecc_control control = { 0 };
    struct found found = { 0 };

    pci_for_each(ask, &found);
    if (!found.asked || found.is_silent)
        return control;
    if (found.on == found.asked)
        control.is_on = ECC_YES;
    else if (!found.on)
        control.is_on = ECC_NO;
    return control;
}
