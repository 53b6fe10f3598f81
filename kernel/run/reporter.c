// SPDX-License-Identifier: MIT
#include "run/reporter.h"

#include "machine/machine.h"
#include "plan/plan.h"
#include "run/selection.h"

/* Whether it is an alias of another line of RAM that is known already, and so no fault of phys. */
static bool is_known_alias(const struct data *data, uint64_t phys, uint64_t expected,
                           uint64_t found)
{
    uint64_t flip = expected ^ data_word(data, phys);

    return data->kind == DATA_ADDRESS &&
           !aliases_add(&aliases, phys, data_address_of(data, phys / 8 % 8, found ^ flip));
}

static void keep_details(const struct reporter *r, uint64_t phys, uint64_t expected, uint64_t found)
{
    fault_log_add_record(
        &fault_log, &(struct fault){
                        .addr = phys,
                        .expected = expected,
                        .found = found,
                        .test = r->tally.test,
                        .pass = r->pass,
                        .cpu = r->cpu,
                        .node = machine.nodes.node[nodes_of_address(&machine.nodes, phys)].domain,
                    });
}

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    struct reporter *r = ctx;

    if (r->data && is_known_alias(r->data, phys, expected, found))
        return;
    r->counts_only = r->counts_only || !fault_log_has_room(&fault_log);
    if (!r->counts_only)
        keep_details(r, phys, expected, found);
    fault_log_tally(&fault_log, &r->tally, phys, expected ^ found);
}

/* Where all of a page is bad, what is left to do for most of its lines is to count. */
static bool take_line(void *ctx, uint64_t phys, const struct line *diff)
{
    struct reporter *r = ctx;

    if (!r->counts_only || (r->data && r->data->kind == DATA_ADDRESS) ||
        !fault_tally_has_marked(&r->tally, phys))
        return false;
    for (size_t i = 0; i < sizeof(diff->word) / sizeof(diff->word[0]); i++) {
        r->tally.n += diff->word[i] != 0;
        r->tally.wrong_bits |= diff->word[i];
    }
    return true;
}

struct reporter reporter_make(struct test_place place, const struct data *data, uint32_t cpu)
{
    return (struct reporter){
        .data = data,
        .pass = place.pass,
        .cpu = cpu,
        .tally = { .test = place.test },
    };
}

void reporter_settle(struct reporter *reporter)
{
    fault_log_add_tally(&fault_log, &reporter->tally);
}

struct sweep reporter_sweep(struct reporter *reporter)
{
    return (struct sweep){
        .ops = selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = report, .ctx = reporter, .take_line = take_line },
    };
}
