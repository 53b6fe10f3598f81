// SPDX-License-Identifier: MIT
#include "cpus/smp.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/lapic.h"
#include "arch/paging.h"
#include "arch/park.h"
#include "arch/trap.h"
#include "arch/tsc.h"
#include "event/notices.h"
#include "event/trace.h"
#include "interrupt/idle.h"
#include "interrupt/unexpected.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/tables.h"
#include "memory/arena.h"

/* PG, WP, NE, ET, MP, PE: caches on, no emulation of the FPU, its errors are exceptions. */
#define CR0_ALL_CPUS 0x80010033u

#define CR4_ALL_CPUS   (CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT)
#define CR4_PAE        (1u << 5)
#define CR4_OSFXSR     (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)
#define CR4_OSXSAVE    (1u << 18)

#define EFER_LONG_MODE (UINT64_C(1) << 8 | UINT64_C(1) << 10) /* LME, LMA */

#define MXCSR_DEFAULT 0x1f80u /* exceptions masked, round to nearest */
#define DR7_NO_BREAKS 0x400u

/* Registers of an I/O APIC (Intel 82093AA). */
#define IOAPIC_BYTES    0x20u /* that are used here */
#define IOAPIC_SELECT   0
#define IOAPIC_WINDOW   4 /* in 32-bit words */
#define IOAPIC_VERSION  1
#define IOAPIC_REDIRECT 0x10
#define IOAPIC_MASKED   (1u << 16)

#define INIT_WAIT_US      10000
#define STARTUP_WAIT_US   200
#define STARTUP_AGAIN_US  20000 /* a CPU that ignored the first STARTUP gets a second */
#define ONLINE_TIMEOUT_US 500000
#define CLOSE_WAIT_US     10000  /* a CPU between trampoline and okram arrives */
#define PARK_WAIT_US      200000 /* a CPU takes an NMI at once, unless it is in an SMI or hangs */

extern const char trampoline_start[], trampoline_end[];
extern const char trampoline_cr3[], trampoline_gdt_base[], trampoline_long_address[],
    trampoline_efer[];

/* Read by arch/trampoline.asm. */
extern struct percpu **smp_percpu;
extern uint32_t smp_n_percpu;
_Noreturn void smp_cpu_main(struct percpu *cpu);

struct percpu **smp_percpu;
uint32_t smp_n_percpu;
static void (*cpu_work)(struct percpu *cpu);
static uint64_t start_page; /* of the trampoline, then of arch/park.h */

/*
 * What firmware left in the boot CPU, and what INIT leaves as it was in the others (SDM vol. 3A,
 * table 9-1), is replaced, not changed: all CPUs have the same. Of five-level paging, which cannot
 * be turned off here, CR4 keeps the bit.
 */
static void set_registers(void)
{
    struct cpu_features f = cpu_features_read();
    uint32_t mxcsr = MXCSR_DEFAULT;
    uint64_t cr4 = (cr4_read() & CR4_LA57) | CR4_ALL_CPUS;

    cr0_write(CR0_ALL_CPUS);
    cr4_write(f.avx2 ? cr4 | CR4_OSXSAVE : cr4);
    msr_write(MSR_EFER, (msr_read(MSR_EFER) & EFER_LONG_MODE) | (f.nx ? EFER_NXE : 0));
    msr_write(MSR_PAT, PAGING_PAT);
    if (f.avx2)
        __asm__ volatile("xsetbv"
                         :
                         : "c"(0), "a"(f.avx512 ? XCR0_AVX | XCR0_AVX512 : XCR0_AVX), "d"(0));
    __asm__ volatile("fninit; ldmxcsr %0; mov %1, %%dr7"
                     :
                     : "m"(mxcsr), "r"((uint64_t)DR7_NO_BREAKS));
}

/*
 * On every CPU: loads its segments and the interrupt table, and sets the registers that all okram's
 * code relies on.
 */
