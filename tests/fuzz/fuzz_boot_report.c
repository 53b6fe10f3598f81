// SPDX-License-Identifier: MIT
/* What a USB keyboard sends. The input: the length of a report (1), its bytes, the next one. */
#include "usb_formats/descriptors.h"

#include <stdlib.h>

#include "fuzz.h"

static size_t take(struct boot_keys *keys, const uint8_t *bytes, size_t n)
{
    uint8_t *report = fuzz_copy(bytes, n);
    int key[BOOT_REPORT_KEYS];
    size_t n_keys = boot_report_keys(keys, report, n, key);

    CHECK(n_keys <= BOOT_REPORT_KEYS);
    for (size_t i = 0; i < n_keys; i++)
        CHECK(fuzz_is_key(key[i]));
    free(report);
    return n_keys;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint8_t up[8], q[8] = { 0, 0, 0x14 };
    struct fuzz_input in = { bytes, size };
    struct boot_keys keys = { 0 };

    while (in.left) {
        size_t n = fuzz_number(&in, 1), got;
        const uint8_t *report = fuzz_bytes(&in, n, &got);

        take(&keys, report, got);
    }
    /* Whatever came, a key works once it has been released. */
    CHECK(take(&keys, up, sizeof(up)) == 0);
    CHECK(take(&keys, q, sizeof(q)) == 1);
    return 0;
}
