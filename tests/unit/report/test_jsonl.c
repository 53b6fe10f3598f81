// SPDX-License-Identifier: MIT
#include <math.h>

#include "firmware/memory_ecc.h"
#include "machine_facts/sample.h"
#include "report/capture.h"
#include "report/jsonl.h"
#include "report/reported.h"
#include "screen/scenes.h"
#include "decoder/sample_controller.h"
#include "spd/sample_modules.h"
#include "tests/unit/unit.h"

static const uint32_t cpus[] = { 0, 2 };
static const struct span spans[] = { { 0x1000, 0x9e000 }, { 0x100000000, 0x40000000 } };
static const char *const warnings[] = { "no SRAT", "a \"quoted\\\" one\n" };
static const struct diagnosis_record first_record = {
    .runs = 1,
    .next = "Test again.",
    .summary = "NEXT STEP: test again",
    .tests = "mats+",
    .next_passes = 8,
    .code = "4c0a-13",
    .words = "tests=mats+ passes=8 diagnosis=4c0a-13",
};
static const struct diagnosis_record march_record = {
    .runs = 2,
    .headline = "NEXT STEP",
    .next = "Test again.",
    .tests = "march",
    .march = "{any(w0)}",
    .next_passes = 8,
    .code = "4c0a-13",
};
static const struct diagnosis_record last_record = { .runs = 5,
                                                     .headline = "BAD MODULE FOUND",
                                                     .end = "module",
                                                     .found = "One module is bad.",
                                                     .reasons = "It is. Send it back.",
                                                     .remedy = "Send it back.",
                                                     .code = "4c0a-13" };
static const struct row_result found_rows = { .answer = ROWS_FOUND,
                                              .map = { .hole = UINT64_C(1) << 30,
                                                       .n_functions = 2,
                                                       .function = { 0x4080, 0x48000 },
                                                       .row = 0x3fffc0000,
                                                       .column = 0x7e7f },
                                              .n_measurements = 50000 };
static const struct dram_map any_map;
static const struct row_result register_rows = {
    .answer = ROWS_UNCLEAR, .map = { .part = { 0x200000000, 4096 }, .registers = &any_map }
};
static const struct row_result no_rows = { .answer = ROWS_ONE_MODE, .n_measurements = 15000 };
static const struct kind_verdict row_kind = { .kind = KIND_ROW,
                                              .confidence = KIND_SURE,
                                              .lane = { KIND_LANE_BYTE, 24, 64 },
                                              .evidence = "128 lines" };
static const struct kind_verdict far_kind = { .kind = KIND_EVERYWHERE,
                                              .confidence = KIND_LIKELY,
                                              .evidence = "9 words" };
static const struct kind_verdict cpu_kind = { .kind = KIND_CELLS,
                                              .confidence = KIND_LIKELY,
                                              .evidence = "9 words",
                                              .cause = { .is_known = true,
                                                         .cause = KIND_CAUSE_CPU,
                                                         .cpu = 3,
                                                         .core = 1,
                                                         .percent = 99,
                                                         .evidence = "all 9 faults" } };