static void start_cpu(struct percpu *cpu)
{
    percpu_load(cpu);
    trap_load();
    set_registers();
}

void smp_start_boot_cpu(void)
{
    percpu_init(&percpu_boot, 0, 0);
    trap_init();
    start_cpu(&percpu_boot);
}

_Noreturn void smp_cpu_main(struct percpu *cpu)
{
    start_cpu(cpu);
    lapic_enable();
    atomic_store(&cpu->state, CPU_ONLINE);
    cpu_work(cpu);
    panic("cpu %u: its work has returned", cpu->number);
}

static uint32_t *field(char *copy, const char *symbol)
{
    return (uint32_t *)(copy + (symbol - trampoline_start));
}

static void place_trampoline(uint64_t page)
{
    char *copy = direct(page);

    memcpy(copy, trampoline_start, (size_t)(trampoline_end - trampoline_start));
    *field(copy, trampoline_cr3) = (uint32_t)paging_root();
    *field(copy, trampoline_gdt_base) += (uint32_t)page;
    *field(copy, trampoline_long_address) += (uint32_t)page;
    *field(copy, trampoline_efer) |= (uint32_t)msr_read(MSR_EFER) & EFER_NXE;
    paging_map(page, page, PAGE_SIZE, PAGING_EXECUTE);
}

static uint32_t count_missing(struct percpu **cpus, uint32_t n_cpus, uint32_t state)
{
    uint32_t missing = 0;

    for (uint32_t i = 1; i < n_cpus; i++)
        missing += atomic_load(&cpus[i]->state) < state;
    return missing;
}

/* False: some are missing, and for timeout_us no further one has come. */
static bool all_arrived(struct percpu **cpus, uint32_t n_cpus, uint32_t state, uint32_t timeout_us)
{
    uint64_t patience = tsc_from_us(timeout_us), last_came = tsc_now();
    uint32_t were_missing = n_cpus, missing;

    while ((missing = count_missing(cpus, n_cpus, state))) {
        if (missing < were_missing)
            last_came = tsc_now();
        else if (tsc_now() - last_came >= patience)
            return false;
        were_missing = missing;
        cpu_relax();
    }
    return true;
}

static void send_startup(const struct percpu *cpu)
{
    lapic_send_startup(cpu->apic_id, (uint8_t)(start_page >> PAGE_SHIFT));
}

static void start_waiting(struct percpu **cpus, uint32_t n_cpus)
{
    for (uint32_t i = 1; i < n_cpus; i++) {
        if (atomic_load(&cpus[i]->state) == CPU_WAITING)
            send_startup(cpus[i]);
    }
}

/* One that is stalled takes the INIT before its next instruction, and writes to memory no more. */
static void park_by_init(const struct percpu *cpu)
{
    lapic_send_init(cpu->apic_id);
    tsc_wait_us(INIT_WAIT_US);
    send_startup(cpu);
    tsc_wait_us(STARTUP_WAIT_US);
    send_startup(cpu);
}

/*
 * Those that did not come in time: page tables may move, so that one that starts now must not go
 * through them. No NMI: they may have no interrupt table.
 */
static void park_late(struct percpu **cpus, uint32_t n_cpus)
{
    for (uint32_t i = 1; i < n_cpus; i++) {
        if (atomic_load(&cpus[i]->state) == CPU_ABSENT)
            send_startup(cpus[i]);
        else if (atomic_load(&cpus[i]->state) == CPU_LOST)
            park_by_init(cpus[i]);
    }
    tsc_wait_us(CLOSE_WAIT_US);
}

/* By NMI. Not those that never arrived: in firmware's hands an NMI would reset the machine. */
void smp_stop_others(void)
{
    const struct percpu *self = percpu_if_loaded();

    for (uint32_t i = 0; i < smp_n_percpu; i++) {
        struct percpu *cpu = smp_percpu[i];

        if (cpu != self && atomic_load(&cpu->state) == CPU_ONLINE)
            lapic_send_nmi(cpu->apic_id);
    }
}

