// SPDX-License-Identifier: MIT
#include "arch/lapic.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "io/cpuid.h"
#include "lib/minmax.h"

#define APIC_BASE_ENABLE   (UINT64_C(1) << 11)
#define APIC_BASE_X2APIC   (UINT64_C(1) << 10)
#define APIC_BASE_BOOT_CPU (UINT64_C(1) << 8)
#define APIC_BASE_ADDRESS  UINT64_C(0x000ffffffffff000)
#define X2APIC_MSR         0x800
#define XAPIC_ID_SHIFT     24

enum {
    REG_ID = 0x02,
    REG_VERSION = 0x03,
    REG_TPR = 0x08,
    REG_EOI = 0x0b,
    REG_SPURIOUS = 0x0f,
    REG_ISR = 0x10,
    REG_ICR = 0x30,
    REG_ICR_HIGH = 0x31,
    REG_LVT_TIMER = 0x32,
    REG_LVT_PERFORMANCE = 0x34,
    REG_LVT_LINT0 = 0x35,
    REG_LVT_LINT1 = 0x36,
    REG_LVT_ERROR = 0x37,
    REG_TIMER_START = 0x38,
    REG_TIMER_COUNT = 0x39,
    REG_TIMER_DIVIDE = 0x3e,
};

enum {
    ICR_FIXED = 0x000,
    ICR_NMI = 0x400,
    ICR_INIT = 0x500,
    ICR_STARTUP = 0x600,
    ICR_PENDING = 1 << 12,
    ICR_ASSERT = 1 << 14,
    ICR_ALL_OTHERS = 3 << 18,
};

#define SPURIOUS_ENABLE 0x100
#define TIMER_DIVIDE_16 3
#define WINDOWS         3
#define WINDOW_MS       2
#define LVT_MASKED      (1u << 16)
#define LVT_MAX(v)      ((v) >> 16 & 0xff) /* of the version: number of local interrupts - 1 */
#define LVT_HAS_PERF    4
#define SEND_POLLS_MAX  1000000

/*
 * Set on the boot CPU, read by all, arch/trap.asm (lapic_eoi) and arch/trampoline.asm (the others):
 * the pointers are NULL in x2APIC mode; lapic_base is every CPU's IA32_APIC_BASE, but for one flag.
 */
extern volatile uint32_t *lapic_eoi, *lapic_registers;
extern uint64_t lapic_base;
volatile uint32_t *lapic_eoi, *lapic_registers;
uint64_t lapic_base;
static uint32_t timer_ticks_per_ms;

static uint32_t read_register(unsigned reg)
{
    return lapic_registers ? lapic_registers[reg * 4] : (uint32_t)msr_read(X2APIC_MSR + reg);
}

static void write_register(unsigned reg, uint32_t value)
{
    if (lapic_registers)
        lapic_registers[reg * 4] = value;
    else
        msr_write(X2APIC_MSR + reg, value);
}

static void set_base(uint64_t base)
{
    msr_write(MSR_APIC_BASE, base);
    lapic_base = base & ~APIC_BASE_BOOT_CPU;
}

bool lapic_begin(void)
{
    uint64_t base = msr_read(MSR_APIC_BASE), address = base & APIC_BASE_ADDRESS;
    bool has_registers = !(base & APIC_BASE_X2APIC);

    if (has_registers && !paging_is_mapped(address, PAGE_SIZE))
        return false;
    set_base(base | APIC_BASE_ENABLE);
    lapic_registers = has_registers ? direct(address) : NULL;
    return true;
}

void lapic_init(void)
{
    uint64_t base = msr_read(MSR_APIC_BASE);

    set_base(base | APIC_BASE_ENABLE);
    if (base & APIC_BASE_X2APIC)
        return;
    lapic_registers =
        paging_map_direct(base & APIC_BASE_ADDRESS, PAGE_SIZE, PAGING_WRITE | PAGING_UNCACHED);
    lapic_eoi = &lapic_registers[REG_EOI * 4];
}

void lapic_use_x2apic(void)
{
    set_base(msr_read(MSR_APIC_BASE) | APIC_BASE_X2APIC);
    lapic_registers = lapic_eoi = NULL;
}

