// SPDX-License-Identifier: MIT
#include "report/saved_report.h"

#include "bootcfg/lines.h"
#include "report/capture.h"
#include "report/reported.h"
#include "saved/saved_lines.h"
#include "saved/saved_write.h"
#include "saved/ungroup.h"
#include "tests/unit/unit.h"

static struct saved_events report;
static char out[SAVED_REPORT_MAX + 1];

static const struct cover cover = { .pattern = { { 0x5000, 0xffffffffff000 } }, .n_patterns = 1 };
static char long_line[2 * SAVED_REPORT_MAX];

static const struct event start =
    EVENT(START, start, 0.5, "0.1.0", "uefi", "okram.efi", "tests=quick");
static const struct event machine =
    EVENT(MACHINE, machine, 1, .cpu = "CPU", .cpus = 2, .isa = "avx2");
static const struct event test = EVENT(TEST, test, 2, .pass = 1, .test = "mats+");
static const struct event fault = EVENT(FAULT, fault, 2, .addr = 8, .test = "mats+");
static const struct event interim = EVENT(BADRAM, badram, 2, 1, &cover, "badram=interim", false);
static const struct event badram = EVENT(BADRAM, badram, 3, 1, &cover, "badram=0x5000,0xf", true);
static const struct event progress = EVENT(PROGRESS, progress, 3, .phase = "test", .test = "mats+");
static const struct event_untested untested[] = { { { 0, 0x1000 }, "vectors" } };
static const struct event result =
    EVENT(RESULT, result, 4, .verdict = VERDICT_FAIL, .bad_pages = 1, .faults = 1,
          .untested = untested, .n_untested = 1, .complete = true);

static int set_up(void **state)
{
    memset(&report, 0xaa, sizeof(report));
    saved_report_init(&report);
    return 0;
}

static void receive_all(const struct event *badram_event)
{
    const struct event *const events[] = { &start,    &machine,     &interim, &fault,
                                           &progress, badram_event, &test,    &result };

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        saved_report_receive(&report, events[i]);
}

static const char *written(enum saved_form form, size_t room)
{
    bool cut;

    out[saved_lines_write(&report.lines, form, room, out, &cut)] = 0;
    return out;
}

/* The JSON is what serial=jsonl writes, without progress and interim covers. */
TEST(json_is_as_on_the_serial_port, set_up)
{
    const struct event *const events[] = { &start, &machine, &fault, &badram, &test, &result };
    FREED_BY(capture_free) struct capture c = { 0 };
    struct jsonl json = jsonl_make(capture_writer(&c));

    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        jsonl_receive(&json, events[i]);
    receive_all(&badram);
    assert_string_equal(written(SAVED_JSON, SAVED_REPORT_MAX), c.text);
}

TEST(text_ends_with_the_line, set_up)
{
    const char *text;

    receive_all(&badram);
    text = written(SAVED_TEXT, SAVED_REPORT_MAX);
    assert_non_null(strstr(text, "okram 0.1.0, started by UEFI"));
    assert_non_null(strstr(text, "FAIL: 1 bad page"));
    assert_non_null(strstr(text, "vectors"));
    assert_null(strstr(text, "interim"));
    assert_string_equal(strrchr(strstr(text, "sacrificed"), 'b'), "badram=0x5000,0xf\n");
}

/* A small room holds verdict and line, not what to do or the list of what was not tested. */
TEST(text_is_cut_by_the_line, set_up)
{
    static const struct diagnosis_record record = {
        .runs = 1,
        .next = "Take it out, all of it, and put it in again, in the same slot.",
        .summary = "next: take out all"
    };
    const struct event diagnosis =
        EVENT(DIAGNOSIS, diagnosis, 3, .kind = "cells", .record = &record);
    const struct event advice =
        EVENT(ADVICE, advice, 3, ADVICE_CASE_DIAGNOSIS,
              "Take it out, all of it, and put it in again, in the same slot, then start it "
              "again. Until then leave it as it is, and do not use it for what matters.");
    const char *text;

    saved_report_receive(&report, &diagnosis);
    saved_report_receive(&report, &advice);
    receive_all(&badram);
    text = written(SAVED_TEXT, SAVED_REPORT_MAX);
    assert_non_null(strstr(text, "to do      Take it out"));
    text = written(SAVED_TEXT, 400);
    assert_non_null(strstr(text, "FAIL: 1 bad page"));
    assert_non_null(strstr(text, "\nbadram=0x5000,0xf\n"));
    assert_null(strstr(text, "Take it out"));
    assert_null(strstr(text, "vectors"));
    assert_null(strstr(text, "FAULT"));
}

