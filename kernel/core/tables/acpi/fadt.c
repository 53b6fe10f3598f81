// SPDX-License-Identifier: MIT
#include "acpi/fadt.h"

#include <stddef.h>

#include "lib/minmax.h"
#include "lib/string.h"

struct fadt_table {
    struct acpi_header header;
    uint32_t facs;
    uint32_t dsdt;
    uint8_t reserved1;
    uint8_t preferred_pm_profile;
    uint16_t sci_interrupt;
    uint32_t smi_command;
    uint8_t acpi_enable, acpi_disable;
    uint8_t s4bios_request, pstate_control;
    uint32_t pm1a_event, pm1b_event;
    uint32_t pm1a_control, pm1b_control;
    uint32_t pm2_control;
    uint32_t pm_timer;
    uint32_t gpe0, gpe1;
    uint8_t pm1_event_bytes, pm1_control_bytes, pm2_control_bytes, pm_timer_bytes;
    uint8_t gpe0_bytes, gpe1_bytes;
    uint8_t gpe1_first, cstate_control;
    uint8_t processor[10]; /* C2, C3, caches, duty cycle */
    uint8_t rtc[3];        /* indexes of alarm day, month and century */
    uint16_t boot_architecture;
    uint8_t reserved2;
    uint32_t flags; /* ACPI 1.0 ends here */
    struct acpi_register reset;
    uint8_t reset_value;
    uint16_t arm_boot_architecture;
    uint8_t minor_version;
    uint64_t x_facs;
    uint64_t x_dsdt;
    struct acpi_register x_pm1a_event, x_pm1b_event;
    struct acpi_register x_pm1a_control, x_pm1b_control;
    struct acpi_register x_pm2_control;
    struct acpi_register x_pm_timer;
    struct acpi_register x_gpe0, x_gpe1;
    struct acpi_register sleep_control, sleep_status;
} __attribute__((packed));
_Static_assert(offsetof(struct fadt_table, boot_architecture) == 109, "ACPI 6.5, table 5.9");
_Static_assert(offsetof(struct fadt_table, reset) == 116, "ACPI 6.5, table 5.9");
_Static_assert(offsetof(struct fadt_table, x_pm_timer) == 208, "ACPI 6.5, table 5.9");

_Static_assert(offsetof(struct fadt_table, sleep_control) == 244, "ACPI 6.5, table 5.9");

#define FADT_V1_BYTES 116u
#define RTC_CENTURY   2 /* in rtc */

/* Of boot_architecture, which a table of revision 1 need not have. */
#define BOOT_8042     (1u << 1)
#define BOOT_REVISION 3

#define PM1_EVENT_BYTES_MIN 4 /* two registers of 16 bits */

/* Set: the button is not fixed hardware, or there is none. */
#define FLAG_POWER_BUTTON     (1u << 4)
#define FLAG_SLEEP_BUTTON     (1u << 5)
#define FLAG_RESET            (1u << 10)
#define FLAG_HARDWARE_REDUCED (1u << 20)

static struct acpi_register choose(struct acpi_register extended, uint32_t port, uint8_t bit_width)
{
    if (extended.address)
        return extended;
    return (
        struct acpi_register){ .space = ACPI_SPACE_IO, .bit_width = bit_width, .address = port };
}

static void read_events(const struct fadt_table *t, struct fadt *f)
{
    if (t->pm1_event_bytes < PM1_EVENT_BYTES_MIN)
        return;
    f->pm1a_event = choose(t->x_pm1a_event, t->pm1a_event, 32);
    f->pm1b_event = choose(t->x_pm1b_event, t->pm1b_event, 32);
    f->pm1_event_bytes = t->pm1_event_bytes;
    f->gpe0 = choose(t->x_gpe0, t->gpe0, 0);
    f->gpe1 = choose(t->x_gpe1, t->gpe1, 0);
    f->gpe0_bytes = t->gpe0_bytes;
    f->gpe1_bytes = t->gpe1_bytes;
    f->power_button = !(t->flags & FLAG_POWER_BUTTON);
    f->sleep_button = !(t->flags & FLAG_SLEEP_BUTTON);
}

enum status fadt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct fadt *ret_fadt)
{
    struct fadt_table t = { 0 };
    struct fadt f = { 0 };

    if (!acpi_table_holds(table, FADT_V1_BYTES, "FADT", warnings))
        return STATUS_INVALID;
    memcpy(&t, table, min_u64(table->length, sizeof(t)));

    if (t.flags & FLAG_RESET) {
        f.reset = t.reset;
        f.reset_value = t.reset_value;
    }
    f.no_8042 = t.header.revision >= BOOT_REVISION && !(t.boot_architecture & BOOT_8042);
    f.hardware_reduced = t.flags & FLAG_HARDWARE_REDUCED;
    if (f.hardware_reduced) {
        f.sleep_control = t.sleep_control;
        f.sleep_status = t.sleep_status;
    } else {
        read_events(&t, &f);
        f.pm1a_control = choose(t.x_pm1a_control, t.pm1a_control, 16);
        f.pm1b_control = choose(t.x_pm1b_control, t.pm1b_control, 16);
        f.pm_timer = choose(t.x_pm_timer, t.pm_timer, 32);
        f.smi_command_port = t.smi_command;
        f.acpi_enable = t.acpi_enable;
    }
    f.century = t.rtc[RTC_CENTURY];
    f.dsdt = t.x_dsdt ? t.x_dsdt : t.dsdt;
    *ret_fadt = f;
    return STATUS_OK;
}

struct hpet_table {
    struct acpi_header header;
    uint32_t block_id;
    struct acpi_register base;
    uint8_t number;
    uint16_t least_tick;
    uint8_t page_protection;
} __attribute__((packed));
_Static_assert(sizeof(struct hpet_table) == 56, "HPET 1.0a, 3.2.4");

enum status hpet_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hpet *ret_hpet)
{
    const struct hpet_table *t = (const void *)table;

    if (!acpi_table_holds(table, sizeof(*t), "HPET", warnings))
        return STATUS_INVALID;
    if (t->base.space != ACPI_SPACE_MEMORY || !t->base.address ||
        t->base.address > UINT64_MAX - HPET_REGISTERS_BYTES) {
        warn_print(
            warnings,
            "HPET: registers at 0x%lx of address space %u, an invalid address; it is not used",
            (unsigned long)t->base.address, t->base.space);
        return STATUS_INVALID;
    }
    ret_hpet->address = t->base.address;
    return STATUS_OK;
}
