// SPDX-License-Identifier: MIT
#include "testing/fake_machine.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/tsc.h"
#include "calibration/selection.h"
#include "cpus/cpu_pool.h"
#include "ecc/ecc.h"
#include "faults/fault_emit.h"
#include "verdict/kind_emit.h"
#include "progress/progress.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "machine/error_sources.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "plan/plan.h"
#include "plan/tested.h"
#include "plan/unpaired.h"
#include "saver/saving.h"
#include "self/blame.h"
#include "self/move.h"
#include "self/own_aliases.h"
#include "self/upkeep.h"
#include "testing/block_moving.h"
#include "testing/displacement.h"
#include "testing/hammering.h"
#include "testing/page_search.h"
#include "testing/passes.h"

#define TABLE_PAGES 2
#define RUNS_MAX    16

struct fake_machine fake;
struct machine machine;
struct platform platform;

static struct page_list fixed;
static struct footprint home, was[2], *left = &was[1];

static void ignore_warning(void *ctx, const char *text)
{
}

const struct warnings notices = { ignore_warning, NULL };

size_t fake_page_of(uint64_t phys)
{
    assert_in_range(phys, FAKE_BASE, FAKE_BASE + fake.size.pages * PAGE_SIZE - 1);
    return (phys - FAKE_BASE) / PAGE_SIZE;
}

static uint64_t phys_of(size_t page)
{
    return FAKE_BASE + page * PAGE_SIZE;
}

/* --- memory of okram's own ------------------------------------------------------------------- */

void *arena_alloc(uint64_t bytes)
{
    return calloc(1, bytes);
}

const struct page_list *arena_fixed(void)
{
    return &fixed;
}

const struct footprint *arena_footprint(void)
{
    return &home;
}

size_t footprint_runs(void)
{
    return RUNS_MAX;
}

void footprint_make(struct footprint *ret)
{
    page_list_init(&ret->data, arena_alloc(RUNS_MAX * sizeof(struct place_run)), RUNS_MAX);
    page_list_init(&ret->tables, arena_alloc(RUNS_MAX * sizeof(struct place_run)), RUNS_MAX);
}

static void set_place(struct footprint *place, size_t first)
{
    page_list_clear(&place->data);
    page_list_clear(&place->tables);
    page_list_add(&place->data,
                  (struct span){ phys_of(first), (fake.size.okram - TABLE_PAGES) * PAGE_SIZE });
    page_list_add(&place->tables, (struct span){ phys_of(first + fake.size.okram - TABLE_PAGES),
                                                 TABLE_PAGES * PAGE_SIZE });
}

bool fake_is_home(size_t page)
{
    return footprint_holds(&home, phys_of(page));
}

bool fake_was_home(size_t page)
{
    return page - fake.home[0] < fake.size.okram;
}

/* --- moves ----------------------------------------------------------------------------------- */

static bool is_free(size_t page, const struct footprint *const *avoid, size_t n, bool not_unpaired)
{
    for (size_t i = 0; i < n; i++) {
        if (footprint_holds(avoid[i], phys_of(page)))
            return false;
    }
    return !fake_is_home(page) &&
           !(not_unpaired && unpaired_has_page(&fake.run.unpaired, phys_of(page)));
}

/* The next place after okram's. */
static enum status find_place(const struct footprint *const *avoid, size_t n, struct footprint *ret)
{
    for (int not_unpaired = 1; not_unpaired >= 0; not_unpaired--) {
        for (size_t i = 0, run = 0; i < 2 * fake.size.pages; i++) {
            size_t page = (fake.home[fake.n_moves] + i) % fake.size.pages;

            run = page && is_free(page, avoid, n, not_unpaired) ? run + 1 : 0;
            if (run < fake.size.okram)
                continue;
            set_place(ret, page + 1 - fake.size.okram);
            return STATUS_OK;
        }
    }
    return STATUS_NOT_FOUND;
}

/* A move takes the main part, as it is. */
static void assert_main(const struct shares *shares)
{
    assert_int_equal(spans_bytes(&shares->tested), (fake.size.pages - fake.size.okram) * PAGE_SIZE);
    for (size_t i = 0; i < shares->tested.n; i++) {
        struct span s = shares->tested.span[i];

        for (uint64_t at = s.base; at < span_end(s); at += PAGE_SIZE)
            assert_false(fake_is_home(fake_page_of(at)));
    }
}

