// SPDX-License-Identifier: MIT
#include "arch/trap.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "arch/firmware_call.h"
#include "arch/lapic.h"
#include "arch/nmi.h"
#include "arch/panic.h"
#include "arch/park.h"
#include "arch/percpu.h"

#define ENTRY_BYTES    16
#define GATE_INTERRUPT 0x8e
#define VECTOR_NMI     2
#define VECTOR_DOUBLE  8
#define VECTOR_PROTECT 13
#define VECTOR_MACHINE 18

#define RFLAGS_INTERRUPTS (UINT64_C(1) << 9)

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct gate) == 16, "SDM vol. 3A, 6.14.1");

extern const char trap_entries[], msr_reads[], msr_writes[], msr_is_missing[];
void trap_fault(struct trap_frame *frame);
void trap_event(struct trap_frame *frame);

static struct gate table[256]; /* filled before it is loaded, then only read */
static trap_give_up give_up_hook;
static enum trap_verdict (*machine_check_hook)(void);
static void (*interrupt_hook)(uint32_t vector);

static const char *const names[] = {
    "divide error",
    "debug",
    "NMI",
    "breakpoint",
    "overflow",
    "bound",
    "invalid opcode",
    "no FPU",
    "double fault",
    "FPU overrun",
    "invalid TSS",
    "no segment",
    "stack fault",
    "general protection",
    "page fault",
    "reserved",
    "x87 error",
    "alignment check",
    "machine check",
    "SIMD error",
    "virtualization",
    "control protection",
};

void trap_init(void)
{
    for (size_t i = 0; i < 256; i++) {
        uint64_t entry = (uint64_t)trap_entries + i * ENTRY_BYTES;

        table[i] = (struct gate){
            .offset_low = (uint16_t)entry,
            .selector = SELECTOR_CODE,
            .type = GATE_INTERRUPT,
            .offset_middle = (uint16_t)(entry >> 16),
            .offset_high = (uint32_t)(entry >> 32),
        };
    }
    /* These may occur at any moment, or because the stack is invalid: each has its own stack. */
    table[VECTOR_NMI].ist = IST_NMI;
    table[VECTOR_DOUBLE].ist = IST_DOUBLE;
    table[VECTOR_MACHINE].ist = IST_MACHINE;
}

void trap_load(void)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = { sizeof(table) - 1, (uint64_t)table };

    __asm__ volatile("lidt %0" : : "m"(pointer));
}

const char *trap_name(uint64_t vector)
{
    return vector < sizeof(names) / sizeof(names[0]) ? names[vector] : "reserved";
}

void trap_set_give_up(trap_give_up give_up)
{
    give_up_hook = give_up;
}

void trap_set_machine_check(enum trap_verdict (*handle)(void))
{
    machine_check_hook = handle;
}

void trap_set_interrupt(void (*handle)(uint32_t vector))
{
    interrupt_hook = handle;
}

static void describe(struct fmt_buffer *b, const void *ctx)
{
    const struct trap_frame *f = ctx;
    const struct percpu *cpu = percpu_if_loaded();

    fmt_append(b, "okram %s: exception %lu (%s), error code 0x%lx, on cpu %u\n", OKRAM_VERSION,
               f->vector, trap_name(f->vector), f->error, cpu ? cpu->number : 0);
    fmt_append(b, "rip %016lx  cs %04lx  rflags %08lx\n", f->rip, f->cs, f->rflags);
    fmt_append(b, "rsp %016lx  ss %04lx  cr2 %016lx  cr3 %016lx\n", f->rsp, f->ss, cr2_read(),
               cr3_read());
    fmt_append(b, "rax %016lx  rbx %016lx  rcx %016lx\n", f->rax, f->rbx, f->rcx);
    fmt_append(b, "rdx %016lx  rsi %016lx  rdi %016lx\n", f->rdx, f->rsi, f->rdi);
    fmt_append(b, "rbp %016lx  r8  %016lx  r9  %016lx\n", f->rbp, f->r8, f->r9);
    fmt_append(b, "r10 %016lx  r11 %016lx  r12 %016lx\n", f->r10, f->r11, f->r12);
    fmt_append(b, "r13 %016lx  r14 %016lx  r15 %016lx\n", f->r13, f->r14, f->r15);
}

static _Noreturn void exception(const struct trap_frame *frame)
{
    if (!panic_in_progress() && firmware_call_is_here())
        firmware_call_raise((struct external_exception){ frame->vector, frame->rip, cr2_read() });
    if (panic_in_progress() || !give_up_hook || !give_up_hook(frame))
        panic_exception(describe, frame);
    cpu_stop();
}

/* Returns to msr_try_read or msr_try_write, which says that the CPU has no such register. */
void trap_fault(struct trap_frame *frame)
{
    if (frame->vector != VECTOR_PROTECT ||
        (frame->rip != (uint64_t)msr_reads && frame->rip != (uint64_t)msr_writes))
        exception(frame);
    frame->rip = (uint64_t)msr_is_missing;
}

static void machine_check(const struct trap_frame *frame)
{
    enum trap_verdict verdict = machine_check_hook ? machine_check_hook() : TRAP_FATAL;

    if (verdict == TRAP_GO_ON)
        return;
    msr_write(MSR_MCG_STATUS, 0); /* ends the exception: else the next one is a shutdown */
    if (verdict == TRAP_STOP_CPU)
        exception(frame);
    panic_exception(describe, frame);
}

/* Once the handler has returned: an NMI must end by IRET. */
static void abort_firmware_call(struct trap_frame *frame)
{
    if (!firmware_call_is_here())
        return;
    frame->rip = (uint64_t)firmware_call_resume;
    frame->rdi = FIRMWARE_CALL_ABORTED;
    frame->rflags &= ~RFLAGS_INTERRUPTS;
}

/* An NMI is how a CPU that is not used any more is told (cpus/smp.h). */
static void park_if_lost(void)
{
    const struct percpu *self = percpu_if_loaded();
    uint32_t state = self ? atomic_load(&self->state) : CPU_ONLINE;

    if (state != CPU_LOST && state != CPU_STRAY)
        return;
    if (self->borrowed.msr)
        msr_write(self->borrowed.msr, self->borrowed.value);
    park_self(self->number);
}

static void nmi(struct trap_frame *frame)
{
    park_if_lost();
    if (firmware_call_takes_nmi())
        abort_firmware_call(frame);
    else
        nmi_arrived();
}

/* A halt ends here; a line that stays active must not interrupt without end. */
static void interrupt(struct trap_frame *frame)
{
    if (interrupt_hook)
        interrupt_hook((uint32_t)frame->vector);
    if (!firmware_call_is_here())
        frame->rflags &= ~RFLAGS_INTERRUPTS;
}

void trap_event(struct trap_frame *frame)
{
    if (frame->vector == VECTOR_MACHINE) {
        machine_check(frame);
    } else if (panic_in_progress()) {
        if (firmware_call_is_here())
            cpu_stop();
        panic_stopped();
    } else if (frame->vector == VECTOR_NMI) {
        nmi(frame);
    } else if (frame->vector == VECTOR_DEADLINE) {
        lapic_acknowledge();
        if (firmware_call_is_late())
            abort_firmware_call(frame);
    } else {
        interrupt(frame);
    }
}
