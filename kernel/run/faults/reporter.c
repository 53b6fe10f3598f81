// SPDX-License-Identifier: MIT
#include "faults/reporter.h"

#include "faults/cpu_evidence.h"
#include "machine/machine.h"

#define LINE_WORDS (sizeof(struct line) / sizeof(uint64_t))

/* Whether the word is from an alias that is already known, and so not a fault of phys. */
static bool is_known_alias(const struct reporter *r, uint64_t phys, uint64_t expected,
                           uint64_t found)
{
    const struct data *data = r->data;
    uint64_t flip = expected ^ data_word(data, phys);

    return data->kind == DATA_ADDRESS &&
           !aliases_add(&r->run->found.aliases, phys,
                        data_address_of(data, phys / 8 % 8, found ^ flip));
}

static struct fault details_of(const struct reporter *r, uint64_t phys, uint64_t expected,
                               uint64_t found)
{
    return (struct fault){
        .addr = phys,
        .expected = expected,
        .found = found,
        .test = r->tally.test,
        .pass = r->pass,
        .cpu = r->cpu,
        .writer = cpu_evidence_writer(phys, r->cpu),
        .node = machine.nodes.node[nodes_of_address(&machine.nodes, phys)].domain,
        .heat = atomic_load_explicit(&r->run->heating.now, memory_order_relaxed),
    };
}

/* Of each page the first fault is for the sample, of the run the first are for the log. */
static void keep_details(struct reporter *r, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct found *so_far = &r->run->found;
    bool is_new = !fault_tally_has_marked(&r->tally, phys) && !fault_log_is_bad(&so_far->log, phys);
    struct fault fault;

    r->counts_only = r->counts_only || !fault_log_has_room(&so_far->log);
    if (r->counts_only && !is_new)
        return;
    fault = details_of(r, phys, expected, found);
    if (is_new && !r->counts_only)
        fault.again = cpu_evidence_read_again(r->cpu, &fault);
    if (is_new)
        fault_sample_add(&so_far->sample, &fault);
    if (!r->counts_only)
        fault_log_add_record(&so_far->log, &fault);
}

static struct external_place place_of(const struct reporter *r)
{
    return (struct external_place){ .test = r->tally.test, .pass = r->pass, .cpu = r->cpu };
}

/* Whether it is in memory that firmware may write to, and so not a fault yet. */
static bool tolerates_low_change(const struct reporter *r, uint64_t phys, uint64_t expected,
                                 uint64_t found)
{
    if (!r->run->plan.tolerate_low_changes || phys >= PLAN_LOW_END || r->is_judged ||
        fault_log_is_bad(&r->run->found.log, phys))
        return false;
    low_memory_add(&r->run->found.low, &(struct low_change){ phys, expected, found, place_of(r) });
    return true;
}

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct reporter *r = ctx;

    if (r->data && is_known_alias(r, phys, expected, found))
        return;
    if (tolerates_low_change(r, phys, expected, found))
        return;
    keep_details(r, phys, expected, found);
    fault_log_tally(&r->run->found.log, &r->tally, phys, expected ^ found);
}

static bool is_known_bad(const struct reporter *r, uint64_t phys)
{
    return fault_tally_has_marked(&r->tally, phys) || fault_log_is_bad(&r->run->found.log, phys);
}

/* Whether a device or firmware may have written the line: then it is tested again later. */
static bool may_be_external(const struct reporter *r, uint64_t phys, bool complement,
                            const struct line *diff)
{
    struct external *external = &r->run->found.external;
    bool looks = external_wants_look(external), is_known;
    struct line expected, found, again;
    struct wrong_line wrong = { phys, &expected, &found, &again };

    if (!r->data || phys < PLAN_LOW_END)
        return false;
    is_known = is_known_bad(r, phys);
    if (is_known && !looks)
        return false;
    for (size_t i = 0; i < LINE_WORDS; i++) {
        expected.word[i] =
            data_word(r->data, phys + i * sizeof(uint64_t)) ^ (complement ? ~UINT64_C(0) : 0);
        found.word[i] = expected.word[i] ^ diff->word[i];
    }
    again = cpu_evidence_read_line(phys);
    if (looks)
        external_look(external, &wrong);
    return !is_known && external_add(external, &wrong, place_of(r));
}

/* If a whole page is bad, most of its lines are only counted. */
static bool on_bad_line(void *ctx, uint64_t phys, bool complement, const struct line *diff)
{
    struct reporter *r = ctx;

    if (may_be_external(r, phys, complement, diff))
        return true;
    if (!r->counts_only || (r->data && r->data->kind == DATA_ADDRESS) ||
        !fault_tally_has_marked(&r->tally, phys))
        return false;
    for (size_t i = 0; i < LINE_WORDS; i++) {
        r->tally.n += diff->word[i] != 0;
        r->tally.wrong_bits |= diff->word[i];
    }
    return true;
}

struct reporter reporter_make(struct run *run, struct test_place place, const struct data *data,
                              uint32_t cpu)
{
    return (struct reporter){
        .run = run,
        .data = data,
        .pass = place.pass,
        .cpu = cpu,
        .tally = { .test = place.test },
    };
}

void reporter_log_line(struct run *run, const struct external_line *line)
{
    struct reporter r = {
        .run = run,
        .pass = line->place.pass,
        .cpu = line->place.cpu,
        .tally = { .test = line->place.test },
    };

    for (size_t i = 0; i < LINE_WORDS; i++) {
        if (line->expected.word[i] != line->found.word[i])
            report(&r, line->phys + i * sizeof(uint64_t), line->expected.word[i],
                   line->found.word[i]);
    }
    reporter_flush(&r);
}

void reporter_log_word(struct run *run, struct external_place place, uint64_t phys,
                       uint64_t expected, uint64_t found)
{
    struct reporter r = {
        .run = run,
        .pass = place.pass,
        .cpu = place.cpu,
        .is_judged = true,
        .tally = { .test = place.test },
    };

    report(&r, phys, expected, found);
    reporter_flush(&r);
}

void reporter_flush(struct reporter *reporter)
{
    fault_log_add_tally(&reporter->run->found.log, &reporter->tally);
}

struct sweep reporter_sweep(struct reporter *reporter)
{
    return (struct sweep){
        .ops = selection_ops(&reporter->run->selection, reporter->tally.test),
        .has_clflushopt = machine.cpu.clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = report, .ctx = reporter, .on_bad_line = on_bad_line },
    };
}
