// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_page.h"

#include "saved/samples.h"
#include "tests/unit/unit.h"

#define END  "</pre>\n</html>\n"
#define HEAD (REPORT_VIEWER_MAX - sizeof(END) - 1)

/* As long as the build lets them be. */
const char viewer_head[HEAD + 1] = { [0 ... HEAD - 1] = 'h' };
const char viewer_end[] = END;

static struct saved_report report;
static char page[REPORT_PAGE_MAX];

/* The records of the page that is made of report.jsonl. */
static const char *made(void)
{
    struct fmt_buffer b = fmt_buffer_make(page, sizeof(page));

    report_append_page(&report, &b);
    assert_false(b.cut);
    assert_memory_equal(page, viewer_head, HEAD);
    assert_string_equal(page + b.length - strlen(END), END);
    page[b.length - strlen(END)] = 0;
    return page + HEAD;
}

static void becomes(const char *jsonl, const char *wanted)
{
    strcpy(report.jsonl, jsonl);
    assert_string_equal(made(), wanted);
}

TEST(records_between_the_viewers_ends)
{
    becomes("", "");
    becomes("{\"type\":\"a\"}\n{\"t\":1,\"also\":{\"t\":[2]}}\n",
            "{\"type\":\"a\"}\n{\"t\":1,\"also\":{\"t\":[2]}}\n");
    becomes("{\"no\":\"newline\"}", "{\"no\":\"newline\"}");
}

TEST(no_text_becomes_markup)
{
    becomes("</pre><script>\n<!--", "\\u003c/pre>\\u003cscript>\n\\u003c!--");
    becomes("&lt;&", "\\u0026lt;\\u0026");
    becomes("\"\\\\<\\u003c\"", "\"\\\\\\u003c\\u003c\"");
}

TEST(only_text_is_left)
{
    becomes("a \"b\" 'c'\n\td", "a \"b\" 'c'\n\td");
    becomes("\x1b[2J\x7f\r", "?[2J?\?");
    becomes("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    becomes("\xff \xc3( \xe2\x82", "? ?( ?\?");
    becomes("\xc0\xaf \xe0\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80", "?\? ?\?? ?\?? ?\?\?\?");
}

TEST(the_longest_page)
{
    for (const char *c = "<&\x01{"; *c; c++) {
        memset(report.jsonl, *c, sizeof(report.jsonl) - 1);
        report.jsonl[sizeof(report.jsonl) - 1] = 0;
        assert_int_equal(strlen(made()),
                         (sizeof(report.jsonl) - 1) * (strchr("<&", *c) ? REPORT_ESCAPE_MAX : 1));
    }
}

/* The file for a server is what the variables hold, from the head to the end of the report's lines.
 */
#define UUID "4c4c4544-0042-3510-8052-b4c04f4e4b32"

static struct sample sample;
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
