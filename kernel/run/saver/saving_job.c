// SPDX-License-Identifier: MIT
#include "saver/saving_job.h"

#include <stdatomic.h>

#include "arch/firmware_call.h"
#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "memory/sign_key.h"
#include "saved/saved_write.h"

/* 8be4df61-93ca-11d2-aa0d-00e098032b8c: variables of the boot manager (UEFI 2.10, 3.3). */
#define GLOBAL_GUID                                                                                \
    {                                                                                              \
        0x8be4df61, 0x93ca, 0x11d2,                                                                \
        {                                                                                          \
            0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c                                         \
        }                                                                                          \
    }

/* More than any machine has. */
#define VARIABLES_MAX 4096

static const struct uefi_guid saved_vendor = SAVED_GUID, pstore_vendor = PSTORE_GUID;
static const struct uefi_name boot_current = { "BootCurrent", GLOBAL_GUID };
static const struct uefi_name boot_next = { "BootNext", GLOBAL_GUID };
static const struct uefi_name guard_new = { GUARD_NEW_NAME, SAVED_GUID };

/* Given by the boot CPU, done by the CPU that calls firmware. */
static struct job {
    void (*work)(struct job *job);
    struct saving_report report;
    struct saving_outcome outcome;
    uint32_t cpu;
    uint64_t began;           /* by the clock of the CPU that calls */
    uint64_t sets, set_ticks; /* calls of SetVariable in all jobs, and their time by that clock */
    const char *called;       /* the last service */
    _Atomic(const char *) in_service; /* NULL: the CPU is in okram's code */
    _Atomic bool done;
    uint32_t parts;        /* bit n: part n may be in the store */
    unsigned n_usable;     /* parts before the first whose name somebody else's variable has */
    bool has_head;         /* OkramReport00 is this run's */
    uint64_t listed_pages; /* of this run's list in the store; 0: there is none */
    size_t n_text;
    char text[SAVED_REPORT_MAX]; /* the bytes of the variables, one after the other */
    uint8_t data[UEFI_DATA_MAX];
} the_job;

/* Firmware is not called after this. */
static bool is_last(uint64_t status)
{
    return status == UEFI_EXCEPTION || status == UEFI_NO_RETURN;
}

static bool fail(struct job *job, uint64_t status)
{
    job->outcome.failure.service = job->called;
    job->outcome.failure.status = status;
    return false;
}

/* If it is, the job ends. */
static bool is_late(struct job *job)
{
    job->outcome.failure.is_late = tsc_now() - job->began >= tsc_from_us(SAVING_LIMIT_US);
    return job->outcome.failure.is_late;
}

static void begin_service(struct job *job, const char *service)
{
    job->called = service;
    atomic_store(&job->in_service, service);
}

static void end_service(struct job *job)
{
    atomic_store(&job->in_service, NULL);
    cpu_pool_heartbeat(job->cpu);
}

static uint64_t call_get(struct job *job, const struct uefi_name *name, size_t *ret_bytes)
{
    uint64_t status;

    begin_service(job, "GetVariable");
    status = uefi_get_variable(name, job->data, ret_bytes);
    end_service(job);
    return status;
}

/* Whether firmware gives back what was written; of a long variable, whether there is a long one. */
static bool is_as_written(const struct job *job, uint64_t status, size_t read, const void *bytes,
                          size_t n)
{
    if (n == 0)
        return status == UEFI_NOT_FOUND;
    if (n > UEFI_DATA_MAX)
        return status == UEFI_BUFFER_TOO_SMALL;
    return status == UEFI_SUCCESS && read == n && memcmp(job->data, bytes, n) == 0;
}

/* There is flash that takes what is written and forgets it. */
static uint64_t read_back(struct job *job, const struct uefi_name *name, const void *bytes,
                          size_t n)
{
    size_t read = 0;
    uint64_t status = call_get(job, name, &read);

    if (is_last(status))
        return status;
    if (is_as_written(job, status, read, bytes, n))
        return UEFI_SUCCESS;
    job->called = "SetVariable";
    return UEFI_FORGOTTEN;
}