/* A line longer than any report is left out whole, and nothing else is. */
TEST(a_line_that_never_fits_is_left_out, set_up)
{
    static struct cover full = { .n_patterns = COVER_PATTERNS_MAX };
    struct fmt_buffer b = fmt_buffer_make(long_line, sizeof(long_line));
    struct event huge = badram;
    const char *text;

    for (size_t i = 0; i < COVER_PATTERNS_MAX; i++)
        full.pattern[i] =
            (struct pattern){ UINT64_C(0x8000000000000) + (i << 13), 0xffffffffff000 };
    badram_line_append(&b, &full);
    huge.badram.cover = &full;
    huge.badram.line = long_line;
    receive_all(&huge);
    text = written(SAVED_JSON, SAVED_REPORT_MAX);
    assert_null(strstr(text, "\"type\":\"badram\""));
    assert_non_null(strstr(text, "\"type\":\"result\""));
    text = written(SAVED_TEXT, SAVED_REPORT_MAX);
    assert_null(strstr(text, "badram=0x8"));
    assert_non_null(strstr(text, "FAIL: 1 bad page"));
    assert_true(out[strlen(out) - 1] == '\n');
}

/* The line is what a person needs; without the diagnosis the loader's menu cannot go on. */
TEST(the_line_comes_before_a_diagnosis, set_up)
{
    static const struct diagnosis_record record = { .runs = 1, .next = "Test again." };
    const struct event diagnosis =
        EVENT(DIAGNOSIS, diagnosis, 3, .kind = "cells", .record = &record);
    size_t room;

    saved_report_receive(&report, &start);
    saved_report_receive(&report, &badram);
    saved_report_receive(&report, &result);
    room = strlen(written(SAVED_JSON, SAVED_REPORT_MAX));
    set_up(state);
    receive_all(&badram);
    saved_report_receive(&report, &diagnosis);
    written(SAVED_JSON, room);
    assert_non_null(strstr(out, "\"type\":\"badram\""));
    assert_non_null(strstr(out, "\"type\":\"result\""));
    assert_null(strstr(out, "\"type\":\"diagnosis\""));
}

/* Measurements, of which there are many, do not crowd out the picture of all RAM. */
TEST(the_picture_comes_before_measurements, set_up)
{
    static const uint32_t node[] = { 0 };
    static struct ram_view view = {
        .cell_bytes = 1 << 20, .n_cells = 4, .n_nodes = 1, .node = { { 0, 4 } }
    };
    const struct event cache = EVENT(CACHE, cache, 2, .level = 1, .size_bytes = 32768);
    const struct event picture = EVENT(PICTURE, picture, 3, &view, node);
    size_t room;

    saved_report_receive(&report, &cache);
    room = strlen(written(SAVED_JSON, SAVED_REPORT_MAX));
    set_up(state);
    saved_report_receive(&report, &picture);
    room += strlen(written(SAVED_JSON, SAVED_REPORT_MAX));
    set_up(state);
    for (int i = 0; i < 3; i++)
        saved_report_receive(&report, &cache);
    saved_report_receive(&report, &picture);
    written(SAVED_JSON, room);
    assert_non_null(strstr(out, "\"type\":\"cache\""));
    assert_non_null(strstr(out, "\"cells\":\"4.\""));
}

/* In a room too small for both, the verdict is worth more than the machine. */
TEST(the_result_comes_before_the_machine, set_up)
{
    size_t room;

    saved_report_receive(&report, &start);
    saved_report_receive(&report, &result);
    room = strlen(written(SAVED_JSON, SAVED_REPORT_MAX));
    set_up(state);
    receive_all(&badram);
    written(SAVED_JSON, room);
    assert_non_null(strstr(out, "\"type\":\"start\""));
    assert_non_null(strstr(out, "\"type\":\"result\""));
    assert_null(strstr(out, "\"type\":\"machine\""));
}

/* The records of that type, those that share a line, too. */
static unsigned count(const char *text, const char *type)
{
    static char record[SAVED_REPORT_MAX];
    char wanted[32];
    unsigned n = 0;

    snprintf(wanted, sizeof(wanted), "\"type\":\"%s\"", type);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        for (size_t k = 0;; k++) {
            struct fmt_buffer b = fmt_buffer_make(record, sizeof(record));

            if (!ungroup_record(line, k, &b))
                break;
            n += strstr(record, wanted) != NULL;
        }
    }
    return n;
}

