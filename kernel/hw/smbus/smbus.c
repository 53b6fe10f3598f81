// SPDX-License-Identifier: MIT
#include "smbus/smbus.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "io/ports.h"

/* Ports (ICH9 datasheet, 19.2; PIIX4 has the same). */
#define HOST_STATUS   0
#define HOST_CONTROL  2
#define HOST_COMMAND  3
#define HOST_ADDRESS  4
#define HOST_DATA0    5
#define HOST_DATA1    6
#define SLAVE_CONTROL 8 /* FCH */

#define STATUS_BUSY      0x01u
#define STATUS_DONE      0x02u
#define STATUS_NO_ANSWER 0x04u /* or it has held the clock too long */
#define STATUS_COLLISION 0x08u
#define STATUS_KILLED    0x10u
#define STATUS_ENDS      0x1eu
#define STATUS_IN_USE    0x40u /* Intel: set by the first read after a 1 was written to it */

#define CONTROL_KILL      0x02u
#define CONTROL_SEND_BYTE 0x04u
#define CONTROL_BYTE_DATA 0x08u
#define CONTROL_WORD_DATA 0x0cu
#define CONTROL_START     0x40u

#define SEMAPHORE_HOST       0x10u /* FCH: is set while the host has it */
#define SEMAPHORE_HOST_CLEAR 0x20u

#define PM_INDEX 0xcd6
#define PM_DATA  0xcd7

#define READ 1u

#define EE1004_PAGE_0 0x36
#define HUB_MR11      11
#define HUB_PAGE      0x07u

/*
 * A word takes 0.5 ms at 100 kHz. A device may stretch the clock for 35 ms (SMBus 2.0, table 1),
 * and the controller ends what takes longer by itself.
 */
#define TRANSACTION_US 50000
#define KILL_US        1000
#define TRIES          3

static uint8_t in(const struct smbus *bus, uint16_t port)
{
    return io_in8((uint16_t)(bus->ports + port));
}

static void out(const struct smbus *bus, uint16_t port, uint8_t value)
{
    io_out8((uint16_t)(bus->ports + port), value);
}

/* Ports alone cannot be there: all ones. */
static bool is_busy(uint8_t status)
{
    return status == 0xff || status & STATUS_BUSY;
}