/* n 0: deletes it, if it is there. */
static uint64_t call_set(struct job *job, const struct uefi_name *name, const void *bytes, size_t n)
{
    uint64_t began = tsc_now(), status;

    begin_service(job, "SetVariable");
    status = uefi_set_variable(name, SAVED_ATTRIBUTES, bytes, n);
    job->set_ticks += tsc_now() - began;
    job->sets++;
    end_service(job);
    if (n == 0 && status == UEFI_NOT_FOUND)
        return UEFI_SUCCESS;
    return status == UEFI_SUCCESS ? read_back(job, name, bytes, n) : status;
}

static bool set_variable(struct job *job, const struct uefi_name *name, const void *bytes, size_t n)
{
    uint64_t status;

    if (is_late(job))
        return false;
    status = call_set(job, name, bytes, n);
    return status == UEFI_SUCCESS || fail(job, status);
}

static bool query_store(struct job *job, struct uefi_store *ret_store)
{
    uint64_t status;

    begin_service(job, "QueryVariableInfo");
    status = uefi_query_variable_info(SAVED_ATTRIBUTES, ret_store);
    end_service(job);
    return status == UEFI_SUCCESS || fail(job, status);
}

static struct uefi_name part_name(unsigned index)
{
    struct uefi_name name = { .vendor = saved_vendor };

    saved_part_name(index, name.text);
    return name;
}

/* Whether a name is free, or its variable is okram's, which is noted in `parts`. */
static bool is_usable(struct job *job, unsigned index)
{
    struct uefi_name name = part_name(index);
    size_t bytes = 0;
    uint64_t status = call_get(job, &name, &bytes);
    bool exists = status == UEFI_SUCCESS;

    if (status == UEFI_NOT_FOUND)
        return true;
    if (exists && saved_is_own(index, job->data, bytes)) {
        job->parts |= UINT32_C(1) << index;
        return true;
    }
    if (!exists && status != UEFI_BUFFER_TOO_SMALL)
        fail(job, status);
    return false;
}

static bool write_part(struct job *job, unsigned index)
{
    struct uefi_name name = part_name(index);
    size_t begin = index * (size_t)SAVED_VARIABLE_MAX;

    job->parts |= UINT32_C(1) << index;
    return set_variable(job, &name, job->text + begin,
                        min_u64(job->n_text - begin, SAVED_VARIABLE_MAX));
}

static bool delete_part(struct job *job, unsigned index)
{
    struct uefi_name name = part_name(index);

    if (!(job->parts >> index & 1))
        return true;
    if (!set_variable(job, &name, job->data, 0))
        return false;
    job->parts &= ~(UINT32_C(1) << index);
    return true;
}

static bool delete_from(struct job *job, unsigned first)
{
    for (unsigned i = first; i < SAVED_PARTS_MAX; i++) {
        if (!delete_part(job, i))
            return false;
    }
    return true;
}

/* Parts that no head counts do no harm: what there is no time for stays. */
static void tidy(struct job *job, unsigned first)
{
    delete_from(job, first);
    job->outcome.failure.is_late = false;
}

static bool write_head(struct job *job)
{
    bool is_written = write_part(job, 0);

    job->has_head |= is_written;
    return is_written;
}

/* The first part is written last: until then the report that there is counts. */
static bool write_parts(struct job *job)
{
    for (unsigned i = 1; i < saved_parts_of(job->n_text); i++) {
        if (!write_part(job, i))
            return false;
    }
    return write_head(job);
}

static bool is_full(struct job *job, uint64_t remaining)
{
    job->outcome.failure.is_full = !saved_parts_that_fit(remaining);
    job->outcome.failure.remaining = remaining;
    return job->outcome.failure.is_full;
}

