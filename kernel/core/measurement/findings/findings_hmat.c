// SPDX-License-Identifier: MIT
#include "findings/findings_text.h"

#include "bandwidth/sizing.h"

/*
 * The HMAT says what the memory can do at best; all CPUs together, reading in order, come near
 * it, but not on every machine.
 */
#define HMAT_SHORTFALL_PERCENT 50

/* The same: a chase pays for misses of the TLB, too. */
#define HMAT_EXCESS_PERCENT 200

#define PS_PER_NS 1000

static uint64_t promised_mb_s(const struct findings_input *in, const struct findings_node *n)
{
    return hmat_bandwidth_mb_s(in->hmat, HMAT_READ, n->domain, n->domain);
}

static bool is_below(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s > 0 &&
           n->local_mb_s * 100 < (double)promised_mb_s(in, n) * HMAT_SHORTFALL_PERCENT;
}

static double share_of_bandwidth(const struct findings_input *in, const struct findings_node *n)
{
    return n->local_mb_s / (double)promised_mb_s(in, n);
}

static void emit_below(const struct findings_input *in, const struct warnings *warnings)
{
    struct findings_about about = { .in = in, .is_one = is_below, .share = share_of_bandwidth };
    struct findings_text t;

    if (!findings_begin_about(&t, &about))
        return;
    fmt_append(&t.buffer,
               "node %u reads its local memory at %.0f MB/s, well below the %lu in the HMAT",
               about.worst->domain, about.worst->local_mb_s,
               (unsigned long)promised_mb_s(in, about.worst));
    findings_others(&t, &about);
    findings_say(&t, warnings);
}

static double promised_ns(const struct findings_input *in, const struct findings_node *n)
{
    return (double)hmat_latency_ps(in->hmat, HMAT_READ, n->domain, n->domain) / PS_PER_NS;
}

static bool is_late(const struct findings_input *in, const struct findings_node *n)
{
    double ns = promised_ns(in, n);

    return ns > 0 && n->local_ns * 100 > ns * HMAT_EXCESS_PERCENT;
}

static double share_of_latency(const struct findings_input *in, const struct findings_node *n)
{
    return promised_ns(in, n) / n->local_ns;
}

static void emit_late(const struct findings_input *in, const struct warnings *warnings)
{
    struct findings_about about = { .in = in, .is_one = is_late, .share = share_of_latency };
    struct findings_text t;

    if (!findings_begin_about(&t, &about))
        return;
    fmt_append(&t.buffer,
               "node %u has a local memory latency of %.1f ns, well above the %.1f in the HMAT",
               about.worst->domain, about.worst->local_ns, promised_ns(in, about.worst));
    findings_others(&t, &about);
    findings_say(&t, warnings);
}

static uint64_t cache_bytes(const struct findings_input *in, const struct findings_node *n)
{
    return hmat_side_cache_bytes(in->hmat, n->domain);
}

/* The cache can hold all that was read. */
static bool is_cached(const struct findings_input *in, const struct findings_node *n)
{
    return n->array_bytes && n->array_bytes <= cache_bytes(in, n);
}

/* By STREAM's rule, as for the CPUs' own caches. */
static bool is_cached_in_part(const struct findings_input *in, const struct findings_node *n)
{
    return n->array_bytes && !is_cached(in, n) &&
           n->array_bytes / SIZING_CACHE_FACTOR < cache_bytes(in, n);
}

static double share_of_cache(const struct findings_input *in, const struct findings_node *n)
{
    return (double)n->array_bytes / (double)cache_bytes(in, n);
}

static void emit_cached(struct findings_about about, const char *whose,
                        const struct warnings *warnings)
{
    struct findings_text t;

    about.share = share_of_cache;
    if (!findings_begin_about(&t, &about))
        return;
    fmt_append(&t.buffer, "node %u has a memory-side cache of ", about.worst->domain);
    findings_size(&t, cache_bytes(about.in, about.worst));
    findings_others(&t, &about);
    fmt_append(&t.buffer, ": arrays of ");
    findings_size(&t, about.worst->array_bytes);
    fmt_append(&t.buffer, " were read there, so bandwidth and latency are %s the cache", whose);
    findings_say(&t, warnings);
}

void findings_hmat(const struct findings_input *in, const struct warnings *warnings)
{
    emit_cached((struct findings_about){ .in = in, .is_one = is_cached }, "those of", warnings);
    emit_cached((struct findings_about){ .in = in, .is_one = is_cached_in_part }, "partly those of",
                warnings);
    emit_below(in, warnings);
    emit_late(in, warnings);
}
