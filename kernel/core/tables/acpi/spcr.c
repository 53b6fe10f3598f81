// SPDX-License-Identifier: MIT
#include "acpi/spcr.h"

#include <stddef.h>

#include "lib/minmax.h"
#include "lib/string.h"

struct spcr_table {
    struct acpi_header header;
    uint8_t interface_type;
    uint8_t reserved1[3];
    struct acpi_register base;
    uint8_t interrupt_type, irq;
    uint32_t gsi;
    uint8_t baud_code, parity, stop_bits, flow_control, terminal_type, language;
    uint16_t pci_device, pci_vendor;
    uint8_t pci_bus, pci_slot, pci_function;
    uint32_t pci_flags;
    uint8_t pci_segment;
    uint32_t clock_hz;     /* revision 3 on; 0: unknown */
    uint32_t precise_baud; /* revision 4 on; 0: baud_code has it */
} __attribute__((packed));
_Static_assert(offsetof(struct spcr_table, base) == 40, "SPCR 1.10, table 1");
_Static_assert(offsetof(struct spcr_table, baud_code) == 58, "SPCR 1.10, table 1");
_Static_assert(offsetof(struct spcr_table, clock_hz) == 76, "SPCR 1.10, table 1");
_Static_assert(offsetof(struct spcr_table, precise_baud) == 80, "SPCR 1.10, table 1");

/* What revision 1 has: 76 bytes and a reserved word. */
#define SPCR_V1_BYTES offsetof(struct spcr_table, precise_baud)

#define REVISION_CLOCK 3
#define REVISION_BAUD  4

static bool baud_of_code(uint8_t code, uint32_t *ret_baud)
{
    switch (code) {
    case 0: *ret_baud = 0; return true;
    case 3: *ret_baud = 9600; return true;
    case 4: *ret_baud = 19200; return true;
    case 6: *ret_baud = 57600; return true;
    case 7: *ret_baud = 115200; return true;
    default: return false;
    }
}

static void read_speed(const struct spcr_table *t, const struct warnings *warnings,
                       struct uart_place *place)
{
    if (t->header.revision >= REVISION_CLOCK)
        place->clock_hz = t->clock_hz;
    if (t->header.revision >= REVISION_BAUD && t->precise_baud)
        place->baud = t->precise_baud;
    else if (!baud_of_code(t->baud_code, &place->baud))
        warn_print(warnings, "SPCR: speed %u is unknown; the port's is not changed", t->baud_code);
}

enum status spcr_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct uart_place *ret_place)
{
    struct spcr_table t = { 0 };
    struct uart_place place;

    if (!acpi_table_holds(table, SPCR_V1_BYTES, "SPCR", warnings))
        return STATUS_INVALID;
    memcpy(&t, table, min_u64(table->length, sizeof(t)));
    if (!uart_place_is_named(&t.base))
        return STATUS_NOT_FOUND;
    if (!uart_type_is_16550(t.interface_type))
        return STATUS_UNSUPPORTED;
    if (uart_place_read(&t.base, "SPCR", warnings, &place) != STATUS_OK)
        return STATUS_INVALID;
    read_speed(&t, warnings, &place);
    *ret_place = place;
    return STATUS_OK;
}