static bool try_head(struct job *job)
{
    struct uefi_store store;

    job->outcome.failure = (struct saving_failure){ .step = SAVING_REPORT };
    return query_store(job, &store) && !is_full(job, store.remaining) && write_head(job);
}

/* The dump of an earlier run: there is one at most, whose name has that run's time. */
static bool delete_old_dump(struct job *job)
{
    struct uefi_name name, old;
    bool found = false;

    for (int i = 0; i < VARIABLES_MAX && !is_late(job); i++) {
        uint64_t status;
        size_t bytes;

        begin_service(job, "GetNextVariableName");
        status = uefi_next_variable(i == 0, &name);
        end_service(job);
        if (is_last(status))
            return fail(job, status);
        if (status != UEFI_SUCCESS)
            break;
        if (memcmp(&name.vendor, &pstore_vendor, sizeof(name.vendor)) != 0 ||
            !pstore_is_name(name.text) || call_get(job, &name, &bytes) != UEFI_SUCCESS ||
            !pstore_is_own(job->data, bytes))
            continue;
        old = name;
        found = true;
    }
    return !found || set_variable(job, &old, job->data, 0);
}

/*
 * Writes a report that is in OkramReport00 alone. If firmware has no room for it or refuses it, an
 * earlier run's report goes, its head first: no old verdict is left after a new one. This run's own
 * state stays.
 */
static bool put_head(struct job *job)
{
    bool has_old = !job->has_head && (job->parts & 1);

    if (try_head(job))
        return true;
    if (is_last(job->outcome.failure.status) || (has_old && !delete_part(job, 0)))
        return false;
    if (job->parts >> 1 || has_old) {
        if (delete_from(job, 1) && delete_old_dump(job) && try_head(job))
            return true;
    }
    job->outcome.failure.old_is_deleted = has_old;
    return false;
}

/* Those after a name that somebody else has can be deleted, but not used. */
static bool find_parts(struct job *job)
{
    job->n_usable = SAVED_PARTS_MAX;
    for (unsigned i = SAVED_PARTS_MAX; i-- > 0;) {
        if (!is_usable(job, i))
            job->n_usable = i;
        if (is_last(job->outcome.failure.status))
            return false;
    }
    if (!job->n_usable && !job->outcome.failure.service)
        job->outcome.failure.external = part_name(0);
    return job->n_usable;
}

/* The last room is for the verdict: the report that there is stays whole until then. */
static void start(struct job *job)
{
    struct uefi_store store;

    if (!find_parts(job))
        return;
    job->outcome.failure.service = NULL;
    if (query_store(job, &store) ? saved_parts_that_fit(store.remaining) == 1
                                 : is_last(job->outcome.failure.status))
        return;
    if (put_head(job))
        tidy(job, 1);
}

static bool write_dump(struct job *job)
{
    struct uefi_name name = { .vendor = pstore_vendor };
    char dump[PSTORE_DUMP_MAX];
    size_t bytes = pstore_dump(job->report.lines, dump);

    pstore_name(job->report.started, name.text);
    return set_variable(job, &name, dump, bytes);
}

/* If firmware does not say what okram was booted from, the boot order decides. */
static bool set_boot_next(struct job *job)
{
    size_t bytes = 0;
    uint64_t status = call_get(job, &boot_current, &bytes);

    job->outcome.failure.step = SAVING_BOOT_NEXT;
    if (status != UEFI_SUCCESS || bytes != sizeof(uint16_t))
        return true;
    return set_variable(job, &boot_next,
                        (uint16_t[]){ (uint16_t)(job->data[0] | job->data[1] << 8) },
                        sizeof(uint16_t));
}

static void boot_next_alone(struct job *job)
{
    set_boot_next(job);
}

static uint64_t delete_list(struct job *job)
{
    size_t bytes;

    if (call_get(job, &guard_new, &bytes) == UEFI_NOT_FOUND)
        return UEFI_SUCCESS;
    return call_set(job, &guard_new, job->data, 0);
}