void smp_take_over(void)
{
    if (!lapic_begin() || lapic_id_is_changed())
        return;
    lapic_send_init_to_others();
    tsc_wait_us(INIT_WAIT_US);
}

static struct percpu *make_cpu(uint32_t number, uint32_t apic_id)
{
    struct percpu *cpu = arena_alloc(sizeof(*cpu));
    uint8_t *stack = arena_alloc(CPU_STACK_BYTES);

    percpu_init(cpu, number, apic_id);
    cpu->stack_top = (uint64_t)(stack + CPU_STACK_BYTES);
    return cpu;
}

static bool any_needs_x2apic(void)
{
    for (size_t i = 0; i < platform.madt->n_cpus; i++) {
        if (platform.madt->cpu[i].apic_id > LAPIC_XAPIC_ID_MAX)
            return true;
    }
    return false;
}

/* The boot CPU first, then the others in the MADT's order. */
static void make_cpus(void)
{
    uint32_t boot_id = lapic_id();
    size_t out_of_reach = 0;
    bool is_listed = false;

    machine.cpus = arena_alloc((platform.madt->n_cpus + 1) * sizeof(*machine.cpus));
    percpu_boot.apic_id = boot_id;
    machine.cpus[machine.n_cpus++] = &percpu_boot;
    for (size_t i = 0; i < platform.madt->n_cpus; i++) {
        uint32_t id = platform.madt->cpu[i].apic_id;

        if (id == boot_id) {
            is_listed = true; /* so that it is not sent an INIT */
        } else if (id > LAPIC_XAPIC_ID_MAX && !machine.cpu.x2apic) {
            out_of_reach++;
        } else {
            machine.cpus[machine.n_cpus] = make_cpu(machine.n_cpus, id);
            machine.n_cpus++;
        }
    }
    if (platform.madt->n_cpus && !is_listed)
        notice("MADT: the boot CPU (APIC ID %u) is not listed; using it and every listed CPU that "
               "starts",
               boot_id);
    if (out_of_reach)
        notice("MADT: CPUs not used, because their APIC ID needs x2APIC, which this CPU lacks: %zu",
               out_of_reach);
}

/* Every input (82093AA, 3.2.4): firmware may have left some on, and okram uses none. */
static void mask_io_apic(uint64_t phys)
{
    volatile uint32_t *reg = paging_map_direct(phys, IOAPIC_BYTES, PAGING_WRITE | PAGING_UNCACHED);
    uint32_t last;

    reg[IOAPIC_SELECT] = IOAPIC_VERSION;
    last = reg[IOAPIC_WINDOW] >> 16 & 0xff;
    for (uint32_t i = 0; i <= last; i++) {
        reg[IOAPIC_SELECT] = IOAPIC_REDIRECT + 2 * i;
        reg[IOAPIC_WINDOW] = IOAPIC_MASKED;
    }
}

static void mask_io_apics(void)
{
    for (size_t i = 0; i < platform.madt->n_io_apics; i++) {
        if (tables_may_be_registers("an I/O APIC", platform.madt->io_apic[i].address, IOAPIC_BYTES))
            mask_io_apic(platform.madt->io_apic[i].address);
    }
}

void smp_prepare(void)
{
    lapic_init();
    if (machine.cpu.x2apic && any_needs_x2apic())
        lapic_use_x2apic();
    make_cpus();
    machine.online = arena_alloc(machine.n_cpus * sizeof(*machine.online));
    pic_mask();
    mask_io_apics();
    lapic_enable();
    idle_begin();
}

