// SPDX-License-Identifier: MIT
#include "controller/ecc.h"

#include <stddef.h>

#include "device/pci.h"
#include "firmware/memory_ecc.h"

#define VENDOR_INTEL 0x8086u
#define MCMTR_ECC    (UINT32_C(1) << 2)

static bool is_intels_family_6(const struct cpu_model *cpu)
{
    return cpu->vendor == CPU_VENDOR_INTEL && cpu->family == 6;
}

static bool is_intels(struct pci_function f, uint16_t device)
{
    return pci_read(f, PCI_ID) == (VENDOR_INTEL | (uint32_t)device << 16);
}

/* Xeon E5 and E7. */

#define E5_MCMTR 0x7c

/* A controller's channels are functions of the same device, with these numbers after its own. */
#define E5_FIRST_CHANNEL 2u
#define E5_LAST_CHANNEL  5u
#define E5_DIMMMTR(i)    (uint8_t)(0x80 + 4 * (i))
#define E5_MODULES       3u
#define E5_DIMMMTR_THERE (UINT32_C(1) << 14)

/* Sandy Bridge, Ivy Bridge, Haswell, Broadwell, Broadwell-DE. */
static const uint32_t e5_models[] = { 0x2d, 0x3e, 0x3f, 0x4f, 0x56 };

/* Device numbers of the functions that have MCMTR: "target address", of both home agents. */
static const uint16_t e5_controllers[] = { 0x3ca8, 0x0ea8, 0x0e68, 0x2fa8, 0x2f68, 0x6fa8, 0x6f68 };

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

struct e5_found {
    struct ecc_poll poll;
    unsigned repair;
};

static bool is_e5(const struct controller_source *source)
{
    const struct cpu_model *cpu = &source->cpu;

    for (size_t i = 0; i < sizeof(e5_models) / sizeof(e5_models[0]); i++) {
        if (is_intels_family_6(cpu) && cpu->model == e5_models[i])
            return true;
    }
    return false;
}

static bool is_e5_controller(uint16_t device)
{
    for (size_t i = 0; i < sizeof(e5_controllers) / sizeof(e5_controllers[0]); i++) {
        if (device == e5_controllers[i])
            return true;
    }
    return false;
}

static bool e5_has_modules(struct pci_function controller, uint16_t device)
{
    for (unsigned number = E5_FIRST_CHANNEL; number <= E5_LAST_CHANNEL; number++) {
        struct pci_function f =
            pci_function_at(pci_bus(controller), pci_device(controller), number);

        if (!is_intels(f, (uint16_t)(device + number)))
            continue;
        for (unsigned i = 0; i < E5_MODULES; i++) {
            uint32_t mtr = pci_read(f, E5_DIMMMTR(i));

            if (mtr != CONTROLLER_NO_ANSWER && mtr & E5_DIMMMTR_THERE)
                return true;
        }
    }
    return false;
}

static void ask_e5(void *ctx, struct pci_function f)
{
    uint32_t id = pci_read(f, PCI_ID), value;
    uint16_t device = (uint16_t)(id >> 16);
    struct e5_found *found = ctx;

    if ((id & 0xffff) != VENDOR_INTEL)
        return;
    if (is_e5_controller(device) && e5_has_modules(f, device)) {
        value = pci_read(f, E5_MCMTR);
        found->poll.is_silent |= value == CONTROLLER_NO_ANSWER;
        ecc_poll_count(&found->poll, value & MCMTR_ECC);
    }
    for (size_t i = 0; i < sizeof(mirrors) / sizeof(mirrors[0]); i++) {
        if (device != mirrors[i].device)
            continue;
        value = pci_read(f, mirrors[i].offset);
        if (value != CONTROLLER_NO_ANSWER && value >> mirrors[i].bit & 1)
            found->repair |= mirrors[i].repair;
    }
}

static struct ecc_control read_e5(const struct controller_source *source)
{
    struct e5_found found = { 0 };
    struct ecc_control control;

    pci_for_each(ask_e5, &found);
    control = ecc_poll_outcome(&found.poll);
    control.repair = found.repair;
    return control;
}

