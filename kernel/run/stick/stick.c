// SPDX-License-Identifier: MIT
#include "stick/stick.h"

#include "arch/tsc.h"
#include "boot/boot_info.h"
#include "boot/check/image_check.h"
#include "event/events.h"
#include "event/notices.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "report/saved_report.h"
#include "usb/usb.h"

#define EVERY_SECONDS 1800
#define AGAIN_SECONDS 2   /* after faults that found no stick; then twice as long each time */
#define FAULTS_MAX    250 /* records of them; all are counted */
#define COME_US       UINT64_C(2000000) /* by then a stick is attached, or being attached */
#define LOOK_US       UINT64_C(200000)
#define BETWEEN_US    UINT64_C(10000000) /* that the tests wait at most */
#define END_US        UINT64_C(60000000)
#define TRIES         3

/* Kept for the records of the end; for the result. */
#define ROOM_FOR_END    (32u << 10)
#define ROOM_FOR_RESULT (12u << 10)

static void write_record(void *ctx, const char *text, size_t n)
{
    struct stick *s = ctx;

    s->n = stick_escape(s->records, s->n, s->room, text, n);
}

static bool is_wanted(struct stick *s, const struct event *e)
{
    switch (e->type) {
    case EVENT_PROGRESS:
    case EVENT_EXTERNAL:
    case EVENT_TRACE: return false;
    case EVENT_BADRAM: return e->badram.final;
    case EVENT_FAULT:
    case EVENT_RETEST: return s->n_faults++ < FAULTS_MAX;
    default: return true;
    }
}

/* So many bytes the records may have with this one. */
static size_t room_for(enum event_type type)
{
    switch (type) {
    case EVENT_RESULT: return STICK_RECORDS_BYTES;
    case EVENT_KIND:
    case EVENT_DIAGNOSIS:
    case EVENT_PAGES:
    case EVENT_BADRAM:
    case EVENT_LINE:
    case EVENT_ADVICE:
    case EVENT_PICTURE: return STICK_RECORDS_BYTES - ROOM_FOR_RESULT;
    default: return STICK_RECORDS_BYTES - ROOM_FOR_RESULT - ROOM_FOR_END;
    }
}

/* A record is there as a whole, or left out. */
static void keep(struct stick *s, const struct event *e)
{
    size_t before = s->n;

    s->room = room_for(e->type);
    if (before < s->room)
        jsonl_receive(&s->json, e);
    if (s->n >= s->room) {
        s->n = before;
        s->is_cut = true;
    }
}

static void receive(void *ctx, const struct event *e)
{
    struct stick *s = ctx;

    if (s->has_result)
        return;
    if (is_wanted(s, e))
        keep(s, e);
    saved_state_receive(&s->state, &s->testable_bytes, e);
    s->has_result = e->type == EVENT_RESULT;
}

void stick_begin(struct stick *s, const struct options *options)
{
    s->is_on = options->save && options->usb != OPTION_USB_OFF;
    if (!s->is_on)
        return;
    s->kernel = ((const struct image_check *)BOOT_KERNEL_VIRT)->own_crc;
    s->records = arena_alloc(STICK_RECORDS_BYTES);
    s->json = jsonl_make((struct writer){ .write = write_record, .ctx = s });
    events_send_to(receive, s, true);
}

void stick_start(struct stick *s)
{
    s->has_started = true;
    s->came = tsc_now();
    s->next = tsc_elapsed_us() / 1000000 + EVERY_SECONDS;
    string_copy(s->state.board, board.name, sizeof(s->state.board));
    s->state.ram_bytes = machine.ram_bytes;
}

static void complete_state(struct stick *s)
{
    saved_state_set_time(&s->state, board.started, (uint32_t)(tsc_elapsed_us() / 1000000));
    s->state.cpus = machine.n_online;
}

/* The file that this run has, or the one to take, on one of the disks, which may be a new one. */
static bool find_on(struct stick *s)
{
    struct stick_file files[STICK_FILES];
    size_t n = stick_find(&s->disk.disk, s->kernel, files, &s->next_start);

    if (!n)
        return false;
    s->file = stick_choose(files, n, s->state.started, &s->run);
    s->written = (struct stick_written){ .n = 0 };
    return true;
}

static bool find(struct stick *s)
{
    size_t position = 0;

    if (s->file.n && usb_disk_is_here(&s->disk))
        return true;
    while (usb_disk_next(&position, &s->disk)) {
        if (find_on(s))
            return true;
    }
    return false;
}

static void tell(const struct stick *s, enum kept_phase phase)
{
    struct event e = { .type = EVENT_STICK, .stick = { .phase = phase } };

    stick_file_name(s->file.n, e.stick.file);
    events_send(&e);
}

static void fail(struct stick *s, const char *why)
{
    char name[STICK_NAME_MAX];

    s->is_on = false;
    stick_file_name(s->file.n, name);
    notice("the report is not on the stick: okram\\%s %s", name, why);
    tell(s, KEPT_FAILED);
}

