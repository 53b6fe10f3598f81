// SPDX-License-Identifier: MIT
#include "usb/disk.h"

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "lib/string.h"
#include "usb/controller.h"
#include "usb/operation.h"
#include "usb/usb.h"

#define STEP_US     500
#define COMMAND_US  UINT64_C(15000000) /* its transfers have deadlines of their own */
#define READY_TRIES 10                 /* a stick says first that it is new, or not yet ready */
#define READY_US    UINT64_C(100000)

/*
 * Before the data, since some bridges lose what comes sooner (Linux, US_FL_GO_SLOW); before the
 * status, since QEMU 7.2 never answers one that is in the ring while the data's end is reported.
 */
#define PAUSE_MS   1
#define LINE_BYTES 64

bool usb_disk_is_here(const struct usb_disk *disk)
{
    return disk->c->state == CONTROLLER_RUNNING && disk->d->used && !disk->d->gone &&
           disk->d->is_disk && disk->d->serial == disk->serial;
}

static void step(const struct usb_disk *disk)
{
    usb_poll(STEP_US);
    if (disk->poll)
        cpu_poll(disk->poll);
}

/* Whether the controller has nothing under way, within that time. */
static bool wait_until_free(struct usb_disk *disk, uint64_t end)
{
    while (usb_disk_is_here(disk) && tsc_now() < end) {
        if (disk->c->operation.kind == OPERATION_NONE)
            return true;
        step(disk);
    }
    return false;
}

/* A device's page, where a keyboard has its reports (attach.c). */
enum { AT_WRAPPER = 3072, AT_STATUS = AT_WRAPPER + 64 };

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

/*
 * Begins a command (usb_formats/storage.h) to a device that is_disk, when nothing is under way.
 * Data, a page at most, are in c->data, or come from `out`. c->storage.has_ended: it went as
 * c->storage.result says, with c->storage.received bytes; d->gone: the device breaks these rules or
 * takes too long, and is attached anew, which resets it.
 */
static void storage_begin(struct controller *c, struct usb_device *d,
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

/* False: it did not end, and then the device is given up. Its data are in c->data. */
static bool run(struct usb_disk *disk, const struct storage_command *command, const void *out)
{
    uint64_t end = tsc_now() + tsc_from_us(COMMAND_US);
    const struct storage_job *job = &disk->c->storage;

    if (tsc_now() >= disk->deadline || !wait_until_free(disk, end))
        return false;
    storage_begin(disk->c, disk->d, command, out);
    while (usb_disk_is_here(disk) && !job->has_ended && tsc_now() < end)
        step(disk);
    if (!usb_disk_is_here(disk) || !job->has_ended)
        return false;
    *controller_attempts(disk->c, disk->d) = 0; /* it works: what failed before is forgotten */
    return true;
}

static bool is_good(const struct usb_disk *disk, const struct storage_command *command)
{
    const struct storage_job *job = &disk->c->storage;

    return job->result == STORAGE_GOOD && job->received == command->data;
}

/* A command that is refused is asked why, which the device expects. */
static bool execute(struct usb_disk *disk, const struct storage_command *command, const void *out)
{
    disk->sense = 0;
    if (!run(disk, command, out))
        return false;
    if (is_good(disk, command))
        return true;
    if (run(disk, &storage_request_sense, NULL))
        disk->sense = storage_sense_key(disk->c->data, disk->c->storage.received);
    return false;
}

static bool is_within(const struct usb_disk *disk, uint64_t first, uint32_t n)
{
    return n && n * DISK_BLOCK <= DISK_DATA_MAX && first < disk->disk.n_blocks &&
           n <= disk->disk.n_blocks - first;
}

static bool read(void *ctx, uint64_t first, uint32_t n, void *to)
{
    struct usb_disk *disk = ctx;
    struct storage_command command = storage_read((uint32_t)first, (uint16_t)n);

    if (!is_within(disk, first, n) || !execute(disk, &command, NULL))
        return false;
    memcpy(to, disk->c->data, command.data);
    return true;
}

static bool write(void *ctx, uint64_t first, uint32_t n, const void *from)
{
    struct usb_disk *disk = ctx;
    struct storage_command command = storage_write((uint32_t)first, (uint16_t)n);

    return is_within(disk, first, n) && execute(disk, &command, from);
}

void usb_disk_flush(struct usb_disk *disk)
{
    execute(disk, &storage_synchronize, NULL);
}

static bool is_disk(struct usb_disk *disk)
{
    /* The answer may be shorter than asked for. */
    return run(disk, &storage_inquiry, NULL) && disk->c->storage.result == STORAGE_GOOD &&
           storage_is_disk(disk->c->data, disk->c->storage.received);
}

static bool is_ready(struct usb_disk *disk)
{
    for (unsigned i = 0; i < READY_TRIES && usb_disk_is_here(disk); i++) {
        uint64_t end = tsc_now() + tsc_from_us(READY_US);

        if (execute(disk, &storage_test_ready, NULL))
            return true;
        while (tsc_now() < end)
            step(disk);
    }
    return false;
}

static bool open(struct usb_disk *disk)
{
    disk->disk.read = read;
    disk->disk.write = write;
    disk->disk.ctx = disk;
    return is_disk(disk) && is_ready(disk) && execute(disk, &storage_read_capacity, NULL) &&
           storage_capacity_read(disk->c->data, disk->c->storage.received, &disk->disk.n_blocks) ==
               STATUS_OK;
}

bool usb_disk_next(size_t *position, struct usb_disk *ret_disk)
{
    size_t n;
    struct controller *c = usb_controllers(&n);

    while (*position < n * USB_DEVICES_MAX) {
        ret_disk->c = &c[*position / USB_DEVICES_MAX];
        ret_disk->d = &ret_disk->c->device[*position % USB_DEVICES_MAX];
        ret_disk->serial = ret_disk->d->serial;
        ++*position;
        if (usb_disk_is_here(ret_disk) && open(ret_disk))
            return true;
    }
    return false;
}

static bool is_busy(const struct controller *c)
{
    bool busy = c->state != CONTROLLER_OFF &&
                (c->state != CONTROLLER_RUNNING || c->operation.kind != OPERATION_NONE);

    for (uint32_t port = 1; port <= c->n_ports && !busy; port++)
        busy = c->state == CONTROLLER_RUNNING && c->driven_port[port] && c->changed_port[port];
    for (size_t i = 0; i < USB_DEVICES_MAX && !busy; i++)
        busy = c->device[i].used && (c->device[i].gone || c->device[i].changed_ports);
    return busy;
}

bool usb_disk_may_come(uint64_t by)
{
    size_t n;
    const struct controller *c = usb_controllers(&n);
    bool soon = tsc_now() < by;

    for (size_t i = 0; i < n; i++) {
        if (is_busy(&c[i]) || (soon && c[i].state == CONTROLLER_RUNNING))
            return true;
    }
    return false;
}
