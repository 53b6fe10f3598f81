// SPDX-License-Identifier: MIT
/* The file is what the variables hold, from the head to the end of the report's lines. */
#include "boot/uefi/last_report/report_packet.h"

#include <stdbool.h>
#include <stdio.h>

#include "saved/samples.h"
#include "tests/unit/unit.h"

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

TEST(a_report_in_any_number_of_parts)
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
TEST(what_comes_after_it_is_left_out)
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

TEST(there_is_none)
{
    static const struct saved_variables nothing;

    assert_int_equal(report_packet_make(&nothing, UUID, &packet), STATUS_NOT_FOUND);
    sample_finished(&sample, VERDICT_PASS, SAMPLE_JSONL, 300);
    sample.variables.part[1].bytes = NULL;
    assert_int_equal(report_packet_make(&sample.variables, UUID, &packet), STATUS_NOT_FOUND);
}
