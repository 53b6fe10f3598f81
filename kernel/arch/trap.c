// SPDX-License-Identifier: MIT
#include "arch/trap.h"

#include <stdatomic.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/nmi.h"
#include "arch/panic.h"
#include "arch/percpu.h"
#include "mce/mca.h"

#define ENTRY_BYTES    16
#define GATE_INTERRUPT 0x8e
#define VECTOR_DEBUG   1
#define VECTOR_NMI     2
#define VECTOR_DOUBLE  8
#define VECTOR_MACHINE 18

struct gate {
    uint16_t offset_low, selector;
    uint8_t ist, type;
    uint16_t offset_middle;
    uint32_t offset_high, reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct gate) == 16, "SDM vol. 3A, 6.14.1");

extern const char trap_entries[];
_Noreturn void trap_exception(const struct trap_frame *frame);
void trap_event(const struct trap_frame *frame);

static struct gate table[256]; /* filled before it is loaded, then only read */
static trap_give_up give_up_hook;

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
    /* These may come at any moment, or because the stack is gone: each has a stack of its own. */
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

void trap_set_give_up(trap_give_up give_up)
{
    give_up_hook = give_up;
}

_Noreturn static void give_up(const struct trap_frame *frame)
{
    if (panic_in_progress() || !give_up_hook || !give_up_hook(frame))
        panic_trap(frame);
    cpu_stop();
}

_Noreturn void trap_exception(const struct trap_frame *frame)
{
    give_up(frame);
}

static void machine_check(const struct trap_frame *frame)
{
    switch (mca_exception()) {
    case MCA_GO_ON:
    case MCA_RETRY:
        return;
    case MCA_STOP_CPU:
        mca_exception_ends();
        give_up(frame);
    case MCA_FATAL:
        panic_trap(frame);
    }
}

void trap_event(const struct trap_frame *frame)
{
    if (frame->vector == VECTOR_MACHINE)
        machine_check(frame);
    else if (panic_in_progress())
        cpu_stop();
    else
        nmi_arrived();
}
