// SPDX-License-Identifier: MIT
/*
 * Whole runs on a store of variables that the test plays. Each is a process of its own, so that the
 * power can be cut; the store is memory that both share. The loader's reader says what is left.
 */
#include "saver/saving_job.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/firmware_call.h"
#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "machine/machine.h"
#include "memory/sign_key.h"
#include "saved/saved_read.h"
#include "saved/saved_write.h"
#include "tests/unit/unit.h"

#define VARIABLES 40
#define LARGEST   0x8400
#define PLENTY    100000
#define TICKS_US  10 /* a time of the fake's clock is much shorter than one of the real one */
#define LIST_MAX  2000

enum cut { CUT_BEFORE, CUT_AFTER };

static struct store {
    struct variable {
        char name[UEFI_NAME_MAX];
        uint8_t data[LIST_MAX];
        size_t n;
    } variable[VARIABLES];
    int64_t free, least_free; /* by what QueryVariableInfo says */

    /* How firmware is. */
    bool reclaims;     /* the room of an old variable is there again at once */
    bool query_lies;   /* there is always room */
    uint64_t refuses;  /* the status for each write; 0: none */
    int forgets_after; /* so many calls that are kept; -1: for ever */
    int refuses_list;  /* only that */
    int raises_at;     /* this call of SetVariable, from 1, is the last one; 0: none */
    int query_raises;  /* likewise of QueryVariableInfo */
    bool has_raised;
    bool query_fails; /* the first time */
    uint64_t slow_us; /* a call takes so long */
    int cut_at;       /* this call of SetVariable, from 1; 0: none */
    enum cut cut;

    /* What happened. */
    int calls, queries, verdict_calls, list_calls, effects;
    int effects_at[4]; /* after start, state, verdict and finish */
    struct saving_outcome outcome[4];
    bool has_ended; /* no power cut */
} * store;

struct machine machine;
static uint32_t online[1];
static struct saved_lines lines;
static uint8_t list_bytes[LIST_MAX];
static size_t result_padding;

/* --- what saving_job.c needs of the machine ----------------------------------------------------
 */

void cpu_pool_heartbeat(uint32_t cpu)
{
}
uint32_t cpu_pool_detached(void)
{
    return 0;
}
void firmware_call_watch(void)
{
}
const uint8_t *sign_key(void)
{
    return NULL;
}
uint64_t tsc_from_us(uint64_t us)
{
    return us * TICKS_US;
}
uint64_t tsc_hz(void)
{
    return TICKS_US * 1000000;
}

void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    job.work(job.ctx, numbers[0]);
}

void cpu_pool_detach(uint32_t cpu, uint64_t hang_us, cpu_pool_work work, void *ctx)
{
    fail();
}

static struct variable *find(const char *name)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        if (store->variable[i].n && strcmp(store->variable[i].name, name) == 0)
            return &store->variable[i];
    }
    return NULL;
}

static int64_t cost(const char *name, size_t n)
{
    return (int64_t)(60 + 2 * (strlen(name) + 1) + n);
}

static void take(int64_t bytes)
{
    store->free -= bytes;
    if (store->free < store->least_free)
        store->least_free = store->free;
}

static void put(const char *name, const void *data, size_t n)
{
    struct variable *v = find(name);

    if (v && store->reclaims)
        take(-cost(name, v->n));
    if (v)
        v->n = 0;
    for (v = store->variable; n && v->n; v++)
        assert_true(v < store->variable + VARIABLES - 1);
    if (!n)
        return;
    take(cost(name, n));
    strcpy(v->name, name);
    memcpy(v->data, data, n);
    v->n = n;
}

static void cut_if(enum cut when)
{
    if (store->calls == store->cut_at && store->cut == when)
        _exit(0);
}

uint64_t uefi_set_variable(const struct uefi_name *name, uint32_t attributes, const void *data,
                           size_t bytes)
{
    uint64_t end = tsc_now() + tsc_from_us(store->slow_us);
    bool is_list = strcmp(name->text, GUARD_NEW_NAME) == 0;

    assert_int_equal(attributes, SAVED_ATTRIBUTES);
    assert_in_range(bytes, 0, is_list ? LIST_MAX : SAVED_VARIABLE_MAX);
    store->calls++;
    store->list_calls += is_list;
    cut_if(CUT_BEFORE);
    if (store->has_raised)
        return UEFI_UNSUPPORTED;
    store->has_raised = store->calls == store->raises_at;
    if (store->has_raised)
        return UEFI_EXCEPTION;
    while (tsc_now() < end) {
    }
    if (bytes && (store->refuses || (is_list && store->refuses_list)))
        return store->refuses ? store->refuses : UEFI_ERROR | 9;
    if (!bytes && !find(name->text))
        return UEFI_NOT_FOUND;
    if (bytes && store->free < cost(name->text, bytes))
        return UEFI_ERROR | 9;
    if (store->forgets_after < 0 || store->calls <= store->forgets_after)
        put(name->text, data, bytes);
    store->effects++;
    cut_if(CUT_AFTER);
    return UEFI_SUCCESS;
}

