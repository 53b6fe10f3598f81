// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_seller.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "saved/samples.h"

#define MODULE(slot, serial)                                                                       \
    "{\"t\":1.0,\"type\":\"module\",\"slot\":" slot ",\"maker\":\"Kingston\",\"part\":\"KF-16\","  \
    "\"serial\":" serial ",\"size_bytes\":17179869184,\"year\":2019,\"week\":7}\n"
#define FAULT                                                                                      \
    "{\"t\":9.0,\"type\":\"fault\",\"addr\":\"0x5000008\",\"expected\":\"0xffffffffffffffff\","    \
    "\"found\":\"0x7ffffffffffffffe\",\"test\":\"march-c-\"}\n"
#define KIND                                                                                       \
    "{\"t\":9.1,\"type\":\"kind\",\"kind\":\"pin\",\"confidence\":\"sure\",\"evidence\":\"9 "      \
    "words\",\"chip\":\"byte lane 3 of 8\"}\n"
#define RESULT                                                                                     \
    "{\"t\":9.2,\"type\":\"result\",\"status\":\"fail\",\"passes\":2,\"tested_bytes\":8589934592}\n"

static struct sample sample;
static struct saved_report report;
static char html[20480];

static void make(enum saved_verdict verdict, const char *jsonl)
{
    struct fmt_buffer b = fmt_buffer_make(html, sizeof(html));

    if (strstr(jsonl, "\"type\":\"state\""))
        sample_put(&sample, "done", jsonl, strlen(jsonl), SAVED_VARIABLE_MAX);
    else
        sample_finished(&sample, verdict, jsonl, SAVED_VARIABLE_MAX);
    saved_read(&sample.variables, &report);
    report_append_seller(&report, &b);
    assert_false(b.cut);
}

static bool has(const char *text)
{
    return strstr(html, text) != NULL;
}

#define GROUP                                                                                        \
    "{\"t\":1.0,\"type\":\"module\",\"slot\":\"DIMM_A1\",\"maker\":\"Kingston\",\"part\":\"KF-16\"," \
    "\"serial\":\"1A\",\"size_bytes\":17179869184,\"year\":2019,\"week\":7,"                         \
    "\"also\":{\"slot\":[\"DIMM_B1\",\"DIMM_C1\"],\"serial\":[\"1B\",\"1C\"]}}\n"

/* Modules and faults that share a line are on the sheet one by one. */
static void those_that_share_a_line(void **state)
{
    make(SAVED_FAIL,
         SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":2,\"bad_pages\":1") SAMPLE_JSONL GROUP
         "{\"t\":9.0,\"type\":\"fault\",\"addr\":\"0x8\",\"expected\":\"0x1\",\"found\":\"0x0\","
         "\"also\":{\"addr\":[\"0x10\"],\"expected\":[\"0x8\"]}}\n" RESULT);
    assert_true(has("The fault is in one of the memory modules listed below"));
    assert_true(has("<tr><td>DIMM_A1</td><td>Kingston</td><td>KF-16</td><td>1A</td>"));
    assert_true(has("<tr><td>DIMM_C1</td><td>Kingston</td><td>KF-16</td><td>1C</td>"));
    assert_true(has("<tr><td>0x8</td><td>0x1</td><td>0x0</td><td>0</td></tr>"));
    assert_true(has("<tr><td>0x10</td><td>0x8</td><td>0x0</td><td>3</td></tr>"));
}

