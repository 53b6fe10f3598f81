// SPDX-License-Identifier: MIT
#include <math.h>

#include "firmware/memory_ecc.h"
#include "report/capture.h"
#include "report/reported.h"
#include "report/text.h"
#include "screen/scenes.h"
#include "decoder/sample_controller.h"
#include "spd/sample_modules.h"
#include "tests/unit/unit.h"

#define ONCE(x)                                                                                    \
    {                                                                                              \
        1, x, x, NAN, x, x, 0                                                                      \
    }

static const struct smbios_names names = {
    .system = { "Q", "PC", "Default string", "S1" },
    .board = { "N/A", "", "None", "S2" },
    .uuid = "00112233-4455-6677-8899-aabbccddeeff",
};
static const uint8_t macs[][IDENTITY_MAC_BYTES] = { { 0x52, 0x54, 0, 0xab, 0xc, 1 },
                                                    { 0x52, 0x54, 0, 0xab, 0xc, 2 } };
static const uint32_t cpus[] = { 0, 1, 2, 8 };
static const struct span spans[] = { { 0x1000, 0x9e000 }, { 0x100000000, 0x40000000 } };
static const char *const warnings[] = { "no SRAT", "CPU 3 is late" };
static const struct cover cover = { .pattern = { { 0x5000000, 0xffffffffff000 } },
                                    .n_patterns = 1,
                                    .sacrificed_pages = 257,
                                    .ranges = 2 };
static const struct event_untested untested[] = { { { 0, 0x1000 }, "vectors" } };

static struct text_log l;
static struct capture c;

static int start(void **state)
{
    capture_free(&c);
    text_init(&l, capture_writer(&c));
    return 0;
}

static const uint32_t speeds[] = { 100, 100, 52, 25 };
static const struct event_cpu_kind kinds[] = { { "performance", cpus, 2, 2, 0x12c, 100 },
                                               { "efficiency", cpus + 2, 2, 1, 0, 0 },
                                               { "all", cpus, 1, 1, 0, 0 } };

#define RESULT(...) ((struct event){ EVENT_RESULT, 5, .result = { __VA_ARGS__ } })

/* text: without the time, which begins each line but those for bootloaders. */
static void expect(struct event e, const char *text)
{
    char wanted[4096] = "";
    size_t n = 0;

    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        if (strncmp(text, "badram=", 7) != 0 && (e.type != EVENT_LINE || !n))
            n += (size_t)snprintf(wanted + n, sizeof(wanted) - n, "[%10.3f] ", e.t);
        n += (size_t)snprintf(wanted + n, sizeof(wanted) - n, "%.*s\n", (int)(end - text), text);
    }
    capture_free(&c);
    text_receive(&l, &e);
    assert_string_equal(c.text ? c.text : "", wanted);
}

static const struct row_result found_rows = { .answer = ROWS_FOUND,
                                              .map = { .hole = UINT64_C(1) << 30,
                                                       .n_functions = 2,
                                                       .function = { 0x4080, 0x48000 },
                                                       .row = 0x3fffc0000,
                                                       .column = 0x7e7f },
                                              .n_measurements = 50000 };
static const struct row_result no_rows = { .answer = ROWS_ONE_MODE, .n_measurements = 15000 };

