// SPDX-License-Identifier: MIT
#include "testing/fake_machine.h"

#include <sys/wait.h>
#include <unistd.h>

#include "arch/panic.h"
#include "arch/tsc.h"
#include "controller/controllers.h"
#include "faults/cpu_evidence.h"
#include "facts/heating.h"
#include "machine/board.h"
#include "machine/error_sources.h"
#include "machine/platform.h"
#include "self/self_check.h"
#include "self/move.h"
#include "self/new_place.h"
#include "self/own_aliases.h"
#include "self/probe.h"
#include "saver/saving.h"
#include "stick/stick.h"
#include "testing/element.h"
#include "testing/displacement.h"
#include "testing/hammering.h"
#include "testing/page_search.h"
#include "testing/passes.h"
#include "verdict/kind_emit.h"

#define TABLE_PAGES 2
#define RUNS_MAX    16

struct fake_machine fake;
struct machine machine;
struct board board;

/* CPUs that are all the same. */
void cpu_evidence_check(void)
{
}

void cpu_evidence_swept(uint32_t cpu, struct span slice, uint32_t n_ops, bool writes)
{
}

uint16_t cpu_evidence_writer(uint64_t phys, uint32_t cpu)
{
    return (uint16_t)cpu;
}

struct line cpu_evidence_read_line(uint64_t phys)
{
    return *share_slice((struct span){ phys, sizeof(struct line) }).virt;
}

enum fault_again cpu_evidence_read_again(uint32_t cpu, const struct fault *fault)
{
    return FAULT_AGAIN_UNKNOWN;
}

/* Memory controllers that nobody knows. */
const struct controllers *controllers_get(void)
{
    static const struct controllers none = { .decoded.unknown = "played" };

    return &none;
}
struct platform platform;

static struct footprint home, was[2], *left = &was[1];
static struct groups groups;

/* A function that does this, and nothing else. */
#define FAKE(type, name, does, ...)                                                                \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        does;                                                                                      \
    }

size_t fake_page_of(uint64_t phys)
{
    assert_in_range(phys, FAKE_BASE, FAKE_BASE + fake.size.pages * PAGE_SIZE - 1);
    return (phys - FAKE_BASE) / PAGE_SIZE;
}

static uint64_t phys_of(size_t page)
{
    return FAKE_BASE + page * PAGE_SIZE;
}

/* --- memory of okram's own, and its moves ---------------------------------------------------- */

FAKE(void *, arena_alloc,
     return memset(aligned_alloc(PAGE_SIZE, align_up(bytes, PAGE_SIZE)), 0, bytes), uint64_t bytes)
FAKE(const struct page_list *, arena_fixed, static struct page_list none; return &none, void)
FAKE(const struct footprint *, arena_footprint, return &home, void)
FAKE(size_t, footprint_runs, return RUNS_MAX, void)
FAKE(const struct groups *, arena_groups, return &groups, void)
FAKE(size_t, probe_and_log, return 0, struct fault_log *log, struct span pages)
FAKE(uint64_t, own_aliases_guard_span, return 0, const struct shares *shares, struct span s,
     const struct cpu_poll *poll)
FAKE(uint64_t, own_aliases_find_of, return 0, const struct shares *shares,
     const struct footprint *to, const struct cpu_poll *poll)

void footprint_make(struct footprint *ret)
{
    page_list_init(&ret->data, arena_alloc(RUNS_MAX * sizeof(struct place_run)), RUNS_MAX);
    page_list_init(&ret->tables, arena_alloc(RUNS_MAX * sizeof(struct place_run)), RUNS_MAX);
}

static void set_place(struct footprint *place, size_t first)
{
    size_t n = fake.size.okram - TABLE_PAGES;

    page_list_clear(&place->data);
    page_list_clear(&place->tables);
    page_list_add(&place->data, (struct span){ phys_of(first), n * PAGE_SIZE });
    page_list_add(&place->tables, (struct span){ phys_of(first + n), TABLE_PAGES * PAGE_SIZE });
}

bool fake_is_home(size_t page)
{
    return footprint_holds(&home, phys_of(page));
}