uint64_t uefi_get_variable(const struct uefi_name *name, void *ret_data, size_t *ret_bytes)
{
    const struct variable *v = find(name->text);

    if (!v)
        return UEFI_NOT_FOUND;
    if (v->n > UEFI_DATA_MAX)
        return UEFI_BUFFER_TOO_SMALL;
    memcpy(ret_data, v->data, v->n);
    *ret_bytes = v->n;
    return UEFI_SUCCESS;
}

uint64_t uefi_query_variable_info(uint32_t attributes, struct uefi_store *ret_store)
{
    if (!store->has_raised && ++store->queries == store->query_raises) {
        store->has_raised = true;
        return UEFI_EXCEPTION;
    }
    if (store->has_raised || store->query_fails) {
        store->query_fails = false;
        return UEFI_UNSUPPORTED;
    }
    *ret_store = (struct uefi_store){ store->query_lies ? PLENTY : (uint64_t)store->free, LARGEST };
    return UEFI_SUCCESS;
}

uint64_t uefi_next_variable(bool first, struct uefi_name *ret_name)
{
    static size_t at;

    for (at = first ? 0 : at; at < VARIABLES; at++) {
        if (store->variable[at].n && pstore_is_name(store->variable[at].name)) {
            *ret_name = (struct uefi_name){ .vendor = PSTORE_GUID };
            strcpy(ret_name->text, store->variable[at++].name);
            return UEFI_SUCCESS;
        }
    }
    return UEFI_NOT_FOUND;
}

/* --- a run -------------------------------------------------------------------------------------
 */

static void add(enum saved_form form, enum saved_rank rank, const char *text, size_t padding)
{
    char line[1200];
    int n = snprintf(line, sizeof(line), text, (int)padding, "");

    saved_lines_add(&lines, form, rank, line, (size_t)n);
}

static void add_start(void)
{
    memset(&lines, 0, sizeof(lines));
    add(SAVED_JSON, SAVED_RANK_START, "{\"t\":0,\"type\":\"start\",\"version\":\"1\"%*s}\n", 100);
    for (int i = 0; i < 12; i++)
        add(SAVED_JSON, SAVED_RANK_TEST, "{\"t\":1,\"type\":\"test\"%*s}\n", 300);
    add(SAVED_TEXT, SAVED_RANK_START, "okram%*s\n", 1);
}

static void add_end(bool is_bad)
{
    if (is_bad)
        add(SAVED_JSON, SAVED_RANK_BADRAM,
            "{\"t\":2,\"type\":\"badram\",\"line\":\"badram=0x1000,0x1000\"%*s}\n", 60);
    add(SAVED_JSON, SAVED_RANK_TEST, "{\"t\":2,\"type\":\"advice\"%*s}\n", 10);
    add(SAVED_JSON, SAVED_RANK_RESULT,
        is_bad ? "{\"t\":2,\"type\":\"result\",\"status\":\"fail\",\"complete\":true%*s}\n"
               : "{\"t\":2,\"type\":\"result\",\"status\":\"pass\",\"complete\":true%*s}\n",
        result_padding);
}

/* False: nothing more is written (saving.c). */
static bool ends(int step)
{
    const struct saving_failure *f = &store->outcome[step].failure;

    assert_true(saving_job_is_over(&store->outcome[step]));
    store->effects_at[step] = store->effects;
    return !f->service && !f->is_lost && !f->is_late && !f->external.text[0] && !f->is_full;
}

/* By a run of its own: `grown`, it finds more after its state was written. */
static void run(bool is_bad, bool grown)
{
    struct saving_report r = { .lines = &lines, .started = 5 };

    r.state.complete = true;
    add_start();
    saving_job_start(&r);
    if (!ends(0))
        return;
    r.state.faults = r.state.bad_pages = is_bad;
    r.state.pass = 1;
    if (is_bad)
        r.list = (struct guard_new){ list_bytes, LIST_MAX - 100, 1 };
    saving_job_state(&r);
    if (!ends(1))
        return;
    if (grown) {
        r.state.bad_pages = 2;
        r.list = (struct guard_new){ list_bytes, LIST_MAX, 2 };
    }
    add_end(is_bad);
    r.state.verdict = is_bad ? VERDICT_FAIL : VERDICT_PASS;
    saving_job_verdict(&r);
    if (!ends(2))
        return;
    saving_job_finish(&r);
    ends(3);
}

