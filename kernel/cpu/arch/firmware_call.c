// SPDX-License-Identifier: MIT
#include "arch/firmware_call.h"

#include <stdatomic.h>
#include <stddef.h>

#include "arch/lapic.h"
#include "arch/percpu.h"
#include "arch/tsc.h"
#include "lib/gap.h"

/* How often the boot CPU looks after its own call; after another CPU's it looks when it polls. */
#define LOOK_EVERY_US 250000

uint64_t firmware_call_enter(const struct firmware_call *call, uint64_t *ret_value);

/* The CPU that is in a call, and the one to which an NMI was sent; NULL: none. */
static _Atomic(const struct percpu *) caller, aborted;
static uint64_t most_us;
static struct external_exception exception;

/* The boot CPU's, by its clock. */
static struct {
    _Atomic bool is_new; /* it has not seen the current call yet */
    uint64_t last, passed;
} watch;

static void watch_begin(void)
{
    watch.last = tsc_now();
    watch.passed = 0;
}

/* Whether the call has taken too long. */
static bool watch_look(void)
{
    watch.passed += gap_counted(&watch.last, tsc_now(), tsc_from_us(FIRMWARE_CALL_GAP_US));
    return watch.passed >= tsc_from_us(most_us);
}

enum external_end firmware_call(struct firmware_call *call, uint64_t limit_us, uint64_t *ret_value)
{
    const struct percpu *self = percpu_self();
    uint64_t value = 0;
    enum external_end end;

    if (atomic_load(&caller))
        return FIRMWARE_CALL_ABORTED;
    most_us = limit_us;
    atomic_store(&watch.is_new, true);
    call->interrupts = self->number == 0;
    atomic_store(&caller, self);
    if (call->interrupts) {
        watch_begin();
        lapic_deadline_in_us(LOOK_EVERY_US);
    }
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

    if (!cpu)
        return;
    if (atomic_exchange(&watch.is_new, false)) {
        watch_begin();
    } else if (watch_look() && !atomic_load(&aborted)) {
        atomic_store(&aborted, cpu);
        lapic_send_nmi(cpu->apic_id);
    }
}

bool firmware_call_is_late(void)
{
    if (!firmware_call_is_here())
        return false;
    if (watch_look())
        return true;
    lapic_deadline_in_us(LOOK_EVERY_US);
    return false;
}

bool firmware_call_is_of(const struct percpu *cpu)
{
    return cpu && cpu == atomic_load(&caller);
}

bool firmware_call_is_here(void)
{
    return firmware_call_is_of(percpu_if_loaded());
}

_Noreturn void firmware_call_raise(struct external_exception raised)
{
    exception = raised;
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