const struct controller_family controller_intel_e5 = { is_e5, read_e5 };

/* Xeon Scalable and Xeon 6. */

#define MODULES       2u /* a channel has at most */
#define DIMMMTR_THERE (UINT32_C(1) << 15)

/* Skylake, Cascade Lake and Cooper Lake: each channel is a PCI function. */
#define MODEL_SKYLAKE      0x55u
#define SKYLAKE_CHANNEL    0x2040u /* the first of a controller, which has MCMTR */
#define SKYLAKE_DIMMMTR(i) (uint8_t)(0x80 + 4 * (i))
#define SKYLAKE_MCMTR      0x87cu

static const struct {
    uint16_t id;
    uint8_t device, number; /* device: after the first channel's */
} skylake_channels[] = { { 0x2040, 0, 0 }, { 0x2044, 0, 4 }, { 0x2048, 1, 0 } };

/*
 * Since Ice Lake a socket has a function that says which bus 00.1 is on, whose registers say where
 * those of the controllers are. A controller that is there is a PCI function, too.
 */
#define SOCKET_BAR  0xd0
#define SOCKET_MASK 0x1fffffffu /* of 8 MiB each */
#define BAR_MASK    0x7ffu      /* of 4 KiB each */

static const struct layout {
    uint16_t socket_id;
    uint8_t bar, bar_step;  /* bar_step 0: one for all controllers */
    uint8_t device, number; /* of the first controller's function */
    uint8_t numbers;        /* functions that are controllers, of each device */
    uint8_t controllers, channels;
    uint32_t controller_offset, controller_step;
    uint32_t channel_step;
    uint32_t mcmtr, dimmmtr;
} ice_lake = { 0x3452, 0xd8, 4, 12, 0, 1, 4, 2, 0, 0, 0x4000, 0x20ef8, 0x2080c },
  sapphire_rapids = { 0x3252, 0xd8, 4, 12, 0, 1, 4, 2, 0, 0, 0x8000, 0x20ef8, 0x2080c },
  granite_rapids = { 0x3252, 0xd4, 0, 5, 1, 7, 28, 1, 0x24c000, 0x4000, 0, 0xaf8, 0xc0c };

static const struct kind {
    uint8_t model, first_stepping, last_stepping;
    uint8_t bus_register; /* of the socket's function */
    const struct layout *layout;
} kinds[] = {
    { 0x6a, 0, 3, 0xcc, &ice_lake }, /* Ice Lake */
    { 0x6a, 4, 15, 0xd0, &ice_lake },
    { 0x6c, 0, 15, 0xd0, &ice_lake }, /* Ice Lake-D */
    { 0x86, 0, 3, 0xcc, &ice_lake },  /* Snow Ridge */
    { 0x86, 4, 15, 0xd0, &ice_lake },
    { 0x8f, 0, 15, 0xd0, &sapphire_rapids }, /* Sapphire Rapids */
    { 0xcf, 0, 15, 0xd0, &sapphire_rapids }, /* Emerald Rapids */
    { 0xad, 0, 15, 0xd0, &granite_rapids },  /* Granite Rapids */
    { 0xaf, 0, 15, 0xd0, &granite_rapids },  /* Sierra Forest */
    { 0xb6, 0, 15, 0xd0, &granite_rapids },  /* Grand Ridge */
};

struct reading {
    const struct controller_source *source;
    const struct kind *kind;
    struct ecc_poll poll;
};

static const struct kind *kind_of(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct kind *k = &kinds[i];

        if (is_intels_family_6(cpu) && cpu->model == k->model &&
            cpu->stepping >= k->first_stepping && cpu->stepping <= k->last_stepping)
            return k;
    }
    return NULL;
}

static bool is_scalable(const struct controller_source *source)
{
    return kind_of(&source->cpu) ||
           (is_intels_family_6(&source->cpu) && source->cpu.model == MODEL_SKYLAKE);
}