static const struct cper_memory whole_error = { .severity = ERROR_CORRECTED,
                                                .given = 0xff,
                                                .field = { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const struct cover cover = { .pattern = { { 0x5000000, 0xffffffffff000 },
                                                 { 0x8000000000, 0xffffffff00000 } },
                                    .n_patterns = 2,
                                    .sacrificed_pages = 257,
                                    .ranges = 2 };
static const struct cover no_cover;
static const struct smbios_names no_names, names = {
    .system = { "A \"B\"", "P", "Default string", "S1" },
    .board = { "To Be Filled By O.E.M.", "", "3", "00000000" },
    .uuid = "00112233-4455-6677-8899-aabbccddeeff",
};
static const uint8_t macs[][IDENTITY_MAC_BYTES] = { { 0x52, 0x54, 0, 0xab, 0xc, 1 },
                                                    { 0x52, 0x54, 0, 0xab, 0xc, 2 } };
static const uint32_t kind_cpus[] = { 0, 1, 2 }, speeds[] = { 52, 0 };
static const struct cycles twenty_starts = {
    .wanted = 20,
    .starts = 18,
    .with_errors = 3,
    .lost = 1,
    .late = 1,
    .cold = true,
    .errors = 7,
    .moved_mb = 90,
};
static const struct event_cpu_kind kinds[] = { { "performance", kind_cpus, 2, 2, 0x12c, 100 },
                                               { "efficiency", kind_cpus + 2, 1, 1, 0, 0 } };
static const char *const ended[] = { "address", "march-c-" };
static const struct span unpaired[] = { { 0x1000, 0x2000 }, { UINT64_C(1) << 32, 0x1000 } };
static const struct event_interrupt interrupts[] = { { 39, 2, "spurious" }, { 128, 1, "unknown" } };
static const struct support no_machine = { .modules = &sample_modules };
static const struct temperature doubted = { true, 40000, 40000, 50000, SENSOR_UNCHANGED, false };
static const struct modules no_modules;

static const struct ram_view picture = {
    .cell_bytes = 1048576,
    .n_cells = 4,
    .n_nodes = 2,
    .node = { { 0, 3 }, { 3, 1 } },
    .cell = { RAM_CELL_TESTED, RAM_CELL_TESTED, RAM_CELL_BAD, RAM_CELL_OKRAM },
};
static const uint32_t picture_nodes[] = { 0, 3 };
static const struct event_untested untested[] = { { { 0, 0x1000 }, "vectors" },
                                                  { { 0x100000, 0x200000 }, "okram itself" } };

static const struct geometry other_geometry = { .finding = GEOMETRY_CONTROLLER,
                                                .stated_bytes = UINT64_C(16) << 30,
                                                .controller_bytes = UINT64_C(8) << 30,
                                                .text = "SPDs state 2 modules" };

/* One of each kind, and the edges of their fields: the lines of tests/data/records.jsonl. */
static const struct smbios_slot faulty_slot = { .locator = "DIMM 0",
                                                .bank = "P0 CHANNEL B",
                                                .part = "P16" };
static const struct board_slots sample_board = { 1, { { 1, 0, &faulty_slot } } };

static const struct modules_with_words two_modules = {
    .evidence = "timing",
    .channels_counted = true,
    .n_fitted = 3,
    .n = 2,
    .words = 9,
    .module = { { 0, 1, 7, { .answer = MODULE_SLOT, .slot = &faulty_slot } },
                { 1, 0, 2, { .answer = MODULE_ONE_OF, .why = "two are equal" } } },
};

static const struct event recorded[] = {
    EVENT(START, start, 0.000012, "0.1.0", "uefi", "okram.efi", "tests=quick passes=2"),
    EVENT(IDENTITY, identity, 0.5, .run = "0123456789abcdef0123456789abcdef",
          .date = "2026-11-24T13:14:34", .names = &names),
    EVENT(IDENTITY, identity, 0.5, .run = "0123456789abcdef0123456789abcdef", .date = "",
          .names = &no_names, .full = true),
    EVENT(IDENTITY, identity, 0.5, "0123456789abcdef0123456789abcdef", "", &names, .full = true,
          .mac = macs, .n_macs = 2),
    EVENT(MACHINE, machine, 0.25, "A CPU", 4, 2, 1024, 512, 0, NULL, 0, "sse2", 1000),
    EVENT(MACHINE, machine, 0.25, .cpu = "", .cpus = 1, .nodes = 1, .ram_bytes = 9,
          .specific_bytes = 4, .encryption = "tme"),
    EVENT(MACHINE, machine, 0.25, "", 1, 1, 0, 0, UINT64_MAX, warnings, 2, "sse2", 1000),
    EVENT(MACHINE, machine, 0.25, .cpu = "A", .cpus = 3, .nodes = 1, .kinds = kinds, .n_kinds = 2),
    EVENT(MACHINE, machine, 0.25, .cpu = "A", .ecc = { MEMORY_ECC_UNUSED, "controller" }),
    EVENT(MACHINE, machine, 0.25, .cpu = "A",
          .repair = MEMORY_REPAIR_ON_DIE_ECC | MEMORY_REPAIR_RANGE_MIRRORING),
    EVENT(MACHINE, machine, 0.25, .cpu = "A", .side_cache = { 8 << 20, "cpu" }),
    EVENT(NODE, node, 1, 1, cpus, 2, 0x4009e000, spans, 2),
    EVENT(NODE, node, 1, 0, cpus, 2, 64, NULL, 0, .speed_percent = speeds),
    EVENT(NODE, node, 1, 7, NULL, 0, 0, NULL, 0),
    EVENT(MODULE, module, 1, &sample_modules, 0),
    EVENT(MODULE, module, 1, &sample_modules, 1),
    EVENT(MODULE, module, 1, &sample_modules, 2),
    EVENT(CONTROLLER, controller, 1, &sample_controller, &sample_registers, &sample_board),
    EVENT(CONTROLLER, controller, 1, &unknown_controller, &no_registers),
    EVENT(TEMPERATURE, temperature, 1, "fault", &sample_cpu, &sample_modules, 9999.96, 14,
          { true, 95000 }, { false, INT32_MAX }, "time", 3, 61.5, ""),
    EVENT(TEMPERATURE, temperature, 1, .when = "end", .cpu = &doubted, .modules = &no_modules,
          .text = ""),
    EVENT(PICTURE, picture, 1, &picture, picture_nodes),
    EVENT(SUPPORT, support, 1, &sample, true),
    EVENT(SUPPORT, support, 1, &no_machine, true),
    EVENT(CACHE, cache, 1, 2, 1 << 20, { 5, 123456.78, 123460, 1.5, 123450, 123460 },
          { 5, 4.25, 4, 0.5, 4, 5 }, { "avx512", "off" }),
    EVENT(CACHE, cache, 1, 0, 1 << 30, { 1, 12345, 12345, NAN, 12345, 12345 }),
    EVENT(BANDWIDTH, bandwidth, 2, 0, 1, "read", 8, { 5, 12345.67, 12999.99, 0, 12000, 12999.99 }),
    EVENT(BANDWIDTH, bandwidth, 2, 0, 0, "write", 1, { 1, 1, 1.04, NAN, 1, 1.04 }),
    EVENT(LATENCY, latency, 2, 0, 0, 1 << 28, { 1, 91.25, 91.25, NAN, 91.25, 91.25 }, "idle",
          .how = { NULL, "off" }),
    EVENT(LATENCY, latency, 2, 0, 0, 1 << 28, { 2, 91.25, 90, 1, 90, 92 }, "1 CPU", "2:1",
          { 2, 5000, 6000, 1, 4000, 6000 }),
    EVENT(CACHE_TO_CACHE, cache_to_cache, 2, "l3", "modified", 2, 1, 0, 1, 1, 1 << 15,
          { 5, 93.25, 92, 0.5, 92, 94 }, { NULL, "off" }),
    EVENT(BANDWIDTH, bandwidth, 2, 0, 0, "triad", 3, { 20, 4, 5, 1, 3, 5 }, "spread", 2, 0, 1,
          { "avx2", "off" }),
    EVENT(
        CONTENTION, contention, 2, 0, 0, 1, 2, "2:1", 2, 3,
        { { 5, 1000, 1001, 1, 999, 1001 },
          { 5, 750, 752, 2, 748, 752 },
          { 5, 33.3, 33, 0.4, 33, 34 } },
        { { 5, 900, 901, 1, 899, 901 }, { 5, 600, 602, 2, 598, 602 }, { 5, 50, 49, 0.5, 49, 51 } },
        { { 5, 80, 79, 1, 79, 81 }, { 5, 120, 118, 2, 118, 122 }, { 5, 50, 46, 4, 46, 54 } }),
    EVENT(CONTENTION, contention, 2, .load_node = 1, .load = "reads",
          .how = { "avx2", "partly off" }),
    EVENT(UNMEASURED, unmeasured, 2, "loaded latency", "only one CPU is in use"),
    EVENT(UNMEASURED, unmeasured, 2, "all", "no CPU of the node is in use", true, true, 7, 8),
    EVENT(LATENCY, latency, 2, 0, 1, 1 << 20, { 2, 90, 89, 1, 89, 91, 3 }, "idle",
          .how = { .in_caches = true }),
    EVENT(REDUNDANCY, redundancy, 2, 0, 0, 1, "mirror", 2, { 5, 400, 401, 1, 399, 401 }, 60,
          { "sse2", "not known" }),
    EVENT(ROWS, rows, 3, 1, &found_rows),
    EVENT(ROWS, rows, 3, 0, &no_rows),
    EVENT(ROWS, rows, 3, 0, &register_rows),
    EVENT(TEST, test, 3, .pass = 1, .test = "march-c-", .seconds = 1.5, .swept_bytes = 1 << 30,
          .sweeps = 10, .faults = 3),
    EVENT(TEST, test, 3, .pass = 2, .test = "random", .has_seed = true, .seed = UINT64_MAX,
          .note = "a \"guess\""),
    EVENT(TEST, test, 3, .pass = 1, .test = "row-hammer", .hammers = true,
          .hammered_bytes = 8 << 20),
    EVENT(FAULT, fault, 3, 0x123456788, UINT64_MAX, 0xfffffffffffffeff, "address", 1, 3, 0),
    EVENT(FAULT, fault, 3, 0x8, 1, 0, "address", 1, 3, 0, "channel 1 (DIMM_B1)"),
    EVENT(FAULT, fault, 3, 0x8, 1, 0, "address", 1, 3, 0, NULL, "channel 1, module 0",
          { { true, 61250 }, { true, 70000 } }),
    EVENT(EXTERNAL, external, 3, 0x123456788, 0, 0xfedcba9876543210, "random", 2, 3),
    { EVENT_GEOMETRY, 3, .geometry = &sample_geometry },
    { EVENT_GEOMETRY, 3, .geometry = &other_geometry },
    EVENT(ALIAS, alias, 3,
          { .addr = 0x10000040, .partner = 0x40, .address_bits = 0x10000000, .pages = 65536 },
          "address", 2),
    EVENT(ALIAS, alias, 3, { .addr = 0x140, .partner = 0x40, .pages = 1, .both = true }, "address",
          1),
    EVENT(ALIAS, alias, 3, { .addr = 0x7040, .partner = 0x40, .various = true, .pages = 9 }, "", 1),
    EVENT(MCE, mce, 3, 1, 4, 0x9c00000000000000, 0x40, false, true),
    EVENT(MCE, mce, 3, 1, 4, 0x9c, 0x5000fc0, true, true, true, 2),
    EVENT(MCE, mce, 3, 1, 4, 0xbc00000000000000, 0x5000040, true, false, false, 1),
    EVENT(MCE, mce, 3, 1, 17, 0x9c, 0, false, true, false, 5, true, "node 0, UMC 3"),
    EVENT(ECC_PAGE, ecc_page, 3, 1, 17, "node 0, UMC 3", true, 0x5000000, "found", 8192, 4096, 31,
          0.25),
    EVENT(ECC_PAGE, ecc_page, 3, 1, 17, NULL, false, 0, "not again", 8192, 8192, 30, 0.25),
    EVENT(CPER, cper, 3, 7, &placed_error, 12),
    EVENT(CPER, cper, 3, 0, &unplaced_error, 1),
    EVENT(CPER, cper, 3, 1, &whole_error, 1),
    EVENT(TRACE, trace, 3, OPTION_TRACE_MOVES, "moved", .from = 0x100000, .to = 0x4000000,
          .bytes = 8192, .seconds = 0.25),
    EVENT(TRACE, trace, 3, OPTION_TRACE_MOVES, "no place", .from = 0x100000, .bytes = 8192),
    EVENT(TRACE, trace, 3, OPTION_TRACE_CPUS, "hung", .cpu = 3, .apic_id = 6),
    EVENT(TRACE, trace, 3, OPTION_TRACE_FIRMWARE, "called", 1, .service = "SetVariable",
          .variable = "OkramReport00"),
    EVENT(TRACE, trace, 3, OPTION_TRACE_FIRMWARE, "returned", 1, .service = "GetNextVariableName",
          .variable = "", .status = UINT64_C(0x800000000000000e), .seconds = 0.5, .missed = 7),
    EVENT(TRACE, trace, 3, OPTION_TRACE_FIRMWARE, "no return", 0, .service = "ResetSystem",
          .variable = "", .seconds = 5),
    EVENT(RETEST, retest, 4, 0x5000000, 8, 3),
    EVENT(CYCLES, cycles, 4, &twenty_starts, { 0.0358, 0.414 }, "20-12-3-1-1-fffff"),
    EVENT(KIND, kind, 4, &row_kind, "byte lane 3 of 8 (bits 24-31)", ""),
    EVENT(KIND, kind, 4, &far_kind, "", ""),
    EVENT(KIND, kind, 4, &far_kind, "", "", "channel 0: 9"),
    EVENT(KIND, kind, 4, &cpu_kind, "", ""),
    EVENT(KIND, kind, 4, &far_kind, "", "", "all 9", &two_modules),
    EVENT(ADVICE, advice, 5, ADVICE_CASE_ONE_MODULE, "It is \"bad\". Replace it."),
    EVENT(ADVICE, advice, 5, ADVICE_CASE_STARTS, "Begin again.", "BAD STARTS"),
    EVENT(DIAGNOSIS, diagnosis, 4, false, 4, 3, false, "cells", &first_record),
    EVENT(DIAGNOSIS, diagnosis, 4, true, 4, 3, true, "cells", &march_record),
    EVENT(DIAGNOSIS, diagnosis, 4, true, 8, 0, false, "unknown", &last_record),
    EVENT(PAGES, pages, 9, spans, 2, .goes_on = true),
    EVENT(PAGES, pages, 9, spans, 1, .more = true),
    EVENT(BADRAM, badram, 4, 0, &no_cover, "", true),
    EVENT(BADRAM, badram, 4, 3, &cover, "badram=0x5000000,0xffffffffff000", true),
    EVENT(LINE, line, 4, "xen", "Xen: there", "a\nb=\"0x5\"", "1 page", false, true),
    EVENT(RESULT, result, 5, VERDICT_PASS, 2, 100, 0, NULL, 0, 0, 0, 0, 5.25, true, true),
    EVENT(RESULT, result, 5, .verdict = VERDICT_STOPPED, .tests = ended, .n_tests = 2,
          .unpaired = unpaired, .n_unpaired = 2, .interrupts = interrupts, .n_interrupts = 2,
          .seconds = 1),
    EVENT(RESULT, result, 5, .verdict = VERDICT_PASS, .all_tested = true,
          .unseen = { 8589934592, 17179869184, 1, 3, true, false, 2, { 0x50, 0x57 } }),
    EVENT(RESULT, result, 5, .verdict = VERDICT_PASS, .part_of_bytes = 255, .hidden_pages = 2,
          .hole_pages = 3, .skipped_tests = 2),
    EVENT(RESULT, result, 5, .verdict = VERDICT_PASS, .complete = true,
          .excluded = { 97, 32, 1505, 7.176 },
          .rate = { 41000000000000, 3, 0.073171, 0.015089, 0.213836, 17.5 }),
    EVENT(RESULT, result, 5, .verdict = VERDICT_ERROR, .reason = REASON_INTERNAL_ERROR),
    EVENT(RESULT, result, 5, .verdict = VERDICT_CORRECTED, .complete = true,
          .ecc = { 7, 2, 1, NULL, 0 }),
    EVENT(RESULT, result, 5, .verdict = VERDICT_PASS, .is_encrypted = true,
          .looks_encrypted = true),
    EVENT(RESULT, result, 5, VERDICT_FAIL, 1, 100, 0x201000, untested, 2, 3, 9, 1, 5.25, false,
          true),
};

static const struct event not_recorded[] = {
    { EVENT_WARNING, 1, .warning = "CPU 3 is late" },
    EVENT(SUPPORT, support, 1, &sample, false),
    EVENT(PROGRESS, progress, 3, .phase = "test", .test = "march-c-"),
    EVENT(LINE, line, 4, "xen", "Xen: there", "a", "1 page", true, true),
    EVENT(LINE, line, 4, "xen", "Xen: there", "a", "1 page", false, false),
};

static void write(struct capture *c, const struct event *e)
{
    struct jsonl l = jsonl_make(capture_writer(c));

    l.machine_written = true;
    jsonl_receive(&l, e);
}

TEST(each_record_is_exact)
{
    FILE *file = fopen("tests/data/records.jsonl", "r");
    char line[4096];

    assert_non_null(file);
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        FREED_BY(capture_free) struct capture c = { 0 };

        write(&c, &recorded[i]);
        assert_non_null(fgets(line, sizeof(line), file));
        assert_string_equal(c.text, line);
    }
    assert_null(fgets(line, sizeof(line), file));
    fclose(file);
}

TEST(other_events_are_no_records)
{
    for (size_t i = 0; i < sizeof(not_recorded) / sizeof(not_recorded[0]); i++) {
        FREED_BY(capture_free) struct capture c = { 0 };

        write(&c, &not_recorded[i]);
        assert_int_equal(c.length, 0);
    }
}

TEST(late_warnings_go_with_the_result)
{
    struct event end = EVENT(RESULT, result, 2, .verdict = VERDICT_PASS);
    FREED_BY(capture_free) struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));

    jsonl_receive(&l, &(struct event){ EVENT_WARNING, .warning = "no SRAT" });
    jsonl_receive(&l, &(struct event){ EVENT_MACHINE, .machine = { .cpu = "", .isa = "" } });
    c.length = 0;
    for (int i = 0; i < JSONL_LATE_MAX + 1; i++)
        jsonl_receive(&l, &(struct event){ EVENT_WARNING, .warning = i ? "more" : "late\xe9" });
    assert_int_equal(c.length, 0);
    jsonl_receive(&l, &end);
    assert_null(strstr(c.text, "SRAT"));
    assert_non_null(strstr(c.text, ",\"warnings\":[\"late\\u00e9\",\"more\","));
    assert_string_equal(c.text + c.length - strlen("\"more\"]}\n"), "\"more\"]}\n");
}

