// SPDX-License-Identifier: MIT
#include "scenes_measured.h"

#define KIB  (UINT64_C(1) << 10)
#define MIB  (UINT64_C(1) << 20)
#define RUNS 5

static const char *const ops[] = { "read", "write", "copy", "scale", "add", "triad" };
static const double op_parts[] = { 1, 0.6, 0.7, 0.71, 0.78, 0.79 };

static void send(struct event_sink sink, struct event e)
{
    e.t = 1;
    sink.receive(sink.ctx, &e);
}

static struct event_stats rates(double mean)
{
    return (
        struct event_stats){ RUNS, mean, mean * 1.002, mean / 800, mean * 0.998, mean * 1.002, 0 };
}

static struct event_stats waits(double mean)
{
    return (
        struct event_stats){ RUNS, mean, mean * 0.998, mean / 800, mean * 0.998, mean * 1.002, 0 };
}

static double rate(uint32_t cpu_node, uint32_t mem_node)
{
    return cpu_node == mem_node ? SCENE_LOCAL_MB_S
                                : SCENE_REMOTE_MB_S + 100 * mem_node - 10 * cpu_node;
}

static double latency(uint32_t cpu_node, uint32_t mem_node)
{
    return cpu_node == mem_node ? SCENE_LOCAL_NS : SCENE_REMOTE_NS + cpu_node;
}

static void emit_caches(struct event_sink sink)
{
    static const struct {
        uint32_t level;
        uint64_t bytes;
        double mb_s, ns;
    } caches[] = {
        { 1, 32 * KIB, 123456.78, 1.24 },
        { 2, 512 * KIB, 81234.5, 3.71 },
        { 3, 32 * MIB, 40987.6, 14.92 },
        { 0, 256 * MIB, 17321.9, SCENE_LOCAL_NS },
    };

    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
        send(sink, (struct event){ .type = EVENT_CACHE,
                                   .cache = { caches[i].level, caches[i].bytes,
                                              rates(caches[i].mb_s), waits(caches[i].ns) } });
}

static void emit_latency(struct event_sink sink, uint32_t cpu_node, uint32_t mem_node,
                         uint64_t bytes, double ns)
{
    send(sink, (struct event){ .type = EVENT_LATENCY,
                               .latency = { cpu_node, mem_node, bytes, waits(ns), "idle" } });
}

/* 16 KiB to 256 MiB. */
static void emit_curve(struct event_sink sink)
{
    for (uint64_t bytes = 16 * KIB; bytes <= 256 * MIB; bytes *= 2)
        emit_latency(sink, 0, 0, bytes,
                     bytes <= 32 * KIB    ? 1.24
                     : bytes <= 512 * KIB ? 3.71
                     : bytes <= 32 * MIB  ? 14.92
                                          : SCENE_LOCAL_NS);
}

static void emit_matrix(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink)
{
    for (uint32_t c = 0; c < nodes; c++)
        for (uint32_t m = 0; m < nodes; m++)
            emit_latency(sink, c, m, 256 * MIB, latency(c, m));
    for (uint32_t c = 0; c < nodes; c++)
        for (uint32_t m = 0; m < nodes; m++)
            for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++)
                for (uint32_t one = 0; one < 2; one++)
                    send(sink, (struct event){ .type = EVENT_BANDWIDTH,
                                               .bandwidth = { c, m, ops[o], one ? 1 : cpus_of_node,
                                                              rates(rate(c, m) * op_parts[o] *
                                                                    (one ? 0.4 : 1)) } });
}

static struct event_contest slowed(double idle, double part)
{
    double percent = part < 1 ? 100 / part - 100 : 100 * part - 100;

    return (struct event_contest){ rates(idle),
                                   rates(idle * part),
                                   { RUNS, percent, percent, percent / 20, percent, percent, 0 } };
}

/* One of each measurement that only the report has. */
static void emit_rest(uint32_t cpus_of_node, struct event_sink sink)
{
    static const char *const kinds[] = { "plain", "mirror", "parity" };

    send(sink,
         (struct event){ .type = EVENT_BANDWIDTH,
                         .bandwidth = { 0, 0, "triad", 2, rates(0.8 * rate(0, 0)), "fill" } });
    for (uint32_t place = 0; place < 3; place++)
        send(sink,
             (struct event){ .type = EVENT_CONTENTION,
                             .contention = { 0, place == 2, 1, place != 1, "reads", cpus_of_node,
                                             cpus_of_node, slowed(rate(0, 0), 0.95 - 0.3 * place),
                                             slowed(rate(0, 0) * 0.6, 0.96 - 0.3 * place),
                                             slowed(latency(0, 0), 1.02 + 0.2 * place) } });
    send(sink, (struct event){ .type = EVENT_LATENCY,
                               .latency = { 0, 0, 256 * MIB, waits(2 * SCENE_LOCAL_NS), "CPUs",
                                            "2:1", rates(5200.5) } });
    for (size_t k = 0; k < 3; k++)
        send(sink, (struct event){ .type = EVENT_REDUNDANCY,
                                   .redundancy = { 0, 0, 0, kinds[k], cpus_of_node,
                                                   rates(rate(0, 0) * 0.6), k ? 49.5 : 0 } });
}

void scene_measure(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink)
{
    emit_caches(sink);
    emit_curve(sink);
    emit_matrix(nodes, cpus_of_node, sink);
    emit_rest(cpus_of_node, sink);
}
