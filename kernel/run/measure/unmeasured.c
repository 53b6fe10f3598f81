// SPDX-License-Identifier: MIT
#include "measure/unmeasured.h"

#include "measure/measure.h"
#include "measure/sites.h"

void unmeasured_send(const char *what, uint32_t cpu_node, uint32_t mem_node, const char *why)
{
    struct event_unmeasured u = { what, why, cpu_node != SITES_NONE, mem_node != SITES_NONE, 0, 0 };

    if (measure_is_over())
        return;
    if (u.has_cpu_node)
        u.cpu_node = sites_domain(cpu_node);
    if (u.has_mem_node)
        u.mem_node = sites_domain(mem_node);
    events_send(&(struct event){ .type = EVENT_UNMEASURED, .unmeasured = u });
}

bool unmeasured_has_runs(const struct event_stats *s, const char *what, uint32_t cpu_node,
                         uint32_t mem_node)
{
    if (!s->runs)
        unmeasured_send(what, cpu_node, mem_node, "a time stamp counter went back in every run");
    return s->runs;
}