static bool is_module(uint32_t dimmmtr)
{
    return dimmmtr != CONTROLLER_NO_ANSWER && dimmmtr & DIMMMTR_THERE;
}

static bool skylake_has_modules(struct pci_function first)
{
    for (size_t i = 0; i < sizeof(skylake_channels) / sizeof(skylake_channels[0]); i++) {
        struct pci_function f =
            pci_function_at(pci_bus(first), pci_device(first) + skylake_channels[i].device,
                            skylake_channels[i].number);

        if (!is_intels(f, skylake_channels[i].id))
            continue;
        for (unsigned k = 0; k < MODULES; k++) {
            if (is_module(pci_read(f, SKYLAKE_DIMMMTR(k))))
                return true;
        }
    }
    return false;
}

static void ask_skylake(void *ctx, struct pci_function f)
{
    struct reading *r = ctx;
    uint64_t address;
    uint32_t mcmtr;

    if (!is_intels(f, SKYLAKE_CHANNEL) || pci_number(f) || !skylake_has_modules(f))
        return;
    address = mcfg_address(&r->source->mcfg, pci_bus(f), pci_device(f), 0, SKYLAKE_MCMTR);
    if (address && controller_read(r->source, address, &mcmtr))
        ecc_poll_count(&r->poll, mcmtr & MCMTR_ECC);
    else
        r->poll.is_silent = true;
}

/* Of a controller that is not there although its function is, all registers read as ones. */
static void ask_channel(struct reading *r, uint64_t registers)
{
    const struct layout *layout = r->kind->layout;
    bool has_modules = false;
    uint32_t value;

    for (unsigned i = 0; i < MODULES; i++)
        has_modules |= controller_read(r->source, registers + layout->dimmmtr + 4 * i, &value) &&
                       is_module(value);
    if (!has_modules)
        return;
    if (controller_read(r->source, registers + layout->mcmtr, &value))
        ecc_poll_count(&r->poll, value & MCMTR_ECC);
    else
        r->poll.is_silent = true;
}

static void ask_controllers(struct reading *r, unsigned bus, uint64_t socket)
{
    struct pci_function bars = pci_function_at(bus, 0, 1);
    const struct layout *l = r->kind->layout;

    for (unsigned i = 0; i < l->controllers; i++) {
        struct pci_function f =
            pci_function_at(bus, l->device + i / l->numbers, l->number + i % l->numbers);
        uint32_t bar;

        if ((pci_read(f, PCI_ID) & 0xffff) != VENDOR_INTEL)
            continue;
        bar = pci_read(bars, (uint8_t)(l->bar + l->bar_step * i));
        if (bar == CONTROLLER_NO_ANSWER) {
            r->poll.is_silent = true;
            return;
        }
        for (unsigned k = 0; k < l->channels; k++)
            ask_channel(r, socket + ((uint64_t)(bar & BAR_MASK) << 12) + l->controller_offset +
                               i * l->controller_step + k * l->channel_step);
    }
}

static void ask_socket(void *ctx, struct pci_function f)
{
    struct reading *r = ctx;
    uint32_t buses, base;

    if (!is_intels(f, r->kind->layout->socket_id))
        return;
    buses = pci_read(f, r->kind->bus_register);
    base = pci_read(pci_function_at(buses & 0xff, 0, 1), SOCKET_BAR);
    if (buses == CONTROLLER_NO_ANSWER || buses >> 16 & 0xff || base == CONTROLLER_NO_ANSWER ||
        !(base & SOCKET_MASK))
        r->poll.is_silent = true;
    else
        ask_controllers(r, buses & 0xff, (uint64_t)(base & SOCKET_MASK) << 23);
}

static struct ecc_control read_scalable(const struct controller_source *source)
{
    struct reading r = { .source = source, .kind = kind_of(&source->cpu) };

    if (source->mcfg.has_segments)
        return (struct ecc_control){ 0 };
    pci_for_each(r.kind ? ask_socket : ask_skylake, &r);
    return ecc_poll_outcome(&r.poll);
}

const struct controller_family controller_intel_scalable = { is_scalable, read_scalable };
