// SPDX-License-Identifier: MIT
/* The tables of tests/data/qemu-q35. */
#pragma once

#include "fake.h"

#define Q35_RSDP   0xf59e0
#define Q35_SMBIOS 0xf5a00

static inline void fake_add_q35(struct fake_memory *m)
{
    fake_add_file(m, Q35_RSDP, "tests/data/qemu-q35/f59e0-rsdp.bin");
    fake_add_file(m, Q35_SMBIOS, "tests/data/qemu-q35/f5a00-smbios.bin");
    fake_add_file(m, 0x1ffe0040, "tests/data/qemu-q35/1ffe0040-acpi.bin");
}

struct q35 {
    struct fake_memory memory;
    struct warning_log log; /* empty */
    struct warnings warnings;
    const struct acpi_header *table;
};

/* The machine's table with that signature. */
static inline void q35_open(struct q35 *q, const char *signature)
{
    struct phys_reader reader = fake_reader(&q->memory);
    struct acpi acpi;

    memset(q, 0, sizeof(*q));
    q->warnings = warnings_to(&q->log);
    fake_add_q35(&q->memory);
    assert_int_equal(acpi_open(&reader, Q35_RSDP, &q->warnings, &acpi), STATUS_OK);
    assert_int_equal(acpi_find(&acpi, signature, &q->warnings, &q->table), STATUS_OK);
    assert_int_equal(q->log.n, 0);
}