static void start_others(struct percpu **cpus, uint32_t n_cpus, uint64_t page,
                         void (*work)(struct percpu *cpu))
{
    bool any_late = false;

    ASSERT(page % PAGE_SIZE == 0 && page < 0x100000);
    ASSERT(trampoline_end - trampoline_start <= (long)PAGE_SIZE);
    atomic_store(&cpus[0]->state, CPU_ONLINE);
    smp_percpu = cpus;
    smp_n_percpu = n_cpus;
    cpu_work = work;
    start_page = page;
    place_trampoline(page);

    for (uint32_t i = 1; i < n_cpus; i++)
        lapic_send_init(cpus[i]->apic_id);
    tsc_wait_us(INIT_WAIT_US);
    start_waiting(cpus, n_cpus);
    tsc_wait_us(STARTUP_WAIT_US);
    if (!all_arrived(cpus, n_cpus, CPU_ARRIVED, STARTUP_AGAIN_US))
        start_waiting(cpus, n_cpus);
    all_arrived(cpus, n_cpus, CPU_ONLINE, ONLINE_TIMEOUT_US);

    for (uint32_t i = 1; i < n_cpus; i++) {
        uint32_t waiting = CPU_WAITING;

        /* Arrived, but not yet online: it is alive and will be. */
        if (!atomic_compare_exchange_strong(&cpus[i]->state, &waiting, CPU_ABSENT)) {
            if (waiting == CPU_ARRIVED)
                all_arrived((struct percpu *[]){ NULL, cpus[i] }, 2, CPU_ONLINE, ONLINE_TIMEOUT_US);
            if (atomic_load(&cpus[i]->state) == CPU_ONLINE)
                continue;
            atomic_store(&cpus[i]->state, CPU_LOST);
        }
        any_late = true;
    }
    park_begin(page);
    if (any_late)
        park_late(cpus, n_cpus);
}

/* With a wrong MADT many may be absent: one warning for all. */
static void warn_of_absent(uint32_t n, uint32_t first)
{
    uint32_t id = machine.cpus[first]->apic_id;

    if (n == 1)
        notice("cpu %u (APIC ID %u) did not start in time: disabled", first, id);
    else
        notice("%u CPUs did not start in time: disabled; the first is cpu %u (APIC ID %u)", n,
               first, id);
}

static void list_online(void)
{
    uint32_t n_absent = 0, first_absent = 0;

    for (uint32_t i = 0; i < machine.n_cpus; i++) {
        bool is_online = i == 0 || atomic_load(&machine.cpus[i]->state) == CPU_ONLINE;

        if (is_online)
            machine.online[machine.n_online++] = i;
        else if (n_absent++ == 0)
            first_absent = i;
        trace_send(&(struct event_trace){
            .what = OPTION_TRACE_CPUS,
            .state = is_online ? "started" : "absent",
            .cpu = i,
            .apic_id = machine.cpus[i]->apic_id,
        });
    }
    if (n_absent)
        warn_of_absent(n_absent, first_absent);
}

void smp_start(void (*work)(struct percpu *cpu))
{
    uint64_t page = arena_low_page();

    if (!page && machine.n_cpus > 1) {
        notice("no free page below 1 MiB to start other CPUs from: only the boot CPU is used");
        machine.n_cpus = 1;
    }
    if (machine.n_cpus > 1) {
        machine.park_page = page;
        start_others(machine.cpus, machine.n_cpus, page, work);
    }
    list_online();
}

static bool parks_in_time(const struct percpu *cpu)
{
    uint64_t deadline = tsc_now() + tsc_from_us(PARK_WAIT_US);

    while (!park_holds(cpu->number)) {
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
    return true;
}

void smp_expel(struct percpu *cpu, bool is_in_firmware)
{
    ASSERT(cpu->number != 0);
    atomic_store(&cpu->state, CPU_LOST);
    lapic_send_nmi(cpu->apic_id);
    if (parks_in_time(cpu))
        return;
    if (is_in_firmware)
        atomic_store(&cpu->state, CPU_STRAY);
    else
        park_by_init(cpu);
}

bool smp_has_stray(void)
{
    for (uint32_t i = 1; i < smp_n_percpu; i++) {
        if (atomic_load(&smp_percpu[i]->state) == CPU_STRAY && !park_holds(i))
            return true;
    }
    return false;
}