TEST(each_event_is_exact, start)
{
    expect((struct event)EVENT(START, start, 0.0004, "0.1.0", "bios", "GRUB 2.06", ""),
           "okram 0.1.0, started by BIOS, GRUB 2.06\n"
           "options    (none)\n");
    expect((struct event)EVENT(IDENTITY, identity, 0.1, "0123456789abcdef0123456789abcdef",
                               "2026-11-24T13:14:34", &names, true, macs, 2),
           "run        0123456789abcdef0123456789abcdef, begun 2026-11-24T13:14:34\n"
           "system     Q PC, serial S1\n"
           "board      serial S2\n"
           "uuid       00112233-4455-6677-8899-aabbccddeeff\n"
           "network    52:54:00:ab:0c:01\n"
           "           52:54:00:ab:0c:02\n");
    expect((struct event)EVENT(IDENTITY, identity, 0.1, "01", "", &names),
           "run        01\n"
           "system     Q PC\n"
           "uuid       00112233-4455-6677-8899-aabbccddeeff\n");
    expect((struct event){ .type = EVENT_PAGES }, "");
    expect((struct event)EVENT(MACHINE, machine, 0.25, "A CPU", 1, 1, 1ull << 29, 511ull << 20, 0,
                               warnings, 2, "sse2", 2450000000),
           "cpu        A CPU\n"
           "machine    1 CPU on 1 node, TSC 2.450 GHz, line operations sse2\n"
           "memory     512 MiB of RAM, 511 MiB to test, installed: not reported by the firmware\n"
           "warning    no SRAT\n"
           "warning    CPU 3 is late\n");
    expect(
        (struct event)EVENT(MACHINE, machine, 0.25, .cpu = "A CPU", .cpus = 2, .nodes = 1,
                            .ram_bytes = 2ull << 30, .testable_bytes = 2ull << 30,
                            .installed_bytes = 2ull << 30, .isa = "sse2", .tsc_hz = 1000000000,
                            .specific_bytes = 1ull << 30),
        "cpu        A CPU\n"
        "machine    2 CPUs on 1 node, TSC 1.000 GHz, line operations sse2\n"
        "memory     2 GiB of RAM, 2 GiB to test, installed: 2 GiB\n"
        "           1 GiB of it is specific-purpose memory (CXL, high bandwidth): tested, too\n");
    expect((struct event)EVENT(NODE, node, 12345.5, 1, cpus, 4, 0x4009e000, spans, 2),
           "node 1     CPUs 0-2,8; 1.0 GiB in 2 spans\n"
           "           0x000000001000-0x00000009f000  632 KiB\n"
           "           0x000100000000-0x000140000000  1 GiB\n");
    expect((struct event)EVENT(NODE, node, 1, 1, cpus, 4, 0, NULL, 0, .speed_percent = speeds),
           "node 1     CPUs 0-2,8; 0 B in 0 spans\n"
           "speed      CPUs 0-1 100 %, 2 52 %, 8 25 %\n");
    expect((struct event)EVENT(NODE, node, 1, 1, cpus, 2, 0, NULL, 0, .speed_percent = speeds),
           "node 1     CPUs 0-1; 0 B in 0 spans\n");
    expect((struct event)EVENT(MODULE, module, 1, &sample_modules, 0),
           "module     DIMM_A1, SMBus 0x50: DDR4 UDIMM, 8 GiB, 1 rank of x8 chips, 64+8 bits\n"
           "           Corsair CMK16GX4, serial 0000002A, week 12 of 2019; chips by Samsung\n"
           "           runs at 3200 MT/s 16-18-19-36 2T; JEDEC 2666 (19-20-21-43)\n"
           "           XMP 3200 (16-18-19-36)\n"
           "           EXPO 3000\n"
           "           an overclock, beyond JEDEC's figures in its SPD: faults may come from it\n");
    expect((struct event)EVENT(MODULE, module, 1, &sample_modules, 1),
           "module     SMBus 0x51: DDR5\n"
           "           unknown maker, no serial number\n"
           "           SPD: the CRC of type, size and speed is wrong\n");
    expect(
        (struct event)EVENT(CONTROLLER, controller, 1, &sample_controller, &sample_registers),
        "controller AMD Zen 4\n"
        "           channel 0 (channel 0 of controller 0): module 0: 16 GiB, 1 rank of x8 chips; "
        "module 1: none; 5200 MT/s 40-39-39-77 1T; ECC off\n"
        "           channel 1 (channel 1 of controller 2 of socket 1): module 0: none; module 1: "
        "none\n");
    expect((struct event)EVENT(CONTROLLER, controller, 1, &unknown_controller, &no_registers),
           "controller not known: the module of an address is not known: nobody knows\n");
    expect((struct event)EVENT(TEMPERATURE, temperature, 9, .when = "end", .cpu = &sample_cpu,
                               .modules = &sample_modules, .pauses = 3, .paused_seconds = 61.6,
                               .text = ""),
           "thermal    at the end: CPU 63 C (highest 71), DIMM_A1 42 C (highest 43), "
           "at SMBus address 0x51 -2 C; 3 pauses to cool down, 62 s in all\n");
    expect((struct event)EVENT(TEMPERATURE, temperature, 9, .when = "start", .cpu = &sample_cpu,
                               .modules = &(struct modules){ .n = 0 },
                               .text = "traffic pauses above 100 C (CPU)"),
           "thermal    at the start: CPU 63 C (highest 71); traffic pauses above 100 C "
           "(CPU)\n");
    expect((struct event)EVENT(TEMPERATURE, temperature, 9, .when = "pause", .cpu = &sample_cpu,
                               .modules = &(struct modules){ .n = 0 }, .pauses = 1,
                               .text = "paused: 63 C (CPU), until 53 C"),
           "thermal    paused: 63 C (CPU), until 53 C: CPU 63 C (highest 71)\n");
    expect((struct event)EVENT(MACHINE, machine, 0.25, .cpu = "A CPU", .cpus = 4, .nodes = 1,
                               .isa = "sse2", .installed_bytes = 1 << 20, .kinds = kinds,
                               .n_kinds = 3),
           "cpu        A CPU\n"
           "machine    4 CPUs on 1 node, TSC 0.000 GHz, line operations sse2\n"
           "cpus       0-1: performance, 2 threads per core, microcode 0x12c, speed 100 %\n"
           "cpus       2,8: efficiency, 1 thread per core\n"
           "cpus       0, 1 thread per core\n"
           "memory     0 B of RAM, 0 B to test, installed: 1 MiB\n");
    for (size_t i = 0; i < 3; i++) {
        static const struct {
            struct memory_ecc ecc;
            const char *text;
        } cases[] = { { { MEMORY_ECC_ON, "smbios" }, "ECC on" },
                      { { MEMORY_ECC_OFF, "smbios" }, "ECC off" },
                      { { MEMORY_ECC_UNUSED, "controller" },
                        "ECC off, although the modules have it" } };
        char text[256];

        snprintf(text, sizeof(text),
                 "cpu        A\n"
                 "machine    1 CPU on 1 node, TSC 0.000 GHz, line operations sse2\n"
                 "memory     0 B of RAM, 0 B to test, installed: 1 MiB, %s\n",
                 cases[i].text);
        expect((struct event)EVENT(MACHINE, machine, 0.25, .cpu = "A", .cpus = 1, .nodes = 1,
                                   .isa = "sse2", .installed_bytes = 1 << 20, .ecc = cases[i].ecc),
               text);
    }
    expect((struct event)EVENT(MACHINE, machine, 0.25, .cpu = "A", .cpus = 1, .nodes = 1,
                               .isa = "sse2", .installed_bytes = 1 << 20,
                               .repair = MEMORY_REPAIR_IN_BAND_ECC | MEMORY_REPAIR_ON_DIE_ECC),
           "cpu        A\n"
           "machine    1 CPU on 1 node, TSC 0.000 GHz, line operations sse2\n"
           "memory     0 B of RAM, 0 B to test, installed: 1 MiB\n"
           "repair     in-band ECC, on-die ECC: no test sees a fault that this repairs; see "
           "docs/coverage.md, Mirroring\n");
    expect(
        (struct event)EVENT(MACHINE, machine, 0.25, .cpu = "A", .cpus = 1, .nodes = 1,
                            .isa = "sse2", .installed_bytes = 1 << 20,
                            .side_cache = { 8 << 20, "cpu" }),
        "cpu        A\n"
        "machine    1 CPU on 1 node, TSC 0.000 GHz, line operations sse2\n"
        "memory     0 B of RAM, 0 B to test, installed: 1 MiB\n"
        "side cache 8 MiB in front of memory: row hammer may not get through it, nor what a test "
        "soon does again to a line; see docs/coverage.md, Memory-side caches\n");
    expect((struct event)EVENT(CACHE, cache, 1, 2, 1 << 20, ONCE(123456.78)),
           "cache      L2        1 MiB,   123456.8 MB/s  (1 run)\n");
    expect((struct event)EVENT(CACHE, cache, 1, 1, 32 << 10, ONCE(123456.78), ONCE(1.24),
                               { "avx512", "off" }),
           "cache      L1       32 KiB,   123456.8 MB/s,      1.2 ns  (avx512, prefetchers off, 1 "
           "run)\n");
    expect((struct event)EVENT(CACHE, cache, 1, 0, 1 << 28,
                               { 5, 12345.6, 12399, 9.5, 12000, 12399 },
                               { 5, 91.25, 90, 1.5, 90, 93 }),
           "cache      memory  256 MiB,    12345.6 MB/s,     91.3 ns  (stddev 9.5, 12000.0 to "
           "12399.0; stddev 1.50, 90.00 to 93.00; 5 runs)\n");
    expect(
        (struct event)EVENT(BANDWIDTH, bandwidth, 1, 0, 1, "read", 8,
                            { 2, 12345.67, 12999, 9.5, 12000, 12999 }),
        "bandwidth  read     12345.7 MB/s  CPUs of node 0, memory of node 1  (stddev 9.5, 12000.0 "
        "to 12999.0; 8 threads, 2 runs)\n");
    expect((struct event)EVENT(LATENCY, latency, 1, 0, 1, 1 << 28, ONCE(91.2), "idle"),
           "latency          91.2 ns    CPU of node 0, memory of node 1, over 256 MiB  (idle; 1 "
           "run)\n");
    expect((struct event)EVENT(ROWS, rows, 2, 1, &found_rows),
           "rows       node 1: found by timing; banks by the address bits 0x4080 0x48000, rows by "
           "0x3fffc0000, above 4 GiB without 0x40000000\n");
    expect(
        (struct event)EVENT(ROWS, rows, 2, 0, &no_rows),
        "rows       node 0: timing gives no clear answer: all pairs of lines take the same time; "
        "rows are guessed\n");
    expect(
        (struct event)EVENT(TEST, test, 2, .pass = 1, .test = "march-c-", .seconds = 2,
                            .swept_bytes = 10ull << 30, .sweeps = 70, .faults = 1),
        "test       march-c-           pass 1, 2.000 s, 10 GiB in 70 sweeps, 5369 MB/s, 1 fault\n");
    expect((struct event)EVENT(TEST, test, 2, .pass = 1, .test = "none", .sweeps = 1,
                               .has_seed = true, .seed = 12345),
           "test       none               pass 1, 0.000 s, 0 B in 1 sweep, 0 MB/s, seed 12345, 0 "
           "faults\n");
    expect((struct event)EVENT(TEST, test, 2, .pass = 1, .test = "row-hammer", .hammers = true,
                               .hammered_bytes = 8 << 20, .note = "rows are guessed"),
           "test       row-hammer         pass 1, 0.000 s, 0 B, 0 MB/s, hammered 8 MiB, 0 faults\n"
           "note       rows are guessed\n");
    expect((struct event)EVENT(FAULT, fault, 2, 0x5000008, 1, 0, "address", 1, 3, 0),
           "FAULT      0x000005000008  expected 0000000000000001  found 0000000000000000  differs "
           "0000000000000001  address, pass 1, CPU 3, node 0\n");
    expect(
        (struct event)EVENT(EXTERNAL, external, 2, 0x5000040, 1, 2, "random", 1, 3),
        "external   0x000005000040  expected 0000000000000001  found 0000000000000002  written by "
        "a device or by firmware, no fault: random, pass 1, CPU 3\n");
    expect((struct event)EVENT(EXTERNAL, external, 2, 0xffff8, 1, 2, "random", 1, 3),
           "external   0x0000000ffff8  expected 0000000000000001  found 0000000000000002  firmware "
           "may write here, no fault: random, pass 1, CPU 3\n");
    expect((struct event){ EVENT_GEOMETRY, 2, .geometry = &sample_geometry },
           "MODULE     The module DIMM_A1 states too much\n");
    expect((struct event)EVENT(ALIAS, alias, 2,
                               { .addr = 0x7000040,
                                 .partner = 0x5000040,
                                 .address_bits = 0x2000000,
                                 .pages = 1,
                                 .upper = { 0x7000000, PAGE_SIZE },
                                 .lower = { 0x5000000, PAGE_SIZE },
                                 .both = true },
                               "address", 1),
           "ALIAS      page 0x7000000 aliases 0x5000000: both are excluded\n");
    expect((struct event)EVENT(MCE, mce, 2, 1, 4, 0x9c, 0, false, true),
           "mce        corrected machine check on CPU 1, bank 4, status 0x000000000000009c\n");
    expect(
        (struct event)EVENT(MCE, mce, 2, 1, 4, 0x9c, 0x40, true, true, true, 70),
        "mce        corrected machine check on CPU 1, bank 4, status 0x000000000000009c, address "
        "0x000000000040, 70 so far; its page is bad\n");
    expect((struct event)EVENT(MCE, mce, 2, 1, 4, 0x9c, 0x40, true, false),
           "mce        UNCORRECTED machine check on CPU 1, bank 4, status 0x000000000000009c, "
           "address 0x000000000040\n");
    expect(
        (struct event)EVENT(MCE, mce, 2, 1, 17, 0x9c, 0x40, true, true, false, 5, true,
                            "node 0, UMC 3"),
        "mce        corrected machine check on CPU 1, bank 17, status 0x000000000000009c, address "
        "0x000000000040, 5 so far, node 0, UMC 3; memory, but its page is not known\n");
    expect((struct event)EVENT(ECC_PAGE, ecc_page, 2, 1, 17, "node 0, UMC 3", true, 0x5000000,
                               "found", UINT64_C(128) << 20, 4096, 31, 0.25),
           "ecc page   corrected errors of node 0, UMC 3 come from page 0x000005000000, which is "
           "bad; searched: 131072 KiB in 250 ms\n");
    expect((struct event)EVENT(ECC_PAGE, ecc_page, 2, 1, 17, NULL, false, 0, "not again", 8192,
                               8192, 30, 1),
           "ecc page   corrected errors of bank 17 did not come again in 30 tries; searched: 8 KiB "
           "in 1000 ms\n");
    expect((struct event)EVENT(ECC_PAGE, ecc_page, 2, 1, 17, NULL, false, 0, "elsewhere", 8192,
                               4096, 30, 1),
           "ecc page   corrected errors of bank 17 come whatever is read: no page is marked; "
           "searched: 8 KiB in 1000 ms\n");
    expect(
        (struct event)EVENT(ECC_PAGE, ecc_page, 2, 1, 17, NULL, false, 0, "time", 8192, 4096, 30,
                            60),
        "ecc page   corrected errors of bank 17 have no page: the search ended (time); searched: "
        "8 KiB in 60000 ms\n");
    expect((struct event)EVENT(CPER, cper, 2, 7, &placed_error, 12),
           "ecc        firmware reports a corrected error of memory (single-bit ECC), address "
           "0x000005000fc0, card 0, module 3, row 131071, DIMM_A4, 12 so far; its page is bad\n");
    expect((struct event)EVENT(CPER, cper, 2, 0, &unplaced_error, 1),
           "ecc        firmware reports an UNCORRECTED error of memory; its page is not known\n");
    expect((struct event)EVENT(
               CPER, cper, 2, 0,
               &(struct cper_memory){ .severity = ERROR_INFORMATION, .what = "memory sparing" }, 1),
           "ecc        firmware reports on memory, no error (memory sparing)\n");
    expect((struct event)EVENT(TRACE, trace, 2, OPTION_TRACE_MOVES, "moved", .from = 0x100000,
                               .to = 0x4000000, .bytes = 8192, .seconds = 0.25),
           "trace      okram, from 0x100000 to 0x4000000: moved, 8 KiB, 250.000 ms\n");
    expect((struct event)EVENT(TRACE, trace, 2, OPTION_TRACE_MOVES, "no place", .from = 0x100000,
                               .bytes = 8192),
           "trace      okram, from 0x100000: no place, 8 KiB, 0.000 ms\n");
    expect(
        (struct event)EVENT(TRACE, trace, 2, OPTION_TRACE_CPUS, "failed", .cpu = 3, .apic_id = 6),
        "trace      cpu 3 (APIC ID 6): failed\n");
    expect((struct event)EVENT(TRACE, trace, 2, OPTION_TRACE_FIRMWARE, "called", 1,
                               .service = "SetVariable", .variable = "OkramReport00"),
           "trace      cpu 1: SetVariable OkramReport00: called\n");
    expect(
        (struct event)EVENT(TRACE, trace, 2, OPTION_TRACE_FIRMWARE, "returned", 1,
                            .service = "GetNextVariableName", .variable = "",
                            .status = UINT64_C(0x800000000000000e), .seconds = 0.5, .missed = 7),
        "trace      cpu 1: GetNextVariableName: returned 0x800000000000000e, 500.000 ms; 7 before "
        "it not shown\n");
    expect((struct event){ EVENT_WARNING, 3, .warning = "late" }, "warning    late\n");
}

