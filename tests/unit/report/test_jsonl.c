// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "firmware/memory_repair.h"
#include "machine_facts/sample.h"
#include "report/capture.h"
#include "report/jsonl.h"
#include "report/reported.h"
#include "screen/scenes.h"
#include "spd/sample_modules.h"

static const uint32_t cpus[] = { 0, 2 };
static const struct span spans[] = { { 0x1000, 0x9e000 }, { 0x100000000, 0x40000000 } };
static const char *const warnings[] = { "no SRAT", "a \"quoted\\\" one\n" };
static const struct diagnosis_record first_record = {
    .runs = 1,
    .next = "Test again.",
    .summary = "next: test again",
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
static const struct row_result no_rows = { .answer = ROWS_ONE_MODE, .n_measurements = 15000 };
static const struct kind_verdict row_kind = { .kind = KIND_ROW,
                                              .confidence = KIND_SURE,
                                              .lane = { KIND_LANE_BYTE, 24, 64 },
                                              .evidence = "128 lines" };
static const struct kind_verdict far_kind = { .kind = KIND_EVERYWHERE,
                                              .confidence = KIND_LIKELY,
                                              .evidence = "9 words" };
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
static const struct event_cpu_kind kinds[] = { { "performance", kind_cpus, 2, 2, 0x12c, 100 },
                                               { "efficiency", kind_cpus + 2, 1, 1, 0, 0 } };
static const char *const ended[] = { "address", "march-c-" };
static const struct span unpaired[] = { { 0x1000, 0x2000 }, { UINT64_C(1) << 32, 0x1000 } };
static const struct event_interrupt interrupts[] = { { 39, 2, "spurious" }, { 128, 1, "unknown" } };
static const struct support no_machine = { .modules = &sample_modules };
static const struct temperature no_temperature;
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

#define UNKNOWN_ECC "\"memory_ecc\":{\"state\":\"unknown\",\"by\":null},"

/* One of each kind, and the edges of their fields. */
static const struct {
    struct event event;
    const char *json;
} objects[] = {
    { { EVENT_START, 0.000012, .start = { "0.1.0", "uefi", "okram.efi", "tests=quick passes=2" } },
      "{\"t\":0.000012,\"type\":\"start\",\"version\":\"0.1.0\",\"boot\":\"uefi\","
      "\"loader\":\"okram.efi\",\"cmdline\":\"tests=quick passes=2\"}\n" },
    { { EVENT_IDENTITY, 0.5,
        .identity = { .run = "0123456789abcdef0123456789abcdef",
                      .date = "2026-11-24T13:14:34",
                      .names = &names } },
      "{\"t\":0.500000,\"type\":\"identity\",\"run\":\"0123456789abcdef0123456789abcdef\","
      "\"date\":\"2026-11-24T13:14:34\",\"uuid\":\"00112233-4455-6677-8899-aabbccddeeff\","
      "\"system\":{\"maker\":\"A \\\"B\\\"\",\"product\":\"P\",\"version\":null},"
      "\"board\":{\"maker\":null,\"product\":null,\"version\":\"3\"}}\n" },
    { { EVENT_IDENTITY, 0.5,
        .identity = { .run = "0", .date = "", .names = &no_names, .full = true } },
      "{\"t\":0.500000,\"type\":\"identity\",\"run\":\"0\",\"date\":null,\"uuid\":null,"
      "\"system\":{\"maker\":null,\"product\":null,\"version\":null,\"serial\":null},"
      "\"board\":{\"maker\":null,\"product\":null,\"version\":null,\"serial\":null},"
      "\"macs\":[]}\n" },
    { { EVENT_IDENTITY, 0.5,
        .identity = { "0", "", &names, .full = true, .mac = macs, .n_macs = 2 } },
      "{\"t\":0.500000,\"type\":\"identity\",\"run\":\"0\",\"date\":null,"
      "\"uuid\":\"00112233-4455-6677-8899-aabbccddeeff\","
      "\"system\":{\"maker\":\"A \\\"B\\\"\",\"product\":\"P\",\"version\":null,"
      "\"serial\":\"S1\"},"
      "\"board\":{\"maker\":null,\"product\":null,\"version\":\"3\",\"serial\":null},"
      "\"macs\":[\"52:54:00:ab:0c:01\",\"52:54:00:ab:0c:02\"]}\n" },
    { { EVENT_MACHINE, 0.25, .machine = { "A CPU", 4, 2, 1024, 512, 0, NULL, 0, "sse2", 1000 } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"A CPU\",\"cpus\":4,\"nodes\":2,"
      "\"ram_bytes\":1024,\"testable_bytes\":512,\"installed_bytes\":null," UNKNOWN_ECC
      "\"warnings\":[]}\n" },
    { { EVENT_MACHINE, 0.25,
        .machine = { .cpu = "",
                     .cpus = 1,
                     .nodes = 1,
                     .ram_bytes = 9,
                     .specific_bytes = 4,
                     .encryption = "tme" } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"\",\"cpus\":1,\"nodes\":1,"
      "\"ram_bytes\":9,\"testable_bytes\":0,\"installed_bytes\":null," UNKNOWN_ECC
      "\"encryption\":\"tme\",\"specific_bytes\":4,"
      "\"warnings\":[]}\n" },
    { { EVENT_MACHINE, 0.25, .machine = { "", 1, 1, 0, 0, UINT64_MAX, warnings, 2, "sse2", 1000 } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"\",\"cpus\":1,\"nodes\":1,"
      "\"ram_bytes\":0,\"testable_bytes\":0,\"installed_bytes\":18446744073709551615," UNKNOWN_ECC
      "\"warnings\":[\"no SRAT\",\"a \\\"quoted\\\\\\\" one\\u000a\"]}\n" },
    { { EVENT_MACHINE, 0.25,
        .machine = { .cpu = "A", .cpus = 3, .nodes = 1, .kinds = kinds, .n_kinds = 2 } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"A\",\"cpus\":3,\"nodes\":1,"
      "\"ram_bytes\":0,\"testable_bytes\":0,\"installed_bytes\":null," UNKNOWN_ECC "\"kinds\":["
      "{\"kind\":\"performance\",\"cpus\":\"0-1\",\"threads_per_core\":2,\"microcode\":\"0x12c\","
      "\"speed_percent\":100},{\"kind\":\"efficiency\",\"cpus\":\"2\",\"threads_per_core\":1,"
      "\"microcode\":null,\"speed_percent\":null}],\"warnings\":[]}\n" },
    { { EVENT_MACHINE, 0.25,
        .machine = { .cpu = "A", .ecc = { MEMORY_ECC_UNUSED, "controller" } } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"A\",\"cpus\":0,\"nodes\":0,"
      "\"ram_bytes\":0,\"testable_bytes\":0,\"installed_bytes\":null,"
      "\"memory_ecc\":{\"state\":\"unused\",\"by\":\"controller\"},\"warnings\":[]}\n" },
    { { EVENT_MACHINE, 0.25,
        .machine = { .cpu = "A",
                     .repair = MEMORY_REPAIR_ON_DIE_ECC | MEMORY_REPAIR_RANGE_MIRRORING } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"A\",\"cpus\":0,\"nodes\":0,"
      "\"ram_bytes\":0,\"testable_bytes\":0,\"installed_bytes\":null," UNKNOWN_ECC
      "\"memory_repair\":[\"address range mirroring\",\"on-die ECC\"],\"warnings\":[]}\n" },
    { { EVENT_MACHINE, 0.25, .machine = { .cpu = "A", .side_cache = { 8 << 20, "cpu" } } },
      "{\"t\":0.250000,\"type\":\"machine\",\"cpu\":\"A\",\"cpus\":0,\"nodes\":0,"
      "\"ram_bytes\":0,\"testable_bytes\":0,\"installed_bytes\":null," UNKNOWN_ECC
      "\"side_cache\":{\"bytes\":8388608,\"by\":\"cpu\"},\"warnings\":[]}\n" },
    { { EVENT_WARNING, 1, .warning = "CPU 3 is late" }, NULL },
    { { EVENT_NODE, 1, .node = { 1, cpus, 2, 0x4009e000, spans, 2 } },
      "{\"t\":1.000000,\"type\":\"node\",\"node\":1,\"cpus\":[0,2],\"ram_bytes\":1074388992,"
      "\"spans\":[[\"0x1000\",\"0x9f000\"],[\"0x100000000\",\"0x140000000\"]]}\n" },
    { { EVENT_NODE, 1, .node = { 0, cpus, 2, 64, NULL, 0, .speed_percent = speeds } },
      "{\"t\":1.000000,\"type\":\"node\",\"node\":0,\"cpus\":[0,2],\"speed_percent\":[52,null],"
      "\"ram_bytes\":64,\"spans\":[]}\n" },
    { { EVENT_NODE, 1, .node = { 7, NULL, 0, 0, NULL, 0 } },
      "{\"t\":1.000000,\"type\":\"node\",\"node\":7,\"cpus\":[],\"ram_bytes\":0,\"spans\":[]}\n" },
    { { EVENT_MODULE, 1, .module = { &sample_modules, 0 } },
      "{\"t\":1.000000,\"type\":\"module\",\"slot\":\"DIMM_A1\",\"bank\":\"BANK 0\","
      "\"slot_by\":\"serial\",\"address\":\"0x50\",\"kind\":\"DDR4\",\"size_bytes\":8589934592,"
      "\"maker\":\"Corsair\",\"part\":\"CMK16GX4\",\"serial\":\"0000002A\","
      "\"configured_mt_s\":3200,\"jedec_mt_s\":2666,\"form\":\"UDIMM\",\"ranks\":1,"
      "\"chip_bits\":8,\"data_bits\":64,\"ecc_bits\":8,\"maker_code\":\"0x21e\","
      "\"chip_maker\":\"Samsung\",\"year\":2019,\"week\":12,\"timings\":{\"cl\":19,"
      "\"rcd\":20,\"rp\":21,\"ras\":43},\"profiles\":[{\"kind\":\"xmp\","
      "\"number\":1,\"mt_s\":3200,\"timings\":{\"cl\":16,\"rcd\":18,\"rp\":19,\"ras\":36}},"
      "{\"kind\":\"expo\",\"number\":2,\"mt_s\":3000,\"timings\":null}],"
      "\"problems\":[]}\n" },
    { { EVENT_MODULE, 1, .module = { &sample_modules, 1 } },
      "{\"t\":1.000000,\"type\":\"module\",\"slot\":null,\"bank\":null,\"slot_by\":null,"
      "\"address\":\"0x51\",\"kind\":\"DDR5\",\"size_bytes\":null,\"maker\":null,\"part\":null,"
      "\"serial\":null,\"configured_mt_s\":null,\"jedec_mt_s\":null,\"form\":null,"
      "\"ranks\":null,\"chip_bits\":null,\"data_bits\":null,\"ecc_bits\":null,"
      "\"maker_code\":null,\"chip_maker\":null,\"year\":null,\"week\":null,\"timings\":null,"
      "\"profiles\":[],\"problems\":[\"the CRC of type, size and speed is wrong\",\"it has no serial number\"]}\n" },
    { { EVENT_MODULE, 1, .module = { &sample_modules, 2 } },
      "{\"t\":1.000000,\"type\":\"module\",\"slot\":\"DIMM_B1\",\"bank\":null,"
      "\"slot_by\":\"slot\",\"address\":null,\"kind\":\"DDR4\",\"size_bytes\":4294967296,"
      "\"maker\":null,\"part\":null,\"serial\":null,\"configured_mt_s\":null,"
      "\"jedec_mt_s\":null,\"form\":null,\"ranks\":null,\"chip_bits\":null,\"data_bits\":null,"
      "\"ecc_bits\":null,\"maker_code\":null,\"chip_maker\":null,\"year\":null,\"week\":null,"
      "\"timings\":null,\"profiles\":[],\"problems\":[]}\n" },
    { { EVENT_TEMPERATURE, 1, .temperature = { "fault", &sample_cpu, &sample_modules } },
      "{\"t\":1.000000,\"type\":\"temperature\",\"when\":\"fault\",\"cpu\":{\"start\":45.00,"
      "\"now\":63.13,\"highest\":71.00},\"modules\":[{\"address\":\"0x50\",\"slot\":\"DIMM_A1\","
      "\"start\":38.25,\"now\":41.50,\"highest\":43.00},{\"address\":\"0x51\",\"slot\":null,"
      "\"start\":-1.50,\"now\":-1.50,\"highest\":-1.50}]}\n" },
    { { EVENT_TEMPERATURE, 1, .temperature = { "end", &no_temperature, &no_modules } },
      "{\"t\":1.000000,\"type\":\"temperature\",\"when\":\"end\",\"cpu\":null,"
      "\"modules\":[]}\n" },
    { { EVENT_PICTURE, 1, .picture = { &picture, picture_nodes } },
      "{\"t\":1.000000,\"type\":\"picture\",\"cell_bytes\":1048576,\"nodes\":["
      "{\"node\":0,\"cells\":\"2tX\"},{\"node\":3,\"cells\":\"o\"}]}\n" },
    { { EVENT_SUPPORT, 1, .support = { &sample, false } }, NULL },
    { { EVENT_SUPPORT, 1, .support = { &sample, true } },
      "{\"t\":1.000000,\"type\":\"support\",\"firmware\":{\"vendor\":\"SeaBIOS\","
      "\"version\":\"1.16.2\",\"date\":\"04/01/2014\"},\"system\":{\"maker\":\"QEMU\","
      "\"product\":\"Standard \\\"PC\\\"\",\"version\":\"pc-q35-7.2\"},\"board\":{"
      "\"maker\":\"\",\"product\":\"\",\"version\":\"\"},\"map\":[{\"base\":\"0x0\","
      "\"bytes\":654336,\"type\":1,\"kind\":\"usable\"},{\"base\":\"0x9fc00\",\"bytes\":1024,"
      "\"type\":2,\"kind\":\"reserved\"},{\"base\":\"0x100000000\",\"bytes\":1073741824,"
      "\"type\":5,\"kind\":\"bad\"}],\"tables\":[{\"signature\":\"APIC\","
      "\"addr\":\"0x7fe1234\",\"bytes\":120,\"revision\":3,\"oem_id\":\"BOCHS\","
      "\"oem_table_id\":\"BXPC\",\"oem_revision\":1}],\"cpu\":[{\"name\":\"flush\","
      "\"value\":\"clflushopt\"}],\"ports\":[{\"name\":\"COM1\","
      "\"value\":\"serial, 0x3f8: used\"},{\"name\":\"COM2\","
      "\"value\":\"serial, 0x2f8: no answer\"}],\"spd\":[],\"framebuffer\":{\"addr\":\"0x80000000\","
      "\"width\":1280,\"height\":800,\"pitch_bytes\":5120,\"bits\":32,\"red\":\"0xff0000\","
      "\"green\":\"0xff00\",\"blue\":\"0xff\"},\"entry_seconds\":3.250000,\"steps\":[{"
      "\"name\":\"CPUs are started\",\"seconds\":0.500000}]}\n" },
    { { EVENT_SUPPORT, 1, .support = { &no_machine, true } },
      "{\"t\":1.000000,\"type\":\"support\",\"firmware\":{\"vendor\":\"\",\"version\":\"\","
      "\"date\":\"\"},\"system\":{\"maker\":\"\",\"product\":\"\",\"version\":\"\"},"
      "\"board\":{\"maker\":\"\",\"product\":\"\",\"version\":\"\"},\"map\":[],\"tables\":[],"
      "\"cpu\":[],\"ports\":[],\"spd\":[{\"address\":\"0x50\",\"bytes\":\"23110c0285210008000000000103"
      "00000000060df80f00006e6e6e11006e6e6eff\"},{\"address\":\"0x51\",\"bytes\":\"2311\"}],"
      "\"framebuffer\":null,\"entry_seconds\":0.000000,"
      "\"steps\":[]}\n" },
    { { EVENT_CACHE, 1, .cache = { 2, 1 << 20, 123456.78, 4.25 } },
      "{\"t\":1.000000,\"type\":\"cache\",\"level\":2,\"size_bytes\":1048576,"
      "\"mb_s\":123456.8,\"ns\":4.3}\n" },
    { { EVENT_CACHE, 1, .cache = { 0, 1 << 30, 12345, 90 } }, NULL }, /* memory: told otherwise */
    { { EVENT_BANDWIDTH, 2, .bandwidth = { 0, 1, "read", 8, 5, { 12345.67, 0, 12000, 12999.99 } } },
      "{\"t\":2.000000,\"type\":\"bandwidth\",\"cpu_node\":0,\"mem_node\":1,\"op\":\"read\","
      "\"threads\":8,\"runs\":5,\"mb_s\":{\"mean\":12345.7,\"stddev\":0.0,\"min\":12000.0,"
      "\"max\":13000.0}}\n" },
    { { EVENT_BANDWIDTH, 2,
        .bandwidth = { 0, 0, "write", 1, 1, { 1, __builtin_nan(""), 1, __builtin_inf() } } },
      "{\"t\":2.000000,\"type\":\"bandwidth\",\"cpu_node\":0,\"mem_node\":0,\"op\":\"write\","
      "\"threads\":1,\"runs\":1,\"mb_s\":{\"mean\":1.0,\"stddev\":null,\"min\":1.0,"
      "\"max\":null}}\n" },
    { { EVENT_LATENCY, 2, .latency = { 0, 0, 1 << 28, 91.25, "idle" } },
      "{\"t\":2.000000,\"type\":\"latency\",\"cpu_node\":0,\"mem_node\":0,"
      "\"size_bytes\":268435456,\"ns\":91.3,\"load\":\"idle\"}\n" },
    { { EVENT_LATENCY, 2, .latency = { 0, 0, 1 << 28, 91.25, "1 CPU", "2:1", 5000 } },
      "{\"t\":2.000000,\"type\":\"latency\",\"cpu_node\":0,\"mem_node\":0,"
      "\"size_bytes\":268435456,\"ns\":91.3,\"load\":\"1 CPU\",\"mix\":\"2:1\","
      "\"load_mb_s\":5000.0}\n" },
    { { EVENT_BANDWIDTH, 2,
        .bandwidth = { 0, 0, "triad", 3, 20, { 4, 1, 3, 5 }, .order = "spread" } },
      "{\"t\":2.000000,\"type\":\"bandwidth\",\"cpu_node\":0,\"mem_node\":0,\"op\":\"triad\","
      "\"threads\":3,\"runs\":20,\"mb_s\":{\"mean\":4.0,\"stddev\":1.0,\"min\":3.0,"
      "\"max\":5.0},\"order\":\"spread\"}\n" },
    { { EVENT_CONTENTION, 2,
        .contention = { 0, 0, 1, 2, 3, 5, { 1000, 1, 999, 1001 }, { 750, 2, 748, 752 }, 80, 120 } },
      "{\"t\":2.000000,\"type\":\"contention\",\"cpu_node\":0,\"mem_node\":0,\"load_node\":1,"
      "\"threads\":2,\"load_threads\":3,\"runs\":5,"
      "\"idle_mb_s\":{\"mean\":1000.0,\"stddev\":1.0,\"min\":999.0,\"max\":1001.0},"
      "\"loaded_mb_s\":{\"mean\":750.0,\"stddev\":2.0,\"min\":748.0,\"max\":752.0},"
      "\"slowdown_percent\":25.0,\"idle_ns\":80.0,\"loaded_ns\":120.0,"
      "\"latency_percent\":50.0}\n" },
    { { EVENT_CONTENTION, 2, .contention = { .load_node = 1 } },
      "{\"t\":2.000000,\"type\":\"contention\",\"cpu_node\":0,\"mem_node\":0,\"load_node\":1,"
      "\"threads\":0,\"load_threads\":0,\"runs\":0,"
      "\"idle_mb_s\":{\"mean\":0.0,\"stddev\":0.0,\"min\":0.0,\"max\":0.0},"
      "\"loaded_mb_s\":{\"mean\":0.0,\"stddev\":0.0,\"min\":0.0,\"max\":0.0},"
      "\"slowdown_percent\":null,\"idle_ns\":0.0,\"loaded_ns\":0.0,"
      "\"latency_percent\":null}\n" },
    { { EVENT_REDUNDANCY, 2, .redundancy = { 0, 0, 1, "mirror", 2, 5, { 400, 1, 399, 401 }, 60 } },
      "{\"t\":2.000000,\"type\":\"redundancy\",\"cpu_node\":0,\"mem_node\":0,"
      "\"other_node\":1,\"kind\":\"mirror\",\"threads\":2,\"runs\":5,"
      "\"mb_s\":{\"mean\":400.0,\"stddev\":1.0,\"min\":399.0,\"max\":401.0},"
      "\"cost_percent\":60.0}\n" },
    { { EVENT_PROGRESS, 3, .progress = { .phase = "test", .test = "march-c-" } }, NULL },
    { { EVENT_ROWS, 3, .rows = { 1, &found_rows } },
      "{\"t\":3.000000,\"type\":\"rows\",\"node\":1,\"found\":true,\"measurements\":50000,"
      "\"functions\":[\"0x4080\",\"0x48000\"],\"row\":\"0x3fffc0000\",\"column\":\"0x7e7f\","
      "\"hole\":\"0x40000000\"}\n" },
    { { EVENT_ROWS, 3, .rows = { 0, &no_rows } },
      "{\"t\":3.000000,\"type\":\"rows\",\"node\":0,\"found\":false,\"measurements\":15000,"
      "\"why\":\"all pairs of lines take the same time\"}\n" },
    { { EVENT_TEST, 3,
        .test = { .pass = 1,
                  .test = "march-c-",
                  .seconds = 1.5,
                  .swept_bytes = 1 << 30,
                  .sweeps = 10,
                  .faults = 3 } },
      "{\"t\":3.000000,\"type\":\"test\",\"pass\":1,\"test\":\"march-c-\",\"seconds\":1.500000,"
      "\"swept_bytes\":1073741824,\"faults\":3}\n" },
    { { EVENT_TEST, 3,
        .test = { .pass = 2,
                  .test = "random",
                  .has_seed = true,
                  .seed = UINT64_MAX,
                  .note = "a \"guess\"" } },
      "{\"t\":3.000000,\"type\":\"test\",\"pass\":2,\"test\":\"random\",\"seconds\":0.000000,"
      "\"swept_bytes\":0,\"faults\":0,\"seed\":18446744073709551615,"
      "\"note\":\"a \\\"guess\\\"\"}\n" },
    { { EVENT_TEST, 3,
        .test = { .pass = 1, .test = "row-hammer", .hammers = true, .hammered_bytes = 8 << 20 } },
      "{\"t\":3.000000,\"type\":\"test\",\"pass\":1,\"test\":\"row-hammer\",\"seconds\":0.000000,"
      "\"swept_bytes\":0,\"hammered_bytes\":8388608,\"faults\":0}\n" },
    { { EVENT_FAULT, 3,
        .fault = { 0x123456788, UINT64_MAX, 0xfffffffffffffeff, "address", 1, 3, 0 } },
      "{\"t\":3.000000,\"type\":\"fault\",\"addr\":\"0x123456788\","
      "\"expected\":\"0xffffffffffffffff\",\"found\":\"0xfffffffffffffeff\","
      "\"test\":\"address\",\"pass\":1,\"cpu\":3,\"node\":0}\n" },
    { { EVENT_EXTERNAL, 3, .external = { 0x123456788, 0, 0xfedcba9876543210, "random", 2, 3 } },
      "{\"t\":3.000000,\"type\":\"external\",\"addr\":\"0x123456788\",\"expected\":\"0x0\","
      "\"found\":\"0xfedcba9876543210\",\"test\":\"random\",\"pass\":2,\"cpu\":3}\n" },
    { { EVENT_ALIAS, 3,
        .alias = { { .addr = 0x10000040,
                     .partner = 0x40,
                     .address_bits = 0x10000000,
                     .pages = 65536 },
                   "address",
                   2 } },
      "{\"t\":3.000000,\"type\":\"alias\",\"addr\":\"0x10000040\",\"partner\":\"0x40\","
      "\"diff\":\"0x10000000\",\"pages\":65536,\"test\":\"address\",\"pass\":2}\n" },
    { { EVENT_ALIAS, 3,
        .alias = { { .addr = 0x140, .partner = 0x40, .pages = 1, .both = true }, "address", 1 } },
      "{\"t\":3.000000,\"type\":\"alias\",\"addr\":\"0x140\",\"partner\":\"0x40\","
      "\"diff\":\"0x0\",\"pages\":1,\"test\":\"address\",\"pass\":1}\n" },
    { { EVENT_ALIAS, 3,
        .alias = { { .addr = 0x7040, .partner = 0x40, .various = true, .pages = 9 }, "", 1 } },
      "{\"t\":3.000000,\"type\":\"alias\",\"addr\":\"0x7040\",\"partner\":\"0x40\","
      "\"diff\":null,\"pages\":9,\"test\":\"\",\"pass\":1}\n" },
    { { EVENT_MCE, 3, .mce = { 1, 4, 0x9c00000000000000, 0x40, false, true } },
      "{\"t\":3.000000,\"type\":\"mce\",\"cpu\":1,\"bank\":4,\"status\":\"0x9c00000000000000\","
      "\"addr\":null,\"corrected\":true}\n" },
    { { EVENT_MCE, 3, .mce = { 1, 4, 0x9c, 0x5000fc0, true, true, true, 2 } },
      "{\"t\":3.000000,\"type\":\"mce\",\"cpu\":1,\"bank\":4,\"status\":\"0x9c\","
      "\"addr\":\"0x5000fc0\",\"corrected\":true,\"count\":2,\"page\":\"0x5000000\"}\n" },
    { { EVENT_MCE, 3, .mce = { 1, 4, 0xbc00000000000000, 0x5000040, true, false, false, 1 } },
      "{\"t\":3.000000,\"type\":\"mce\",\"cpu\":1,\"bank\":4,\"status\":\"0xbc00000000000000\","
      "\"addr\":\"0x5000040\",\"corrected\":false}\n" },
    { { EVENT_MCE, 3, .mce = { 1, 17, 0x9c, 0, false, true, false, 5, true, "node 0, UMC 3" } },
      "{\"t\":3.000000,\"type\":\"mce\",\"cpu\":1,\"bank\":17,\"status\":\"0x9c\","
      "\"addr\":null,\"corrected\":true,\"count\":5,\"memory\":true,"
      "\"channel\":\"node 0, UMC 3\"}\n" },
    { { EVENT_ECC_PAGE, 3,
        .ecc_page = { 1, 17, "node 0, UMC 3", true, 0x5000000, "found", 8192, 4096, 31, 0.25 } },
      "{\"t\":3.000000,\"type\":\"ecc_page\",\"cpu\":1,\"bank\":17,\"channel\":\"node 0, UMC 3\","
      "\"page\":\"0x5000000\",\"result\":\"found\",\"searched_bytes\":8192,\"left_bytes\":4096,"
      "\"tries\":31,\"seconds\":0.250}\n" },
    { { EVENT_ECC_PAGE, 3,
        .ecc_page = { 1, 17, NULL, false, 0, "not again", 8192, 8192, 30, 0.25 } },
      "{\"t\":3.000000,\"type\":\"ecc_page\",\"cpu\":1,\"bank\":17,\"page\":null,"
      "\"result\":\"not again\",\"searched_bytes\":8192,\"left_bytes\":8192,\"tries\":30,"
      "\"seconds\":0.250}\n" },
    { { EVENT_CPER, 3, .cper = { 7, &placed_error, 12 } },
      "{\"t\":3.000000,\"type\":\"cper\",\"source\":7,\"severity\":\"corrected\","
      "\"addr\":\"0x5000fc0\",\"count\":12,\"page\":\"0x5000000\",\"error\":\"single-bit ECC\","
      "\"card\":0,\"module\":3,\"row\":131071,\"part\":\"DIMM_A4\"}\n" },
    { { EVENT_CPER, 3, .cper = { 0, &unplaced_error, 1 } },
      "{\"t\":3.000000,\"type\":\"cper\",\"source\":0,\"severity\":\"fatal\",\"addr\":null}\n" },
    { { EVENT_TRACE, 3,
        .trace = { OPTION_TRACE_MOVES, "moved", .from = 0x100000, .to = 0x4000000, .bytes = 8192,
                   .seconds = 0.25 } },
      "{\"t\":3.000000,\"type\":\"trace\",\"what\":\"move\",\"state\":\"moved\","
      "\"from\":\"0x100000\",\"to\":\"0x4000000\",\"bytes\":8192,\"seconds\":0.250000}\n" },
    { { EVENT_TRACE, 3,
        .trace = { OPTION_TRACE_MOVES, "no place", .from = 0x100000, .bytes = 8192 } },
      "{\"t\":3.000000,\"type\":\"trace\",\"what\":\"move\",\"state\":\"no place\","
      "\"from\":\"0x100000\",\"to\":null,\"bytes\":8192,\"seconds\":0.000000}\n" },
    { { EVENT_TRACE, 3, .trace = { OPTION_TRACE_CPUS, "hung", .cpu = 3, .apic_id = 6 } },
      "{\"t\":3.000000,\"type\":\"trace\",\"what\":\"cpu\",\"state\":\"hung\",\"cpu\":3,"
      "\"apic_id\":6}\n" },
    { { EVENT_TRACE, 3,
        .trace = { OPTION_TRACE_FIRMWARE, "called", 1, .service = "SetVariable",
                   .variable = "OkramReport00" } },
      "{\"t\":3.000000,\"type\":\"trace\",\"what\":\"firmware\",\"state\":\"called\",\"cpu\":1,"
      "\"service\":\"SetVariable\",\"variable\":\"OkramReport00\"}\n" },
    { { EVENT_TRACE, 3,
        .trace = { OPTION_TRACE_FIRMWARE, "returned", 1, .service = "GetNextVariableName",
                   .variable = "", .status = UINT64_C(0x800000000000000e), .seconds = 0.5,
                   .missed = 7 } },
      "{\"t\":3.000000,\"type\":\"trace\",\"what\":\"firmware\",\"state\":\"returned\",\"cpu\":1,"
      "\"service\":\"GetNextVariableName\",\"status\":\"0x800000000000000e\","
      "\"seconds\":0.500000,\"missed\":7}\n" },
    { { EVENT_TRACE, 3,
        .trace = { OPTION_TRACE_FIRMWARE, "no return", 0, .service = "ResetSystem", .variable = "",
                   .seconds = 5 } },
      "{\"t\":3.000000,\"type\":\"trace\",\"what\":\"firmware\",\"state\":\"no return\",\"cpu\":0,"
      "\"service\":\"ResetSystem\",\"seconds\":5.000000}\n" },
    { { EVENT_RETEST, 4, .retest = { 0x5000000, 8, 3 } },
      "{\"t\":4.000000,\"type\":\"retest\",\"page\":\"0x5000000\",\"tries\":8,\"failed\":3}\n" },
    { { EVENT_KIND, 4, .kind = { &row_kind, "byte lane 3 of 8 (bits 24-31)", "" } },
      "{\"t\":4.000000,\"type\":\"kind\",\"kind\":\"row\",\"confidence\":\"sure\","
      "\"evidence\":\"128 lines\",\"bit\":24,\"bits\":8,\"bus_bits\":64,"
      "\"chip\":\"byte lane 3 of 8 (bits 24-31)\"}\n" },
    { { EVENT_KIND, 4, .kind = { &far_kind, "", "" } },
      "{\"t\":4.000000,\"type\":\"kind\",\"kind\":\"everywhere\",\"confidence\":\"likely\","
      "\"evidence\":\"9 words\"}\n" },
    { { EVENT_ADVICE, 5, .advice = { ADVICE_CASE_ONE_MODULE, "It is \"bad\". Replace it." } },
      "{\"t\":5.000000,\"type\":\"advice\",\"case\":\"one-module\","
      "\"text\":\"It is \\\"bad\\\". Replace it.\"}\n" },
    { { EVENT_DIAGNOSIS, 4, .diagnosis = { false, 4, 3, false, "cells", &first_record } },
      "{\"t\":4.000000,\"type\":\"diagnosis\",\"begun\":false,\"runs\":1,\"passes\":4,\"failed\":3,"
      "\"tests\":\"mats+\",\"kind\":\"cells\",\"next\":\"Test again.\",\"end\":null,"
      "\"found\":\"\",\"reasons\":\"\",\"code\":\"4c0a-13\",\"next_passes\":8,"
      "\"words\":\"tests=mats+ passes=8 diagnosis=4c0a-13\"}\n" },
    { { EVENT_DIAGNOSIS, 4, .diagnosis = { true, 4, 3, true, "cells", &march_record } },
      "{\"t\":4.000000,\"type\":\"diagnosis\",\"begun\":true,\"headline\":\"NEXT STEP\",\"runs\":2,\"passes\":4,\"failed\":3,\"always\":true,"
      "\"tests\":\"march\",\"march\":\"{any(w0)}\",\"kind\":\"cells\",\"next\":\"Test again.\","
      "\"end\":null,\"found\":\"\",\"reasons\":\"\",\"code\":\"4c0a-13\",\"next_passes\":8,"
      "\"words\":\"\"}\n" },
    { { EVENT_DIAGNOSIS, 4, .diagnosis = { true, 8, 0, false, "unknown", &last_record } },
      "{\"t\":4.000000,\"type\":\"diagnosis\",\"begun\":true,\"headline\":\"BAD MODULE FOUND\",\"runs\":5,\"passes\":8,\"failed\":0,"
      "\"tests\":\"\",\"kind\":\"unknown\",\"next\":\"\",\"end\":\"module\","
      "\"found\":\"One module is bad.\",\"reasons\":\"It is. Send it back.\",\"remedy\":\"Send it back.\",\"code\":\"4c0a-13\","
      "\"next_passes\":0,\"words\":\"\"}\n" },
    { { EVENT_PAGES, 9, .pages = { spans, 2, .goes_on = true } },
      "{\"t\":9.000000,\"type\":\"pages\",\"pages\":262302,\"runs\":[[\"0x1000\",\"0x9f000\"],"
      "[\"0x100000000\",\"0x140000000\"]]}\n" },
    { { EVENT_PAGES, 9, .pages = { spans, 1, .more = true } },
      "{\"t\":9.000000,\"type\":\"pages\",\"pages\":158,\"runs\":[[\"0x1000\",\"0x9f000\"]],"
      "\"more\":true}\n" },
    { { EVENT_BADRAM, 4, .badram = { 0, &no_cover, "", true } },
      "{\"t\":4.000000,\"type\":\"badram\",\"bad_pages\":0,\"patterns\":[],"
      "\"sacrificed_pages\":0,\"ranges\":0,\"line\":\"\"}\n" },
    { { EVENT_BADRAM, 4, .badram = { 3, &cover, "badram=0x5000000,…", true } },
      "{\"t\":4.000000,\"type\":\"badram\",\"bad_pages\":3,"
      "\"patterns\":[[\"0x5000000\",\"0xffffffffff000\"],[\"0x8000000000\",\"0xffffffff00000\"]],"
      "\"sacrificed_pages\":257,\"ranges\":2,"
      "\"line\":\"badram=0x5000000,\\u00e2\\u0080\\u00a6\"}\n" },
    { { EVENT_LINE, 4, .line = { "xen", "Xen: there", "a\nb=\"0x5\"", "1 page", false, true } },
      "{\"t\":4.000000,\"type\":\"line\",\"name\":\"xen\",\"place\":\"Xen: there\","
      "\"text\":\"a\\u000ab=\\\"0x5\\\"\",\"note\":\"1 page\"}\n" },
    { { EVENT_LINE, 4, .line = { "xen", "Xen: there", "a", "1 page", true, true } }, NULL },
    { { EVENT_LINE, 4, .line = { "xen", "Xen: there", "a", "1 page", false, false } }, NULL },
    { { EVENT_RESULT, 5,
        .result = { VERDICT_PASS, 2, 100, 0, NULL, 0, 0, 0, 0, 5.25, true, true } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"pass\",\"complete\":true,\"passes\":2,"
      "\"tested_bytes\":100,\"untested_bytes\":0,\"untested\":[],\"bad_pages\":0,"
      "\"seconds\":5.250000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0}}\n" },
    { { EVENT_RESULT, 5,
        .result = { .verdict = VERDICT_STOPPED,
                    .tests = ended,
                    .n_tests = 2,
                    .unpaired = unpaired,
                    .n_unpaired = 2,
                    .interrupts = interrupts,
                    .n_interrupts = 2,
                    .seconds = 1 } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"stopped\",\"complete\":false,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],"
      "\"unpaired\":[{\"base\":\"0x1000\",\"end\":\"0x3000\"},{\"base\":\"0x100000000\","
      "\"end\":\"0x100001000\"}],\"tests\":[\"address\",\"march-c-\"],"
      "\"interrupts\":[{\"vector\":39,\"count\":2,\"what\":\"spurious\"},"
      "{\"vector\":128,\"count\":1,\"what\":\"unknown\"}],\"bad_pages\":0,"
      "\"seconds\":1.000000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0}}\n" },
    { { EVENT_RESULT, 5,
        .result = { .verdict = VERDICT_PASS,
                    .all_tested = true,
                    .unseen = { 8589934592, 17179869184, 1, 3, true, false, 2, { 0x50, 0x57 } } } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"pass\",\"complete\":false,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],\"bad_pages\":0,"
      "\"seconds\":0.000000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0},"
      "\"unseen\":{\"modules\":1,\"of\":3,\"at_least\":true,\"may_be_mirrored\":false,"
      "\"missing_bytes\":8589934592,\"installed_bytes\":17179869184,"
      "\"addresses\":[\"0x50\",\"0x57\"]}}\n" },
    { { EVENT_RESULT, 5,
        .result = { .verdict = VERDICT_PASS,
                    .part_of_bytes = 255,
                    .hidden_pages = 2,
                    .hole_pages = 3 } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"pass\",\"complete\":false,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],\"bad_pages\":0,"
      "\"part_of_bytes\":255,\"hidden_pages\":2,\"hole_pages\":3,\"seconds\":0.000000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0}}\n" },
    { { EVENT_RESULT, 5,
        .result = { .verdict = VERDICT_PASS,
                    .complete = true,
                    .excluded = { 97, 32, 1505, 7.176 } } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"pass\",\"complete\":true,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],\"bad_pages\":0,"
      "\"seconds\":0.000000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0},"
      "\"excluded\":{\"reads\":97,\"one_in\":32,\"per_hour\":7.176000}}\n" },
    { { EVENT_RESULT, 5, .result = { .verdict = VERDICT_ERROR, .reason = REASON_INTERNAL_ERROR } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"error\","
      "\"reason\":\"internal-error\",\"complete\":false,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],\"bad_pages\":0,"
      "\"seconds\":0.000000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0}}\n" },
    { { EVENT_RESULT, 5,
        .result = { .verdict = VERDICT_CORRECTED, .complete = true, .ecc = { 7, 2, 1, NULL, 0 } } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"corrected\",\"complete\":true,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],\"bad_pages\":0,"
      "\"seconds\":0.000000,"
      "\"ecc\":{\"corrected\":7,\"uncorrected\":2,\"with_page\":1}}\n" },
    { { EVENT_RESULT, 5,
        .result = { .verdict = VERDICT_PASS, .is_encrypted = true, .looks_encrypted = true } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"pass\",\"complete\":false,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"untested\":[],\"encryption\":\"look\","
      "\"bad_pages\":0,\"seconds\":0.000000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0}}\n" },
    { { EVENT_RESULT, 5,
        .result = { VERDICT_FAIL, 1, 100, 0x201000, untested, 2, 3, 9, 1, 5.25, false, true } },
      "{\"t\":5.000000,\"type\":\"result\",\"status\":\"fail\",\"complete\":true,\"passes\":1,"
      "\"tested_bytes\":100,"
      "\"untested_bytes\":2101248,\"untested\":[{\"base\":\"0x0\",\"end\":\"0x1000\","
      "\"why\":\"vectors\"},{\"base\":\"0x100000\",\"end\":\"0x300000\",\"why\":\"okram itself\"}],"
      "\"bad_pages\":3,\"seconds\":5.250000,"
      "\"ecc\":{\"corrected\":0,\"uncorrected\":0,\"with_page\":0}}\n" },
};

static void each_object_is_exact(void **state)
{
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        struct capture c = { 0 };
        struct jsonl l = jsonl_make(capture_writer(&c));

        l.machine_written = true;
        jsonl_receive(&l, &objects[i].event);
        if (objects[i].json)
            assert_string_equal(c.text, objects[i].json);
        else
            assert_int_equal(c.length, 0);
        capture_free(&c);
    }
}

static void late_warnings_go_with_the_result(void **state)
{
    struct event end = { EVENT_RESULT, 2, .result = { .verdict = VERDICT_PASS } };
    struct capture c = { 0 };
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
    capture_free(&c);
}

static void nothing_comes_after_the_result(void **state)
{
    struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));

    jsonl_receive(&l, &(struct event){ EVENT_RESULT, 2, .result = { .verdict = VERDICT_PASS } });
    c.length = 0;
    jsonl_receive(&l, &(struct event){ EVENT_WARNING, 3, .warning = "cannot power off" });
    assert_int_equal(c.length, 0);
    jsonl_receive(
        &l, &(struct event){ EVENT_TRACE, 3, .trace = { OPTION_TRACE_CPUS, "failed", .cpu = 1 } });
    assert_int_equal(c.length, 0);
    capture_free(&c);
}

static void interim_lines_keep_to_their_pace(void **state)
{
    static char line[16000];
    struct capture c = { 0 };
    struct jsonl l = jsonl_make(capture_writer(&c));
    struct event e = { EVENT_BADRAM, 1, .badram = { 1, &cover, line, false } };
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
    capture_free(&c);
}

static void a_panic_is_a_result(void **state)
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
static void python_reads_every_line(void **state)
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
    struct capture c = { 0 };
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
    capture_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_object_is_exact),
        cmocka_unit_test(late_warnings_go_with_the_result),
        cmocka_unit_test(nothing_comes_after_the_result),
        cmocka_unit_test(interim_lines_keep_to_their_pace),
        cmocka_unit_test(a_panic_is_a_result),
        cmocka_unit_test(python_reads_every_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
