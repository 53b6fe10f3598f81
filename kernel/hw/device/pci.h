// SPDX-License-Identifier: MIT
/*
 * PCI configuration space by the ports 0xcf8 and 0xcfc (PCI Local Bus 3.0, 3.2.2.3.2): the first
 * 256 bytes of all functions of segment 0. Boot CPU only.
 */
#pragma once

#include <stdint.h>

/* Bus, device and function, as the address port wants them. */
struct pci_function {
    uint32_t address;
};

/* Registers (6.1). */
#define PCI_ID           0x00 /* vendor, device */
#define PCI_COMMAND      0x04
#define PCI_CLASS        0x08 /* revision, interface, subclass, class */
#define PCI_BAR0         0x10
#define PCI_CAPABILITIES 0x34

#define PCI_COMMAND_IO          (1u << 0)
#define PCI_COMMAND_MEMORY      (1u << 1)
#define PCI_COMMAND_MASTER      (1u << 2)
#define PCI_COMMAND_NO_INTX     (1u << 10)
#define PCI_STATUS_CAPABILITIES (UINT32_C(1) << 20) /* of the word at PCI_COMMAND */

/* device: below 32; number: of the function, below 8. It need not be there. */
struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number);

/* Of a function that is there. */
static inline unsigned pci_bus(struct pci_function f)
{
    return f.address >> 16 & 0xff;
}

static inline unsigned pci_device(struct pci_function f)
{
    return f.address >> 11 & 0x1f;
}

static inline unsigned pci_number(struct pci_function f)
{
    return f.address >> 8 & 7;
}

/* offset: of a whole 32-bit word. */
uint32_t pci_read(struct pci_function f, uint8_t offset);
void pci_write(struct pci_function f, uint8_t offset, uint32_t value);

/* Sets bits of the command register, and clears others. */
void pci_set_command(struct pci_function f, uint32_t set, uint32_t clear);

/*
 * Calls `found` for each function that is there, on all buses: a machine may have several host
 * bridges, and firmware need not say which buses they begin with. Absent devices cost one read
 * each, all together some 10 ms.
 */
void pci_for_each(void (*found)(void *ctx, struct pci_function f), void *ctx);

/* Calls `found` for each function whose class, subclass and interface are these 24 bits. */
void pci_find(uint32_t class_code, void (*found)(void *ctx, struct pci_function f), void *ctx);

/* Memory BAR 0, of 32 or 64 bits (6.2.5.1); 0: there is none, or firmware gave it no address. */
uint64_t pci_memory_bar0(struct pci_function f);

/* I/O BAR 0; 0: there is none, or firmware has given it no address. */
uint16_t pci_io_bar0(struct pci_function f);

/* Turns the device on, should firmware have left it in a low-power state (PCI PM 1.2, 3.2.4). */
void pci_power_up(struct pci_function f);
