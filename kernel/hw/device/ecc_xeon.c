// SPDX-License-Identifier: MIT
#include "device/ecc_controllers.h"

#include <stddef.h>

#include "firmware/memory_repair.h"

#define FAMILY_INTEL 6u
#define MCMTR        0x7c
#define MCMTR_ECC    (UINT32_C(1) << 2)

/* A controller's channels are functions of the same device, with these numbers after its own. */
#define FIRST_CHANNEL 2u
#define LAST_CHANNEL  5u
#define DIMMMTR(i)    (uint8_t)(0x80 + 4 * (i))
#define MODULES       3u
#define DIMMMTR_THERE (UINT32_C(1) << 14)

/* Sandy Bridge, Ivy Bridge, Haswell, Broadwell, Broadwell-DE. */
static const uint32_t models[] = { 0x2d, 0x3e, 0x3f, 0x4f, 0x56 };

/* Device numbers of the functions that have MCMTR: "target address", of both home agents. */
static const uint16_t controllers[] = { 0x3ca8, 0x0ea8, 0x0e68, 0x2fa8, 0x2f68, 0x6fa8, 0x6f68 };

/* Functions with a bit that says how memory is mirrored, of both home agents. */
static const struct mirror {
    uint16_t device;
    uint8_t offset, bit;
    enum memory_repair repair;
} mirrors[] = {
    { 0x3c71, 0xac, 0, MEMORY_REPAIR_MIRRORING }, /* RASENABLES */
    { 0x0e71, 0xac, 0, MEMORY_REPAIR_MIRRORING },
    { 0x0e79, 0xac, 0, MEMORY_REPAIR_MIRRORING },
    { 0x2f71, 0xac, 0, MEMORY_REPAIR_MIRRORING },
    { 0x2f79, 0xac, 0, MEMORY_REPAIR_MIRRORING },
    { 0x6f71, 0xac, 0, MEMORY_REPAIR_MIRRORING },
    { 0x6f79, 0xac, 0, MEMORY_REPAIR_MIRRORING },
    { 0x2fa0, 0x84, 28, MEMORY_REPAIR_RANGE_MIRRORING }, /* HASYSDEFEATURE2 */
    { 0x2f60, 0x84, 28, MEMORY_REPAIR_RANGE_MIRRORING },
    { 0x6fa0, 0x84, 28, MEMORY_REPAIR_RANGE_MIRRORING },
    { 0x6f60, 0x84, 28, MEMORY_REPAIR_RANGE_MIRRORING },
};

struct found {
    struct ecc_poll poll;
    unsigned repair;
};

bool ecc_xeon_is_known(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (cpu->family == FAMILY_INTEL && cpu->model == models[i])
            return true;
    }
    return false;
}

static bool is_controller(uint16_t device)
{
    for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
        if (device == controllers[i])
            return true;
    }
    return false;
}

static bool has_modules(struct pci_function controller, uint16_t device)
{
    for (unsigned number = FIRST_CHANNEL; number <= LAST_CHANNEL; number++) {
        struct pci_function f =
            pci_function_at(pci_bus(controller), pci_device(controller), number);

        if (pci_read(f, PCI_ID) != (VENDOR_INTEL | (uint32_t)(device + number) << 16))
            continue;
        for (unsigned i = 0; i < MODULES; i++) {
            uint32_t mtr = pci_read(f, DIMMMTR(i));

            if (mtr != ECC_NO_ANSWER && mtr & DIMMMTR_THERE)
                return true;
        }
    }
    return false;
}

static void ask(void *ctx, struct pci_function f)
{
    uint32_t id = pci_read(f, PCI_ID), value;
    uint16_t device = (uint16_t)(id >> 16);
    struct found *found = ctx;

    if ((id & 0xffff) != VENDOR_INTEL)
        return;
    if (is_controller(device) && has_modules(f, device)) {
        value = pci_read(f, MCMTR);
        found->poll.is_silent |= value == ECC_NO_ANSWER;
        ecc_poll_count(&found->poll, value & MCMTR_ECC);
    }
    for (size_t i = 0; i < sizeof(mirrors) / sizeof(mirrors[0]); i++) {
        if (device != mirrors[i].device)
            continue;
        value = pci_read(f, mirrors[i].offset);
        if (value != ECC_NO_ANSWER && value >> mirrors[i].bit & 1)
            found->repair |= mirrors[i].repair;
    }
}

struct ecc_control ecc_xeon_read(void)
{
    struct found found = { 0 };
    struct ecc_control control;

    pci_for_each(ask, &found);
    control = ecc_poll_outcome(&found.poll);
    control.repair = found.repair;
    return control;
}
