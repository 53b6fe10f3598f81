// SPDX-License-Identifier: MIT
#include "usb/storage.h"

#include "arch/cpu.h"
#include "lib/string.h"
#include "usb/operation.h"

/* A device's page, where a keyboard has its reports (attach.c). */
enum { AT_WRAPPER = 3072, AT_STATUS = AT_WRAPPER + 64 };

/*
 * Before the data, since some bridges lose what comes sooner (Linux, US_FL_GO_SLOW); before the
 * status, since QEMU 7.2 never answers one that is in the ring while the data's end is reported.
 */
#define PAUSE_MS 1

#define LINE_BYTES 64

static void take_status(struct controller *c);

static void ask_for_status(struct controller *c)
{
    struct usb_device *d = c->storage.device;

    operation_bulk(c, d, true, (struct span){ d->phys + AT_STATUS, STORAGE_STATUS_BYTES },
                   take_status);
}

/* 6.7: a stall is cleared, and the device asked once more (5.3.3.1). */
static void take_status(struct controller *c)
{
    struct storage_job *job = &c->storage;
    struct usb_device *d = job->device;

    if (c->stalled.is_bulk && !job->asked_again) {
        job->asked_again = true;
        ask_for_status(c);
    } else if (c->stalled.is_bulk ||
               storage_status_read(d->memory + AT_STATUS, c->operation.received, job->tag,
                                   &job->result) != STATUS_OK) {
        operation_give_up(c, d, true);
    } else {
        job->has_ended = true;
    }
}

/* A device that has less or no data may stall instead. */
static void take_data(struct controller *c)
{
    c->storage.received = c->stalled.is_bulk ? 0 : c->operation.received;
    operation_delay(c, c->storage.device, PAUSE_MS, ask_for_status);
}

/*
 * Puts bytes where the controller reads them next: a bit that memory turns there, in the number of
 * a block, would have another one written. So it is looked at whether memory itself has them, once
 * they are out of the caches; a reset of the device ends the command if not.
 */
static bool hand_over(uint8_t *to, const void *bytes, uint32_t n)
{
    memcpy(to, bytes, n);
    for (uint32_t at = 0; at < n; at += LINE_BYTES)
        cpu_flush_line(to + at);
    return memcmp(to, bytes, n) == 0;
}

static void transfer_data(struct controller *c)
{
    const struct storage_job *job = &c->storage;

    if (!job->command.in && !hand_over(c->data, job->out, job->command.data))
        operation_give_up(c, job->device, true);
    else
        operation_bulk(c, job->device, job->command.in,
                       (struct span){ c->data_phys, job->command.data }, take_data);
}

/* A stall of the wrapper itself can only be ended by a reset (5.3.1). */
static void take_wrapper(struct controller *c)
{
    const struct storage_job *job = &c->storage;

    if (c->stalled.is_bulk || c->operation.received != STORAGE_WRAPPER_BYTES)
        operation_give_up(c, job->device, true);
    else
        operation_delay(c, job->device, PAUSE_MS,
                        job->command.data ? transfer_data : ask_for_status);
}

void storage_begin(struct controller *c, struct usb_device *d,
                   const struct storage_command *command, const void *out)
{
    uint8_t wrapper[STORAGE_WRAPPER_BYTES];

    c->storage = (struct storage_job){
        .device = d, .command = *command, .out = out, .tag = c->storage.tag + 1
    };
    storage_wrap(command, c->storage.tag, wrapper);
    if (!hand_over(d->memory + AT_WRAPPER, wrapper, sizeof(wrapper)))
        operation_give_up(c, d, true);
    else
        operation_bulk(c, d, false, (struct span){ d->phys + AT_WRAPPER, STORAGE_WRAPPER_BYTES },
                       take_wrapper);
}
