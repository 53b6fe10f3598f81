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
static struct {
    void (*work)(void);
    struct saving_report report;
    struct saving_outcome outcome;
    uint32_t cpu;
    uint64_t began;           /* by the clock of the CPU that calls */
    uint64_t sets, set_ticks; /* calls of SetVariable in all jobs, and their time by that clock */
    _Atomic(const char *) in_service; /* NULL: the CPU is in okram's code */
    _Atomic bool done;
} job;

static struct saving_failure *const failure = &job.outcome.failure;

static char text[SAVED_REPORT_MAX]; /* the bytes of the variables, one after the other */
static size_t n_text;
static uint8_t data[UEFI_DATA_MAX];

static bool fail(const char *service, uint64_t status)
{
    failure->service = service;
    failure->status = status;
    return false;
}

/* If it is, the job ends. */
static bool is_late(void)
{
    failure->is_late = tsc_now() - job.began >= tsc_from_us(SAVING_LIMIT_US);
    return failure->is_late;
}

static void end_service(void)
{
    atomic_store(&job.in_service, NULL);
    cpu_pool_heartbeat(job.cpu);
}

static uint64_t call_set(const struct uefi_name *name, const void *bytes, size_t n)
{
    uint64_t began = tsc_now(), status;

    atomic_store(&job.in_service, "SetVariable");
    status = uefi_set_variable(name, SAVED_ATTRIBUTES, bytes, n);
    job.set_ticks += tsc_now() - began;
    job.sets++;
    end_service();
    return status;
}

static uint64_t call_get(const struct uefi_name *name, size_t *ret_bytes)
{
    uint64_t status;

    atomic_store(&job.in_service, "GetVariable");
    status = uefi_get_variable(name, data, ret_bytes);
    end_service();
    return status;
}

static bool set_variable(const struct uefi_name *name, const void *bytes, size_t n)
{
    uint64_t status;

    if (is_late())
        return false;
    status = call_set(name, bytes, n);
    return status == UEFI_SUCCESS || (n == 0 && status == UEFI_NOT_FOUND) ||
           fail("SetVariable", status);
}

static bool query_store(struct uefi_store *ret_store)
{
    uint64_t status;

    atomic_store(&job.in_service, "QueryVariableInfo");
    status = uefi_query_variable_info(SAVED_ATTRIBUTES, ret_store);
    end_service();
    return status == UEFI_SUCCESS || fail("QueryVariableInfo", status);
}

static struct uefi_name part_name(unsigned index)
{
    struct uefi_name name = { .vendor = saved_vendor };

    saved_part_name(index, name.text);
    return name;
}

/* Whether a name is free, or its variable is okram's, which sets ret_exists. */
static bool is_usable(unsigned index, bool *ret_exists)
{
    struct uefi_name name = part_name(index);
    size_t bytes = 0;
    uint64_t status = call_get(&name, &bytes);

    *ret_exists = status == UEFI_SUCCESS;
    if (status == UEFI_NOT_FOUND || (*ret_exists && saved_is_own(index, data, bytes)))
        return true;
    if (*ret_exists || status == UEFI_BUFFER_TOO_SMALL)
        failure->external = name;
    else
        fail("GetVariable", status);
    return false;
}

static bool write_part(unsigned index, size_t bytes)
{
    struct uefi_name name = part_name(index);
    size_t begin = index * (size_t)SAVED_VARIABLE_MAX;

    return set_variable(&name, text + begin, min_u64(bytes - begin, SAVED_VARIABLE_MAX));
}

/* The first part is written last: until then the old report counts. */
static bool write_parts(void)
{
    for (unsigned i = 1; i < saved_parts_of(n_text); i++) {
        if (!write_part(i, n_text))
            return false;
    }
    return write_part(0, n_text);
}

static bool is_full(uint64_t remaining)
{
    failure->is_full = !saved_parts_that_fit(remaining);
    failure->remaining = remaining;
    return failure->is_full;
}

static void start(void)
{
    bool exists[SAVED_PARTS_MAX];
    struct uefi_store store;

    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        if (!is_usable(i, &exists[i]))
            return;
    }
    if (!query_store(&store) || is_full(store.remaining) || !write_parts())
        return;
    for (unsigned i = 1; i < SAVED_PARTS_MAX; i++) {
        struct uefi_name name = part_name(i);

        if (exists[i] && !set_variable(&name, data, 0))
            return;
    }
}

static void state(void)
{
    struct uefi_store store;

    if (query_store(&store) && saved_leaves_room(store.remaining))
        write_parts();
}

/* The dump of an earlier run: there is one at most, whose name has that run's time. */
static bool find_old_dump(struct uefi_name *ret_name)
{
    struct uefi_name name;
    bool found = false;

    for (int i = 0; i < VARIABLES_MAX && !is_late(); i++) {
        uint64_t status;
        size_t bytes;

        atomic_store(&job.in_service, "GetNextVariableName");
        status = uefi_next_variable(i == 0, &name);
        end_service();
        if (status != UEFI_SUCCESS)
            break;
        if (memcmp(&name.vendor, &pstore_vendor, sizeof(name.vendor)) != 0 ||
            !pstore_is_name(name.text) || call_get(&name, &bytes) != UEFI_SUCCESS ||
            !pstore_is_own(data, bytes))
            continue;
        *ret_name = name;
        found = true;
    }
    return found;
}

static bool write_dump(void)
{
    struct uefi_name name = { .vendor = pstore_vendor }, old;
    char dump[PSTORE_DUMP_MAX];
    size_t bytes = pstore_dump(job.report.lines, dump);

    failure->step = SAVING_DUMP;
    if (find_old_dump(&old) && !set_variable(&old, data, 0))
        return false;
    pstore_name(job.report.started, name.text);
    return set_variable(&name, dump, bytes);
}

