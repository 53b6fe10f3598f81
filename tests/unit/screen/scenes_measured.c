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

static struct event_stats around(double mean)
{
    return (struct event_stats){ mean, mean / 800, mean * 0.998, mean * 1.002 };
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
    static const struct event_cache caches[] = {
        { 1, 32 * KIB, 123456.78, 1.24 },
        { 2, 512 * KIB, 81234.5, 3.71 },
        { 3, 32 * MIB, 40987.6, 14.92 },
        { 0, 256 * MIB, 17321.9, SCENE_LOCAL_NS },
    };

    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
        send(sink, (struct event){ .type = EVENT_CACHE, .cache = caches[i] });
}

static void emit_latency(struct event_sink sink, uint32_t cpu_node, uint32_t mem_node,
                         uint64_t bytes, double ns)
{
    send(sink, (struct event){ .type = EVENT_LATENCY,
                               .latency = { cpu_node, mem_node, bytes, ns, "idle" } });
}

/* Two steps each doubling, 16 KiB to 256 MiB. */
static void emit_curve(struct event_sink sink)
{
    for (uint64_t bytes = 16 * KIB; bytes <= 256 * MIB; bytes *= 2) {
        double ns = bytes <= 32 * KIB    ? 1.24
                    : bytes <= 512 * KIB ? 3.71
                    : bytes <= 32 * MIB  ? 14.92
                                         : SCENE_LOCAL_NS;

        emit_latency(sink, 0, 0, bytes, ns);
        if (bytes < 256 * MIB)
            emit_latency(sink, 0, 0, bytes + bytes / 2, bytes == 32 * KIB ? 2.5 : ns * 1.03);
    }
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
                    send(sink,
                         (struct event){
                             .type = EVENT_BANDWIDTH,
                             .bandwidth = { c, m, ops[o], one ? 1 : cpus_of_node, RUNS,
                                            around(rate(c, m) * op_parts[o] * (one ? 0.4 : 1)) } });
}

static void emit_scaling(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink)
{
    static const char *const orders[] = { "fill", "spread" }, *const scaled[] = { "triad", "read" };
    uint32_t n = nodes * cpus_of_node;

    for (size_t op = 0; op < 2; op++)
        for (size_t order = 0; order < (nodes > 1 ? 2 : 1); order++)
            for (uint32_t t = 1; t <= n; t = t < 16 || t == n ? t + 1
                                             : t + n / 4 > n  ? n
                                                              : t + n / 4) {
                uint32_t busy = order ? (t < nodes ? t : nodes) : (t - 1) / cpus_of_node + 1;
                double most = busy * SCENE_LOCAL_MB_S, mb_s = t * SCENE_LOCAL_MB_S * 0.4;

                send(sink, (struct event){ .type = EVENT_BANDWIDTH,
                                           .bandwidth = { 0, 0, scaled[op], t, RUNS,
                                                          around(mb_s < most ? mb_s : most),
                                                          orders[order] } });
            }
}

static void emit_contention(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink)
{
    for (uint32_t a = 0; a < nodes; a++)
        for (uint32_t b = 0; b < nodes; b++)
            for (uint32_t m = 0; a != b && m < 2; m++) {
                uint32_t mem = m ? b : a;

                send(sink,
                     (struct event){ .type = EVENT_CONTENTION,
                                     .contention = { a, mem, b, cpus_of_node, cpus_of_node, RUNS,
                                                     around(rate(a, mem)), around(rate(a, mem) / 2),
                                                     latency(a, mem), latency(a, mem) * 1.5 } });
            }
}

static void emit_loaded(struct event_sink sink)
{
    for (uint32_t mix = 0; mix < 2; mix++)
        for (uint32_t i = 0; i < 8; i++)
            send(sink,
                 (struct event){ .type = EVENT_LATENCY,
                                 .latency = { 0, 0, 256 * MIB, SCENE_LOCAL_NS * (1 + 0.05 * i * i),
                                              "CPUs", mix ? "2:1" : "reads", 700.5 + 5200 * i } });
}

static void emit_redundancy(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink)
{
    static const char *const kinds[] = { "plain", "mirror", "parity" };
    static const double costs[] = { 0, 49.5, 20.1 };

    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t remote = 0; remote < (nodes > 1 ? 2 : 1); remote++)
            for (size_t k = 0; k < 3; k++) {
                uint32_t other = (n + 1) % nodes;
                double mb_s = rate(n, remote ? other : n) * 0.6 * (1 - costs[k] / 100);

                send(sink, (struct event){
                               .type = EVENT_REDUNDANCY,
                               .redundancy = { n, remote ? other : n, remote ? n : other, kinds[k],
                                               cpus_of_node, RUNS, around(mb_s), costs[k] } });
            }
}

void scene_measure(uint32_t nodes, uint32_t cpus_of_node, struct event_sink sink)
{
    emit_caches(sink);
    emit_curve(sink);
    emit_matrix(nodes, cpus_of_node, sink);
    emit_scaling(nodes, cpus_of_node, sink);
    emit_contention(nodes, cpus_of_node, sink);
    emit_loaded(sink);
    emit_redundancy(nodes, cpus_of_node, sink);
}