TEST(rows_by_the_registers, start)
{
    static const struct dram_map map;
    struct row_result by_registers = found_rows;

    by_registers.map.registers = &map;
    expect((struct event)EVENT(ROWS, rows, 2, 1, &by_registers),
           "rows       node 1: found by timing; banks by the address bits 0x4080 0x48000, rows by "
           "0x3fffc0000, above 4 GiB without 0x40000000; neighbours by the memory controller's "
           "registers\n");
    by_registers.answer = ROWS_UNCLEAR;
    by_registers.map.part = (struct span){ UINT64_C(2) << 32, UINT64_C(1) << 32 };
    expect(
        (struct event)EVENT(ROWS, rows, 2, 1, &by_registers),
        "rows       node 1, 4 GiB from 0x200000000 on: timing gives no clear answer: banks were found, but not which bits "
        "choose the row; rows are taken from the memory controller's registers\n");
}

TEST(what_bandwidth_full_measures, start)
{
    const struct event_stats idle = { 20, 40123.4, 40150.5, 20.1, 40100, 40150.5, 0 };
    const struct event_stats loaded = { 5, 30092.55, 30100, 9.5, 30000, 30100, 0 };
    const struct event_stats once = ONCE(30092.55);
    const struct event_stats ns = { 5, 80, 79, 0.5, 79, 81, 0 };

    expect(
        (struct event)EVENT(BANDWIDTH, bandwidth, 1, 0, 0, "triad", 1, idle, "fill", 1),
        "scaling    triad    40123.4 MB/s     1 thread,  fill    (1 core, stddev 20.1, 40100.0 to "
        "40150.5; 20 runs)\n");
    expect(
        (struct event)EVENT(BANDWIDTH, bandwidth, 1, 1, 1, "read", 128, once, "spread", 56, 16, 56),
        "scaling    read     30092.5 MB/s   128 threads, spread  (56 cores, 16 efficient, 56 "
        "siblings, 1 run)\n");
    expect(
        (struct event)EVENT(BANDWIDTH, bandwidth, 1, 1, 1, "read", 8, once, "efficient", 0, 8, 0),
        "scaling    read     30092.5 MB/s     8 threads, efficient  (8 efficient, 1 run)\n");
    expect(
        (struct event)EVENT(LATENCY, latency, 1, 0, 0, 1 << 28, ns, "other CPUs of node 0", "reads",
                            loaded),
        "latency          80.0 ns    CPU of node 0, memory of node 0, over 256 MiB  (stddev 0.50, "
        "79.00 to 81.00; other CPUs of node 0: 30092.5 MB/s of reads, stddev 9.5, 30000.0 to "
        "30100.0; 5 runs)\n");
    expect(
        (struct event)EVENT(LATENCY, latency, 1, 0, 0, 1 << 28, ONCE(140.06), "others", "2:1",
                            ONCE(1)),
        "latency         140.1 ns    CPU of node 0, memory of node 0, over 256 MiB  (others: 1.0 "
        "MB/s of 2:1 reads to writes, 1 run)\n");
    expect((struct event)EVENT(CACHE_TO_CACHE, cache_to_cache, 1, "l3", "modified", 2, 1, 0, 0, 0,
                               32768, { 2, 93.26, 92, 0.5, 92, 94 }, { NULL, "off" }),
           "latency          93.3 ns    CPU 2, modified lines of node 0 in caches of CPU 1, share: "
           "l3  (stddev 0.50, 92.00 to 94.00; prefetchers off, 2 runs)\n");
    expect(
        (struct event)EVENT(CONTENTION, contention, 1, 0, 1, 2, 1, "writes", 8, 4,
                            { idle, loaded, { 5, 33.3, 32.9, 0.5, 32.9, 34.1 } },
                            { idle, once, ONCE(-1.5) }, { ns, ONCE(100), ONCE(25) }),
        "contention CPUs of node 0 on memory of node 1, load of CPUs of node 2 on node 1: writes  "
        "(8 threads, 4 load)\n"
        "           read       40123.4 MB/s idle,    30092.5 loaded, time    33.3 %  (stddev 0.5, "
        "32.9 to 34.1; 5 runs)\n"
        "           write      40123.4 MB/s idle,    30092.5 loaded, time    -1.5 %  (1 run)\n"
        "           latency       80.0 ns   idle,      100.0 loaded, time    25.0 %  (1 run)\n");
    expect(
        (struct event)EVENT(CONTENTION, contention, 1, 0, 1, 2, 2, "reads", 1, 1,
                            { once, once, ONCE(0) }),
        "contention CPUs of node 0 on memory of node 1, load of CPUs of node 2 on node 2: reads  "
        "(1 thread, 1 load)\n"
        "           read       30092.5 MB/s idle,    30092.5 loaded, time     0.0 %  (1 run)\n");
    expect((struct event)EVENT(UNMEASURED, unmeasured, 1, "caches", "CPUID reports none"),
           "unmeasured caches: CPUID reports none\n");
    expect((struct event)EVENT(UNMEASURED, unmeasured, 1, "all", "there is none", true, true, 3, 4),
           "unmeasured all, CPUs of node 3, memory of node 4: there is none\n");
    expect((struct event)EVENT(LATENCY, latency, 1, 0, 1, 1 << 20, { 2, 90, 89, 1, 89, 91, 3 },
                               "idle", .how = { .in_caches = true }),
           "latency          90.0 ns    CPU of node 0, memory of node 1, over 1 MiB  (stddev 1.00, "
           "89.00 to 91.00; 3 left out: the TSC went back; idle; partly in caches, 2 runs)\n");
    expect(
        (struct event)EVENT(REDUNDANCY, redundancy, 1, 0, 0, 1, "plain", 8, idle, 0),
        "redundancy plain    40123.4 MB/s, cost    0.0 %  CPUs of node 0, data on node 0  (stddev "
        "20.1, 40100.0 to 40150.5; 8 threads, 20 runs)\n");
    expect(
        (struct event)EVENT(REDUNDANCY, redundancy, 1, 0, 0, 1, "parity", 8, once, 25.0),
        "redundancy parity   30092.5 MB/s, cost   25.0 %  CPUs of node 0, data on node 0, parity "
        "on node 1  (8 threads, 1 run)\n");
}

