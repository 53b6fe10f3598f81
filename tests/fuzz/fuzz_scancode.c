// SPDX-License-Identifier: MIT
/* What a keyboard sends. The input: the scan code set (1), and its bytes. */
#include "console/keyboard.h"

#include <stddef.h>

#include "fuzz.h"

#define SET1_Q 0x10
#define SET2_Q 0x15

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    struct scancode s = { .set2 = fuzz_number(&in, 1) & 1 };
    uint8_t q = s.set2 ? SET2_Q : SET1_Q;

    while (in.left) {
        int key = scancode_key(&s, (uint8_t)fuzz_number(&in, 1));

        CHECK(key == KEY_NONE || fuzz_is_key(key));
    }
    /* Whatever came, the key after the next one works again. */
    scancode_key(&s, q);
    CHECK(!s.extended && !s.released);
    CHECK(scancode_key(&s, q) == 'q');
    return 0;
}