static void one_module(void **state)
{
    make(SAVED_FAIL, SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":2,\"bad_pages\":1")
                         SAMPLE_JSONL MODULE("\"DIMM_A1\"", "\"1A2B3C4D\"") FAULT KIND RESULT);
    assert_true(report_has_seller(&report));
    assert_true(has("<h2>Memory test for the seller: FAIL</h2>"));
    assert_true(has("The machine has one memory module, listed below."));
    assert_true(has("<tr><td>DIMM_A1</td><td>Kingston</td><td>KF-16</td><td>1A2B3C4D</td>"
                    "<td>week 7 of 2019</td><td>16 GiB</td></tr>"));
    assert_true(has("8 GiB of memory of the machine " SAMPLE_BOARD ", in 2 whole passes, begun "
                    "2026-11-22 13:14 by the machine's clock. Tests: address, march-c-."));
    assert_true(has("By okram 1.0, a memory test"));
    assert_true(has("2 times, memory did not return what had been written, in 1 part of it"));
    assert_true(has("Kind of fault: a data pin (DQ), sure; byte lane 3 of 8. Evidence: 9 words."));
    assert_true(has("<tr><td>0x5000008</td><td>0xffffffffffffffff</td>"
                    "<td>0x7ffffffffffffffe</td><td>0, 63</td></tr>"));
}

static void a_kind_that_is_not_clear(void **state)
{
    make(SAVED_FAIL, "{\"type\":\"kind\",\"kind\":\"unclear\",\"confidence\":\"possible\","
                     "\"chip\":null,\"evidence\":\"9 words\"}\n" RESULT);
    assert_true(has("Kind of fault: not clear. Evidence: 9 words."));
}

/* What it says is read back from a picture by tests/system/test_cycle.py. */
static void a_code_of_what_matters(void **state)
{
    make(SAVED_FAIL, MODULE("\"A1\"", "\"1A\"") RESULT);
    assert_true(has("seller: FAIL</h2>\n<svg viewBox=\"0 0 "));
    assert_true(has("aria-label=\"QR code\""));
}

static void which_module(void **state)
{
    make(SAVED_FAIL, MODULE("\"A1\"", "null") MODULE("null", "\"2\""));
    assert_true(has("which one was not tested."));
    assert_true(has("<tr><td>A1</td><td>Kingston</td><td>KF-16</td><td></td>"));
    assert_true(has("<tr><td></td><td>Kingston</td><td>KF-16</td><td>2</td>"));
    make(
        SAVED_FAIL,
        MODULE("\"A1\"", "null") MODULE(
            "\"A2\"",
            "null") "{\"type\":\"diagnosis\",\"end\":\"module\",\"found\":\"It is A2.\",\"runs\":4}\n");
    assert_true(has("<p><strong>It is A2.</strong> Found by testing with modules exchanged, in 4 "
                    "runs. </p>"));
    assert_false(has("which one was not tested."));
    make(SAVED_FAIL,
         MODULE("\"A1\"", "null") MODULE(
             "\"A2\"", "null") "{\"type\":\"diagnosis\",\"end\":null,\"found\":\"\",\"runs\":4}\n");
    assert_true(has("which one was not tested."));
    make(
        SAVED_FAIL,
        MODULE(
            "\"A1\"",
            "null") "{\"type\":\"diagnosis\",\"end\":\"module\",\"found\":\"It is A1.\",\"runs\":1}\n");
    assert_true(has("The machine has one memory module, listed below."));
    make(SAVED_FAIL, "");
    assert_true(has("does not say which memory modules it has."));
    assert_false(has("<h3>Memory modules"));
}

static void encrypted_memory_has_no_bits(void **state)
{
    make(SAVED_FAIL, "{\"type\":\"machine\",\"encryption\":\"tme\"}\n" FAULT);
    assert_true(has("<td>0x7ffffffffffffffe</td><td></td></tr>"));
    make(SAVED_FAIL, "{\"type\":\"machine\",\"encryption\":\"unknown\"}\n" FAULT);
    assert_true(has("<td>0, 63</td></tr>"));
}

/* A sheet has room for some only. */
static void many(void **state)
{
    char jsonl[8000] = "";

    for (int i = 0; i < 10; i++)
        strcat(strcat(jsonl, MODULE("\"A1\"", "null")), FAULT);
    make(SAVED_FAIL, jsonl);
    assert_true(has("<p>And 2 more.</p>"));
    assert_true(strlen(html) < 4500 + 14336); /* the code's */
}

