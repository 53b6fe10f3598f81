// SPDX-License-Identifier: MIT
#include "interrupt/unexpected.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "arch/lapic.h"
#include "arch/trap.h"
#include "io/ports.h"

#define FIRST        0x20 /* command port; data at the next */
#define SECOND       0xa0
#define DATA         1
#define ALL_MASKED   0xff
#define ICW1         0x11 /* initialize, in cascade, ICW4 follows */
#define ICW4         0x01 /* 8086 mode, normal end of interrupt */
#define OCW3_ISR     0x0b /* the next read gives the in-service register */
#define OCW2_END     0x60 /* of the input in the low bits */
#define CASCADE      2u   /* the first one's input from the second */
#define IRQS_OF_EACH 8u

static void mask_all(void)
{
    io_out8(FIRST + DATA, ALL_MASKED);
    io_out8(SECOND + DATA, ALL_MASKED);
}

void pic_mask(void)
{
    mask_all();
    io_out8(FIRST, ICW1);
    io_out8(SECOND, ICW1);
    io_out8(FIRST + DATA, PIC_VECTOR);
    io_out8(SECOND + DATA, PIC_VECTOR + IRQS_OF_EACH);
    io_out8(FIRST + DATA, 1 << CASCADE);
    io_out8(SECOND + DATA, CASCADE);
    io_out8(FIRST + DATA, ICW4);
    io_out8(SECOND + DATA, ICW4);
    mask_all(); /* ICW1 has cleared the masks */
}

static bool is_in_service(uint16_t port, uint32_t input)
{
    io_out8(port, OCW3_ISR);
    return io_in8(port) >> input & 1;
}

/* Ends the interrupt, and masks all inputs again. False: it was spurious, which only IRQs 7 and 15
 * can be. */
static bool pic_end(uint32_t irq)
{
    bool second = irq >= IRQS_OF_EACH;
    uint16_t port = second ? SECOND : FIRST;
    uint32_t input = irq % IRQS_OF_EACH;
    bool real = is_in_service(port, input);

    mask_all();
    if (real)
        io_out8(port, (uint8_t)(OCW2_END | input));
    if (second) /* the first one has taken it for real in any case */
        io_out8(FIRST, OCW2_END | CASCADE);
    return real;
}

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
