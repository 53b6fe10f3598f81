// SPDX-License-Identifier: MIT
#include "interrupt/unexpected.h"

#include <stdatomic.h>

#include "arch/lapic.h"
#include "arch/trap.h"
#include "interrupt/pic.h"

#define VECTORS 256

/* Those from the 8259s are separate: a device behind the APIC may use their vectors, too. */
static _Atomic uint64_t by_vector[VECTORS], by_pic[PIC_IRQS], spurious_by_pic[PIC_IRQS];

static void handle(uint32_t vector)
{
    uint32_t irq = vector - PIC_VECTOR;

    if (vector != VECTOR_SPURIOUS && lapic_is_in_service(vector)) {
        lapic_acknowledge();
        atomic_fetch_add(&by_vector[vector], 1);
    } else if (irq < PIC_IRQS) {
        atomic_fetch_add(pic_end(irq) ? &by_pic[irq] : &spurious_by_pic[irq], 1);
    } else {
        atomic_fetch_add(&by_vector[vector], 1); /* a spurious one of the APIC has no end */
    }
}

void unexpected_begin(void)
{
    trap_set_interrupt(handle);
}

static size_t add(struct unexpected *list, size_t n, uint32_t vector, uint64_t count,
                  const char *what)
{
    if (count)
        list[n++] = (struct unexpected){ vector, count, what };
    return n;
}

size_t unexpected_list(struct unexpected ret[UNEXPECTED_MAX])
{
    size_t n = 0;

    for (uint32_t vector = 0; vector < VECTORS; vector++) {
        uint32_t irq = vector - PIC_VECTOR;

        n = add(ret, n, vector, atomic_load(&by_vector[vector]),
                vector == VECTOR_SPURIOUS ? "spurious, of a local APIC" : "unknown");
        if (irq >= PIC_IRQS)
            continue;
        n = add(ret, n, vector, atomic_load(&spurious_by_pic[irq]), "spurious, of an 8259");
        n = add(ret, n, vector, atomic_load(&by_pic[irq]), "of an 8259's input");
    }
    return n;
}