static bool wait_while_busy(const struct smbus *bus, uint64_t deadline)
{
    while (is_busy(in(bus, HOST_STATUS))) {
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
    return true;
}

/* The semaphore is free when a read of the status finds it so: that read takes it. */
static bool take_i801(const struct smbus *bus, uint64_t deadline)
{
    while (in(bus, HOST_STATUS) & STATUS_IN_USE) {
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
    return true;
}

static bool take_fch(const struct smbus *bus, uint64_t deadline)
{
    for (;;) {
        out(bus, SLAVE_CONTROL, in(bus, SLAVE_CONTROL) | SEMAPHORE_HOST);
        if (in(bus, SLAVE_CONTROL) & SEMAPHORE_HOST)
            return true;
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
}

static uint8_t read_select(const struct smbus *bus)
{
    if (bus->pm)
        return bus->pm[bus->select];
    io_out8(PM_INDEX, bus->select);
    return io_in8(PM_DATA);
}

static void write_select(const struct smbus *bus, uint8_t value)
{
    if (bus->pm) {
        bus->pm[bus->select] = value;
        return;
    }
    io_out8(PM_INDEX, bus->select);
    io_out8(PM_DATA, value);
}

static void select_bus(struct smbus *bus)
{
    bus->selected = read_select(bus);
    if (bus->selected & bus->select_mask)
        write_select(bus, bus->selected & (uint8_t)~bus->select_mask);
}

static void give_semaphore(const struct smbus *bus)
{
    if (bus->kind == SMBUS_I801)
        out(bus, HOST_STATUS, STATUS_IN_USE);
    else if (bus->kind == SMBUS_FCH)
        out(bus, SLAVE_CONTROL,
            (in(bus, SLAVE_CONTROL) & (uint8_t)~SEMAPHORE_HOST) | SEMAPHORE_HOST_CLEAR);
}

enum smbus_outcome smbus_take(struct smbus *bus, uint64_t wait_us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(wait_us);

    if (bus->is_hung)
        return SMBUS_HUNG;
    if ((bus->kind == SMBUS_I801 && !take_i801(bus, deadline)) ||
        (bus->kind == SMBUS_FCH && !take_fch(bus, deadline)))
        return SMBUS_IN_USE;
    if (!wait_while_busy(bus, deadline)) {
        give_semaphore(bus);
        return SMBUS_IN_USE;
    }
    if (bus->kind == SMBUS_FCH)
        select_bus(bus);
    return SMBUS_DONE;
}

void smbus_give(struct smbus *bus)
{
    if (bus->kind == SMBUS_FCH && bus->selected & bus->select_mask)
        write_select(bus, bus->selected);
    give_semaphore(bus);
}

/* Its last transaction is ended, so that firmware finds a controller that works. */
static enum smbus_outcome give_up(struct smbus *bus)
{
    out(bus, HOST_CONTROL, CONTROL_KILL);
    tsc_wait_us(KILL_US);
    out(bus, HOST_CONTROL, 0);
    out(bus, HOST_STATUS, STATUS_ENDS);
    bus->is_hung = true;
    return SMBUS_HUNG;
}

/* Until it has ended in some way. Status bits that are 1 are cleared by writing 1. */
static enum smbus_outcome wait_for_end(struct smbus *bus)
{
    uint64_t deadline = tsc_now() + tsc_from_us(TRANSACTION_US);
    uint8_t status;

    for (;;) {
        status = in(bus, HOST_STATUS);
        if (!is_busy(status) && status & STATUS_ENDS)
            break;
        if (tsc_now() >= deadline)
            return give_up(bus);
        cpu_relax();
    }
    out(bus, HOST_STATUS, STATUS_ENDS);
    if (status & (STATUS_COLLISION | STATUS_KILLED))
        return SMBUS_FAILED;
    return status & STATUS_NO_ANSWER ? SMBUS_NO_DEVICE : SMBUS_DONE;
}

/* control: the kind of transaction; data: of one that writes. */
static enum smbus_outcome transact(struct smbus *bus, uint8_t address, uint8_t command,
                                   uint8_t control, uint8_t data)
{
    enum smbus_outcome outcome = SMBUS_HUNG;

    for (unsigned i = 0; i < TRIES && !bus->is_hung; i++) {
        if (is_busy(in(bus, HOST_STATUS)))
            return SMBUS_IN_USE;
        out(bus, HOST_STATUS, STATUS_ENDS);
        out(bus, HOST_ADDRESS, address);
        out(bus, HOST_COMMAND, command);
        out(bus, HOST_DATA0, data);
        out(bus, HOST_CONTROL, control | CONTROL_START);
        outcome = wait_for_end(bus);
        if (outcome != SMBUS_FAILED)
            break;
    }
    return outcome;
}

enum smbus_outcome smbus_read_byte(struct smbus *bus, uint8_t address, uint8_t command,
                                   uint8_t *ret_byte)
{
    enum smbus_outcome outcome =
        transact(bus, (uint8_t)(address << 1 | READ), command, CONTROL_BYTE_DATA, 0);

    if (outcome == SMBUS_DONE)
        *ret_byte = in(bus, HOST_DATA0);
    return outcome;
}

enum smbus_outcome smbus_read_word(struct smbus *bus, uint8_t address, uint8_t command,
                                   uint16_t *ret_word)
{
    enum smbus_outcome outcome =
        transact(bus, (uint8_t)(address << 1 | READ), command, CONTROL_WORD_DATA, 0);

    if (outcome == SMBUS_DONE)
        *ret_word = (uint16_t)(in(bus, HOST_DATA0) | in(bus, HOST_DATA1) << 8);
    return outcome;
}

/* The byte that is sent is of no importance; the address selects. */
enum smbus_outcome smbus_select_ee1004_page(struct smbus *bus, unsigned page)
{
    return transact(bus, (uint8_t)((EE1004_PAGE_0 + (page & 1)) << 1), 0, CONTROL_SEND_BYTE, 0);
}

enum smbus_outcome smbus_select_hub_page(struct smbus *bus, uint8_t address, unsigned page)
{
    if (bus->blocks_writes)
        return SMBUS_BLOCKED;
    return transact(bus, (uint8_t)(address << 1), HUB_MR11, CONTROL_BYTE_DATA,
                    (uint8_t)(page & HUB_PAGE));
}

const char *smbus_outcome_text(enum smbus_outcome outcome)
{
    static const char *const texts[] = {
        [SMBUS_DONE] = "free",
        [SMBUS_NO_DEVICE] = "without an answer",
        [SMBUS_IN_USE] = "in use by firmware or a management controller",
        [SMBUS_HUNG] = "hanging: a transaction has not ended",
        [SMBUS_FAILED] = "disturbed",
        [SMBUS_BLOCKED] = "read-only: firmware has blocked writing to the modules",
        [SMBUS_OTHER_MODE] = "used with addresses of two bytes",
    };

    return texts[outcome];
}
