// SPDX-License-Identifier: MIT
#include "report/text_line.h"

#include "lib/string.h"
#include "report/format_text.h"

/* The rest of a row of runs whose mean has been shown; one run has no spread. */
static void put_spread(struct text_log *l, const struct event_stats *s, int decimals)
{
    if (s->runs > 1)
        fmt_append(&l->out, "stddev %.*f, %.*f to %.*f; ", decimals, s->stddev, decimals, s->min,
                   decimals, s->max);
    if (s->left_out)
        fmt_append(&l->out, "%u left out: the TSC went back; ", s->left_out);
}

static void put_mb_s(struct text_log *l, const struct event_stats *s)
{
    put_spread(l, s, 1);
}

/* A first-level cache takes a nanosecond. */
static void put_ns(struct text_log *l, const struct event_stats *s)
{
    put_spread(l, s, 2);
}

static void put_runs(struct text_log *l, uint32_t runs)
{
    fmt_append(&l->out, "%u run%s)\n", runs, fmt_plural(runs));
}

/* As far as it is known. */
static void put_how(struct text_log *l, const struct event_how *how)
{
    if (how->isa)
        fmt_append(&l->out, "%s, ", how->isa);
    if (how->prefetch)
        fmt_append(&l->out, "prefetchers %s, ", how->prefetch);
    if (how->in_caches)
        fmt_append(&l->out, "partly in caches, ");
}

static void put_threads(struct text_log *l, uint32_t threads)
{
    fmt_append(&l->out, "%u thread%s, ", threads, fmt_plural(threads));
}

void text_cache(struct text_log *l, const struct event_cache *c)
{
    char level[16] = "memory";

    if (c->level)
        fmt_print(level, sizeof(level), "L%u", c->level);
    text_begin(l, "cache");
    fmt_append(&l->out, "%-6s %8s, %10.1f MB/s", level, FMT_SIZE(c->size_bytes), c->mb_s.mean);
    if (c->ns.runs)
        fmt_append(&l->out, ", %8.1f ns", c->ns.mean);
    fmt_append(&l->out, "  (");
    put_mb_s(l, &c->mb_s);
    put_ns(l, &c->ns);
    put_how(l, &c->how);
    put_runs(l, c->mb_s.runs);
}

static void write_scaling(struct text_log *l, const struct event_bandwidth *b)
{
    text_begin(l, "scaling");
    fmt_append(&l->out, "%-6s%10.1f MB/s  %4u thread%s %-6s  (", b->op, b->mb_s.mean, b->threads,
               b->threads == 1 ? ", " : "s,", b->order);
    if (b->cores)
        fmt_append(&l->out, "%u core%s, ", b->cores, fmt_plural(b->cores));
    if (b->efficient_cores)
        fmt_append(&l->out, "%u efficient, ", b->efficient_cores);
    if (b->siblings)
        fmt_append(&l->out, "%u sibling%s, ", b->siblings, fmt_plural(b->siblings));
    put_mb_s(l, &b->mb_s);
    put_how(l, &b->how);
    put_runs(l, b->mb_s.runs);
}

void text_bandwidth(struct text_log *l, const struct event_bandwidth *b)
{
    if (b->order) {
        write_scaling(l, b);
        return;
    }
    text_begin(l, "bandwidth");
    fmt_append(&l->out, "%-6s%10.1f MB/s  CPUs of node %u, memory of node %u  (", b->op,
               b->mb_s.mean, b->cpu_node, b->mem_node);
    put_mb_s(l, &b->mb_s);
    put_threads(l, b->threads);
    put_how(l, &b->how);
    put_runs(l, b->mb_s.runs);
}

void text_latency(struct text_log *l, const struct event_latency *m)
{
    text_begin(l, "latency");
    fmt_append(&l->out, "%10.1f ns    CPU of node %u, memory of node %u, over %s  (", m->ns.mean,
               m->cpu_node, m->mem_node, FMT_SIZE(m->size_bytes));
    put_ns(l, &m->ns);
    fmt_append(&l->out, "%s", m->load);
    if (m->mix) {
        fmt_append(&l->out, ": %.1f MB/s of %s%s, ", m->load_mb_s.mean, m->mix,
                   strcmp(m->mix, "reads") == 0 ? "" : " reads to writes");
        put_mb_s(l, &m->load_mb_s);
    } else {
        fmt_append(&l->out, "; ");
    }
    put_how(l, &m->how);
    put_runs(l, m->ns.runs);
}

void text_cache_to_cache(struct text_log *l, const struct event_cache_to_cache *c)
{
    text_begin(l, "latency");
    fmt_append(&l->out,
               "%10.1f ns    CPU %u, %s lines of node %u in caches of CPU %u, share: %s  (",
               c->ns.mean, c->cpu, c->state, c->mem_node, c->other_cpu, c->share);
    put_ns(l, &c->ns);
    put_how(l, &c->how);
    put_runs(l, c->ns.runs);
}

static void put_contest(struct text_log *l, const char *what, const char *unit,
                        const struct event_contest *c)
{
    if (!c->loaded.runs)
        return;
    text_begin(l, "");
    fmt_append(&l->out, "%-8s%10.1f %-4s idle, %10.1f loaded, time %7.1f %%  (", what, c->idle.mean,
               unit, c->loaded.mean, c->more_percent.mean);
    put_spread(l, &c->more_percent, 1);
    put_runs(l, c->loaded.runs);
}

void text_contention(struct text_log *l, const struct event_contention *c)
{
    text_begin(l, "contention");
    fmt_append(&l->out,
               "CPUs of node %u on memory of node %u, load of CPUs of node %u on node %u: %s  (",
               c->cpu_node, c->mem_node, c->load_node, c->load_mem_node, c->load);
    put_how(l, &c->how);
    put_threads(l, c->threads);
    fmt_append(&l->out, "%u load)\n", c->load_threads);
    put_contest(l, "read", "MB/s", &c->read_mb_s);
    put_contest(l, "write", "MB/s", &c->write_mb_s);
    put_contest(l, "latency", "ns", &c->ns);
}

void text_redundancy(struct text_log *l, const struct event_redundancy *r)
{
    text_begin(l, "redundancy");
    fmt_append(&l->out, "%-6s%10.1f MB/s, cost %6.1f %%  CPUs of node %u, data on node %u", r->kind,
               r->mb_s.mean, r->cost_percent, r->cpu_node, r->mem_node);
    if (strcmp(r->kind, "plain") != 0)
        fmt_append(&l->out, ", %s on node %u", r->kind, r->other_node);
    fmt_append(&l->out, "  (");
    put_mb_s(l, &r->mb_s);
    put_threads(l, r->threads);
    put_how(l, &r->how);
    put_runs(l, r->mb_s.runs);
}

void text_unmeasured(struct text_log *l, const struct event_unmeasured *u)
{
    text_begin(l, "unmeasured");
    fmt_append(&l->out, "%s", u->what);
    if (u->has_cpu_node)
        fmt_append(&l->out, ", CPUs of node %u", u->cpu_node);
    if (u->has_mem_node)
        fmt_append(&l->out, ", memory of node %u", u->mem_node);
    fmt_append(&l->out, ": %s\n", u->why);
}
