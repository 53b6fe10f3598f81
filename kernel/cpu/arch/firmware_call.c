// SPDX-License-Identifier: MIT
#include "arch/firmware_call.h"

#include <stdatomic.h>
#include <stddef.h>

#include "arch/lapic.h"
#include "arch/percpu.h"
#include "arch/tsc.h"

uint64_t firmware_call_enter(const struct firmware_call *call, uint64_t *ret_value);

/* The CPU that is in a call, and the one to which an NMI was sent; NULL: none. */
static _Atomic(const struct percpu *) caller, aborted;
static _Atomic uint64_t began; /* by the clock of the boot CPU, when it first saw the call */
static uint64_t most_us;
static struct external_exception exception;

enum external_end firmware_call(struct firmware_call *call, uint64_t limit_us, uint64_t *ret_value)
{
    const struct percpu *self = percpu_self();
    uint64_t value = 0;
    enum external_end end;

    if (atomic_load(&caller))
        return FIRMWARE_CALL_ABORTED;
    most_us = limit_us;
    atomic_store(&began, 0);
    call->interrupts = self->number == 0;
    atomic_store(&caller, self);
    if (call->interrupts)
        lapic_deadline_in_us((uint32_t)limit_us);
    end = (enum external_end)firmware_call_enter(call, &value);
    atomic_store(&caller, NULL);
    if (call->interrupts)
        lapic_deadline_end();
    if (end == FIRMWARE_CALL_RETURNED)
        *ret_value = value;
    return end;
}

void firmware_call_watch(void)
{
    const struct percpu *cpu = atomic_load(&caller);
    uint64_t since = atomic_load(&began);

    if (!cpu)
        return;
    if (!since) {
        atomic_store(&began, tsc_now());
    } else if (tsc_now() - since >= tsc_from_us(most_us) && !atomic_load(&aborted)) {
        atomic_store(&aborted, cpu);
        lapic_send_nmi(cpu->apic_id);
    }
}

bool firmware_call_is_here(void)
{
    const struct percpu *cpu = atomic_load(&caller);

    return cpu && cpu == percpu_if_loaded();
}

_Noreturn void firmware_call_raise(uint64_t vector, uint64_t rip)
{
    exception = (struct external_exception){ vector, rip };
    firmware_call_resume(FIRMWARE_CALL_EXCEPTION);
}

struct external_exception firmware_call_exception(void)
{
    return exception;
}

bool firmware_call_takes_nmi(void)
{
    const struct percpu *self = percpu_if_loaded();

    return self && atomic_compare_exchange_strong(&aborted, &self, NULL);
}
