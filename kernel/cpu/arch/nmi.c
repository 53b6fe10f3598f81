// SPDX-License-Identifier: MIT
#include "arch/nmi.h"

#include <stdatomic.h>

#include "io/ports.h"

/* Port B of the chipset (Intel ICH, "NMI Status and Control"): high bits are status, low ones
 * commands. */
#define STATUS_PORT     0x61
#define STATUS_COMMANDS 0x0f
#define CLEAR_PARITY    0x04
#define CLEAR_IO_CHECK  0x08

#define NO_PORT 0xff

static _Atomic uint64_t count;
static _Atomic uint8_t reasons;
static uint8_t ignored;

/* The reasons that the port shows; they are cleared there. */
static uint8_t take_reasons(void)
{
    uint8_t status = io_in8(STATUS_PORT), reason = status & (NMI_PARITY | NMI_IO_CHECK);
    uint8_t commands = status & STATUS_COMMANDS, clear = 0;

    if (status == NO_PORT || !reason)
        return 0;
    if (reason & NMI_PARITY)
        clear |= CLEAR_PARITY;
    if (reason & NMI_IO_CHECK)
        clear |= CLEAR_IO_CHECK;
    io_out8(STATUS_PORT, commands | clear);
    io_out8(STATUS_PORT, (uint8_t)(commands & ~clear));
    return reason;
}

void nmi_begin(void)
{
    take_reasons();
    ignored = take_reasons();
}

void nmi_poll(void)
{
    atomic_fetch_or(&reasons, take_reasons() & ~ignored);
}

void nmi_arrived(void)
{
    atomic_fetch_add(&count, 1);
    nmi_poll();
}

uint64_t nmi_count(void)
{
    return atomic_load(&count);
}

uint8_t nmi_reasons(void)
{
    return atomic_load(&reasons);
}
