// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/report_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *json, *text;
} cases[] = {
    { "{\"t\":1.25,\"type\":\"machine\",\"cpu\":\"QEMU\",\"cpus\":8,\"nodes\":2,"
      "\"ram_bytes\":4294967296,\"testable_bytes\":4194304,\"installed_bytes\":null}\n",
      "[     1.2] QEMU, CPUs: 8, NUMA nodes: 2, RAM: 4 GiB, testable: 4 MiB\n" },
    { "{\"type\":\"machine\",\"cpu\":\"A\",\"ram_bytes\":\"x\",\"installed_bytes\":1024}",
      "A, CPUs: ?, NUMA nodes: ?, RAM: x, testable: ?, installed: 1 KiB\n" },
    { "{\"t\":7,\"type\":\"fault\",\"addr\":\"0x1000\",\"expected\":\"0x0\",\"found\":\"0x1\","
      "\"test\":\"march-c-\",\"pass\":1,\"cpu\":3,\"node\":0}\n",
      "[       7] fault at 0x1000: expected 0x0, found 0x1, test march-c-, pass 1, CPU 3, node "
      "0\n" },
    { "{\"type\":\"test\",\"test\":\"a\",\"pass\":1,\"seconds\":1.987654,"
      "\"swept_bytes\":99999999999999999999999,\"faults\":0,\"note\":\"short\"}\n",
      "test a, pass 1: 1.9 s, 16.0 EiB swept, faults: 0 (short)\n" },
    { "{\"type\":\"mce\",\"cpu\":1,\"bank\":2,\"status\":\"0x3\",\"addr\":null,"
      "\"corrected\":true,\"page\":\"0x5000\"}\n",
      "machine check on CPU 1, bank 2: status 0x3, address ?, corrected: true, page 0x5000 was "
      "marked bad\n" },
    { "{\"type\":\"cper\",\"source\":1,\"severity\":\"fatal\",\"addr\":null,"
      "\"error\":\"parity\",\"card\":0,\"module\":3,\"part\":\"DIMM_A4\"}\n",
      "error of memory, reported by firmware: fatal, parity, address ?, card 0, module 3, "
      "DIMM_A4\n" },
    { "{\"type\":\"cper\",\"source\":1,\"severity\":\"corrected\",\"addr\":\"0x9040\","
      "\"count\":2,\"page\":\"0x9000\"}\n",
      "error of memory, reported by firmware: corrected, address 0x9040, times: 2, page 0x9000 was "
      "marked bad\n" },
    { "{\"type\":\"kind\",\"kind\":\"row\",\"confidence\":\"sure\",\"evidence\":\"128 lines\","
      "\"bit\":24,\"bits\":8,\"bus_bits\":64,\"chip\":\"byte lane 3 of 8\"}\n",
      "kind of fault, sure: row (128 lines), chip: byte lane 3 of 8\n" },
    { "{\"type\":\"kind\",\"kind\":\"unclear\",\"confidence\":\"possible\",\"evidence\":\"x\"}\n",
      "kind of fault, possible: unclear (x)\n" },
    { "{\"type\":\"diagnosis\",\"runs\":2,\"next\":\"Test again.\",\"end\":null,\"found\":\"\","
      "\"reasons\":\"\",\"words\":\"passes=6 diagnosis=4c0a\"}\n",
      "which module is bad, runs: 2, next: Test again., options: passes=6 diagnosis=4c0a\n" },
    { "{\"type\":\"diagnosis\",\"runs\":5,\"next\":\"\",\"end\":\"module\",\"found\":\"One.\","
      "\"reasons\":\"Why.\",\"words\":\"\"}\n",
      "which module is bad, runs: 5, found: One. Why.\n" },
    { "{\"type\":\"badram\",\"bad_pages\":0,\"sacrificed_pages\":0,\"line\":\"\"}\n",
      "bad pages: 0, sacrificed pages: 0\n" },
    { "{\"type\":\"line\",\"name\":\"Linux\",\"place\":\"grub\",\"text\":\"memmap=1\"}\n",
      "Linux, grub:\nmemmap=1\n" },
    { "{\"type\":\"result\",\"status\":\"error\",\"complete\":false,\"passes\":0,"
      "\"tested_bytes\":0,\"untested_bytes\":0,\"bad_pages\":0,\"seconds\":2.0,\"error\":\"x\"}\n",
      "result: error, complete: false, whole passes: 0, tested: 0 B, not tested: 0 B, "
      "bad pages: 0, 2.0 s, error: x\n" },
    { "{\"type\":\"result\",\"status\":\"error\",\"reason\":\"internal-error\",\"complete\":true,"
      "\"passes\":1,\"tested_bytes\":4096,\"untested_bytes\":0,\"bad_pages\":0,\"seconds\":2.0}\n",
      "result: error, complete: true, whole passes: 1, tested: 4 KiB, not tested: 0 B, "
      "bad pages: 0, 2.0 s, reason: internal-error\n" },
    { "{\"type\":\"state\"}\n", "" },
    { "{\"type\":\"latency\"}\n", "" },
    { "no JSON\n", "" },
    { "", "" },
};

static void records(void **state)
{
    static char text[REPORT_RECORD_MAX];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        report_append_record(cases[i].json, &b);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
