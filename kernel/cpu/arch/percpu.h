// SPDX-License-Identifier: MIT
/*
 * What each CPU owns: its number, segment tables and stacks. GS points at it; so does FS, for the
 * stack guard.
 *
 * A map of the folder, the x86-64 CPU as okram uses it, from the lowest file up:
 *
 *   cpu.h, mmio.h  single privileged instructions (on I/O ports: kernel/io/ports.h); registers in
 *                  memory
 *   cpuid          what the CPU is and can do
 *   tsc            time
 *   paging         the page tables; image.h: the kernel's borders
 *   move           okram's own memory copied to another place
 *   percpu         each CPU's segments and stacks
 *   panic          the end of a run that cannot go on
 *   nmi, trap      exceptions and interrupts
 *   lapic          wakes, stops and starts CPUs; trampoline: where they begin (cpus/smp.h)
 *   park           where those wait that are not used any more
 *   firmware_call  firmware's code called, with an end to a call that does not return
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define SELECTOR_CODE 8
#define SELECTOR_DATA 16
#define SELECTOR_TSS  24

enum { IST_NMI = 1, IST_DOUBLE, IST_MACHINE, IST_COUNT = IST_MACHINE };

#define CPU_STACK_BYTES 16384
#define IST_STACK_BYTES 8192

struct tss {
    uint32_t reserved0;
    uint64_t rsp[3], reserved1, ist[7], reserved2;
    uint16_t reserved3, io_map;
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "SDM vol. 3A, 8.7");

enum cpu_state {
    CPU_WAITING, /* has been sent a start, not arrived yet */
    CPU_ARRIVED, /* runs okram's code */
    CPU_ONLINE,  /* ready for work */
    CPU_ABSENT,  /* did not arrive in time: not used; parked if it arrives later */
    CPU_LOST,    /* arrived, then failed or hung: parked (arch/park.h), not used any more */
    CPU_STRAY,   /* the same, but in firmware's code: parked when it comes back, if ever */
};

struct percpu {
    struct percpu *self; /* at GS:0 */
    uint32_t number;     /* 0: the boot CPU */
    uint32_t apic_id;
    _Atomic uint32_t state;
    uint32_t pad;
    uint64_t stack_top; /* where arch/trampoline.asm starts it: at offset 24 */
    uint64_t reserved;
    uint64_t stack_guard; /* for code of the distribution's libraries: at FS:0x28 */
    uint64_t gdt[5];
    struct {
        uint32_t msr;
        uint64_t value;
    } borrowed; /* what a register had that is changed for a while; msr 0: none is */
    struct tss tss;
    _Alignas(16) uint8_t ist_stack[IST_COUNT][IST_STACK_BYTES];
};
_Static_assert(__builtin_offsetof(struct percpu, number) == 8, "arch/trampoline.asm");
_Static_assert(__builtin_offsetof(struct percpu, apic_id) == 12, "arch/trampoline.asm");
_Static_assert(__builtin_offsetof(struct percpu, state) == 16, "arch/trampoline.asm");
_Static_assert(__builtin_offsetof(struct percpu, stack_top) == 24, "arch/trampoline.asm");
_Static_assert(__builtin_offsetof(struct percpu, stack_guard) == 0x28, "gcc -fstack-protector");

/* The calling CPU's own. Only after percpu_load on it. */
static inline struct percpu *percpu_self(void)
{
    struct percpu *cpu;

    __asm__("mov %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

/* The calling CPU's own, at any time: NULL before percpu_load. */
struct percpu *percpu_if_loaded(void);

/* Fills its tables; on any CPU. */
void percpu_init(struct percpu *cpu, uint32_t number, uint32_t apic_id);

/* On the CPU itself: loads them. */
void percpu_load(struct percpu *cpu);

/* The boot CPU's, which is there before any memory can be allocated. */
extern struct percpu percpu_boot;
