// SPDX-License-Identifier: MIT
#include "device/pci.h"

#include <stdbool.h>

#include "arch/tsc.h"
#include "io/ports.h"

#define ADDRESS_PORT   0xcf8
#define DATA_PORT      0xcfc
#define ENABLE         (UINT32_C(1) << 31)
#define BUSES          256
#define DEVICES        32
#define FUNCTIONS      8
#define NOT_THERE      UINT32_MAX
#define HEADER_TYPE    0x0c /* the word that it is in */
#define MULTI_FUNCTION (UINT32_C(1) << 23)

#define BAR_IO           1u
#define BAR_TYPE         6u
#define BAR_64_BIT       4u
#define BAR_ATTRIBUTE    UINT32_C(0xf)
#define BAR_IO_ATTRIBUTE UINT32_C(3)

#define CAPABILITY_POWER 1
#define CAPABILITIES_MAX 48 /* as many as there is room for */
#define POWER_STATE      3u
#define POWER_UP_US      10000

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ ENABLE | bus << 16 | device << 11 | number << 8 };
}

uint32_t pci_read(struct pci_function f, uint8_t offset)
{
    io_out32(ADDRESS_PORT, f.address | (offset & ~3u));
    return io_in32(DATA_PORT);
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    io_out32(ADDRESS_PORT, f.address | (offset & ~3u));
    io_out32(DATA_PORT, value);
}

void pci_set_command(struct pci_function f, uint32_t set, uint32_t clear)
{
    uint32_t command = pci_read(f, PCI_COMMAND) & 0xffff;

    pci_write(f, PCI_COMMAND, (command & ~clear) | set);
}

/* The address port holds what is written: there is a PCI host bridge (3.2.2.3.2). */
static bool has_ports(void)
{
    io_out32(ADDRESS_PORT, ENABLE);
    return io_in32(ADDRESS_PORT) == ENABLE;
}

/* Some bridges answer with zeros for what is absent, or with the vendor alone all ones. */
static bool is_there(struct pci_function f)
{
    uint32_t vendor = pci_read(f, PCI_ID) & 0xffff;

    return vendor != 0xffff && vendor != 0;
}

static unsigned n_functions(unsigned bus, unsigned device)
{
    struct pci_function first = pci_function_at(bus, device, 0);

    if (!is_there(first))
        return 0;
    return pci_read(first, HEADER_TYPE) & MULTI_FUNCTION ? FUNCTIONS : 1;
}

void pci_for_each(void (*found)(void *ctx, struct pci_function f), void *ctx)
{
    if (!has_ports())
        return;
    for (unsigned bus = 0; bus < BUSES; bus++) {
        for (unsigned device = 0; device < DEVICES; device++) {
            unsigned n = n_functions(bus, device);

            for (unsigned i = 0; i < n; i++) {
                struct pci_function f = pci_function_at(bus, device, i);

                if (i == 0 || is_there(f))
                    found(ctx, f);
            }
        }
    }
}

struct search {
    uint32_t class_code;
    void (*found)(void *ctx, struct pci_function f);
    void *ctx;
};

static void check_class(void *ctx, struct pci_function f)
{
    const struct search *s = ctx;

    if (pci_read(f, PCI_CLASS) >> 8 == s->class_code)
        s->found(s->ctx, f);
}

void pci_find(uint32_t class_code, void (*found)(void *ctx, struct pci_function f), void *ctx)
{
    struct search s = { class_code, found, ctx };

    pci_for_each(check_class, &s);
}

uint64_t pci_memory_bar0(struct pci_function f)
{
    uint32_t low = pci_read(f, PCI_BAR0);
    uint64_t address = low & ~BAR_ATTRIBUTE;

    if (low == NOT_THERE || low & BAR_IO)
        return 0;
    if ((low & BAR_TYPE) == BAR_64_BIT)
        address |= (uint64_t)pci_read(f, PCI_BAR0 + 4) << 32;
    return address;
}

uint16_t pci_io_bar0(struct pci_function f)
{
    uint32_t bar = pci_read(f, PCI_BAR0), address = bar & ~BAR_IO_ATTRIBUTE;

    return bar != NOT_THERE && bar & BAR_IO && address <= UINT16_MAX ? (uint16_t)address : 0;
}

void pci_power_up(struct pci_function f)
{
    uint8_t at;

    if (!(pci_read(f, PCI_COMMAND) & PCI_STATUS_CAPABILITIES))
        return;
    at = pci_read(f, PCI_CAPABILITIES) & 0xfc;
    for (unsigned i = 0; at && i < CAPABILITIES_MAX; i++) {
        uint32_t head = pci_read(f, at);

        if ((head & 0xff) == CAPABILITY_POWER) {
            uint32_t control = pci_read(f, (uint8_t)(at + 4));

            if (control & POWER_STATE) {
                pci_write(f, (uint8_t)(at + 4), control & ~POWER_STATE);
                tsc_wait_us(POWER_UP_US);
            }
            return;
        }
        at = head >> 8 & 0xfc;
    }
}