TEST(a_warning_told_early_is_not_repeated, start)
{
    expect((struct event){ EVENT_WARNING, 0, .warning = "no SRAT" }, "warning    no SRAT\n");
    text_receive(
        &l, &(struct event){ EVENT_MACHINE, .machine = { "", 1, 1, 0, 0, 0, warnings, 2, "", 0 } });
    assert_null(strstr(strstr(c.text, "SRAT") + 1, "SRAT"));
    assert_non_null(strstr(c.text, "late"));
}

TEST(progress_comes_every_five_seconds, start)
{
    struct event e = EVENT(PROGRESS, progress, 10, "test", "march-c-", 2, 3, 0, 9, 45, 100, 5432.1,
                           10, 100, 7, 1, 1);

    expect(
        e,
        "progress   pass 2 of 3, 45 %, test 1 of 9 march-c-, 5432 MB/s, 0:00:10 elapsed, 0:01:40 "
        "left, 7 faults in 1 page\n");
    e.t = 14.99;
    expect(e, "");
    text_ask(&l);
    e.progress.passes = 0;
    e.progress.pass_total_bytes = 0;
    e.progress.seconds_left = -1;
    expect(
        e,
        "progress   pass 2, 0 %, test 1 of 9 march-c-, 5432 MB/s, 0:00:10 elapsed, unknown left, "
        "7 faults in 1 page\n");
    e.t = 20;
    e.progress.phase = "bandwidth";
    expect(e, "progress   bandwidth\n");
    e.t = 30;
    e.progress.phase = "done";
    expect(e, "");
}