TEST(the_first_faults_are_kept, set_up)
{
    for (int i = 0; i < 3 * SAVED_FAULTS_MAX; i++)
        saved_report_receive(&report, &fault);
    saved_report_receive(&report, &result);
    assert_int_equal(count(written(SAVED_JSON, SAVED_REPORT_MAX), "fault"), SAVED_FAULTS_MAX);
    assert_non_null(strstr(out, "\"type\":\"result\""));
}

/* Lines wait for more of their type, but not once they are wanted. */
TEST(those_that_wait_are_written_when_wanted, set_up)
{
    for (unsigned i = 0; i < SAVED_GROUP_MAX + 3; i++)
        saved_report_receive(&report, &fault);
    assert_int_equal(count(written(SAVED_JSON, SAVED_REPORT_MAX), "fault"), SAVED_GROUP_MAX);
    saved_report_complete(&report);
    assert_int_equal(count(written(SAVED_JSON, SAVED_REPORT_MAX), "fault"), SAVED_GROUP_MAX + 3);
    saved_report_complete(&report);
    assert_int_equal(count(written(SAVED_JSON, SAVED_REPORT_MAX), "fault"), SAVED_GROUP_MAX + 3);
}

/* Each record that shares a line is again what serial=jsonl writes. */
TEST(shared_lines_lose_nothing, set_up)
{
    FREED_BY(capture_free) struct capture c = { 0 };
    struct jsonl json = jsonl_make(capture_writer(&c));
    const char *expected;

    for (unsigned i = 0; i < 2 * SAVED_GROUP_MAX + 1; i++) {
        struct event e = fault;

        e.t = i;
        e.fault.addr = 8 * i;
        e.fault.found = i & 1;
        e.fault.channel = i == 20 ? "channel 1" : NULL; /* it has a field more */
        saved_report_receive(&report, &e);
        jsonl_receive(&json, &e);
    }
    saved_report_complete(&report);
    expected = c.text;
    for (const char *line = written(SAVED_JSON, SAVED_REPORT_MAX); *line;
         line = strchr(line, '\n') + 1) {
        char record[512];

        for (size_t k = 0;; k++) {
            struct fmt_buffer b = fmt_buffer_make(record, sizeof(record));

            if (!ungroup_record(line, k, &b))
                break;
            assert_memory_equal(record, expected, b.length);
            expected = strchr(expected, '\n') + 1;
        }
    }
    assert_string_equal(expected, "");
}

#define MODULES 32

static struct smbios_slot slot[MODULES];
static struct modules server_modules;

static void make_modules(void)
{
    server_modules.n = MODULES;
    for (unsigned i = 0; i < MODULES; i++) {
        struct module *m = &server_modules.module[i];

        slot[i] = (struct smbios_slot){ .memory_type = 0x22, .is_populated = true };
        snprintf(slot[i].locator, sizeof(slot[i].locator), "CPU%u_DIMM_%c%u", i / 16,
                 'A' + i / 2 % 8, 1 + i % 2);
        snprintf(slot[i].bank, sizeof(slot[i].bank), "P%u CHANNEL %c", i / 16, 'A' + i / 2 % 8);
        *m = (struct module){ .slot = &slot[i],
                              .slot_by = MODULE_SLOT_ITSELF,
                              .maker = "Samsung",
                              .part = "M321R8GA0BB0-CQKZJ",
                              .size_bytes = UINT64_C(64) << 30,
                              .configured_mt_s = 4800 };
        snprintf(m->serial, sizeof(m->serial), "80CE0122%08X", 0x12345678 * (i + 1));
    }
}

static const struct smbios_names server_names = {
    .system = { "Supermicro", "SYS-621C-TN12R", "0123456789", "S482938X3B12345" },
    .board = { "Supermicro", "X13DDW-A", "1.02", "HM234S012345" },
    .uuid = "8f4d0a00-1b2c-11ee-8000-3cecef123456",
};
static const uint8_t macs[4][IDENTITY_MAC_BYTES] = { { 0x3c, 0xec, 0xef, 1, 2, 3 } };

static void receive_server(void)
{
    const struct event identity =
        EVENT(IDENTITY, identity, 0.5, .run = "0123456789abcdef0123456789abcdef",
              .date = "2026-11-24T13:14:34", .names = &server_names, .full = true, .mac = macs,
              .n_macs = 4);

    make_modules();
    saved_report_receive(&report, &start);
    saved_report_receive(&report, &identity);
    saved_report_receive(&report, &machine);
    for (unsigned i = 0; i < MODULES; i++) {
        const struct event module = EVENT(MODULE, module, 1, &server_modules, i);

        saved_report_receive(&report, &module);
    }
}