static void boot_of(bool is_bad, bool grown)
{
    pid_t child;
    int status;

    memset(store->effects_at, 0, sizeof(store->effects_at));
    memset(store->outcome, 0, sizeof(store->outcome));
    store->calls = store->queries = store->list_calls = store->effects = 0;
    store->has_ended = store->has_raised = false;
    store->least_free = store->free;
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        run(is_bad, grown);
        store->has_ended = true;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(store->has_ended || store->cut_at);
}

/* With the report of a run that has passed. */
static int set_store(void **state)
{
    memset(store, 0, sizeof(*store));
    result_padding = 800;
    store->free = PLENTY;
    store->forgets_after = -1;
    boot_of(false, false);
    store->free = PLENTY;
    return 0;
}

static const struct saved_report *left(void)
{
    static struct saved_report report;
    struct saved_variables variables = { 0 };

    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        char name[SAVED_NAME_MAX];
        const struct variable *v;

        saved_part_name(i, name);
        v = find(name);
        if (v)
            variables.part[i] = (struct saved_variable){ v->data, v->n, SAVED_ATTRIBUTES };
    }
    saved_read(&variables, &report);
    return &report;
}

static void assert_fail_is_kept(uint64_t bad_pages)
{
    const struct saved_report *r = left();

    assert_int_equal(r->kind, SAVED_WHOLE);
    assert_int_equal(r->verdict, VERDICT_FAIL);
    assert_int_equal(r->state.bad_pages, bad_pages);
    assert_non_null(strstr(r->jsonl, "badram=0x1000,0x1000"));
}

static void assert_old_is_kept(void)
{
    assert_int_equal(left()->kind, SAVED_WHOLE);
    assert_int_equal(left()->verdict, VERDICT_PASS);
    assert_non_null(strstr(left()->jsonl, "\"type\":\"advice\""));
}

static bool has_advice(void)
{
    return strstr(left()->jsonl, "\"type\":\"advice\"");
}

/* --- the tests ---------------------------------------------------------------------------------
 */

TEST(a_whole_run_is_kept, set_store)
{
    assert_old_is_kept();
    boot_of(true, false);
    assert_fail_is_kept(1);
    assert_true(has_advice() && store->outcome[2].has_list && store->outcome[2].is_kept);
    assert_int_equal(store->outcome[3].failure.is_cut, false);
    assert_int_equal(store->list_calls, 1); /* in mid-run; it has not changed since */
    boot_of(true, true);
    assert_int_equal(store->list_calls, 2);
    assert_int_equal(find(GUARD_NEW_NAME)->n, LIST_MAX);
}

/* The first that is written once the result is known. */
TEST(the_verdict_comes_first, set_store)
{
    boot_of(true, false);
    store->cut_at = store->effects_at[1] + 1;
    for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
        int at = store->cut_at;

        set_store(NULL);
        store->cut_at = at;
        store->cut = cut;
        boot_of(true, false);
        if (cut == CUT_BEFORE)
            assert_int_equal(left()->kind, SAVED_UNFINISHED);
        else
            assert_fail_is_kept(1);
    }
    assert_false(has_advice()); /* it may name what is not stored yet */
}

TEST(a_cut_at_any_write_leaves_a_whole_report, set_store)
{
    int n, known;

    boot_of(true, true);
    n = store->calls;
    known = store->effects_at[1];
    assert_in_range(n, 10, 40);
    for (int i = 0; i < 2 * n; i++) {
        int done; /* calls that had an effect */

        set_store(NULL);
        store->cut_at = i / 2 + 1;
        store->cut = i % 2 ? CUT_AFTER : CUT_BEFORE;
        boot_of(true, true);
        assert_false(store->has_ended);
        done = i / 2 + i % 2;
        if (done == 0) {
            assert_old_is_kept();
        } else if (done <= known) {
            assert_int_equal(left()->kind, SAVED_UNFINISHED);
            assert_int_equal(left()->state.bad_pages, done > known - 2);
            assert_int_equal(find(GUARD_NEW_NAME) != NULL, done == known);
        } else {
            assert_fail_is_kept(2);
            assert_non_null(find(GUARD_NEW_NAME));
        }
    }
}

