// SPDX-License-Identifier: MIT
/*
 * Fixed hardware of the FADT, signature "FACP" (ACPI 6.5, 5.2.9), as far as okram uses it: reset,
 * power off, buttons and the PM timer. And where the HPET is, by its own table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

enum acpi_space { ACPI_SPACE_MEMORY = 0, ACPI_SPACE_IO = 1 };

/* Generic Address Structure (5.2.3.2); address 0: there is no such register. */
struct acpi_register {
    uint8_t space; /* enum acpi_space, or another */
    uint8_t bit_width;
    uint8_t bit_offset;
    uint8_t access_size;
    uint64_t address;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_register) == 12, "ACPI 6.5, 5.2.3.2");

struct fadt {
    struct acpi_register reset; /* write reset_value to it; none when firmware has no such reset */
    struct acpi_register pm1a_event, pm1b_event; /* status, in the second half enable (4.8.3.1) */
    uint8_t pm1_event_bytes;                     /* of each; 0: there are none */
    struct acpi_register gpe0, gpe1; /* general purpose events: status, then enable (4.8.4.1) */
    uint8_t gpe0_bytes, gpe1_bytes;  /* of both halves */
    bool power_button, sleep_button; /* fixed hardware: bits of these registers */
    struct acpi_register pm1a_control;
    struct acpi_register pm1b_control;
    struct acpi_register pm_timer; /* counts at 3.579545 MHz */
    uint64_t dsdt;                 /* 0: none */
    uint32_t smi_command_port;     /* 0: ACPI mode is always on */
    uint8_t acpi_enable;           /* written to smi_command_port it turns ACPI mode on */
    uint8_t reset_value;
    uint8_t century;                    /* its register in the clock's memory; 0: there is none */
    bool no_8042;                       /* it says that there is no keyboard controller (5.2.9.3) */
    bool hardware_reduced;              /* no PM1 registers (4.1), but */
    struct acpi_register sleep_control; /* 8 bits (4.8.3.7) */
    struct acpi_register sleep_status;
};

/*
 * Reads a table returned by acpi_find; fields that an older, shorter table does not have count
 * as 0. The 64-bit fields override the 32-bit ones. STATUS_INVALID, with a warning: it ends before
 * the flags that ACPI 1.0 has.
 */
enum status fadt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct fadt *ret_fadt);

#define HPET_REGISTERS_BYTES 1024u

/* The High Precision Event Timer (IA-PC HPET Specification 1.0a, 3.2.4, table "HPET"). */
struct hpet {
    uint64_t address; /* of its registers, in memory; not 0, and they do not wrap */
};

/*
 * Reads a table returned by acpi_find. STATUS_INVALID, with a warning: it is too short, or the
 * registers are not in memory.
 */
enum status hpet_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hpet *ret_hpet);
