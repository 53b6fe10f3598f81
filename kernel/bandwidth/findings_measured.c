#include "bandwidth/findings_parts.h"

/* A node as fast as this part of the fastest differs by more than the spread of a measurement. */
#define SLOW_NODE_PERCENT 75

/*
 * The HMAT tells what the memory could do at best; all CPUs together, reading in order, come near
 * it, but not on every machine.
 */
#define HMAT_SHORTFALL_PERCENT 50

/* What a sentence is about: the node where it is worst, and the others of which it is true. */
struct about {
    const struct findings_input *in;
    bool (*is_one)(const struct findings_input *in, const struct findings_node *n);
    double (*share)(const struct findings_input *in,
                    const struct findings_node *n); /* less: worse */
    const struct findings_node *worst;
};

/* False: it is true of no node. */
static bool find_worst(struct about *about)
{
    const struct findings_input *in = about->in;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const struct findings_node *n = &in->node[i];

        if (about->is_one(in, n) &&
            (!about->worst || about->share(in, n) < about->share(in, about->worst)))
            about->worst = n;
    }
    return about->worst != NULL;
}

static bool is_other(const void *ctx, uint32_t i)
{
    const struct about *about = ctx;
    const struct findings_node *n = &about->in->node[i];

    return n != about->worst && about->is_one(about->in, n);
}

static void node_name(const void *ctx, uint32_t i, struct fmt_buffer *out)
{
    fmt_append(out, "%u", ((const struct about *)ctx)->in->node[i].domain);
}

/* "; so do nodes 1, 2": the other nodes that the same is true of. */
static void append_others(struct findings_text *t, const struct about *about)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < about->in->nodes; i++)
        n += is_other(about, i);
    if (n == 0)
        return;
    fmt_append(&t->buffer, n == 1 ? "; so does node " : "; so do nodes ");
    findings_list(t, about->in->nodes, is_other, node_name, about);
}

static bool is_no_faster(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s > 0 && n->best_remote_mb_s >= n->local_mb_s;
}

static double share_of_remote(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s / n->best_remote_mb_s;
}

static void tell_no_faster(const struct findings_input *in, const struct warnings *warnings)
{
    struct about about = { .in = in, .is_one = is_no_faster, .share = share_of_remote };
    struct findings_text t;

    if (!find_worst(&about))
        return;
    findings_begin(&t);
    fmt_append(&t.buffer,
               "node %u reads its own memory at %.0f MB/s, not above another node's at %.0f",
               about.worst->domain, about.worst->local_mb_s, about.worst->best_remote_mb_s);
    append_others(&t, &about);
    fmt_append(&t.buffer, ": the nodes share one memory controller, or the SRAT is wrong");
    findings_say(&t, warnings);
}

/* Fewer CPUs are no fault of the memory. */
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

static void tell_slow(const struct findings_input *in, const struct warnings *warnings)
{
    struct about about = { .in = in, .is_one = is_slow, .share = own_mb_s };
    const struct findings_node *best;
    struct findings_text t;

    if (!find_worst(&about))
        return;
    best = fastest(in, about.worst->cpus);
    findings_begin(&t);
    fmt_append(&t.buffer,
               "node %u reads its own memory at %.0f MB/s, node %u at %.0f: fewer channels with "
               "modules, or slower modules, may be why",
               about.worst->domain, about.worst->local_mb_s, best->domain, best->local_mb_s);
    append_others(&t, &about);
    findings_say(&t, warnings);
}

static uint64_t promised_mb_s(const struct findings_input *in, const struct findings_node *n)
{
    return hmat_bandwidth_mb_s(in->hmat, HMAT_READ, n->domain, n->domain);
}

static bool is_below_hmat(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s > 0 &&
           n->local_mb_s * 100 < (double)promised_mb_s(in, n) * HMAT_SHORTFALL_PERCENT;
}

static double share_of_hmat(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s / (double)promised_mb_s(in, n);
}

static void tell_below_hmat(const struct findings_input *in, const struct warnings *warnings)
{
    struct about about = { .in = in, .is_one = is_below_hmat, .share = share_of_hmat };
    struct findings_text t;

    if (!find_worst(&about))
        return;
    findings_begin(&t);
    fmt_append(&t.buffer,
               "node %u reads its own memory at %.0f MB/s, the HMAT says %lu: well below what "
               "firmware expects",
               about.worst->domain, about.worst->local_mb_s,
               (unsigned long)promised_mb_s(in, about.worst));
    append_others(&t, &about);
    findings_say(&t, warnings);
}

void findings_after(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->nodes > 1) {
        tell_no_faster(in, warnings);
        tell_slow(in, warnings);
    }
    if (in->hmat)
        tell_below_hmat(in, warnings);
}