static enum status move(const struct shares *shares, const struct footprint *to)
{
    assert_main(shares);
    assert_false(fake.has_new_loss);
    fake.us += fake.move_us;
    if (fake.n_tries++ - fake.first_bad_try < fake.n_bad_tries)
        return STATUS_NOT_FOUND;
    left = left == &was[0] ? &was[1] : &was[0];
    footprint_copy(left, &home);
    fake_content_lost(&home);
    footprint_copy(&home, to);
    fake_content_lost(&home);
    assert_true(fake.n_moves + 1 < FAKE_MOVES_MAX);
    fake.home[++fake.n_moves] = fake_page_of(page_list_span(&home.data, 0).base);
    return STATUS_OK;
}

enum status move_away(struct mover mover, const struct footprint *avoid,
                      const struct footprint **ret_left)
{
    struct footprint to;
    enum status status;

    footprint_make(&to);
    status = find_place(&avoid, avoid ? 1 : 0, &to);
    if (status == STATUS_OK)
        status = move(mover.shares, &to);
    if (status == STATUS_OK)
        *ret_left = left;
    return status;
}

enum status move_choose(struct mover mover, const struct footprint *const *avoid, size_t n,
                        struct footprint *ret)
{
    assert_main(mover.shares);
    if (!fake.n_choices)
        return STATUS_NOT_FOUND;
    fake.n_choices--;
    return find_place(avoid, n, ret);
}

enum status move_to(struct mover mover, const struct footprint *place,
                    const struct footprint **ret_left)
{
    enum status status = move(mover.shares, place);

    if (status == STATUS_OK)
        *ret_left = left;
    return status;
}

/* --- what no march sweeps -------------------------------------------------------------------- */

void displacement_run(const struct run *run, const struct spans *swept)
{
    fake.n_displaced++;
}

void displacement_before_pause(const struct run *run, const struct spans *swept)
{
    fake.n_displaced_pauses++;
}

void block_moving_run(struct run *run, const struct data *data, struct test_place place)
{
    fail();
}

void hammering_run(struct run *run, const struct data *data, struct test_place place,
                   struct hammered *ret)
{
    fake.us += run->selection.hammer_s * UINT64_C(1000000);
    ret->bytes += PAGE_SIZE;
}

void page_search_run(const struct data *data, struct test_place place)
{
}

/* --- what happens meanwhile ------------------------------------------------------------------ */

bool stop_is_requested(void)
{
    return fake.stopped;
}

bool blame_has_internal_error(void)
{
    return fake.has_internal_error;
}

bool cpu_pool_has_new_losses(void)
{
    return fake.has_new_loss;
}

bool cpu_pool_has_lost(uint32_t cpu)
{
    return cpu == 1 && (fake.has_lost || fake.has_new_loss);
}

void cpu_pool_acknowledge_lost(void)
{
    fake.has_lost |= fake.has_new_loss;
    fake.has_new_loss = false;
}

uint32_t saving_busy_cpu(void)
{
    return fake.busy_cpu;
}

void saving_wait(struct saver *saver, const struct cpu_poll *poll)
{
    fake.busy_cpu = 0;
}

void saving_when_due(struct saver *saver, const struct cpu_poll *poll)
{
}

void upkeep_full(struct fault_log *log)
{
}

static void do_nothing(void *ctx)
{
}

uint64_t tsc_elapsed_us(void)
{
    return fake.us;
}

void tsc_wait_us(uint64_t us)
{
    fake.us += us;
}

/* --- what is said of it ---------------------------------------------------------------------- */

void events_send(struct event *event)
{
    assert_int_equal(event->type, EVENT_TEST);
    assert_true(fake.n_sent < FAKE_SEND_MAX);
    fake.sent[fake.n_sent++] = (struct fake_test){ event->test.test, event->test.swept_bytes };
}

void progress_pass(uint64_t bytes, struct time_left_pass pass)
{
    fake.promised += bytes;
}

void progress_add_repeat(uint64_t bytes)
{
    fake.promised += bytes;
}

uint64_t progress_total_swept(void)
{
    return fake.swept;
}

void progress_phase(const char *phase, uint32_t pass, const char *test, uint32_t index, uint32_t n)
{
}

void progress_test(double cost, uint64_t bytes)
{
}

void progress_waited(uint64_t us)
{
}

void progress_send(const struct run *run)
{
}

void fault_emit_aliases(struct run *run, struct test_place place)
{
}

