// SPDX-License-Identifier: MIT
#include "saving/saving_job.h"

#include <stdatomic.h>

#include "arch/foreign_call.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "save/pstore.h"
#include "save/saved_write.h"

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

/* Given by the boot CPU, done by the CPU that calls. */
static struct {
    void (*work)(void);
    struct saving_report report;
    struct saving_failure failure;
    uint32_t cpu;
    _Atomic bool done;
} job;

static char text[SAVED_REPORT_MAX]; /* the bytes of the variables, one after the other */
static size_t n_text;
static uint8_t data[UEFI_DATA_MAX];

static bool fail(const char *service, uint64_t status)
{
    job.failure.service = service;
    job.failure.status = status;
    return false;
}

static bool set_variable(const struct uefi_name *name, const void *bytes, size_t n)
{
    uint64_t status = uefi_set_variable(name, SAVED_ATTRIBUTES, bytes, n);

    cpu_pool_beat(job.cpu);
    return status == UEFI_SUCCESS || (n == 0 && status == UEFI_NOT_FOUND) ||
           fail("SetVariable", status);
}

static bool query_store(struct uefi_store *ret_store)
{
    uint64_t status = uefi_query_variable_info(SAVED_ATTRIBUTES, ret_store);

    cpu_pool_beat(job.cpu);
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
    uint64_t status = uefi_get_variable(&name, data, &bytes);

    cpu_pool_beat(job.cpu);
    *ret_exists = status == UEFI_SUCCESS;
    if (status == UEFI_NOT_FOUND || (*ret_exists && saved_is_own(index, data, bytes)))
        return true;
    if (*ret_exists || status == UEFI_BUFFER_TOO_SMALL)
        job.failure.foreign = name;
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

/* The first part is written last: until then what was there before counts. */
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
    job.failure.is_full = !saved_parts_that_fit(remaining);
    job.failure.remaining = remaining;
    return job.failure.is_full;
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

/* The dumps of earlier runs: there is one at most, whose name has that run's time. */
static bool find_old_dump(struct uefi_name *ret_name)
{
    struct uefi_name name;
    bool found = false;

    for (int i = 0; i < VARIABLES_MAX; i++) {
        uint64_t status = uefi_next_variable(i == 0, &name);
        size_t bytes;

        cpu_pool_beat(job.cpu);
        if (status != UEFI_SUCCESS)
            break;
        if (memcmp(&name.vendor, &pstore_vendor, sizeof(name.vendor)) != 0 ||
            !pstore_is_name(name.text) || uefi_get_variable(&name, data, &bytes) != UEFI_SUCCESS ||
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

    if (find_old_dump(&old) && !set_variable(&old, data, 0))
        return false;
    pstore_name(job.report.started, name.text);
    return set_variable(&name, dump, bytes);
}

/* Where firmware does not say what okram was booted from, the boot order decides. */
static void boot_again(void)
{
    size_t bytes = 0;
    uint64_t status = uefi_get_variable(&boot_current, data, &bytes);

    if (status == UEFI_SUCCESS && bytes == sizeof(uint16_t))
        set_variable(&boot_next, (uint16_t[]){ (uint16_t)(data[0] | data[1] << 8) },
                     sizeof(uint16_t));
}

static uint64_t delete_list(void)
{
    size_t bytes;

    if (uefi_get_variable(&guard_new, data, &bytes) == UEFI_NOT_FOUND)
        return UEFI_SUCCESS;
    cpu_pool_beat(job.cpu);
    return uefi_set_variable(&guard_new, SAVED_ATTRIBUTES, data, 0);
}

/* Firmware with which that fails may yet take the report. False: no service is called any more. */
static bool write_list(const struct uefi_store *store)
{
    const struct guard_new *list = &job.report.list;
    bool fits = list->n && saved_list_fits(list->n, store->largest, store->remaining);
    uint64_t status = UEFI_SUCCESS;

    if (fits)
        status = uefi_set_variable(&guard_new, SAVED_ATTRIBUTES, list->bytes, list->n);
    else if (job.report.list_is_over)
        status = delete_list();
    cpu_pool_beat(job.cpu);
    if (list->n_pages && (!fits || status != UEFI_SUCCESS)) {
        job.failure.list_bytes = list->n ? list->n : GUARD_NEW_MAX;
        job.failure.list_status = status;
        job.failure.list_remaining = store->remaining;
    }
    if (status == UEFI_EXCEPTION || status == UEFI_NO_RETURN)
        return fail("SetVariable", status);
    return true;
}

/* Of what fits, one variable is for the dump, unless it is the only one. */
static void finish(void)
{
    struct uefi_store store;
    unsigned parts;

    if (!query_store(&store) || !write_list(&store) || !query_store(&store) ||
        is_full(store.remaining))
        return;
    parts = saved_parts_that_fit(store.remaining);
    n_text = saved_make(SAVED_DONE, &job.report.state, job.report.lines,
                        (parts > 1 ? parts - 1 : 1) * (size_t)SAVED_VARIABLE_MAX, text,
                        &job.failure.is_cut);
    if (!write_parts())
        return;
    if (parts > 1 && !write_dump())
        return;
    if (job.report.boot_again)
        boot_again();
}

static void do_job(void *ctx, uint32_t cpu)
{
    job.work();
    atomic_store(&job.done, true);
}

static void give(void (*work)(void), const struct saving_report *report)
{
    job.work = work;
    job.report = *report;
    job.cpu = job.report.state.cpu = machine.online[machine.n_online - 1];
    job.failure = (struct saving_failure){ .service = NULL };
    atomic_store(&job.done, false);
    if (job.cpu)
        cpu_pool_detach(job.cpu, do_job, NULL);
    else
        cpu_pool_run_watched(&job.cpu, 1, do_job, NULL);
}

/* The text is made before the events go on. */
static void give_state(void (*work)(void), enum saved_phase phase,
                       const struct saving_report *report)
{
    struct saving_report now = *report;
    bool cut;

    now.state.cpu = machine.online[machine.n_online - 1];
    n_text = saved_make(phase, &now.state, now.lines, SAVED_VARIABLE_MAX, text, &cut);
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

void saving_job_finish(const struct saving_report *report)
{
    give(finish, report);
}

bool saving_job_is_over(struct saving_failure *ret_failure)
{
    foreign_call_watch();
    if (cpu_pool_detached())
        return false;
    if (!atomic_load(&job.done))
        fail("a service", UEFI_NO_RETURN);
    *ret_failure = job.failure;
    return true;
}