/* Pages are only ever added: as many are the same ones. A list that has not changed is kept. */
static uint64_t write_list(struct job *job)
{
    const struct guard_new *list = &job->report.list;
    uint64_t status = UEFI_SUCCESS;

    if (list->n_pages != job->listed_pages)
        status = call_set(job, &guard_new, list->bytes, list->n);
    if (status == UEFI_SUCCESS)
        job->listed_pages = list->n_pages;
    return status;
}

/* Whether other calls make sense after this one. */
static bool goes_on_after(struct job *job, uint64_t status)
{
    return !is_last(status) || fail(job, status);
}

/* Both, if that leaves room for all that comes at the end. Of the list nothing is said before. */
static void state(struct job *job)
{
    const struct guard_new *list = &job->report.list;
    struct uefi_store store;

    if (!query_store(job, &store) || !saved_leaves_room(store.remaining, 0) || !write_head(job) ||
        !list->n || !query_store(job, &store))
        return;
    if (saved_list_fits(list->n, store.largest, store.remaining) &&
        saved_leaves_room(store.remaining, list->n))
        goes_on_after(job, write_list(job));
}

/* If this fails, firmware may still take the rest of the report. */
static void keep_list(struct job *job)
{
    const struct guard_new *list = &job->report.list;
    uint64_t status = UEFI_SUCCESS;
    struct uefi_store store;
    bool fits;

    if ((!list->n_pages && !job->report.delete_old_list) || !query_store(job, &store))
        return;
    fits = list->n && (list->n_pages == job->listed_pages ||
                       saved_list_fits(list->n, store.largest, store.remaining));
    if (fits)
        status = write_list(job);
    else if (job->report.delete_old_list)
        status = delete_list(job);
    job->outcome.has_list = fits && status == UEFI_SUCCESS;
    if (list->n_pages && !job->outcome.has_list) {
        job->outcome.failure.list_bytes = list->n ? list->n : GUARD_NEW_MAX;
        job->outcome.failure.list_status = status;
        job->outcome.failure.list_remaining = store.remaining;
    }
    goes_on_after(job, status);
}

static void verdict(struct job *job)
{
    job->outcome.is_kept = put_head(job);
    if (!job->outcome.is_kept)
        return;
    job->outcome.failure.step = SAVING_REST;
    if (!is_late(job))
        keep_list(job);
}

/* In addition to the parts of the report: the old dump, the new one. */
#define OTHER_CALLS 2

/* An average, because firmware that makes room takes long once. */
static uint64_t ticks_a_set(struct job *job)
{
    return job->set_ticks / max_u64(job->sets, 1);
}

/* The parts that slow firmware can write in time. */
static unsigned parts_in_time(struct job *job)
{
    uint64_t limit = tsc_from_us(SAVING_LIMIT_US), gone = min_u64(tsc_now() - job->began, limit);
    uint64_t calls = (limit - gone) / max_u64(ticks_a_set(job), 1);

    return calls > OTHER_CALLS ? (unsigned)min_u64(calls - OTHER_CALLS, SAVED_PARTS_MAX) : 1;
}

/* One variable is for the dump. */
static bool has_all_room(unsigned parts)
{
    return parts >= SAVED_PARTS_MAX - 1;
}

/* The report in as many parts as there is room and time for. */
static void make_report(struct job *job, unsigned parts)
{
    const struct saved_source from = { SAVED_DONE, &job->report.state, job->report.lines,
                                       sign_key(), false };
    unsigned in_time = parts_in_time(job), n = (unsigned)min_u64(parts, job->n_usable);
    bool is_cut;

    job->n_text = saved_make(&from, min_u64(n, in_time) * SAVED_VARIABLE_MAX, job->text, &is_cut);
    if (is_cut && in_time < n)
        job->outcome.failure.slow_s = ticks_a_set(job) / tsc_hz();
    else if (is_cut && n < parts)
        job->outcome.failure.cut_at = part_name(n);
    else if (has_all_room(parts))
        job->outcome.failure.is_long = is_cut;
    else
        job->outcome.failure.is_cut = is_cut;
}