TEST(the_line_so_far, start)
{
    struct event e = EVENT(BADRAM, badram, 4, 1, &cover, "badram=0x5000000,0x1", false);
    struct event none = EVENT(BADRAM, badram, 4, 0, &cover, "", false);

    expect(none, "");
    text_ask(&l);
    expect(none, "badram     no fault found so far\n");
    expect(e, "badram     1 pattern for 1 bad page, 257 pages (1.0 MiB) sacrificed, 2 "
              "ranges\nbadram=0x5000000,0x1\n");
    e.badram.final = true; /* kept for the end */
    expect(e, "");
}

TEST(other_lines_stand_whole_on_lines_of_their_own, start)
{
    struct event e = EVENT(LINE, line, 5, "xen", "Xen: there", "badpage=0x5", "1 page", 0);

    expect(e, "line       xen (Xen: there): 1 page\nbadpage=0x5\n");
    e.line.text = "first\nsecond";
    expect(e, "line       xen (Xen: there): 1 page\nfirst\nsecond\n");
    e.line.text = "";
    expect(e, "line       xen (Xen: there): 1 page\n");
    e.line.asked = true; /* who asks looks at the screen */
    expect(e, "");
}

TEST(the_end_with_faults, start)
{
    expect((struct event)EVENT(BADRAM, badram, 4, 1, &cover, "badram=0x5000000,0x1", true), "");
    expect(
        RESULT(VERDICT_FAIL, 1, 1 << 29, 0x1000, untested, 1, 1, 9, UINT64_C(0x8000000000000001),
               100, true, true),
        "result     FAIL: 1 bad page, 9 faults, failing bits of a 64-bit word: 0,63; the run was "
        "stopped early\n"
        "tested     512 MiB, 1 complete pass in 0:01:40\n"
        "untested   4 KiB:\n"
        "           0x000000000000-0x000000001000  4 KiB  vectors\n"
        "badram     1 pattern for 1 bad page, 257 pages (1.0 MiB) sacrificed, 2 ranges\n"
        "badram=0x5000000,0x1\n");
    expect((struct event)EVENT(REPORT_SAVED, kept, 5, .phase = KEPT_BEGUN), "");
    expect((struct event){ EVENT_WARNING, 6, .warning = "late" },
           "warning    late\n"
           "badram=0x5000000,0x1\n"); /* it stays the last line */
    expect((struct event)EVENT(TRACE, trace, 6, OPTION_TRACE_FIRMWARE, "called", 0,
                               .service = "ResetSystem", .variable = ""),
           "trace      cpu 0: ResetSystem: called\n"
           "badram=0x5000000,0x1\n");
}

