// SPDX-License-Identifier: MIT
#include "verdict/kind_emit.h"

#include "ecc/ecc.h"
#include "faults/channels.h"
#include "faults/cpu_evidence.h"
#include "faults/rows_emit.h"
#include "event/events.h"
#include "kind/kind.h"
#include "kind/kind_channel.h"
#include "kind/kind_lanes.h"
#include "verdict/geometry_emit.h"
#include "machine/inventory.h"
#include "machine/board.h"
#include "machine/machine.h"

#define CHIP_SIZE    160
#define PICTURE_SIZE 40

static struct kind_work work;
static struct fault records[FAULT_RECORDS], sample[FAULT_SAMPLE_MAX];
static uint64_t faults_sent;

static void list_tests(const struct run *run, struct kind_test *ret, uint32_t passes)
{
    const struct test_list *tests = &run->selection.tests;

    for (size_t i = 0; i < tests->n_tests; i++) {
        const struct test *test = &tests->test[i];

        ret[i] = (struct kind_test){
            .ran = passes != 0,
            .faults = fault_log_test_faults(&run->found.log, (uint32_t)i),
            .waits = test_longest_pause_ms(test) != 0,
            .hammers = test->kind == TEST_HAMMER,
        };
    }
}

static void send(const struct kind_verdict *v)
{
    char chip[CHIP_SIZE] = "", picture[PICTURE_SIZE] = "";
    struct fmt_buffer c = fmt_buffer_make(chip, sizeof(chip));
    struct fmt_buffer p = fmt_buffer_make(picture, sizeof(picture));
    unsigned chip_bits = modules_chip_bits(&inventory_get()->modules);
    bool is_cpu = v->cause.is_known && v->cause.cause == KIND_CAUSE_CPU; /* where is no matter */

    if (kind_bus_has_lanes(board.slots)) {
        kind_chip_append(&c, &v->lane, chip_bits);
        kind_chip_append_picture(&p, &v->lane, chip_bits);
    }
    events_send(
        &(struct event){ .type = EVENT_KIND,
                         .kind = { .verdict = v,
                                   .chip = chip,
                                   .picture = picture,
                                   .channels = is_cpu ? "" : channels_with_words(&work.words),
                                   .modules = is_cpu ? NULL : channels_modules(&work.words) } });
}

static bool all_of_node(const struct fault *fault, size_t n, uint32_t domain)
{
    bool all = true;

    for (size_t i = 0; i < n; i++)
        all &= fault[i].node == domain;
    return all;
}

/* A map is of one node's memory. */
static const struct row_map *map_of_all(const struct kind_input *in)
{
    for (uint32_t node = 0; node < machine.nodes.n_nodes; node++) {
        uint32_t domain = machine.nodes.node[node].domain;

        if (rows_of_node(node) && !rows_of_node(node)->map.part.size &&
            all_of_node(in->record, in->n_records, domain) &&
            all_of_node(in->sample, in->n_sample, domain))
            return &rows_of_node(node)->map;
    }
    return NULL;
}

const struct modules_with_words *kind_emit_modules(void)
{
    return channels_modules(&work.words);
}

/* Pages that share cells are no question of CPUs. */
static void find_cause(const struct kind_input *of, struct kind_cause_verdict *ret)
{
    struct kind_cpu_input in = {
        .record = of->record,
        .n_records = of->n_records,
        .sample = of->sample,
        .n_sample = of->n_sample,
        .retest = of->retest,
        .n_retests = of->n_retests,
        .ecc_errors = ecc_so_far()->corrected + ecc_so_far()->uncorrected,
        .board = { of->map, of->map_below, channels_given(), of->bus_bits },
    };

    if (!of->alias_pages)
        cpu_evidence_find(&in, ret);
}

static void find(const struct run *run, const struct run_done *done,
                 const struct page_retest *pages, size_t n, struct kind_verdict *ret_verdict)
{
    const struct found *found = &run->found;
    struct kind_test tests[TEST_LIST_MAX];
    struct kind_input input = {
        .record = records,
        .n_records = fault_log_list(&found->log, records),
        .sample = sample,
        .n_sample = fault_sample_list(&found->sample, sample),
        .n_faults = fault_log_faults(&found->log),
        .n_bad_pages = fault_log_bad_pages(&found->log),
        .test = tests,
        .n_tests = run->selection.tests.n_tests,
        .reads = { .tests = &run->selection.tests, .seed = done->seed, .whole = done->whole },
        .retest = pages,
        .n_retests = n,
        .low_is_scanned = run->plan.tolerate_low_changes,
        .is_encrypted = external_is_encrypted(&found->external),
        .bus_bits = kind_bus_bits(board.slots),
    };
    struct alias alias;

    list_tests(run, tests, done->passes);
    input.rows = map_of_all(&input);
    input.map = channels_confirmed_map(&input.map_below);
    if (aliases_largest(&found->aliases, &alias)) {
        input.alias_pages = alias.pages;
        input.alias_bits = alias.various ? 0 : alias.address_bits;
    }
    geometry_emit(run);
    kind_find(&work, &input, ret_verdict);
    find_cause(&input, &ret_verdict->cause);
    kind_take_cause(ret_verdict);
    faults_sent = input.n_faults + input.n_bad_pages;
    if (ret_verdict->kind != KIND_NONE)
        send(ret_verdict);
    else if (ret_verdict->cause.is_known)
        send(&(struct kind_verdict){
            .kind = KIND_UNCLEAR, .cause = ret_verdict->cause, .evidence = "no fault was found" });
}

uint32_t kind_emit_suspects(enum diagnosis_suspicion *ret)
{
    return channels_suspects(&work.words, ret);
}

void kind_emit_pass(const struct run *run, const struct run_done *done)
{
    const struct fault_log *log = &run->found.log;
    struct kind_verdict verdict;

    if (fault_log_faults(log) + fault_log_bad_pages(log) != faults_sent)
        find(run, done, NULL, 0, &verdict);
}

void kind_emit_panic(const struct run *run, bool is_flipped, struct kind_verdict *ret_verdict)
{
    cpu_evidence_panic(is_flipped);
    find(run, &(struct run_done){ 0 }, NULL, 0, ret_verdict);
}

void kind_emit_final(const struct run *run, const struct run_done *done,
                     const struct page_retest *pages, size_t n, struct kind_verdict *ret_verdict)
{
    find(run, done, pages, n, ret_verdict);
}