/* A move takes the main part, as it is. */
static void assert_main(const struct shares *shares)
{
    for (size_t page = 0; page < fake.size.pages; page++)
        assert_int_equal(
            spans_first_in(&shares->tested, (struct span){ phys_of(page), PAGE_SIZE }).size,
            fake_is_home(page) ? 0 : PAGE_SIZE);
}

enum status move_choose(struct mover mover, const struct footprint *const *avoid, size_t n,
                        struct footprint *ret)
{
    struct new_place_request request = { mover.shares, mover.unpaired, mover.poll, .avoid = avoid,
                                         .n_avoid = n };

    assert_main(mover.shares);
    if (!fake.n_choices)
        return STATUS_NOT_FOUND;
    fake.n_choices--;
    new_place_begin();
    return new_place_find(&home, request, ret);
}

enum status move_to(struct mover mover, const struct footprint *to,
                    const struct footprint **ret_left)
{
    assert_main(mover.shares);
    assert_false(fake.has_new_loss);
    fake.us += fake.move_us;
    if (fake.n_tries++ - fake.first_bad_try < fake.n_bad_tries)
        return STATUS_NOT_FOUND;
    *ret_left = left = left == &was[0] ? &was[1] : &was[0];
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
    uint32_t n_choices = fake.n_choices;
    struct footprint to;
    enum status status;

    footprint_make(&to);
    fake.n_choices = FAKE_NEVER;
    status = move_choose(mover, &avoid, avoid ? 1 : 0, &to);
    fake.n_choices = n_choices;
    return status == STATUS_OK ? move_to(mover, &to, ret_left) : status;
}

/* --- what else is done ----------------------------------------------------------------------- */

FAKE(void, displacement_run, fake.n_displaced++, const struct run *run, const struct spans *swept)
FAKE(void, displacement_before_pause, fake.n_displaced_pauses++, const struct run *run,
     const struct spans *swept)
FAKE(void, block_moving_run, fail(), struct run *run, const struct data *data,
     struct test_place place)
FAKE(void, page_search_run, , const struct data *data, struct test_place place)

void hammering_run(struct run *run, const struct data *data, struct test_place place,
                   struct hammered *ret)
{
    fake.us += run->selection.hammer_s * UINT64_C(1000000);
    ret->bytes += PAGE_SIZE;
}

FAKE(bool, self_check_has_internal_error, return fake.has_internal_error, void)
FAKE(bool, cpu_pool_has_new_losses, return fake.has_new_loss, void)
FAKE(bool, cpu_pool_has_lost, return cpu == 1 && (fake.has_lost || fake.has_new_loss), uint32_t cpu)
FAKE(void, cpu_pool_acknowledge_lost, fake.has_lost |= fake.has_new_loss;
     fake.has_new_loss = false, void)
FAKE(uint32_t, saving_busy_cpu, return fake.busy_cpu, void)
FAKE(void, saving_wait, fake.busy_cpu = 0, struct saver *saver, const struct cpu_poll *poll)
FAKE(void, saving_when_due, , struct saver *saver, const struct run *run)
FAKE(bool, heating_wants, return fake.n_heats && fake.n_heats--, struct run *run)
FAKE(void, heating_wait, , struct run *run)
FAKE(void, stick_when_due, , struct stick *stick, const struct cpu_poll *poll)
FAKE(void, self_check_all, , struct fault_log *log)
FAKE(uint64_t, tsc_elapsed_us, return fake.us, void)
FAKE(uint64_t, tsc_from_us, return us, uint64_t us)
FAKE(void, tsc_wait_us, fake.us += us, uint64_t us)
FAKE(void, kind_emit_pass, , const struct run *run, const struct run_done *done)
FAKE(void, own_aliases_all_known, , void)
FAKE(bool, own_aliases_are_guarded, return fake.hold_at_element == FAKE_NEVER, void)
FAKE(size_t, error_sources_count, return 0, void)
FAKE(size_t, error_source_spans, return 0, size_t source, struct span ret[ERROR_SOURCE_SPANS])
static FAKE(void, do_nothing, , void *ctx) static FAKE(uint64_t, phys_of_log, return 0,
                                                       const void *at)

    /* --- a run -----------------------------------------------------------------------------------
     */

    static void receive(void *ctx, const struct event *e)
{
    if (e->type == EVENT_PROGRESS)
        fake.progress = e->progress;
    if (e->type == EVENT_ALIAS && fake.alias_sent_at == FAKE_NEVER)
        fake.alias_sent_at = fake.n_elements;
    if (e->type != EVENT_TEST)
        return;
    assert_true(fake.n_sent < FAKE_SEND_MAX);
    fake.sent[fake.n_sent++] = (struct fake_test){ e->test.test, e->test.swept_bytes };
}

