// SPDX-License-Identifier: MIT
#include "findings/findings_text.h"
#include "bandwidth/sizing.h"

/*
 * Whether one row of measurements is truly below another: B. L. Welch, "The Generalization of
 * 'Student's' Problem when Several Different Population Variances are Involved", Biometrika 34
 * (1947); for several comparisons at a time by Bonferroni's correction.
 */

/* How often spread_is_below may be wrong, all comparisons together. */
#define SPREAD_WRONG_MAX 0.005

#define ROWS    13
#define COLUMNS 6

/* Degrees of freedom; numbers of comparisons, which are those of 2, 4, 8, 16, 33, 64 nodes. */
static const uint8_t freedom[ROWS] = { 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 60, 120 };
static const uint32_t tested[COLUMNS] = { 2, 12, 56, 240, 1056, 4032 };

/* Student's t that is exceeded with a probability of 0.005 divided by the number of comparisons. */
static const float critical[ROWS][COLUMNS] = {
    { 127.32f, 763.94f, 3565.07f, 15278.87f, 67227.05f, 256685.09f },
    { 14.09f, 34.62f, 74.82f, 154.91f, 324.96f, 634.98f },
    { 7.45f, 13.75f, 23.06f, 37.51f, 61.50f, 96.15f },
    { 5.60f, 9.03f, 13.42f, 19.39f, 28.15f, 39.40f },
    { 4.77f, 7.15f, 9.91f, 13.38f, 18.10f, 23.72f },
    { 4.32f, 6.17f, 8.19f, 10.59f, 13.68f, 17.19f },
    { 3.83f, 5.19f, 6.55f, 8.05f, 9.85f, 11.77f },
    { 3.58f, 4.71f, 5.78f, 6.91f, 8.20f, 9.52f },
    { 3.29f, 4.16f, 4.94f, 5.71f, 6.53f, 7.33f },
    { 3.15f, 3.93f, 4.59f, 5.22f, 5.88f, 6.50f },
    { 3.03f, 3.71f, 4.27f, 4.79f, 5.32f, 5.79f },
    { 2.91f, 3.52f, 4.00f, 4.42f, 4.84f, 5.21f },
    { 2.86f, 3.43f, 3.87f, 4.26f, 4.63f, 4.95f },
};

/* For as many degrees of freedom and comparisons, or fewer and more of them: on the safe side. */
static double critical_of(double degrees, uint32_t comparisons)
{
    unsigned row = 0, column = 0;

    while (row + 1 < ROWS && freedom[row + 1] <= degrees)
        row++;
    while (column + 1 < COLUMNS && tested[column] < comparisons)
        column++;
    return (double)critical[row][column];
}

/* The variance of the mean. */
static double variance_of(struct spread s)
{
    return (double)s.stddev * (double)s.stddev / s.n;
}

/* Degrees of freedom by Satterthwaite; not both variances are 0. */
static double degrees_of(struct spread a, struct spread b, double va, double vb)
{
    return (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
}

/*
 * Whether the mean of `a` is below `factor` times that of `b`. Where it is not, all of so many
 * comparisons together say so in SPREAD_WRONG_MAX of all cases at most. False with fewer than two
 * measurements of either: nothing is known of their spread.
 */
static bool spread_is_below(struct spread a, struct spread b, double factor, uint32_t comparisons)
{
    double difference = (double)b.mean * factor - (double)a.mean, va, vb, t;

    if (a.n < 2 || b.n < 2 || difference <= 0)
        return false;
    va = variance_of(a);
    vb = variance_of(b) * factor * factor;
    if (va + vb == 0)
        return true;
    t = critical_of(degrees_of(a, b, va, vb), comparisons);
    return difference * difference > t * t * (va + vb);
}

/* What a sentence is about: the node where it is worst, and the others of which it is true. */
struct findings_about {
    const struct findings_input *in;
    bool (*is_one)(const struct findings_input *in, const struct findings_node *n);
    double (*share)(const struct findings_input *in,
                    const struct findings_node *n); /* less: worse; called for such nodes only */
    const struct findings_node *worst;              /* set by begin_about */
};

/* Finds the worst node, and begins the sentence. False: it is true of no node. */
static bool begin_about(struct findings_text *t, struct findings_about *about)
{
    const struct findings_input *in = about->in;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const struct findings_node *n = &in->node[i];

        if (about->is_one(in, n) &&
            (!about->worst || about->share(in, n) < about->share(in, about->worst)))
            about->worst = n;
    }
    findings_begin(t);
    return about->worst != NULL;
}