/*
 * Of the variables that fit besides the verdict, one is for the dump, and the others for the whole
 * report. What is no more than one part of it says less than the verdict, which stays then.
 */
static void finish(struct job *job)
{
    struct uefi_store store;
    unsigned parts, n;

    job->outcome.failure.step = SAVING_REST;
    if (!query_store(job, &store))
        return;
    job->outcome.failure.remaining = store.remaining;
    parts = saved_parts_besides(store.remaining);
    make_report(job, parts > 1 ? parts - 1 : 1);
    n = saved_parts_of(job->n_text);
    if (n > 1 && !write_parts(job))
        return;
    job->outcome.failure.step = SAVING_DUMP;
    if (!delete_old_dump(job) || (parts && !write_dump(job)))
        return;
    if (job->report.set_boot_next && !set_boot_next(job))
        return;
    tidy(job, n);
}

/* The verdict and the rest of the report have one time limit together. */
static void do_job(void *ctx, uint32_t cpu)
{
    struct job *job = ctx;

    if (job->work != finish)
        job->began = tsc_now();
    job->work(job);
    atomic_store(&job->done, true);
}

static void give(struct job *job, void (*work)(struct job *job), const struct saving_report *report)
{
    job->work = work;
    job->report = *report;
    job->cpu = job->report.state.cpu = machine.online[machine.n_online - 1];
    job->outcome = (struct saving_outcome){ .is_kept = false };
    atomic_store(&job->in_service, NULL);
    atomic_store(&job->done, false);
    if (job->cpu)
        cpu_pool_detach(job->cpu, UEFI_SET_LIMIT_US + CPU_POOL_HANG_US, do_job, job);
    else
        cpu_pool_run_watched(&job->cpu, 1, (struct cpu_pool_job){ do_job, job, NULL });
}

/* Makes the text of OkramReport00 alone, before further events come. */
static void give_head(struct job *job, void (*work)(struct job *job), enum saved_phase phase,
                      const struct saving_report *report)
{
    struct saving_report now = *report;
    const struct saved_source from = { phase, &now.state, now.lines, sign_key(),
                                       phase == SAVED_DONE };
    bool cut;

    now.state.cpu = machine.online[machine.n_online - 1];
    job->n_text = saved_make(&from, SAVED_VARIABLE_MAX, job->text, &cut);
    give(job, work, &now);
}

void saving_job_start(const struct saving_report *report)
{
    give_head(&the_job, start, SAVED_STARTED, report);
}

void saving_job_state(const struct saving_report *report)
{
    give_head(&the_job, state, SAVED_RUNNING, report);
}

void saving_job_verdict(const struct saving_report *report)
{
    give_head(&the_job, verdict, SAVED_DONE, report);
}

void saving_job_finish(const struct saving_report *report)
{
    give(&the_job, finish, report);
}

void saving_job_set_boot_next(const struct saving_report *report)
{
    give(&the_job, boot_next_alone, report);
}

/* The failure of a CPU that is lost. */
static void note_loss(struct job *job)
{
    if (atomic_load(&job->in_service))
        fail(job, UEFI_NO_RETURN);
    else
        job->outcome.failure.is_lost = true;
}

bool saving_job_is_over(struct saving_outcome *ret_outcome)
{
    struct job *job = &the_job;

    firmware_call_watch();
    if (cpu_pool_detached())
        return false;
    if (!atomic_load(&job->done))
        note_loss(job);
    job->outcome.failure.has_old =
        !job->has_head && (job->parts & 1) && !job->outcome.failure.old_is_deleted;
    *ret_outcome = job->outcome;
    return true;
}