TEST(nothing_comes_after_the_result)
{
    FREED_BY(capture_free) struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));

    jsonl_receive(&l, &(struct event)EVENT(RESULT, result, 2, .verdict = VERDICT_PASS));
    c.length = 0;
    jsonl_receive(&l, &(struct event){ EVENT_WARNING, 3, .warning = "cannot power off" });
    assert_int_equal(c.length, 0);
    jsonl_receive(&l, &(struct event)EVENT(TRACE, trace, 3, OPTION_TRACE_CPUS, "failed", .cpu = 1));
    assert_int_equal(c.length, 0);
}

TEST(interim_lines_keep_to_their_pace)
{
    static char line[16000];
    FREED_BY(capture_free) struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));
    struct event e = EVENT(BADRAM, badram, 1, 1, &cover, line, false);
    size_t once;

    memset(line, 'x', sizeof(line) - 1);
    jsonl_receive(&l, &e); /* 2.8 s on the wire: more than the first seconds allow */
    assert_int_equal(c.length, 0);
    e.t = 20;
    jsonl_receive(&l, &e);
    once = c.length;
    assert_true(once > sizeof(line));
    e.t = 21;
    jsonl_receive(&l, &e);
    assert_int_equal(c.length, once);
    l.pace.ask = true;
    jsonl_receive(&l, &e);
    assert_int_equal(c.length, 2 * once);
    jsonl_receive(&l, &e); /* asked once, answered once */
    assert_int_equal(c.length, 2 * once);
    e.badram.final = true;
    jsonl_receive(&l, &e);
    assert_int_equal(c.length, 3 * once);
}