/* However long the record of the result is: the state has the status, and nothing else the pages.
 */
TEST(the_verdict_has_the_bad_pages)
{
    for (size_t padding = 0; padding <= 800; padding += 16) {
        set_store(NULL);
        result_padding = padding;
        boot_of(true, false);
        store->cut_at = store->effects_at[1] + 1;
        store->cut = CUT_AFTER;
        boot_of(true, false);
        assert_false(store->has_ended);
        assert_fail_is_kept(1);
    }
}

/* The report there is goes as a whole, also where nothing new can be there instead. */
TEST(a_cut_while_a_full_store_is_cleared, set_store)
{
    int n;

    store->refuses = UEFI_ERROR | 9;
    boot_of(true, false);
    n = store->calls;
    assert_in_range(n, 5, 20);
    for (int i = 1; i <= n; i++) {
        for (enum cut cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
            set_store(NULL);
            store->refuses = UEFI_ERROR | 9;
            store->cut_at = i;
            store->cut = cut;
            boot_of(true, false);
            if (left()->kind != SAVED_NOTHING)
                assert_old_is_kept();
        }
    }
    assert_int_equal(left()->kind, SAVED_NOTHING);
}

static size_t dumps(void)
{
    size_t n = 0;

    for (size_t i = 0; i < VARIABLES; i++)
        n += store->variable[i].n && pstore_is_name(store->variable[i].name);
    return n;
}

/* Linux would show it. */
TEST(an_old_dump_goes_where_there_is_room_for_none, set_store)
{
    assert_int_equal(dumps(), 1);
    store->free = SAVED_KEEP_FREE + SAVED_VARIABLE_COST;
    boot_of(true, false);
    assert_fail_is_kept(1);
    assert_int_equal(dumps(), 0);
    set_store(NULL);
    store->free = SAVED_KEEP_FREE;
    boot_of(true, false);
    assert_int_equal(left()->kind, SAVED_NOTHING);
    assert_int_equal(dumps(), 0);
}

/* A byte of an old part has changed, or the name is another program's: the verdict does not need
 * it. */
TEST(a_foreign_part_does_not_cost_the_verdict, set_store)
{
    static const uint8_t foreign[] = { 1, 0xff };
    unsigned n;

    boot_of(true, false);
    n = (unsigned)__builtin_popcount(left()->used_parts);
    assert_in_range(n, 3, SAVED_PARTS_MAX - 1);
    for (unsigned i = 1; i < SAVED_PARTS_MAX; i++) {
        char name[SAVED_NAME_MAX];
        bool is_cut;

        set_store(NULL);
        saved_part_name(i, name);
        put(name, foreign, sizeof(foreign));
        boot_of(true, false);
        assert_fail_is_kept(1);
        is_cut = store->outcome[3].failure.cut_at.text[0];
        assert_int_equal(is_cut, i < n);
        assert_true(is_cut || has_advice());
        if (is_cut)
            assert_string_equal(store->outcome[3].failure.cut_at.text, name);
        assert_memory_equal(find(name)->data, foreign, sizeof(foreign));
    }
}

/* Nor the one in OkramReport00, where it stays, and nothing is kept. */
TEST(a_foreign_head_stays, set_store)
{
    find("OkramReport00")->data[0] = 1;
    boot_of(true, false);
    assert_string_equal(store->outcome[0].failure.external.text, "OkramReport00");
    assert_int_equal(store->calls, 0);
}

TEST(a_query_that_fails_does_not_save_the_old_verdict, set_store)
{
    store->query_fails = true;
    boot_of(true, false);
    assert_fail_is_kept(1);
}

/* Firmware is not called again, and what is named is why. */
TEST(an_exception_at_any_call_is_named, set_store)
{
    int n, calls;

    boot_of(true, true);
    calls = store->calls;
    n = calls + store->queries;
    for (int i = 1; i <= n; i++) {
        const struct saving_failure *f = NULL;

        set_store(NULL);
        store->raises_at = i;
        store->query_raises = i - calls;
        boot_of(true, true);
        assert_true(i > calls || store->calls == i);
        for (int step = 0; step < 4 && !f; step++) {
            if (store->outcome[step].failure.service)
                f = &store->outcome[step].failure;
        }
        assert_non_null(f);
        assert_int_equal(f->status, UEFI_EXCEPTION);
    }
}