void fault_emit_external(struct run *run, bool (*wait)(void *run, uint64_t us))
{
}

void fault_emit_own_aliases(struct run *run, uint32_t pass)
{
}

void reporter_log_word(struct run *run, struct external_place place, uint64_t phys,
                       uint64_t expected, uint64_t found)
{
    fake.n_words++;
    fake.word_place = place;
    fake.word = phys;
}

const struct ecc_count *ecc_so_far(void)
{
    return &fake.ecc;
}

void kind_emit_pass(const struct run *run, const struct run_done *done)
{
}

void own_aliases_all_known(void)
{
}

bool selection_is_strongest_coupling_test(const struct selection *selection,
                                          const struct test *test)
{
    uint32_t most = tests_most_pairs(&selection->tests);

    return most && test->pairs == most;
}

size_t error_sources_count(void)
{
    return 0;
}

size_t error_source_spans(size_t source, struct span ret[ERROR_SOURCE_SPANS])
{
    return 0;
}

/* --- a run ----------------------------------------------------------------------------------- */

static void make_machine(void)
{
    static uint32_t online[FAKE_CPUS_MAX], cpu_node[FAKE_CPUS_MAX];
    const struct memory_region region = { .span = { FAKE_BASE, fake.size.pages * PAGE_SIZE },
                                          .kind = BOOT_REGION_USABLE };

    for (uint32_t i = 0; i < fake.size.cpus; i++)
        online[i] = i;
    machine.online = online;
    machine.n_online = fake.size.cpus;
    machine.cpu_node = cpu_node;
    machine.map.region[0] = region;
    machine.map.n_regions = 1;
    machine.nodes.n_nodes = machine.nodes.n_spans = 1;
    machine.nodes.node[0] =
        (struct node){ .ram_bytes = region.span.size, .first_span = 0, .n_spans = 1 };
    machine.nodes.span[0] = region.span;
}

static uint64_t phys_of_log(const void *at)
{
    return 0;
}

static void make_log(void)
{
    static struct page_extent extent[1];
    static struct page_index space;
    struct fault_log_memory memory = { .phys_of = phys_of_log };

    assert_int_equal(page_index_init(&space, extent, 1, &machine.map.region[0].span, 1), STATUS_OK);
    memory.copy[0] = aligned_alloc(PAGE_SIZE, fault_log_copy_bytes(&space));
    fault_log_init(&fake.run.found.log, &space, &memory);
}

void fake_start(const char *tests)
{
    struct test_word bad;

    fake.stop_at_element = fake.lose_at_element = fake.first_bad_try = FAKE_NEVER;
    fake.n_choices = FAKE_NEVER;
    fake.home[0] = 40;
    if (!fake.size.pages)
        fake.size = (struct fake_size){ FAKE_PAGES, FAKE_OKRAM, 2 };
    fake_content_lost(NULL);
    make_machine();
    make_log();
    footprint_make(&home);
    footprint_make(&was[0]);
    footprint_make(&was[1]);
    set_place(&home, fake.home[0]);
    options_set_defaults(&fake.run.options);
    assert_int_equal(tests_select(tests, "", &fake.run.selection.tests, &bad), STATUS_OK);
    fake.run.poll.due = do_nothing;
    plan_make(&fake.run.plan, &fake.run.options);
}

void fake_begin(const char *tests)
{
    fake_start(tests);
    plan_allocate(&fake.run.plan);
    share_prepare(&fake.run.shares, &fake.run.plan, &fake.run.found);
    tested_prepare(&fake.run.tested, &fake.run.plan);
    unpaired_prepare(&fake.run.unpaired, &fake.run.plan);
    passes_prepare();
    share_main(&fake.run.shares);
}

struct run_done fake_run(uint32_t passes)
{
    return fake_run_until(passes, 0);
}

struct run_done fake_run_until(uint32_t passes, uint32_t failed)
{
    struct run_done done = passes_run(&fake.run, (struct pass_limits){ passes, failed }, 1);

    assert_main(&fake.run.shares);
    return done;
}

/* Reports by an abort, so that the child is seen to have failed. */
static int run_child(void (*scenario)(void))
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (!child) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        scenario();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

void fake_machine_run(void (*scenario)(void))
{
    assert_int_equal(run_child(scenario), 0);
}

void fake_machine_panics(void (*scenario)(void))
{
    assert_true(WIFSIGNALED(run_child(scenario)));
}