static void errors_of_ecc(void **state)
{
    make(SAVED_CORRECTED, RESULT);
    assert_true(report_has_seller(&report));
    assert_true(has("seller: ERRORS CORRECTED") &&
                has("which its error correction (ECC) corrected: no bad page. Good"));
    assert_false(has("<table>"));
}

#define FOUND                                                                                      \
    "{\"type\":\"diagnosis\",\"begun\":true,\"headline\":\"BAD MODULE FOUND\",\"end\":\"module\"," \
    "\"found\":\"It is serial 1A.\",\"reasons\":\"With it in, 3 of 3. Send it back.\",\"remedy\":\"Send it back.\",\"runs\":3}\n"

/* Its last run was without the module: there is a sheet all the same, about the search. */
static void the_end_of_a_search(void **state)
{
    make(SAVED_PASS, SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":0,\"bad_pages\":0")
                         SAMPLE_JSONL MODULE("\"A2\"", "\"1B\"") FOUND
         "{\"type\":\"result\",\"status\":\"pass\",\"passes\":8}\n");
    assert_true(report_has_seller(&report));
    assert_true(has("seller: BAD MODULE FOUND</h2>"));
    assert_true(has("<p><strong>It is serial 1A.</strong> Found by testing with modules exchanged, "
                    "in 3 runs. With it in, 3 of 3. </p>"));
    assert_true(has("<h3>Memory modules in the last run</h3>"));
    assert_true(has("<h3>What was found in the last run</h3>\n<p>No fault: see above"));
    assert_false(has("0 times"));
    make(SAVED_ERROR, FOUND "{\"type\":\"result\",\"status\":\"error\"}\n");
    assert_false(report_has_seller(&report));
}

static void a_step_on_the_way(void **state)
{
    make(SAVED_FAIL,
         "{\"type\":\"diagnosis\",\"begun\":true,\"headline\":\"NEXT STEP\",\"end\":null,"
         "\"found\":\"\",\"runs\":2}\n" RESULT);
    assert_true(has("seller: FAIL</h2>"));
    assert_false(has("NEXT STEP"));
}

static void only_after_faults(void **state)
{
    make(SAVED_PASS, RESULT);
    assert_false(report_has_seller(&report));
    make(SAVED_PASS,
         "{\"type\":\"diagnosis\",\"end\":\"slot\",\"found\":\"A1.\",\"runs\":3}\n" RESULT);
    assert_false(report_has_seller(&report));
    sample_started(&sample);
    saved_read(&sample.variables, &report);
    assert_false(report_has_seller(&report));
}

static void nothing_is_believed(void **state)
{
    make(SAVED_FAIL,
         MODULE("\"<b>\"", "7") "{\"type\":\"diagnosis\",\"end\":\"module\",\"runs\":2,"
                                "\"found\":\"<script>\"}\n"
                                "{\"type\":\"fault\",\"addr\":\"<i>\",\"found\":1}\n"
                                "{\"type\":\"kind\",\"kind\":\"<u>\"}\n"
                                "{\"type\":\"kind\",\"kind\":\"row\",\"chip\":\"<u>\"}\n");
    assert_false(has("<b>") || has("<script") || has("<i>") || has("<u>"));
    assert_true(has("<td>&lt;b&gt;</td>") && has("&lt;script&gt;") && has("<td>&lt;i&gt;</td>"));
    assert_true(has("1 to 4 rows (word lines), ; &lt;u&gt;"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_module),
        cmocka_unit_test(those_that_share_a_line),
        cmocka_unit_test(a_kind_that_is_not_clear),
        cmocka_unit_test(a_code_of_what_matters),
        cmocka_unit_test(which_module),
        cmocka_unit_test(encrypted_memory_has_no_bits),
        cmocka_unit_test(many),
        cmocka_unit_test(errors_of_ecc),
        cmocka_unit_test(the_end_of_a_search),
        cmocka_unit_test(a_step_on_the_way),
        cmocka_unit_test(only_after_faults),
        cmocka_unit_test(nothing_is_believed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