static bool is_other(const void *ctx, uint32_t i)
{
    const struct findings_about *about = ctx;
    const struct findings_node *n = &about->in->node[i];

    return n != about->worst && about->is_one(about->in, n);
}

static void node_name(const void *ctx, uint32_t i, struct fmt_buffer *out)
{
    fmt_append(out, "%u", ((const struct findings_about *)ctx)->in->node[i].domain);
}

/* Appends "; likewise nodes 1, 2": the other nodes of which the same is true. */
static void append_others(struct findings_text *t, const struct findings_about *about)
{
    uint32_t n = findings_count(about->in->nodes, is_other, about);

    if (n == 0)
        return;
    fmt_append(&t->buffer, n == 1 ? "; likewise node " : "; likewise nodes ");
    findings_list(t, about->in->nodes, is_other, node_name, about);
}

/* Appends how sure it is that a mean is below so many per cent of another (spread_is_below). */
static void append_confidence(struct findings_text *t, double factor, uint32_t comparisons)
{
    fmt_append(&t->buffer, " (below %.0f %% of that: p < %.3f", 100 * factor, SPREAD_WRONG_MAX);
    if (comparisons > 1)
        fmt_append(&t->buffer, ", corrected for %u comparisons", comparisons);
    fmt_append(&t->buffer, ")");
}

/* A node as fast as this part of the fastest has the same modules. */
#define SLOW_NODE_SHARE 0.75

/* Local memory that is faster by less than this is no faster: two readings of one controller. */
#define ADVANTAGE 1.01

static uint32_t index_of(const struct findings_input *in, const struct findings_node *n)
{
    return (uint32_t)(n - in->node);
}

static struct spread local_of(const struct findings_input *in, const struct findings_node *n)
{
    return in->read_mb_s(index_of(in, n), index_of(in, n));
}

static uint32_t n_pairs(const struct findings_input *in)
{
    return in->nodes * (in->nodes - 1);
}

/* The fastest of the other nodes' memories than which its own is no faster; n 0: there is none. */
static struct spread faster_remote(const struct findings_input *in, const struct findings_node *n)
{
    struct spread local = local_of(in, n), best = { .n = 0 };

    for (uint32_t to = 0; to < in->nodes; to++) {
        struct spread remote = in->read_mb_s(index_of(in, n), to);

        if (to != index_of(in, n) && spread_is_below(local, remote, ADVANTAGE, n_pairs(in)) &&
            (!best.n || remote.mean > best.mean))
            best = remote;
    }
    return best;
}

static bool is_no_faster(const struct findings_input *in, const struct findings_node *n)
{
    return faster_remote(in, n).n;
}

static double share_of_remote(const struct findings_input *in, const struct findings_node *n)
{
    return (double)local_of(in, n).mean / (double)faster_remote(in, n).mean;
}

static void warn_of_no_faster(const struct findings_input *in, const struct warnings *warnings)
{
    struct findings_about about = { .in = in, .is_one = is_no_faster, .share = share_of_remote };
    struct findings_text t;

    if (!begin_about(&t, &about))
        return;
    fmt_append(&t.buffer,
               "node %u reads its local memory at %.0f MB/s, no faster than remote memory at %.0f",
               about.worst->domain, (double)local_of(in, about.worst).mean,
               (double)faster_remote(in, about.worst).mean);
    append_confidence(&t, ADVANTAGE, n_pairs(in));
    append_others(&t, &about);
    fmt_append(&t.buffer, ": the nodes share one memory controller, or the SRAT is wrong");
    findings_say(&t, warnings);
}

/* Fewer CPUs are not a fault of the memory. */
static const struct findings_node *fastest(const struct findings_input *in, uint32_t cpus_max)
{
    const struct findings_node *best = NULL;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const struct findings_node *n = &in->node[i];

        if (n->cpus <= cpus_max && local_of(in, n).n &&
            (!best || local_of(in, n).mean > local_of(in, best).mean))
            best = n;
    }
    return best;
}

static bool is_slow(const struct findings_input *in, const struct findings_node *n)
{
    struct spread local = local_of(in, n);

    return local.n &&
           spread_is_below(local, local_of(in, fastest(in, n->cpus)), SLOW_NODE_SHARE, n_pairs(in));
}

