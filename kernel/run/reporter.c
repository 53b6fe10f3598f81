#include "run/reporter.h"

#include "run/machine.h"
#include "run/plan.h"

/* Whether it is an alias of another line of RAM that is known already, and so no fault of phys. */
static bool is_known_alias(const struct data *data, uint64_t phys, uint64_t expected,
                           uint64_t found)
{
    uint64_t flip = expected ^ data_word(data, phys);

    return data->kind == DATA_ADDRESS &&
           !aliases_add(&aliases, phys, data_address_of(data, phys / 8 % 8, found ^ flip));
}

static void report(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    const struct reporter *r = ctx;

    if (r->data && is_known_alias(r->data, phys, expected, found))
        return;
    fault_log_add(&fault_log,
                  &(struct fault){
                      .addr = phys,
                      .expected = expected,
                      .found = found,
                      .test = r->place.test,
                      .pass = r->place.pass,
                      .cpu = r->cpu,
                      .node = machine.nodes.node[nodes_of_address(&machine.nodes, phys)].domain,
                  });
}

struct line_faults reporter_faults(struct reporter *reporter)
{
    return (struct line_faults){ report, reporter };
}
