// SPDX-License-Identifier: MIT
#include "run/translations.h"

#include "acpi/madt.h"
#include "arch/cpu.h"
#include "lib/span.h"

#define ROOM_FIRST (UINT64_C(256) * PAGE_SIZE)
#define ROOM_MOST  ((UINT64_C(1) << 22) * PAGE_SIZE)

static struct {
    uint64_t swept; /* since they were dropped */
    uint64_t room;  /* of the table; 0: ROOM_FIRST */
} cpus[MADT_CPUS_MAX];

void translations_swept(uint32_t cpu, uint64_t bytes)
{
    uint64_t room = cpus[cpu].room ? cpus[cpu].room : ROOM_FIRST;

    cpus[cpu].swept += bytes;
    if (room == ROOM_MOST || cpus[cpu].swept < room)
        return;
    cr3_write(cr3_read());
    cpus[cpu].swept = 0;
    cpus[cpu].room = 2 * room;
}
