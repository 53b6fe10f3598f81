// SPDX-License-Identifier: MIT
#include "scenes.h"
#include "scenes_measured.h"

#include <stdio.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

const struct scene scenes[] = {
    { .name = "starting", .nodes = 0 },
    { .name = "bandwidth", .nodes = 2, .phase = "bandwidth" },
    { .name = "clean-pass", .nodes = 1, .phase = "test", .ended = true },
    { .name = "two-nodes-faults", .nodes = 2, .n_patterns = 3, .n_faults = 7, .phase = "test" },
    { .name = "eight-nodes", .nodes = 8, .n_patterns = 2, .n_faults = 40, .phase = "test" },
    { .name = "twelve-nodes", .nodes = 12, .n_warnings = 3, .phase = "test" },
    { .name = "long-line",
      .nodes = 1,
      .n_patterns = 64,
      .n_faults = 900,
      .phase = "test",
      .ended = true },
    { .name = "fail",
      .nodes = 1,
      .n_patterns = 2,
      .n_faults = 900,
      .phase = "test",
      .ended = true },
    { .name = "warnings", .nodes = 1, .n_warnings = 12, .phase = "test" },
    { .name = "measured-1", .nodes = 1, .measured = true, .phase = "test" },
    { .name = "measured-2", .nodes = 2, .measured = true, .phase = "test", .ended = true },
    { .name = "measured-4", .nodes = 4, .measured = true, .n_warnings = 2, .phase = "bandwidth" },
    { .name = "measured-8",
      .nodes = 8,
      .measured = true,
      .n_warnings = 1,
      .n_patterns = 2,
      .n_faults = 40,
      .phase = "test" },
    { .name = "measured-12", .nodes = 12, .measured = true, .n_warnings = 30, .phase = "test" },
    { .name = "stopped",
      .nodes = 1,
      .n_warnings = 1,
      .phase = "test",
      .ended = true,
      .stopped = true },
};
const size_t n_scenes = sizeof(scenes) / sizeof(scenes[0]);

static const char *const warnings[] = {
    "no SRAT table: all memory is taken as one node",
    "memory map: 2 entries overlap; the stricter kind was taken for 0x9f000-0xa0000",
    ("CPU 7 (APIC 14) did not come up in 100 ms: it is left out, and what it would have tested is "
     "shared by the others of its node"),
    "option march=: expected an element such as up(r0,w1) at \"{sideways\": it is left out",
    "SMBIOS: the checksum is wrong, so the installed size is unknown",
};

const struct scene *scene_find(const char *name)
{
    for (size_t i = 0; i < n_scenes; i++) {
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    }
    return NULL;
}

static void send(struct event_sink sink, double t, struct event e)
{
    e.t = t;
    sink.receive(sink.ctx, &e);
}

/* Two modules of each node; every third slot is empty. */
static const struct smbios_memory *slots_of(const struct scene *s)
{
    static struct smbios_memory memory;

    memory = (struct smbios_memory){ .n_slot = 3 * s->nodes };
    for (unsigned i = 0; i < memory.n_slot; i++) {
        struct smbios_slot *slot = &memory.slot[i];

        snprintf(slot->locator, sizeof(slot->locator), "DIMM_%c%u", (char)('A' + i / 3), i % 3 + 1);
        slot->is_populated = i % 3 != 2;
        slot->memory_type = 0x1a;
        slot->size_bytes = slot->is_populated ? 16 * GIB : 0;
        slot->rated_mt_s = 3200;
        slot->configured_mt_s = i ? 2933 : 0;
    }
    return &memory;
}

static const struct modules *modules_of(const struct scene *s)
{
    static struct modules modules;

    modules_make(slots_of(s), NULL, 0, &modules);
    return &modules;
}

static void emit_machine(const struct scene *s, struct event_sink sink)
{
    struct event_machine m = {
        .cpu = "AMD EPYC 7763 64-Core Processor",
        .cpus = SCENE_CPUS_OF_NODE * s->nodes,
        .nodes = s->nodes,
        .ram_bytes = 32 * GIB * s->nodes - 700 * MIB,
        .testable_bytes = 32 * GIB * s->nodes - 712 * MIB,
        .installed_bytes = 32 * GIB * s->nodes,
        .isa = "avx2",
        .tsc_hz = 2450000000,
        .slots = slots_of(s),
    };
    const struct modules *modules = modules_of(s);

    send(sink, 0.31, (struct event){ .type = EVENT_MACHINE, .machine = m });
    for (uint32_t n = 0; n < s->nodes; n++) {
        struct span spans[] = { { n * 32 * GIB + (n ? 0 : MIB), 32 * GIB - (n ? 0 : MIB) } };
        uint32_t cpus[SCENE_CPUS_OF_NODE];

        for (uint32_t i = 0; i < SCENE_CPUS_OF_NODE; i++)
            cpus[i] = s->nodes > 1 && i > 3 ? n * 4 + i + 4 * s->nodes - 4 : n * 4 + i;
        send(sink, 0.32,
             (struct event){ .type = EVENT_NODE,
                             .node = { n, cpus, SCENE_CPUS_OF_NODE, spans[0].size, spans, 1 } });
    }
    for (size_t i = 0; i < modules->n; i++)
        send(sink, 0.33, (struct event){ .type = EVENT_MODULE, .module = { modules, i } });
}