uint32_t lapic_id(void)
{
    uint32_t id = read_register(REG_ID);

    return lapic_registers ? id >> XAPIC_ID_SHIFT : id;
}

bool lapic_id_is_changed(void)
{
    return lapic_registers && lapic_id() != cpuid(1, 0).ebx >> XAPIC_ID_SHIFT;
}

/* The thermal sensor's stays as it is: firmware may have its own SMI there. */
static void mask_local_interrupts(void)
{
    write_register(REG_LVT_TIMER, LVT_MASKED);
    write_register(REG_LVT_LINT0, LVT_MASKED);
    write_register(REG_LVT_LINT1, LVT_MASKED);
    write_register(REG_LVT_ERROR, LVT_MASKED);
    if (LVT_MAX(read_register(REG_VERSION)) >= LVT_HAS_PERF)
        write_register(REG_LVT_PERFORMANCE, LVT_MASKED);
}

void lapic_enable(void)
{
    write_register(REG_TPR, 0);
    write_register(REG_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
    mask_local_interrupts();
}

static void send(uint32_t apic_id, uint32_t command)
{
    if (!lapic_registers) {
        __asm__ volatile("mfence; lfence" : : : "memory"); /* SDM vol. 3A, 11.12.3 */
        msr_write(X2APIC_MSR + REG_ICR, (uint64_t)apic_id << 32 | command);
        return;
    }
    for (int i = 0; i < SEND_POLLS_MAX && read_register(REG_ICR) & ICR_PENDING; i++)
        cpu_relax();
    write_register(REG_ICR_HIGH, apic_id << XAPIC_ID_SHIFT);
    write_register(REG_ICR, command);
}

void lapic_send_init(uint32_t apic_id)
{
    send(apic_id, ICR_INIT | ICR_ASSERT);
}

void lapic_send_init_to_others(void)
{
    send(0, ICR_INIT | ICR_ASSERT | ICR_ALL_OTHERS);
}

void lapic_send_startup(uint32_t apic_id, uint8_t page)
{
    send(apic_id, ICR_STARTUP | ICR_ASSERT | page);
}

void lapic_send_wake(uint32_t apic_id)
{
    send(apic_id, ICR_FIXED | ICR_ASSERT | VECTOR_WAKE);
}

void lapic_send_nmi(uint32_t apic_id)
{
    send(apic_id, ICR_NMI | ICR_ASSERT);
}

/* More than it should be if firmware's system management mode or a host came in between. */
static uint32_t ticks_in_window(void)
{
    write_register(REG_TIMER_START, UINT32_MAX);
    tsc_wait_us(WINDOW_MS * UINT64_C(1000));
    return UINT32_MAX - read_register(REG_TIMER_COUNT);
}

bool lapic_timer_calibrate(void)
{
    uint32_t ticks = UINT32_MAX;

    write_register(REG_TIMER_DIVIDE, TIMER_DIVIDE_16);
    for (unsigned i = 0; i < WINDOWS; i++)
        ticks = (uint32_t)min_u64(ticks, ticks_in_window());
    timer_ticks_per_ms = ticks / WINDOW_MS;
    write_register(REG_TIMER_START, 0);
    write_register(REG_LVT_TIMER, VECTOR_TIMER);
    return timer_ticks_per_ms > 0;
}

void lapic_timer_in_us(uint32_t us)
{
    uint64_t ticks = (uint64_t)timer_ticks_per_ms * us / 1000;

    write_register(REG_TIMER_START, (uint32_t)min_u64(max_u64(ticks, 1), UINT32_MAX));
}

void lapic_deadline_in_us(uint32_t us)
{
    write_register(REG_TIMER_START, 0);
    write_register(REG_LVT_TIMER, VECTOR_DEADLINE);
    lapic_timer_in_us(us);
}

void lapic_deadline_end(void)
{
    write_register(REG_TIMER_START, 0);
    write_register(REG_LVT_TIMER, VECTOR_TIMER);
}

bool lapic_is_in_service(uint32_t vector)
{
    return read_register(REG_ISR + vector / 32) >> vector % 32 & 1;
}

void lapic_acknowledge(void)
{
    write_register(REG_EOI, 0);
}
