// SPDX-License-Identifier: MIT
/* What a keyboard sends. The input: the scan code set (1), and its bytes. */
#include "console/scancode.h"

#include <stddef.h>

#include "fuzz.h"

#define SET1_Q 0x10
#define SET2_Q 0x15

static bool is_known(int key)
{
    static const int keys[] = { KEY_NONE, 'q', 'r', 'l', 'b', 'c', 's', ' ', KEY_ENTER, KEY_ESCAPE };
    bool known = false;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        known |= key == keys[i];
    return known;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    struct scancode s = { .set2 = fuzz_number(&in, 1) & 1 };
    uint8_t q = s.set2 ? SET2_Q : SET1_Q;

    while (in.left)
        CHECK(is_known(scancode_key(&s, (uint8_t)fuzz_number(&in, 1))));
    /* Whatever came, the key after the next one works again. */
    scancode_key(&s, q);
    CHECK(!s.extended && !s.released);
    CHECK(scancode_key(&s, q) == 'q');
    return 0;
}