static double own_mb_s(const struct findings_input *in, const struct findings_node *n)
{
    return (double)local_of(in, n).mean;
}

static void warn_of_slow(const struct findings_input *in, const struct warnings *warnings)
{
    struct findings_about about = { .in = in, .is_one = is_slow, .share = own_mb_s };
    const struct findings_node *best;
    struct findings_text t;

    if (!begin_about(&t, &about))
        return;
    best = fastest(in, about.worst->cpus);
    fmt_append(&t.buffer, "node %u reads its local memory at %.0f MB/s, node %u at %.0f",
               about.worst->domain, own_mb_s(in, about.worst), best->domain, own_mb_s(in, best));
    append_confidence(&t, SLOW_NODE_SHARE, n_pairs(in));
    fmt_append(&t.buffer, ": possible reasons are fewer populated channels or slower modules");
    append_others(&t, &about);
    findings_say(&t, warnings);
}

static void find_in_speeds(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->nodes < 2)
        return;
    warn_of_no_faster(in, warnings);
    warn_of_slow(in, warnings);
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

static void warn_of_cached(struct findings_about about, const char *whose,
                           const struct warnings *warnings)
{
    struct findings_text t;

    about.share = share_of_cache;
    if (!begin_about(&t, &about))
        return;
    fmt_append(&t.buffer, "node %u has a memory-side cache of ", about.worst->domain);
    findings_size(&t, cache_bytes(about.in, about.worst));
    append_others(&t, &about);
    fmt_append(&t.buffer, ": arrays of ");
    findings_size(&t, about.worst->array_bytes);
    fmt_append(&t.buffer, " were read there, so bandwidth and latency are %s the cache", whose);
    findings_say(&t, warnings);
}

static void find_side_caches(const struct findings_input *in, const struct warnings *warnings)
{
    warn_of_cached((struct findings_about){ .in = in, .is_one = is_cached }, "those of", warnings);
    warn_of_cached((struct findings_about){ .in = in, .is_one = is_cached_in_part },
                   "partly those of", warnings);
}

void findings_measured(const struct findings_input *in, const struct warnings *warnings)
{
    find_in_speeds(in, warnings);
    if (in->hmat)
        find_side_caches(in, warnings);
}

static void begin_types(struct findings_text *text, uint64_t bytes)
{
    findings_begin(text);
    fmt_append(&text->buffer, "MTRRs: %s", FMT_SIZE(bytes));
}

static void append_first(struct findings_text *text, struct span first)
{
    fmt_append(&text->buffer, "0x%lx-0x%lx", (unsigned long)first.base,
               (unsigned long)(span_end(first) - 1));
}

void findings_not_write_back(const struct findings_type *t, const struct warnings *warnings)
{
    struct findings_text text;

    if (!t->bytes)
        return;
    begin_types(&text, t->bytes);
    fmt_append(&text.buffer, " of RAM is not write-back, ");
    append_first(&text, t->first);
    fmt_append(&text.buffer, " is %s", t->type);
    if (t->mb_s > 0 && t->usual_mb_s > 0)
        fmt_append(&text.buffer, ": swept at %.0f MB/s, other RAM at %.0f MB/s", t->mb_s,
                   t->usual_mb_s);
    fmt_append(&text.buffer, "; operating systems are slow there or leave it out: a BIOS update "
                             "may help");
    findings_say(&text, warnings);
}

void findings_unequal_types(const struct findings_unequal_type *t, const struct warnings *warnings)
{
    struct findings_text text;

    if (!t->bytes)
        return;
    begin_types(&text, t->bytes);
    fmt_append(&text.buffer,
               " of RAM has different types for %u CPU%s than for the boot CPU: ", t->n_cpus,
               fmt_plural(t->n_cpus));
    append_first(&text, t->first);
    fmt_append(&text.buffer, " is %s for cpu %u", t->type, t->cpu);
    if (t->mb_s > 0)
        fmt_append(&text.buffer, " (swept at %.0f MB/s)", t->mb_s);
    fmt_append(&text.buffer, ", %s for cpu 0", t->boot_type);
    if (t->boot_mb_s > 0)
        fmt_append(&text.buffer, " (%.0f MB/s)", t->boot_mb_s);
    fmt_append(&text.buffer, "; CPUs may read stale data there: a BIOS update may help");
    findings_say(&text, warnings);
}