TEST(pages_tested_again, start)
{
    expect((struct event)EVENT(RETEST, retest, 4, 0x5000000, 8, 8),
           "retest     0x000005000000  always (8 of 8 times)\n");
    expect((struct event)EVENT(RETEST, retest, 4, 0x5000000, 8, 3),
           "retest     0x000005000000  3 of 8 times\n");
    expect((struct event)EVENT(RETEST, retest, 4, 0x5000000, 1, 1),
           "retest     0x000005000000  always (1 of 1 time)\n");
    expect((struct event)EVENT(RETEST, retest, 4, 0x5000000, 8, 0),
           "retest     0x000005000000  not again in 8 times\n");
    expect((struct event)EVENT(RETEST, retest, 4, 0x5000000, 0, 0),
           "retest     0x000005000000  not tested again\n");
}

static const struct kind_verdict row_kind = { .kind = KIND_ROW,
                                              .confidence = KIND_SURE,
                                              .lane = { KIND_LANE_BYTE, 24, 64 },
                                              .evidence = "128 lines" };
static const struct kind_verdict far_kind = { .kind = KIND_EVERYWHERE,
                                              .confidence = KIND_LIKELY,
                                              .evidence = "9 words" };

TEST(what_kind_of_fault, start)
{
    expect(
        (struct event)EVENT(KIND, kind, 4, &row_kind, "byte lane 3 of 8", "0 1 2 [3] | 4 5 6 7"),
        "kind       sure: 1 to 4 rows (word lines); 128 lines\n"
        "chip       byte lane 3 of 8\n"
        "           0 1 2 [3] | 4 5 6 7  on a usual module of eight chips, seen from the front\n");
    expect(
        (struct event)EVENT(KIND, kind, 4, &far_kind, "", ""),
        "kind       likely: everywhere and changing: settings, voltage or controller; 9 words\n");
}

static const struct diagnosis_record first_record = {
    .runs = 1,
    .next = "Take one out.",
    .summary = "NEXT STEP: test with A1 only",
    .history = "A1 and B1: faults in 3 of 3 passes\n",
    .words = "tests=mats+ passes=8 diagnosis=4c0a-13",
};
static const struct diagnosis_record last_record = {
    .runs = 2,
    .end = "module",
    .headline = "BAD MODULE FOUND",
    .summary = "BAD MODULE FOUND: now in B1",
    .found = "One module is bad.",
    .reasons = "It is.",
    .history = "A1 and B1: faults in 3 of 3 passes\nA1: no fault in 8 passes\n",
};