static const char *why_failed(const struct stick *s, enum stick_result result)
{
    if (result == STICK_NOT_MARKED)
        return "is no longer the file that it was";
    if (s->disk.sense == STORAGE_SENSE_PROTECTED)
        return "cannot be written: the stick is write-protected";
    return "cannot be written or read back";
}

static bool write(struct stick *s)
{
    const struct stick_report report = {
        .run = s->run, .state = &s->state, .records = s->records, .n = s->n
    };
    enum stick_result result;

    complete_state(s);
    result = stick_write(&s->disk.disk, &s->file, &report, &s->written);
    if (result == STICK_WRITTEN)
        usb_disk_flush(&s->disk);
    else if (usb_disk_is_here(&s->disk) && (s->has_result || tsc_now() < s->disk.deadline))
        fail(s, why_failed(s, result)); /* one that is gone, or slow, has its turn again */
    return result == STICK_WRITTEN;
}

static void set_limit(struct stick *s, const struct cpu_poll *poll, uint64_t us)
{
    s->disk.poll = poll;
    s->disk.deadline = tsc_now() + tsc_from_us(us);
}

static bool has_faults(const struct stick *s)
{
    return s->state.faults || s->state.bad_pages;
}

void stick_when_due(struct stick *s, const struct cpu_poll *poll)
{
    uint64_t now = tsc_elapsed_us() / 1000000;

    if (!s->is_on || !s->has_started || s->has_result ||
        now < (has_faults(s) && !s->wrote_faults ? s->next_fault : s->next))
        return;
    s->next = now + EVERY_SECONDS;
    s->again = s->again ? 2 * s->again : AGAIN_SECONDS;
    s->next_fault = now + s->again;
    set_limit(s, poll, BETWEEN_US);
    if (find(s) && write(s)) {
        s->wrote_faults = has_faults(s);
        tell(s, KEPT_BEGUN);
    }
}

/* Waits while a disk may still come. */
static bool find_within(struct stick *s, const struct cpu_poll *poll)
{
    while (!find(s)) {
        uint64_t now = tsc_now();

        if (now >= s->disk.deadline || !usb_disk_may_come(s->came + tsc_from_us(COME_US)))
            return false;
        while (tsc_now() < now + tsc_from_us(LOOK_US)) {
            usb_poll(1000);
            cpu_poll(poll);
        }
    }
    return true;
}

bool stick_keep_next(struct stick *s, const struct cpu_poll *poll, const char *options,
                     const char *name)
{
    s->has_next_start = false;
    if (!s->is_on || !s->has_started)
        return false;
    set_limit(s, poll, BETWEEN_US);
    if (!find_within(s, poll) || !s->next_start.n ||
        stick_write_next(&s->disk.disk, &s->next_start, options, name) != STICK_WRITTEN)
        return false;
    usb_disk_flush(&s->disk);
    s->has_next_start = *options;
    return true;
}

/* A controller that BIOS had for its keys: without it, these no longer come from PS/2. */
static bool find_on_left(struct stick *s, const struct cpu_poll *poll)
{
    if (!usb_take_left())
        return false;
    s->came = tsc_now();
    if (find_within(s, poll))
        return true;
    notice("the USB controller that the BIOS kept for its keys was taken for the report, but no "
           "stick of okram's is found there");
    return false;
}

/* One that no longer answers is attached anew, and tried again. */
static bool write_to_any(struct stick *s, const struct cpu_poll *poll)
{
    for (unsigned i = 0; i < TRIES && s->is_on && find_within(s, poll); i++) {
        if (i == 0)
            tell(s, KEPT_BEGUN);
        if (write(s))
            return true;
    }
    return false;
}

void stick_finish(struct stick *s, const struct cpu_poll *poll)
{
    bool done;

    if (!s->is_on || !s->has_started)
        return;
    set_limit(s, poll, END_US);
    done = write_to_any(s, poll);
    if (!done && !s->file.n && find_on_left(s, poll))
        done = write_to_any(s, poll);
    if (!done && s->is_on && s->file.n)
        fail(s, "cannot be written: the stick is gone, or no longer answers");
    if (done && s->next_start.n && !s->has_next_start)
        stick_write_next(&s->disk.disk, &s->next_start, "", "");
    if (done)
        tell(s, KEPT_DONE);
    if (done && s->is_cut)
        notice("the report on the stick lacks records: it may have %u KiB there",
               STICK_RECORDS_BYTES >> 10);
}

static void do_nothing(void *ctx)
{
}

void stick_panic(struct stick *s, enum reason reason, const char *text)
{
    static const struct cpu_poll no_poll = { do_nothing, NULL };
    size_t before = s->n;

    if (!s->is_on || !s->has_started || s->has_result)
        return;
    s->has_result = true;
    s->state.verdict = VERDICT_ERROR;
    s->room = STICK_RECORDS_BYTES;
    jsonl_panic(&s->json, (double)tsc_elapsed_us() / 1e6, reason, text);
    if (s->n >= s->room)
        s->n = before;
    stick_finish(s, &no_poll);
}