/* Whatever room there is: no old verdict is left, and 5 KiB stay free. */
TEST(a_full_store_has_no_old_verdict)
{
    for (int i = 0; i < 2 * 500; i += UNIT_STEP(3)) {
        int64_t free = 4000 + i / 2 * 64;
        bool has_room = saved_parts_that_fit((uint64_t)free);

        set_store(NULL);
        store->reclaims = i % 2;
        store->free = free;
        boot_of(true, false);
        if (has_room || left()->kind != SAVED_NOTHING)
            assert_fail_is_kept(1);
        if (has_room || store->reclaims)
            assert_true(left()->kind == SAVED_WHOLE || store->outcome[0].failure.is_full);
        else
            assert_true(store->outcome[0].failure.is_full);
        assert_int_equal(store->outcome[0].failure.old_is_deleted, left()->kind == SAVED_NOTHING);
        if (store->outcome[0].failure.is_full)
            assert_false(store->outcome[0].failure.has_old);
        assert_true(store->least_free >= SAVED_KEEP_FREE || store->least_free == free);
    }
}

/* Room for one variable alone is the verdict's: until then the old report is whole. */
TEST(the_last_room_is_the_verdicts, set_store)
{
    store->free = SAVED_KEEP_FREE + SAVED_VARIABLE_COST;
    store->cut_at = 1;
    store->cut = CUT_BEFORE;
    boot_of(true, false);
    assert_old_is_kept();
    store->cut = CUT_AFTER;
    boot_of(true, false);
    assert_fail_is_kept(1);
    assert_int_equal(store->effects_at[1], 0);
}

/* The store has room, as it says, and refuses all the same. */
TEST(a_store_that_refuses_has_no_old_verdict, set_store)
{
    store->query_lies = true;
    store->free = 100;
    boot_of(true, false);
    assert_int_equal(left()->kind, SAVED_NOTHING);
    assert_int_equal(store->outcome[0].failure.status, UEFI_ERROR | 9);
    assert_true(store->outcome[0].failure.old_is_deleted);

    set_store(NULL);
    store->refuses = UEFI_ERROR | 8; /* write-protected; but it deletes */
    boot_of(true, false);
    assert_int_equal(left()->kind, SAVED_NOTHING);
    assert_string_equal(store->outcome[0].failure.service, "SetVariable");
}

/* From any call on: what is not there is not called kept. */
TEST(flash_that_forgets_is_named, set_store)
{
    int n;

    boot_of(true, true);
    n = store->calls;
    for (int i = 0; i < n; i++) {
        const struct saving_failure *f = NULL;

        set_store(NULL);
        store->forgets_after = i;
        boot_of(true, true);
        for (int step = 0; step < 4 && !f; step++) {
            if (store->outcome[step].failure.service)
                f = &store->outcome[step].failure;
        }
        if (!f) /* of the list alone, or in mid-run, which is tried again */
            assert_int_equal(store->outcome[2].failure.list_status, UEFI_FORGOTTEN);
        else
            assert_int_equal(f->status, UEFI_FORGOTTEN);
        assert_int_equal(store->outcome[2].is_kept,
                         left()->kind == SAVED_WHOLE && left()->verdict == VERDICT_FAIL);
        if (i == 0) /* nor does it delete */
            assert_true(store->outcome[0].failure.has_old);
    }
}

TEST(a_list_that_is_refused, set_store)
{
    store->refuses_list = true;
    boot_of(true, false);
    assert_fail_is_kept(1);
    assert_null(store->outcome[1].failure.service); /* in mid-run nothing is said */
    assert_int_equal(store->outcome[1].failure.list_bytes, 0);
    assert_false(store->outcome[2].has_list);
    assert_int_equal(store->outcome[2].failure.list_bytes, LIST_MAX - 100);
    assert_null(store->outcome[2].failure.service);
}

/* However long a call takes, the verdict is kept, and no call begins after the limit. */
TEST(a_slow_store_keeps_the_verdict)
{
    static const unsigned seconds[] = { 5, 20, 45, 100 };

    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        int64_t most = 180 / seconds[i] + 1;

        set_store(NULL);
        store->slow_us = seconds[i] * UINT64_C(1000000);
        boot_of(true, false);
        assert_fail_is_kept(1);
        assert_true(store->effects_at[3] - store->effects_at[1] <= most);
        assert_true(store->outcome[2].is_kept);
        if (seconds[i] == 20)
            assert_in_range(store->outcome[3].failure.slow_s, 20, 40); /* on a busy host */
    }
}

int group_set_up(void **state)
{
    machine.online = online;
    machine.n_online = 1;
    memset(list_bytes, 'L', sizeof(list_bytes));
    store = mmap(NULL, sizeof(*store), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return store == MAP_FAILED;
}