TEST(a_panic_is_a_result)
{
    struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));

    jsonl_receive(&l, &(struct event){ EVENT_PROGRESS, .progress = { .pass = 3, .bad_pages = 7 } });
    jsonl_panic(&l, 1.5, REASON_NONE, "page fault\nrip 0");
    assert_string_equal(c.text, "{\"t\":1.500000,\"type\":\"result\",\"status\":\"error\","
                                "\"complete\":false,\"passes\":2,\"tested_bytes\":0,"
                                "\"untested_bytes\":0,"
                                "\"untested\":[],\"bad_pages\":7,\"seconds\":1.500000,"
                                "\"error\":\"page fault\\u000arip 0\"}\n");
    capture_free(&c);
    jsonl_panic(&l, 1.5, REASON_OWN_MEMORY, "too little");
    assert_non_null(strstr(c.text, "\"status\":\"error\",\"reason\":\"own-memory\","));
    capture_free(&c);
}

/* Whole runs, one with 255 patterns and 1000 spans, through a parser of another house. */
TEST(python_reads_every_line)
{
    static const char check[] =
        "python3 -c '\n"
        "import json, sys\n"
        "lines = sys.stdin.read().split(\"\\n\")\n"
        "assert lines.pop() == \"\"\n"
        "objects = [json.loads(line) for line in lines]\n"
        "assert all(isinstance(o[\"t\"], float) and o[\"type\"] for o in objects)\n"
        "big = [o for o in objects if o[\"type\"] == \"badram\"][-1]\n"
        "assert len(big[\"patterns\"]) == 255, len(big[\"patterns\"])\n"
        "pairs = big[\"line\"].removeprefix(\"badram=\").split(\",\")\n"
        "assert pairs == sum(big[\"patterns\"], [])\n"
        "assert max(len(o.get(\"spans\", [])) for o in objects) == 1000\n"
        "assert sum(o[\"type\"] == \"result\" for o in objects) == 7\n"
        "'";
    static const struct scene big = { .name = "big",
                                      .nodes = 8,
                                      .n_warnings = 20,
                                      .n_patterns = COVER_PATTERNS_MAX,
                                      .n_faults = 1000,
                                      .ended = true,
                                      .phase = "test" };
    static struct span many[1000];
    FREED_BY(capture_free) struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));
    FILE *python;

    for (size_t i = 0; i < n_scenes; i++)
        scene_play(&scenes[i], (struct event_sink){ jsonl_receive, &l });
    for (size_t i = 0; i < 1000; i++)
        many[i] = (struct span){ i << 30, 1 << 20 };
    jsonl_receive(&l, &(struct event){ EVENT_NODE, .node = { 0, cpus, 2, 1, many, 1000 } });
    scene_play(&big, (struct event_sink){ jsonl_receive, &l });
    jsonl_receive(&l, &(struct event){ EVENT_RESULT, .result = { .verdict = VERDICT_ERROR } });

    python = popen(check, "w");
    assert_non_null(python);
    assert_int_equal(fwrite(c.text, 1, c.length, python), c.length);
    assert_int_equal(pclose(python), 0);
}