static void emit_bandwidth(const struct scene *s, struct event_sink sink)
{
    static const char *const ops[] = { "read", "write" };

    for (uint32_t c = 0; c < s->nodes; c++)
        for (uint32_t m = 0; m < s->nodes; m++)
            for (size_t o = 0; o < 2; o++) {
                double mean = (c == m ? 40123.4 : 21987.6) * (o ? 0.6 : 1) + 100 * m - 10 * c;

                send(sink, 0.5,
                     (struct event){
                         .type = EVENT_BANDWIDTH,
                         .bandwidth = { c,
                                        m,
                                        ops[o],
                                        8,
                                        { 5, mean, mean + 60, 31.4, mean - 50, mean + 60 } } });
            }
}

static void emit_faults(const struct scene *s, struct event_sink sink)
{
    for (size_t i = 0; i < s->n_faults; i++) {
        uint64_t expected = i % 2 ? 0 : ~UINT64_C(0), bit = UINT64_C(1) << (i % 3 ? 8 : 63);

        send(sink, 20 + (double)i,
             (struct event){ .type = EVENT_FAULT,
                             .fault = { UINT64_C(0x123456000) + i * 0x11008, expected,
                                        expected ^ bit, "march-c-", 1, (uint32_t)(i % 16), 0 } });
    }
}

/* Patterns of single pages; the line is made from them, as kernel/core/faults/log would. */
static void emit_badram(const struct scene *s, struct event_sink sink)
{
    static struct cover cover;
    static char line[COVER_PATTERNS_MAX * 40];
    size_t n = 0;

    memset(&cover, 0, sizeof(cover));
    line[0] = 0;
    for (size_t i = 0; i < s->n_patterns; i++) {
        struct pattern p = { UINT64_C(0x123456000) + i * 0x1001000, PATTERN_MASK_BITS };

        cover.pattern[i] = p;
        n += (size_t)sprintf(line + n, "%s0x%lx,0x%lx", i ? "," : "badram=", p.addr, p.mask);
    }
    cover.n_patterns = cover.sacrificed_pages = cover.ranges = s->n_patterns;
    send(sink, 90,
         (struct event){ .type = EVENT_BADRAM,
                         .badram = { s->n_patterns, &cover, line, s->ended } });
}

static void emit_advice(const struct scene *s, struct event_sink sink)
{
    const struct advice_facts facts = { .run = s->n_patterns ? ADVICE_FAILED
                                               : s->stopped  ? ADVICE_STOPPED
                                                             : ADVICE_PASSED,
                                        .ram_bytes = 32 * GIB,
                                        .n_modules = 4,
                                        .bad_pages = s->n_patterns,
                                        .line_fits = true };
    char text[ADVICE_TEXT_SIZE];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    advice_append(&facts, &b);
    send(sink, 4000.25,
         (struct event){ .type = EVENT_ADVICE, .advice = { advice_case_of(&facts), text } });
}

static void emit_result(const struct scene *s, struct event_sink sink)
{
    static const char *const tests[] = { "address", "march-c-" };
    static const struct event_untested untested[] = {
        { { 0, 0x1000 }, "interrupt vectors" },
        { { 0x100000, 0x700000 }, "okram itself" },
        { { 0x7fe00000, 0x200000 }, "ACPI tables" },
        { { 0x7fc00000, 0x200000 }, "ACPI tables" },
    };

    emit_advice(s, sink);
    send(sink, 4000.25,
         (struct event){ .type = EVENT_RESULT,
                         .result = { .verdict = s->n_patterns ? VERDICT_FAIL
                                                : s->stopped  ? VERDICT_STOPPED
                                                              : VERDICT_PASS,
                                     .complete = !s->stopped,
                                     .tests = tests,
                                     .n_tests = s->stopped ? 2 : 0,
                                     .passes = s->stopped ? 0 : 1,
                                     .tested_bytes = 31 * GIB,
                                     .untested_bytes = 0xb01000,
                                     .untested = untested,
                                     .n_untested = 4,
                                     .bad_pages = s->n_patterns,
                                     .faults = s->n_faults,
                                     .failing_bits = s->n_faults ? UINT64_C(0x8000000000000100) : 0,
                                     .seconds = 4000.25,
                                     .stopped = s->stopped } });
}

void scene_play(const struct scene *s, struct event_sink sink)
{
    static const double node_mb_s[12] = { 12000, 6000.6, 3000 };

    send(sink, 0.001,
         (struct event){ .type = EVENT_START,
                         .start = { "0.1.0", "bios", "GRUB 2.06-13", "tests=standard" } });
    if (!s->nodes)
        return;
    emit_machine(s, sink);
    for (size_t i = 0; i < s->n_warnings; i++)
        send(sink, 0.4, (struct event){ .type = EVENT_WARNING, .warning = warnings[i % 5] });
    if (s->measured)
        scene_measure(s->nodes, SCENE_CPUS_OF_NODE, sink);
    else if (strcmp(s->phase, "test") == 0)
        emit_bandwidth(s, sink);
    emit_faults(s, sink);
    if (s->n_patterns)
        emit_badram(s, sink);
    send(sink, 100,
         (struct event){
             .type = EVENT_PROGRESS,
             .progress = { s->phase, "march-c-", 1, 2, 2, 9, 45 * GIB, 100 * GIB, 23456.7, 100.5,
                           s->nodes == 8 ? -1 : 345.6, s->n_faults, s->n_patterns,
                           s->n_faults ? UINT64_C(0x8000000000000100) : 0, node_mb_s, s->nodes } });
    if (s->ended)
        emit_result(s, sink);
}
