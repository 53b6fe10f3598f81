// SPDX-License-Identifier: MIT
#include "findings/findings_text.h"

/* A node as fast as this part of the fastest differs by more than the spread of a measurement. */
#define SLOW_NODE_PERCENT 75

static bool is_no_faster(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s > 0 && n->best_remote_mb_s >= n->local_mb_s;
}

static double share_of_remote(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s / n->best_remote_mb_s;
}

static void emit_no_faster(const struct findings_input *in, const struct warnings *warnings)
{
    struct findings_about about = { .in = in, .is_one = is_no_faster, .share = share_of_remote };
    struct findings_text t;

    if (!findings_begin_about(&t, &about))
        return;
    fmt_append(&t.buffer,
               "node %u reads its local memory at %.0f MB/s, no faster than remote memory at %.0f",
               about.worst->domain, about.worst->local_mb_s, about.worst->best_remote_mb_s);
    findings_others(&t, &about);
    fmt_append(&t.buffer, ": the nodes share one memory controller, or the SRAT is wrong");
    findings_say(&t, warnings);
}

/* Fewer CPUs are not a fault of the memory. */
static const struct findings_node *fastest(const struct findings_input *in, uint32_t cpus_max)
{
    const struct findings_node *best = NULL;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const struct findings_node *n = &in->node[i];

        if (n->cpus <= cpus_max && n->local_mb_s > 0 && (!best || n->local_mb_s > best->local_mb_s))
            best = n;
    }
    return best;
}

static bool is_slow(const struct findings_input *in, const struct findings_node *n)
{
    const struct findings_node *best = fastest(in, n->cpus);

    return n->local_mb_s > 0 && n->local_mb_s * 100 < best->local_mb_s * SLOW_NODE_PERCENT;
}

static double own_mb_s(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s;
}

static void emit_slow(const struct findings_input *in, const struct warnings *warnings)
{
    struct findings_about about = { .in = in, .is_one = is_slow, .share = own_mb_s };
    const struct findings_node *best;
    struct findings_text t;

    if (!findings_begin_about(&t, &about))
        return;
    best = fastest(in, about.worst->cpus);
    fmt_append(&t.buffer, "node %u reads its local memory at %.0f MB/s, node %u at %.0f",
               about.worst->domain, about.worst->local_mb_s, best->domain, best->local_mb_s);
    fmt_append(&t.buffer, ": possible reasons are fewer populated channels or slower modules");
    findings_others(&t, &about);
    findings_say(&t, warnings);
}

void findings_speeds(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->nodes < 2)
        return;
    emit_no_faster(in, warnings);
    emit_slow(in, warnings);
}