TEST(which_module_it_is, start)
{
    expect((struct event)EVENT(DIAGNOSIS, diagnosis, 4, .record = &first_record),
           "diagnosis  which module is bad, by 1 run so far. NEXT STEP: test with A1 only\n"
           "           A1 and B1: faults in 3 of 3 passes\n"
           "next       Take one out.\n"
           "options    tests=mats+ passes=8 diagnosis=4c0a-13\n");
    expect((struct event)EVENT(DIAGNOSIS, diagnosis, 4, .record = &last_record),
           "diagnosis  which module is bad, by 2 runs so far. BAD MODULE FOUND: now in B1\n"
           "           A1 and B1: faults in 3 of 3 passes\n"
           "           A1: no fault in 8 passes\n"
           "found      One module is bad. It is.\n");
}

/* The result of a run of a search begins with the search's headline. */
TEST(the_headline_of_a_search, start)
{
    const struct event result = EVENT(RESULT, result, 5, .verdict = VERDICT_PASS, .complete = true);

    struct event search = EVENT(DIAGNOSIS, diagnosis, 4, .begun = true, .record = &last_record);

    text_receive(&l, &search);
    capture_free(&c);
    text_receive(&l, &result);
    assert_non_null(
        strstr(c.text, "] result     BAD MODULE FOUND. This run: PASS: no fault found\n"));
    search.diagnosis.begun = false;
    text_receive(&l, &search);
    capture_free(&c);
    text_receive(&l, &result);
    assert_non_null(strstr(c.text, "] result     PASS: no fault found\n"));
}

TEST(the_end_where_memory_is_encrypted, start)
{
    expect((struct event)EVENT(BADRAM, badram, 4, 1, &cover, "badram=0x5000000,0x1", true), "");
    expect(
        RESULT(.verdict = VERDICT_FAIL, .passes = 1, .bad_pages = 2, .faults = 9,
               .failing_bits = UINT64_MAX, .complete = true, .is_encrypted = true),
        "result     FAIL: 2 bad pages, 9 faults, failing bits of a 64-bit word: not shown, memory "
        "is encrypted\n"
        "tested     0 B, 1 complete pass in 0:00:00\n"
        "untested   0 B\n"
        "badram     1 pattern for 1 bad page, 257 pages (1.0 MiB) sacrificed, 2 ranges\n"
        "badram=0x5000000,0x1\n");
}

TEST(how_many_starts_had_errors, start)
{
    static const struct cycles count = { .wanted = 20, .starts = 20, .with_errors = 3 };

    expect((struct event)EVENT(CYCLES, cycles, 5, &count, { 0, 0 }, ""),
           "starts     errors in 3 of 20 starts (3.2 % to 37.9 % of all starts)\n");
}

TEST(the_end_without, start)
{
    static const struct ecc_channel channels[] = { { "node 0, UMC 3", 4, 0 },
                                                   { "node 1, UMC 0", 1, 0 } };

    expect(RESULT(.verdict = VERDICT_PASS, .passes = 2, .complete = true),
           "result     PASS: no fault found\n"
           "tested     0 B, 2 complete passes in 0:00:00\n"
           "untested   0 B\n"
           "badram     no fault found, no line needed\n");
    expect((struct event)EVENT(ADVICE, advice, 5, ADVICE_CASE_GOOD, "It is good. Go on."),
           "to do      It is good. Go on.\n"); /* after a result it is another one */
    expect(RESULT(.verdict = VERDICT_PASS, .passes = 2, .complete = true),
           "result     PASS: no fault found\n"
           "to do      It is good. Go on.\n"
           "tested     0 B, 2 complete passes in 0:00:00\n"
           "untested   0 B\n"
           "badram     no fault found, no line needed\n");
    expect((struct event)EVENT(ADVICE, advice, 5, ADVICE_CASE_STARTS, "", "BAD STARTS"), "");
    expect(RESULT(.verdict = VERDICT_PASS, .passes = 2, .complete = true),
           "result     BAD STARTS. This run: PASS: no fault found\n"
           "tested     0 B, 2 complete passes in 0:00:00\n"
           "untested   0 B\n"
           "badram     no fault found, no line needed\n");
    expect((struct event)EVENT(ADVICE, advice, 5, ADVICE_CASE_GOOD, ""), "");
    expect(RESULT(.verdict = VERDICT_PASS, .passes = 2, .complete = true,
                  .excluded = { 96, 32, 1505, 7.176 },
                  .rate = { 1200000000000, 3, 2.5, 0.516, 7.306, 9 }),
           "result     PASS: no fault found\n"
           "tested     0 B, 2 complete passes in 0:00:00\n"
           "excluded   each cell was read 96 times in completed tests: a fault that shows in more "
           "than 1 of 32 reads would have been seen (95 %, for each cell)\n"
           "           errors at random times are rarer than 7.2 an hour (95 %)\n"
           "stability  3 errors in 1.20 TB: 2.50 per TB (0.52 to 7.31), with 95 % confidence\n"
           "untested   0 B\n"
           "badram     no fault found, no line needed\n");
    expect(
        RESULT(.verdict = VERDICT_PASS, .passes = 1, .all_tested = true,
               .unseen = { .missing_bytes = 1, .modules = 2, .of = 4, .may_be_mirrored = true }),
        "result     PASS, BUT INCOMPLETE: no fault found in the memory tested; 2 of 4 modules are "
        "not seen, or memory is mirrored\n"
        "tested     0 B, 1 complete pass in 0:00:00\n"
        "untested   0 B\n"
        "badram     no fault found in the memory tested\n");
    expect(RESULT(.verdict = VERDICT_PASS, .passes = 1, .all_tested = true, .complete = true,
                  .tested_bytes = 32 << 20, .part_of_bytes = 255 << 20, .hole_pages = 2),
           "result     PASS of 32 MiB of 255 MiB: no fault found\n"
           "tested     32 MiB, 1 complete pass in 0:00:00\n"
           "untested   0 B\n"
           "badram     no fault found: keep the old line\n");
    expect(RESULT(.verdict = VERDICT_PASS, .passes = 1, .all_tested = true, .hidden_pages = 2),
           "result     PASS, BUT INCOMPLETE: no fault found in the memory tested; 2 pages were "
           "hidden before okram started: keep the old line\n"
           "tested     0 B, 1 complete pass in 0:00:00\n"
           "untested   0 B\n"
           "badram     no fault found in the memory tested\n");
    expect(
        RESULT(.verdict = VERDICT_CORRECTED, .passes = 1, .complete = true,
               .ecc = { 5, 0, 0, channels, 2 }),
        "result     ERRORS CORRECTED: ECC corrected 5 errors, no other fault\n"
        "tested     0 B, 1 complete pass in 0:00:00\n"
        "untested   0 B\n"
        "ecc        5 errors of memory corrected, 0 not corrected; the page of 0 is known\n"
        "           node 0, UMC 3: 4 corrected, 0 not corrected\n"
        "           node 1, UMC 0: 1 corrected, 0 not corrected\n"
        "badram     no line can be made: the hardware did not say which page the errors were in\n");
    expect(
        RESULT(.verdict = VERDICT_FAIL, .passes = 1, .complete = true, .ecc = { 0, 1, 0, NULL, 0 }),
        "result     FAIL: 1 uncorrected error of memory, whose page is not known\n"
        "tested     0 B, 1 complete pass in 0:00:00\n"
        "untested   0 B\n"
        "ecc        0 errors of memory corrected, 1 not corrected; the page of 0 is known\n"
        "badram     no line can be made: the hardware did not say which page the errors were in\n");
    expect(RESULT(.verdict = VERDICT_ERROR, .reason = REASON_INTERNAL_ERROR,
                  .tested_bytes = 1 << 20, .complete = true),
           "result     ERROR: internal error of okram, not a result of the memory test\n"
           "tested     1 MiB, in 0:00:00\n"
           "untested   0 B\n"
           "badram     no line was made\n");
    expect(RESULT(.verdict = VERDICT_ERROR, .reason = REASON_NOTHING_TESTED),
           "result     ERROR: no memory could be tested\n"
           "tested     nothing, in 0:00:00\n"
           "untested   0 B\n"
           "badram     no line was made\n");
    expect((struct event){ EVENT_WARNING, 6, .warning = "late" }, "warning    late\n");
}

