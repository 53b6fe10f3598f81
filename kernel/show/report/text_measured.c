// SPDX-License-Identifier: MIT
#include "report/text_measured.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "report/text_line.h"

void text_cache(const struct writer *out, double t, const struct event_cache *c)
{
    char level[16] = "memory", size[24];
    struct fmt_buffer b = fmt_buffer_make(size, sizeof(size));

    if (c->level)
        fmt_print(level, sizeof(level), "L%u", c->level);
    fmt_append_size(&b, c->size_bytes);
    text_begin(out, t);
    writer_print(out, "cache      %-6s %8s, %10.1f MB/s", level, size, c->mb_s);
    if (c->ns > 0)
        writer_print(out, ", %8.1f ns", c->ns);
    writer_text(out, "\n");
}

static void put_spread(const struct writer *out, const struct event_stats *s)
{
    writer_print(out, "  (stddev %.1f, %.1f to %.1f; ", s->stddev, s->min, s->max);
}

static void put_runs(const struct writer *out, uint32_t runs)
{
    writer_print(out, "%u run%s)\n", runs, fmt_plural(runs));
}

static void put_threads(const struct writer *out, uint32_t threads)
{
    writer_print(out, "%u thread%s, ", threads, fmt_plural(threads));
}

static void write_scaling(const struct writer *out, double t, const struct event_bandwidth *b)
{
    text_begin_labelled(out, t, "scaling");
    writer_padded(out, b->op, 6);
    writer_print(out, "%10.1f MB/s  %4u thread%s ", b->mb_s.mean, b->threads,
                 b->threads == 1 ? ", " : "s,");
    writer_padded(out, b->order, 6);
    put_spread(out, &b->mb_s);
    put_runs(out, b->runs);
}

void text_bandwidth(const struct writer *out, double t, const struct event_bandwidth *b)
{
    if (b->order) {
        write_scaling(out, t, b);
        return;
    }
    text_begin_labelled(out, t, "bandwidth");
    writer_padded(out, b->op, 6);
    writer_print(out, "%10.1f MB/s  CPUs of node %u, memory of node %u", b->mb_s.mean, b->cpu_node,
                 b->mem_node);
    put_spread(out, &b->mb_s);
    put_threads(out, b->threads);
    put_runs(out, b->runs);
}

void text_latency(const struct writer *out, double t, const struct event_latency *m)
{
    text_begin(out, t);
    writer_print(out, "latency    %10.1f ns    CPU of node %u, memory of node %u, over ", m->ns,
                 m->cpu_node, m->mem_node);
    text_put_size(out, m->size_bytes);
    writer_text(out, "  (");
    writer_text(out, m->load);
    if (m->mix)
        writer_print(out, ": %.1f MB/s of %s", m->load_mb_s,
                     strcmp(m->mix, "2:1") == 0 ? "2 reads to 1 write" : m->mix);
    writer_text(out, ")\n");
}

/* Two lines, their figures aligned. */
void text_contention(const struct writer *out, double t, const struct event_contention *c)
{
    text_begin(out, t);
    writer_print(out,
                 "contention %10.1f MB/s idle, %10.1f MB/s loaded, slowdown %6.1f %%  CPUs of node "
                 "%u, memory of node %u, loaded by CPUs of node %u",
                 c->idle.mean, c->loaded.mean,
                 format_text_slow_down_of_bandwidth(c->idle.mean, c->loaded.mean), c->cpu_node,
                 c->mem_node, c->load_node);
    writer_print(out, "  (stddev %.1f and %.1f; ", c->idle.stddev, c->loaded.stddev);
    put_threads(out, c->threads);
    writer_print(out, "%u load, ", c->load_threads);
    put_runs(out, c->runs);
    text_begin(out, t);
    writer_print(out,
                 "           %10.1f ns   idle, %10.1f ns   loaded, slowdown %6.1f %%  latency of "
                 "one CPU of node %u\n",
                 c->idle_ns, c->loaded_ns,
                 format_text_slow_down_of_latency(c->idle_ns, c->loaded_ns), c->cpu_node);
}

void text_redundancy(const struct writer *out, double t, const struct event_redundancy *r)
{
    bool plain = strcmp(r->kind, "plain") == 0;

    text_begin_labelled(out, t, "redundancy");
    writer_padded(out, r->kind, 6);
    writer_print(out, "%10.1f MB/s, cost %6.1f %%  CPUs of node %u, data on node %u", r->mb_s.mean,
                 r->cost_percent, r->cpu_node, r->mem_node);
    if (!plain) {
        writer_text(out, ", ");
        writer_text(out, r->kind);
        writer_print(out, " on node %u", r->other_node);
    }
    put_spread(out, &r->mb_s);
    put_threads(out, r->threads);
    put_runs(out, r->runs);
}
