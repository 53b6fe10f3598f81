// SPDX-License-Identifier: MIT
#include "bmc/bmc.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "io/ports.h"
#include "lib/string.h"

#define OUTPUT_FULL (1u << 0) /* there is a byte to read */
#define INPUT_FULL  (1u << 1) /* the controller has not taken what was written yet */
#define STATE_SHIFT 6
#define NOTHING     0xffu

enum state { STATE_IDLE, STATE_READ, STATE_WRITE, STATE_ERROR };

#define GET_STATUS  0x60 /* and abort */
#define WRITE_START 0x61
#define WRITE_END   0x62
#define READ        0x68

#define TRIES    2
#define ABORT_US 100000

#define MESSAGE_MAX 1024 /* bytes: no answer is longer */

#define HEAD_BYTES 2 /* network function and LUN, command; in an answer the completion follows */

struct transfer {
    const struct kcs *kcs;
    uint64_t deadline;
};

static uint8_t status_of(const struct transfer *t)
{
    return t->kcs->status_register ? *t->kcs->status_register : io_in8(t->kcs->status);
}

static uint8_t take_byte(const struct transfer *t)
{
    return t->kcs->data_register ? *t->kcs->data_register : io_in8(t->kcs->data);
}

static void give_byte(const struct transfer *t, uint8_t byte)
{
    if (t->kcs->data_register)
        *t->kcs->data_register = byte;
    else
        io_out8(t->kcs->data, byte);
}

static void command(const struct transfer *t, uint8_t code)
{
    if (t->kcs->status_register)
        *t->kcs->status_register = code;
    else
        io_out8(t->kcs->status, code);
}

/* Whether these bits of the status become so before the deadline. */
static bool wait(const struct transfer *t, uint8_t bits, uint8_t value)
{
    while ((status_of(t) & bits) != value) {
        if (tsc_now() > t->deadline)
            return false;
        cpu_relax();
    }
    return true;
}

static void drop_output(const struct transfer *t)
{
    if (status_of(t) & OUTPUT_FULL)
        take_byte(t);
}

static enum state state_of(const struct transfer *t)
{
    return status_of(t) >> STATE_SHIFT;
}

/* Until the controller has taken what was written last, and is in that state. */
static enum status step(const struct transfer *t, enum state state)
{
    if (!wait(t, INPUT_FULL, 0))
        return STATUS_TIMEOUT;
    return state_of(t) == state ? STATUS_OK : STATUS_INVALID;
}

static enum status step_of_write(const struct transfer *t)
{
    enum status status = step(t, STATE_WRITE);

    drop_output(t);
    return status;
}

/* IPMI 2.0, 9.15, figure 9-6. */
static enum status send(const struct transfer *t, const uint8_t *byte, unsigned n)
{
    enum status status;

    if (!wait(t, INPUT_FULL, 0))
        return STATUS_TIMEOUT;
    drop_output(t);
    command(t, WRITE_START);
    for (unsigned i = 0; i < n; i++) {
        if ((status = step_of_write(t)) != STATUS_OK)
            return status;
        if (i + 1 == n) {
            command(t, WRITE_END);
            if ((status = step_of_write(t)) != STATUS_OK)
                return status;
        }
        give_byte(t, byte[i]);
    }
    return STATUS_OK;
}

/*
 * IPMI 2.0, 9.15, figure 9-7. Bytes beyond `size` are dropped. Both limits also end the answer of
 * a controller that always has one more byte at once.
 */
static enum status receive(const struct transfer *t, uint8_t *byte, unsigned size, unsigned *ret_n)
{
    *ret_n = 0;
    for (unsigned i = 0; i < MESSAGE_MAX; i++) {
        if (tsc_now() > t->deadline || !wait(t, INPUT_FULL, 0))
            return STATUS_TIMEOUT;
        if (state_of(t) == STATE_IDLE) {
            drop_output(t);
            return STATUS_OK;
        }
        if (state_of(t) != STATE_READ)
            return STATUS_INVALID;
        if (!wait(t, OUTPUT_FULL, OUTPUT_FULL))
            return STATUS_TIMEOUT;
        if (*ret_n < size)
            byte[(*ret_n)++] = take_byte(t);
        else
            take_byte(t);
        give_byte(t, READ);
    }
    return STATUS_INVALID;
}

/* IPMI 2.0, 9.15, figure 9-8: whatever it was doing, it is idle afterward, if it can be. */
static void abort_transfer(const struct kcs *kcs)
{
    struct transfer t = { kcs, tsc_now() + tsc_from_us(ABORT_US) };
    uint8_t reason;
    unsigned n;

    if (!wait(&t, INPUT_FULL, 0))
        return;
    command(&t, GET_STATUS);
    if (!wait(&t, INPUT_FULL, 0))
        return;
    drop_output(&t);
    give_byte(&t, 0);
    receive(&t, &reason, 1, &n);
}

static enum status exchange(const struct transfer *t, const struct ipmi_request *request,
                            struct ipmi_answer *ret)
{
    uint8_t bytes[HEAD_BYTES + 1 + IPMI_DATA_MAX];
    enum status status;
    unsigned n;

    bytes[0] = (uint8_t)(request->netfn << 2);
    bytes[1] = request->command;
    memcpy(bytes + HEAD_BYTES, request->data, request->n);
    status = send(t, bytes, HEAD_BYTES + request->n);
    if (status != STATUS_OK || (status = receive(t, bytes, sizeof(bytes), &n)) != STATUS_OK)
        return status;
    if (n <= HEAD_BYTES || bytes[0] != (request->netfn | 1) << 2 || bytes[1] != request->command)
        return STATUS_INVALID;
    *ret =
        (struct ipmi_answer){ .completion = bytes[HEAD_BYTES], .n = (uint8_t)(n - HEAD_BYTES - 1) };
    memcpy(ret->data, bytes + HEAD_BYTES + 1, ret->n);
    return STATUS_OK;
}

enum status kcs_ask(const struct kcs *kcs, const struct ipmi_request *request, uint64_t us,
                    struct ipmi_answer *ret_answer)
{
    struct transfer t = { kcs, tsc_now() + tsc_from_us(us) };
    enum status status = STATUS_INVALID;

    if (status_of(&t) == NOTHING)
        return STATUS_NOT_FOUND;
    for (unsigned try = 0; try < TRIES && status == STATUS_INVALID; try++) {
        status = exchange(&t, request, ret_answer);
        if (status != STATUS_OK)
            abort_transfer(kcs);
    }
    return status;
}
