// SPDX-License-Identifier: MIT
/* The file is what the variables hold, from the head to the end of the report's lines. */
#include "boot/uefi/last_report/report_packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

#include "saved/samples.h"

#define UUID "4c4c4544-0042-3510-8052-b4c04f4e4b32"

static struct sample sample;
static struct saved_report report;
static struct report_packet packet;

/* What the variables hold, one after the other. */
static size_t joined(char *out)
{
    size_t n = 0;

    for (unsigned i = 0; i < sample.n_parts; i++) {
        memcpy(out + n, sample.variables.part[i].bytes, sample.variables.part[i].size);
        n += sample.variables.part[i].size;
    }
    return n;
}

static void a_report_in_any_number_of_parts(void **state)
{
    static char whole[SAVED_JSONL_MAX];

    for (size_t part_bytes = 80; part_bytes <= SAVED_VARIABLE_MAX; part_bytes += 59) {
        char crc[16];
        size_t n;

        sample_finished(&sample, VERDICT_FAIL, SAMPLE_JSONL, part_bytes);
        saved_read(&sample.variables, &report);
        assert_int_equal(report.kind, SAVED_WHOLE);
        assert_int_equal(report_packet_make(&sample.variables, UUID, &packet), STATUS_OK);
        n = joined(whole);
        assert_int_equal(packet.size, n);
        assert_memory_equal(packet.bytes, whole, n);
        snprintf(crc, sizeof(crc), "%08x", crc32c(report.jsonl, strlen(report.jsonl)));
        assert_memory_equal(packet.name, UUID "-", sizeof(UUID));
        assert_memory_equal(packet.name + sizeof(UUID), crc, 8);
        assert_string_equal(packet.name + sizeof(UUID) + 8, ".jsonl");
    }
}

/* Of an unfinished run there may be parts of the run before it: their bytes are not of it. */
static void what_comes_after_it_is_left_out(void **state)
{
    struct sample before;
    size_t n;

    sample_finished(&before, VERDICT_PASS, SAMPLE_JSONL, 300);
    sample_started(&sample);
    n = sample.variables.part[0].size;
    sample.variables.part[1] = before.variables.part[1];
    saved_read(&sample.variables, &report);
    assert_int_equal(report.kind, SAVED_UNFINISHED);
    assert_int_equal(report_packet_make(&sample.variables, "", &packet), STATUS_OK);
    assert_int_equal(packet.size, n);
    assert_memory_equal(packet.bytes, sample.variables.part[0].bytes, n);
    assert_memory_equal(packet.name, "unknown-", 8);
}

static void there_is_none(void **state)
{
    static const struct saved_variables nothing;

    assert_int_equal(report_packet_make(&nothing, UUID, &packet), STATUS_NOT_FOUND);
    sample_finished(&sample, VERDICT_PASS, SAMPLE_JSONL, 300);
    sample.variables.part[1].bytes = NULL;
    assert_int_equal(report_packet_make(&sample.variables, UUID, &packet), STATUS_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_in_any_number_of_parts),
        cmocka_unit_test(what_comes_after_it_is_left_out),
        cmocka_unit_test(there_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