static void make_machine(void)
{
    static uint32_t online[FAKE_CPUS_MAX], cpu_node[FAKE_CPUS_MAX];
    const struct memory_region region = { .span = { FAKE_BASE, fake.size.pages * PAGE_SIZE },
                                          .kind = BOOT_REGION_USABLE };

    for (uint32_t i = 0; i < fake.size.cpus; i++)
        online[i] = i;
    machine = (struct machine){ .online = online,
                                .n_online = fake.size.cpus,
                                .n_cpus = fake.size.cpus,
                                .cpu_node = cpu_node,
                                .map = { .region[0] = region, .n_regions = 1 },
                                .nodes = { .n_nodes = 1, .n_spans = 1 } };
    machine.nodes.node[0] = (struct node){ .ram_bytes = region.span.size, .n_spans = 1 };
    machine.nodes.span[0] = region.span;
}

static void make_log(struct found *found)
{
    static struct external_line line[EXTERNAL_LINES];
    static struct page_extent extent[1];
    static struct page_index space;
    struct fault_log_memory memory = { .phys_of = phys_of_log };

    assert_int_equal(page_index_init(&space, extent, 1, &machine.map.region[0].span, 1), STATUS_OK);
    memory.copy[0] = arena_alloc(fault_log_copy_bytes(&space));
    fault_log_init(&found->log, &space, &memory);
    aliases_init(&found->aliases, &found->log, arena_alloc(aliases_bitmap_bytes(&space)));
    external_init(&found->external, line, phys_of(fake.size.pages));
}

bool panic_in_progress(void)
{
    return false;
}

void fake_start(const char *tests)
{
    struct test_word bad;

    fake.skip_at_element = fake.stop_at_element = fake.lose_at_element = fake.first_bad_try =
        fake.alias_at_element = fake.hold_at_element = fake.alias_sent_at = FAKE_NEVER;
    fake.n_choices = FAKE_NEVER;
    fake.home[0] = 40;
    if (!fake.size.pages)
        fake.size = (struct fake_size){ FAKE_PAGES, FAKE_OKRAM, 2 };
    fake_content_lost(NULL);
    make_machine();
    make_log(&fake.run.found);
    footprint_make(&home);
    footprint_make(&was[0]);
    footprint_make(&was[1]);
    set_place(&home, fake.home[0]);
    for (enum group group = 0; group < GROUPS; group++)
        groups_add(&groups, group, group ? PAGE_SIZE : home.data.bytes - (GROUPS - 1) * PAGE_SIZE);
    fake.run.poll.due = do_nothing;
    options_set_defaults(&fake.run.options);
    assert_int_equal(tests_select(tests, "", &fake.run.selection.tests, &bad), STATUS_OK);
    plan_make(&fake.run.plan, &fake.run.options);
    events_send_to(receive, NULL, true);
    progress_begin(&fake.run.options, machine.n_cpus);
}

void fake_begin(const char *tests)
{
    struct run *run = &fake.run;

    fake_start(tests);
    plan_allocate(&run->plan);
    share_prepare(&run->shares, &run->plan, &run->found);
    tested_prepare(&run->tested, &run->plan);
    unpaired_prepare(&run->unpaired, &run->plan);
    passes_prepare(machine.n_cpus);
    new_place_prepare(&run->plan);
    share_main(&run->shares);
}

struct run_done fake_run_until(uint32_t passes, uint32_t failed)
{
    struct run_done done = passes_run(&fake.run, (struct pass_limits){ passes, failed }, 1);

    assert_main(&fake.run.shares);
    progress_end(&fake.run);
    return done;
}

void fake_assert_promised(void)
{
    assert_true(fake.progress.pass_total_bytes > 0);
    assert_int_equal(fake.progress.pass_done_bytes, fake.progress.pass_total_bytes);
}

/* Reports by an abort, so that the child is seen to have failed. */
void fake_machine_run(void (*scenario)(void))
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
    assert_int_equal(status, 0);
}