static void receive_faults(void)
{
    srand(1);
    for (unsigned i = 0; i < SAVED_FAULTS_MAX; i++) {
        struct event e = fault;

        e.t = 100 + rand() / 1e9;
        e.fault = (struct event_fault){ .addr = (uint64_t)(unsigned)rand() << 8,
                                        .expected = i % 2 ? UINT64_MAX : 0,
                                        .found = i % 2 ? ~UINT64_C(0x10) : 0x10,
                                        .test = "march-mss+",
                                        .pass = 1,
                                        .cpu = (unsigned)rand() % 128,
                                        .node = (unsigned)rand() % 2 };
        saved_report_receive(&report, &e);
    }
    for (unsigned i = 0; i < 8; i++)
        saved_report_receive(&report, &test);
}

#define RUNS 1000

static void receive_pages(void)
{
    static struct span run[RUNS];

    for (unsigned i = 0; i < RUNS; i++)
        run[i] = (struct span){ UINT64_C(0x2000000000) + i * 0x3000, i % 7 ? 0x1000 : 0x2000 };
    for (unsigned i = 0; i < RUNS; i += RUNS / 4) {
        const struct event pages =
            EVENT(PAGES, pages, 200, run + i, RUNS / 4, i + RUNS / 4 < RUNS, false);

        saved_report_receive(&report, &pages);
    }
}

/* With n patterns, as a machine has them that has 512 GiB of RAM. */
static void receive_end(size_t n)
{
    static struct cover many = { .sacrificed_pages = 2000, .ranges = 60 };
    struct event e = badram;
    struct fmt_buffer b = fmt_buffer_make(long_line, sizeof(long_line));

    many.n_patterns = n;
    for (size_t i = 0; i < n; i++) {
        many.pattern[i] = (struct pattern){ 0x2000000000 + i * 0x123000, 0xffffffffff000 };
        fmt_append(&b, "%s0x%llx,0x%llx",
                   i ? "," : "badram=", (unsigned long long)many.pattern[i].addr,
                   (unsigned long long)many.pattern[i].mask);
    }
    e.badram.cover = &many;
    e.badram.line = long_line;
    saved_report_receive(&report, &e);
    saved_report_receive(&report, &result);
    saved_report_complete(&report);
}

/* A server with many faults: who it is, which pages are bad and all serial numbers are kept. */
TEST(a_large_server, set_up)
{
    static const struct {
        size_t patterns;
        unsigned faults; /* that are kept at least */
    } ends[] = { { 1, SAVED_FAULTS_MAX }, { 64, 32 } };
    static const char *const once[] = {
        "start", "identity", "machine", "pages", "badram", "result"
    };

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const char *text;

        set_up(state);
        receive_server();
        receive_faults();
        receive_pages();
        receive_end(ends[i].patterns);
        text = written(SAVED_JSON, SAVED_REPORT_MAX - SAVED_HEAD_MAX - SAVED_STATE_MAX);
        for (size_t k = 0; k < sizeof(once) / sizeof(once[0]); k++)
            assert_int_equal(count(text, once[k]), 1);
        for (unsigned m = 0; m < MODULES; m++)
            assert_non_null(strstr(text, server_modules.module[m].serial));
        assert_int_equal(count(text, "module"), MODULES);
        assert_int_equal(count(text, "test"), 8);
        assert_in_range(count(text, "fault"), ends[i].faults, SAVED_FAULTS_MAX);
        assert_non_null(strstr(text, "\"type\":\"pages\",\"pages\":74,\"runs\":"));
        assert_non_null(strstr(text, "\"0x20000bf000\"]],\"more\":true}\n")); /* the 64th */
    }
}

/* Fewer than that many are all there, and no more are spoken of. */
TEST(few_runs_are_whole, set_up)
{
    static const struct span runs[] = { { 0x1000, 0x2000 }, { 0x7000, 0x1000 } };
    const struct event pages = EVENT(PAGES, pages, 200, runs, 2, false, false);

    saved_report_receive(&report, &pages);
    assert_string_equal(written(SAVED_JSON, SAVED_REPORT_MAX),
                        "{\"t\":200.000000,\"type\":\"pages\",\"pages\":3,\"runs\":[[\"0x1000\","
                        "\"0x3000\"],[\"0x7000\",\"0x8000\"]]}\n");
}

/* pstore's dump has the same lines as before there was an identity. */
TEST(the_identity_takes_nothing_from_the_text, set_up)
{
    char before[PSTORE_DUMP_MAX + 1];

    receive_all(&badram);
    strcpy(before, written(SAVED_TEXT, 400));
    set_up(state);
    receive_server();
    receive_all(&badram);
    assert_string_equal(written(SAVED_TEXT, 400), before);
}
