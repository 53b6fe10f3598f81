// SPDX-License-Identifier: MIT
#include "run/saving_job.h"

#include <stdatomic.h>

#include "arch/foreign_call.h"
#include "cpus/cpu_pool.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "plan/lost_cpus.h"
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
static const struct uefi_name state_name = { SAVED_STATE_NAME, SAVED_GUID };
static const struct uefi_name boot_current = { "BootCurrent", GLOBAL_GUID };
static const struct uefi_name boot_next = { "BootNext", GLOBAL_GUID };

/* Given by the boot CPU, done by the CPU that calls. */
static struct {
    void (*work)(void);
    struct saved_state state;
    const struct saved_lines *lines;
    bool boot_again;
    struct saving_failure failure;
    uint32_t cpu;
    _Atomic bool done;
} job;

static char report[SAVED_REPORT_MAX];
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

static bool query_remaining(uint64_t *ret_remaining)
{
    uint64_t status = uefi_query_variable_info(SAVED_ATTRIBUTES, ret_remaining);

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
static bool is_usable(const struct uefi_name *name, const char *magic, bool *ret_exists)
{
    size_t bytes = 0;
    uint64_t status = uefi_get_variable(name, data, &bytes);

    cpu_pool_beat(job.cpu);
    *ret_exists = status == UEFI_SUCCESS;
    if (status == UEFI_NOT_FOUND || (*ret_exists && saved_is_own(data, bytes, magic)))
        return true;
    if (*ret_exists || status == UEFI_BUFFER_TOO_SMALL)
        job.failure.foreign = *name;
    else
        fail("GetVariable", status);
    return false;
}

static bool write_state(void)
{
    uint64_t remaining;

    if (!query_remaining(&remaining))
        return false;
    if (!saved_fits(remaining, sizeof(job.state))) {
        job.failure.is_full = true;
        job.failure.remaining = remaining;
        return false;
    }
    saved_seal_state(&job.state);
    return set_variable(&state_name, &job.state, sizeof(job.state));
}

static void start(void)
{
    bool exists[SAVED_PARTS_MAX], state_exists;

    if (!is_usable(&state_name, SAVED_STATE_MAGIC, &state_exists))
        return;
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        struct uefi_name name = part_name(i);

        if (!is_usable(&name, SAVED_PART_MAGIC, &exists[i]))
            return;
    }
    if (!write_state())
        return;
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        struct uefi_name name = part_name(i);

        if (exists[i] && !set_variable(&name, data, 0))
            return;
    }
}

static void state(void)
{
    uint64_t remaining;

    if (query_remaining(&remaining) && saved_leaves_room(remaining))
        write_state();
}

/* The report, in job.state too. Without it the state still says how the run ended. */
static bool write_report(void)
{
    struct saved_state *s = &job.state;
    size_t json, bytes;
    uint64_t remaining;
    unsigned room;

    if (!query_remaining(&remaining))
        return false;
    room = saved_parts_that_fit(remaining);
    bytes = saved_lines_write(job.lines, SAVED_JSON | SAVED_TEXT, room * SAVED_PART_BYTES_MAX,
                              report, &json);
    if (bytes < job.lines->length) {
        job.failure.is_cut = true;
        job.failure.remaining = remaining;
    }
    for (unsigned i = 0; i < saved_parts_of(bytes); i++) {
        struct uefi_name name = part_name(i);

        if (!set_variable(&name, data, saved_make_part(s->run_id, i, report, bytes, data)))
            return false;
    }
    s->n_parts = (uint16_t)saved_parts_of(bytes);
    s->report_bytes = (uint32_t)bytes;
    s->jsonl_bytes = (uint32_t)json;
    s->report_crc = saved_report_crc(report, bytes);
    return room > 0;
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
    size_t bytes = pstore_dump(job.lines, dump);

    if (find_old_dump(&old) && !set_variable(&old, data, 0))
        return false;
    pstore_name(job.state.started, name.text);
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

static void finish(void)
{
    bool has_room = write_report();

    if (job.failure.status == UEFI_EXCEPTION || job.failure.status == UEFI_NO_RETURN)
        return;
    if (!write_state() || !has_room || !write_dump())
        return;
    if (job.boot_again)
        boot_again();
}

static void do_job(void *ctx, uint32_t cpu)
{
    if (cpu == job.cpu) {
        job.work();
        atomic_store(&job.done, true);
        return;
    }
    while (!atomic_load(&job.done) && !cpu_pool_is_broken_off()) {
        foreign_call_watch();
        cpu_pool_poll();
        cpu_pool_wait(cpu);
    }
}

static void give(void (*work)(void), const struct saved_state *s, struct saving_failure *ret)
{
    uint32_t cpus[] = { 0, machine.online[machine.n_online - 1] };

    job.work = work;
    job.state = *s;
    job.cpu = job.state.cpu = cpus[1];
    job.failure = (struct saving_failure){ .service = NULL };
    atomic_store(&job.done, false);
    cpu_pool_run_watched(cpus, cpus[1] ? 2 : 1, do_job, NULL);
    if (!atomic_load(&job.done))
        fail("runtime service", UEFI_NO_RETURN);
    *ret = job.failure;
}

void saving_job_start(const struct saved_state *s, struct saving_failure *ret_failure)
{
    give(start, s, ret_failure);
    if (lost_cpus_any())
        lost_cpus_leave_out();
}

void saving_job_state(const struct saved_state *s, struct saving_failure *ret_failure)
{
    give(state, s, ret_failure);
}

void saving_job_finish(const struct saved_state *s, const struct saved_lines *lines, bool again,
                       struct saving_failure *ret_failure)
{
    job.lines = lines;
    job.boot_again = again;
    give(finish, s, ret_failure);
}
