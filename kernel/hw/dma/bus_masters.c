// SPDX-License-Identifier: MIT
#include "dma/dma.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/tsc.h"
#include "device/pci.h"
#include "firmware/pci_class.h"
#include "usb_formats/legacy.h"

#define REGISTERS_MAX 0x10000 /* of a USB controller that are looked at */

/* Broadcom's BCM4331: cores of 4 KiB, each with a wrapper; core 1 is the radio. */
#define AIRPORT_WRAPPER      0x1000
#define AIRPORT_BYTES        0x4000
#define AIRPORT_RESET        ((AIRPORT_WRAPPER + 0x800) / 4)
#define AIRPORT_RESET_STATUS ((AIRPORT_WRAPPER + 0x804) / 4)
#define AIRPORT_TRIES        30

static void reset_airport(struct pci_function f, dma_map map)
{
    uint64_t bar = pci_memory_bar0(f);
    volatile uint32_t *r = bar ? map(bar, AIRPORT_BYTES) : NULL;

    if (!r)
        return;
    pci_power_up(f);
    pci_set_command(f, PCI_COMMAND_MEMORY, 0);
    for (unsigned i = 0; r[AIRPORT_RESET_STATUS] && i < AIRPORT_TRIES; i++)
        tsc_wait_us(10);
    r[AIRPORT_RESET] = 1;
    (void)r[AIRPORT_RESET]; /* the write has arrived */
    tsc_wait_us(1);
    r[AIRPORT_RESET] = 0;
    (void)r[AIRPORT_RESET];
    tsc_wait_us(10);
}

/* For these bus mastering alone is not enough. */
static const struct {
    uint16_t vendor, device;
    void (*reset)(struct pci_function f, dma_map map);
} quirks[] = {
    /* Apple's EFI leaves it joined to a network: it goes on receiving, and interrupts. */
    { 0x14e4, 0x4331, reset_airport },
};

static void apply_quirk(struct pci_function f, dma_map map)
{
    uint32_t id = pci_read(f, PCI_ID);

    for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++) {
        if ((id & 0xffff) == quirks[i].vendor && id >> 16 == quirks[i].device)
            quirks[i].reset(f, map);
    }
}

struct controller {
    struct pci_function f;
    volatile uint32_t *registers; /* or NULL */
};

static uint32_t read_config(void *ctx, uint8_t offset)
{
    const struct controller *c = ctx;

    return pci_read(c->f, offset);
}

static uint32_t read_memory(void *ctx, uint32_t offset)
{
    const struct controller *c = ctx;

    return c->registers && offset < REGISTERS_MAX ? c->registers[offset / 4] : UINT32_MAX;
}

static bool is_firmwares(struct pci_function f, uint8_t interface, dma_map map)
{
    uint64_t bar = pci_read(f, PCI_COMMAND) & PCI_COMMAND_MEMORY ? pci_memory_bar0(f) : 0;
    struct controller c = { f, bar && interface != USB_UHCI ? map(bar, REGISTERS_MAX) : NULL };
    const struct usb_registers registers = { read_config, read_memory, &c };

    return usb_legacy_is_on(interface, &registers);
}

static bool is_to_stop(struct pci_function f, uint32_t class, dma_map map)
{
    if (pci_class_is_usb(class))
        return !is_firmwares(f, class & 0xff, map);
    return pci_class_is_network(class) || pci_class_is_storage(class) ||
           pci_class_is_peripheral(class);
}

static bool is_master(struct pci_function f)
{
    return pci_read(f, PCI_COMMAND) & PCI_COMMAND_MASTER;
}

static void note(struct bus_masters *left, struct pci_function f, uint32_t class)
{
    if (left->n < BUS_MASTERS_MAX)
        left->master[left->n] = (struct bus_master){ f, pci_read(f, PCI_ID), class };
    left->n++;
}

struct stopping {
    dma_map map;
    struct bus_masters *left;
};

static void stop(void *ctx, struct pci_function f)
{
    const struct stopping *s = ctx;
    uint32_t class = pci_read(f, PCI_CLASS) >> 8;

    if (is_to_stop(f, class, s->map)) {
        if (is_master(f))
            pci_set_command(f, 0, PCI_COMMAND_MASTER);
        apply_quirk(f, s->map);
    }
    if (!pci_class_forwards(class) && is_master(f))
        note(s->left, f, class);
}

void bus_masters_stop(dma_map map, struct bus_masters *ret_left)
{
    ret_left->n = 0;
    pci_for_each(stop, &(struct stopping){ map, ret_left });
}