TEST(the_end_of_a_part, start)
{
    static const char *const tests[] = { "address", "march-c-" };
    static const struct span unpaired[] = { { 0x1000, 0x2000 } };
    static const struct event_interrupt interrupts[] = { { 39, 2, "spurious" } };

    expect(
        RESULT(.verdict = VERDICT_PASS, .passes = 1, .unpaired = unpaired, .n_unpaired = 1,
               .interrupts = interrupts, .n_interrupts = 1),
        "result     PASS, BUT INCOMPLETE: no fault found in the memory tested; less than 99 % of "
        "the selected memory was tested\n"
        "tested     0 B, 1 complete pass in 0:00:00\n"
        "untested   0 B\n"
        "unpaired   tested, but never together with other memory; coupling faults may be missed:\n"
        "           0x000000001000-0x000000003000  8 KiB\n"
        "interrupts not asked for, and ignored:\n"
        "           vector 39, spurious: 2\n"
        "badram     no fault found in the memory tested\n");
    expect(RESULT(.verdict = VERDICT_STOPPED, .tests = tests, .n_tests = 2, .stopped = true,
                  .complete = true),
           "result     STOPPED before a whole pass: no fault in the tests that ended (address, "
           "march-c-)\n"
           "tested     0 B, 0 complete passes in 0:00:00\n"
           "untested   0 B\n"
           "badram     no line was made\n");
    expect(RESULT(.verdict = VERDICT_STOPPED, .stopped = true),
           "result     STOPPED before a whole pass: no test was completed; less than 99 % of the "
           "selected memory was tested\n"
           "tested     0 B, 0 complete passes in 0:00:00\n"
           "untested   0 B\n"
           "badram     no line was made\n");
}

TEST(nothing_is_cut, start, start)
{
    static const struct scene big = {
        .name = "big", .nodes = 1, .n_patterns = COVER_PATTERNS_MAX, .ended = true, .phase = "test"
    };
    static char warning[5000];
    static uint32_t many_cpus[600];
    const char *line;
    size_t patterns = 0;

    memset(warning, 'w', sizeof(warning) - 1);
    text_receive(&l, &(struct event){ EVENT_WARNING, .warning = warning });
    assert_non_null(strstr(c.text, warning));
    for (uint32_t i = 0; i < 600; i++)
        many_cpus[i] = 2 * i;
    text_receive(&l, &(struct event){ EVENT_NODE, .node = { 0, many_cpus, 600, 0, NULL, 0 } });
    assert_non_null(strstr(c.text, ",1196,1198; 0 B in 0 spans\n"));
    scene_play(&big, (struct event_sink){ text_receive, &l });
    line = strrchr(c.text, 'b'); /* of the badram line, which comes last */
    while (line > c.text && line[-1] != '\n')
        line--;
    assert_int_equal(strncmp(line, "badram=", 7), 0);
    for (const char *p = line; *p; p++)
        patterns += *p == ',';
    assert_int_equal(patterns, 2 * COVER_PATTERNS_MAX - 1);
    assert_int_equal(c.text[c.length - 1], '\n');
}
