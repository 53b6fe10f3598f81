// SPDX-License-Identifier: MIT
#include "arch/park.h"

#include <stddef.h>

#include "acpi/madt.h"
#include "arch/cpu.h"
#include "arch/paging.h"
#include "lib/panic.h"
#include "lib/string.h"

/* As in arch/park.asm: what of the page is before the code, and where the bits of CPUs begin. */
#define PARK_OFFSET 256
#define PARKED_BITS 2048

#define NOP        0x90
#define BASE_SHIFT 16 /* of a segment descriptor's base */
#define STACK_MIN  1024

extern const char park_start[], park_end[], park_from_long_mode[];
extern const char park_gdt_base[], park_idt_base[], park_code[], park_data[];
extern const char trampoline_start[], trampoline_end[];
_Static_assert(PARKED_BITS + (MADT_CPUS_MAX + 1) / 8 + STACK_MIN < PAGE_SIZE, "a bit for each CPU");

/* Read by arch/trampoline.asm: where a CPU goes from long mode; 0: not yet. */
extern volatile uint64_t park_entry;
volatile uint64_t park_entry;
static uint64_t park_page;

static void *place_of(const char *symbol)
{
    return (char *)direct(park_page) + PARK_OFFSET + (symbol - park_start);
}

void park_begin(uint64_t page)
{
    char *copy = direct(page);

    ASSERT(trampoline_end - trampoline_start <= PARK_OFFSET);
    ASSERT(PARK_OFFSET + (park_end - park_start) <= PARKED_BITS);
    park_page = page;
    memcpy(copy + PARK_OFFSET, park_start, (size_t)(park_end - park_start));
    *(uint32_t *)place_of(park_gdt_base) += (uint32_t)page;
    *(uint32_t *)place_of(park_idt_base) += (uint32_t)page;
    *(uint64_t *)place_of(park_code) += page << BASE_SHIFT;
    *(uint64_t *)place_of(park_data) += page << BASE_SHIFT;
    memset(copy + PARKED_BITS, 0, PAGE_SIZE - PARKED_BITS);
    memset(copy, NOP, PARK_OFFSET); /* last: all that follows is ready */
    park_entry = page + PARK_OFFSET + (uint64_t)(park_from_long_mode - park_start);
}

/* A call of firmware's code has page tables without that page. */
void park_self(uint32_t number)
{
    cr3_write(paging_root());
    __asm__ volatile("jmp *%0" : : "r"(park_entry), "D"(number) : "memory");
    __builtin_unreachable();
}

bool park_holds(uint32_t number)
{
    const volatile uint8_t *bits = direct(park_page + PARKED_BITS);

    return bits[number / 8] >> number % 8 & 1;
}
