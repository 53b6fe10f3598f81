// SPDX-License-Identifier: MIT
/*
 * By what the guard knows a machine again, from SMBIOS structures. The input: bytes of the first
 * machine's structures (2), which follow, then those of another one.
 */
#include "guardlist/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static struct guard_fingerprint read(const uint8_t *bytes, size_t size, uint64_t ram_bytes)
{
    uint8_t *copy = fuzz_copy(bytes, size);
    struct smbios smbios = {
        .structures = copy, .length = size, .n_structures = UINT32_MAX, .major = 3
    };
    struct guard_fingerprint f;

    memset(&f, 0x5a, sizeof(f));
    guard_fingerprint_read(&smbios, ram_bytes, &f);
    free(copy);
    CHECK(f.ram_bytes == ram_bytes && f.n_modules <= size / 4);
    CHECK(f.n_modules || (!f.installed_bytes && !f.modules_crc32c));
    return f;
}

/* NULL, or the same words whichever is the first. */
static void compare(const struct guard_fingerprint *a, const struct guard_fingerprint *b)
{
    const char *one = guard_fingerprint_differs(a, b), *other = guard_fingerprint_differs(b, a);

    CHECK((!one && !other) || (one && other && strcmp(one, other) == 0));
    CHECK(!guard_fingerprint_differs(a, a) && !guard_fingerprint_differs(b, b));
    if (a->n_modules != b->n_modules)
        CHECK(one);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    size_t wanted = fuzz_number(&in, 2), n;
    const uint8_t *first = fuzz_bytes(&in, wanted, &n);
    struct guard_fingerprint a = read(first, n, UINT64_C(1) << 34),
                             again = read(first, n, a.ram_bytes);
    struct guard_fingerprint b = read(in.bytes, in.left, a.ram_bytes + n);

    CHECK(memcmp(&a, &again, sizeof(a)) == 0);
    compare(&a, &b);
    guard_fingerprint_read(NULL, 1, &b);
    CHECK(b.ram_bytes == 1 && !b.n_modules);
    compare(&a, &b);
    return 0;
}
