// SPDX-License-Identifier: MIT
#include "device/ecc_controllers.h"

#include <stddef.h>

#define FAMILY_INTEL  6u
#define MCMTR_ECC     (UINT32_C(1) << 2)
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
    const struct ecc_source *source;
    const struct kind *kind;
    struct ecc_poll poll;
};

static const struct kind *kind_of(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct kind *k = &kinds[i];

        if (cpu->family == FAMILY_INTEL && cpu->model == k->model &&
            cpu->stepping >= k->first_stepping && cpu->stepping <= k->last_stepping)
            return k;
    }
    return NULL;
}

bool ecc_scalable_is_known(const struct cpu_model *cpu)
{
    return kind_of(cpu) || (cpu->family == FAMILY_INTEL && cpu->model == MODEL_SKYLAKE);
}

static bool is_intels(struct pci_function f, uint16_t device)
{
    return pci_read(f, PCI_ID) == (VENDOR_INTEL | (uint32_t)device << 16);
}

static bool is_module(uint32_t dimmmtr)
{
    return dimmmtr != ECC_NO_ANSWER && dimmmtr & DIMMMTR_THERE;
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
    if (address && ecc_read_word(r->source, address, &mcmtr))
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
        has_modules |= ecc_read_word(r->source, registers + layout->dimmmtr + 4 * i, &value) &&
                       is_module(value);
    if (!has_modules)
        return;
    if (ecc_read_word(r->source, registers + layout->mcmtr, &value))
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
        if (bar == ECC_NO_ANSWER) {
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
    if (buses == ECC_NO_ANSWER || buses >> 16 & 0xff || base == ECC_NO_ANSWER ||
        !(base & SOCKET_MASK))
        r->poll.is_silent = true;
    else
        ask_controllers(r, buses & 0xff, (uint64_t)(base & SOCKET_MASK) << 23);
}

struct ecc_control ecc_scalable_read(const struct ecc_source *source)
{
    struct reading r = { .source = source, .kind = kind_of(&source->cpu) };

    if (source->mcfg.has_segments)
        return (struct ecc_control){ 0 };
    pci_for_each(r.kind ? ask_socket : ask_skylake, &r);
    return ecc_poll_outcome(&r.poll);
}