/* If firmware does not say what okram was booted from, the boot order decides. */
static void set_boot_next(void)
{
    size_t bytes = 0;
    uint64_t status = call_get(&boot_current, &bytes);

    failure->step = SAVING_BOOT_NEXT;
    if (status == UEFI_SUCCESS && bytes == sizeof(uint16_t))
        set_variable(&boot_next, (uint16_t[]){ (uint16_t)(data[0] | data[1] << 8) },
                     sizeof(uint16_t));
}

static uint64_t delete_list(void)
{
    size_t bytes;

    if (call_get(&guard_new, &bytes) == UEFI_NOT_FOUND)
        return UEFI_SUCCESS;
    return call_set(&guard_new, data, 0);
}

/* If this fails, firmware may still take the report. */
static void write_list(const struct uefi_store *store)
{
    const struct guard_new *list = &job.report.list;
    bool fits = list->n && saved_list_fits(list->n, store->largest, store->remaining);
    uint64_t status = UEFI_SUCCESS;

    if (fits)
        status = call_set(&guard_new, list->bytes, list->n);
    else if (job.report.delete_old_list)
        status = delete_list();
    job.outcome.has_list = fits && status == UEFI_SUCCESS;
    if (list->n_pages && !job.outcome.has_list) {
        failure->list_bytes = list->n ? list->n : GUARD_NEW_MAX;
        failure->list_status = status;
        failure->list_remaining = store->remaining;
    }
    if (status == UEFI_EXCEPTION || status == UEFI_NO_RETURN)
        fail("SetVariable", status);
}

static void list(void)
{
    struct uefi_store store;

    if (query_store(&store))
        write_list(&store);
}

/* In addition to the parts of the report: the old dump, the new one. */
#define OTHER_CALLS 2

/* An average, because firmware that makes room takes long once. */
static uint64_t ticks_a_set(void)
{
    return job.set_ticks / max_u64(job.sets, 1);
}

/* The parts that slow firmware can write in time. */
static unsigned parts_in_time(void)
{
    uint64_t calls = tsc_from_us(SAVING_LIMIT_US) / max_u64(ticks_a_set(), 1);

    return calls > OTHER_CALLS ? (unsigned)min_u64(calls - OTHER_CALLS, SAVED_PARTS_MAX) : 1;
}

/* One variable is for the dump. */
static bool has_all_room(unsigned parts)
{
    return parts >= SAVED_PARTS_MAX - 1;
}

static void make_report(unsigned parts)
{
    unsigned in_time = parts_in_time();
    bool is_cut;

    n_text = saved_make(SAVED_DONE, &job.report.state, job.report.lines, sign_key(),
                        min_u64(parts, in_time) * SAVED_VARIABLE_MAX, text, &is_cut);
    if (is_cut && in_time < parts)
        failure->slow_s = ticks_a_set() / tsc_hz();
    else if (has_all_room(parts))
        failure->is_long = is_cut;
    else
        failure->is_cut = is_cut;
}

/* Of the variables that fit, one is for the dump, unless it is the only one. */
static void finish(void)
{
    struct uefi_store store;
    unsigned parts;

    if (!query_store(&store) || is_full(store.remaining))
        return;
    parts = saved_parts_that_fit(store.remaining);
    make_report(parts > 1 ? parts - 1 : 1);
    if (!write_parts())
        return;
    job.outcome.is_kept = true;
    if (parts > 1 && !write_dump())
        return;
    if (job.report.set_boot_next)
        set_boot_next();
}

static void do_job(void *ctx, uint32_t cpu)
{
    job.began = tsc_now();
    job.work();
    atomic_store(&job.done, true);
}

static void give(void (*work)(void), const struct saving_report *report)
{
    job.work = work;
    job.report = *report;
    job.cpu = job.report.state.cpu = machine.online[machine.n_online - 1];
    job.outcome = (struct saving_outcome){ .is_kept = false };
    atomic_store(&job.in_service, NULL);
    atomic_store(&job.done, false);
    if (job.cpu)
        cpu_pool_detach(job.cpu, UEFI_SET_LIMIT_US + CPU_POOL_HANG_US, do_job, NULL);
    else
        cpu_pool_run_watched(&job.cpu, 1, do_job, NULL);
}

/* Makes the text before further events come. */
static void give_state(void (*work)(void), enum saved_phase phase,
                       const struct saving_report *report)
{
    struct saving_report now = *report;
    bool cut;

    now.state.cpu = machine.online[machine.n_online - 1];
    n_text = saved_make(phase, &now.state, now.lines, sign_key(), SAVED_VARIABLE_MAX, text, &cut);
    give(work, &now);
}

void saving_job_start(const struct saving_report *report)
{
    give_state(start, SAVED_STARTED, report);
}

void saving_job_state(const struct saving_report *report)
{
    give_state(state, SAVED_RUNNING, report);
}

void saving_job_list(const struct saving_report *report)
{
    give(list, report);
}

void saving_job_finish(const struct saving_report *report)
{
    give(finish, report);
}

void saving_job_set_boot_next(const struct saving_report *report)
{
    give(set_boot_next, report);
}

/* The failure of a CPU that is lost. */
static void note_loss(void)
{
    const char *service = atomic_load(&job.in_service);

    if (service)
        fail(service, UEFI_NO_RETURN);
    else
        failure->is_lost = true;
}

bool saving_job_is_over(struct saving_outcome *ret_outcome)
{
    firmware_call_watch();
    if (cpu_pool_detached())
        return false;
    if (!atomic_load(&job.done))
        note_loss();
    *ret_outcome = job.outcome;
    return true;
}
