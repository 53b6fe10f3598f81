// SPDX-License-Identifier: MIT
#include "sign/hmac.h"

#include <bearssl.h>

#include "sign/secret.h"

void hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                 uint8_t ret_mac[HMAC_BYTES])
{
    br_hmac_key_context keyed;
    br_hmac_context hmac;

    br_hmac_key_init(&keyed, &br_sha256_vtable, key, key_bytes);
    br_hmac_init(&hmac, &keyed, HMAC_BYTES);
    for (size_t i = 0; i < n; i++)
        br_hmac_update(&hmac, part[i].bytes, part[i].n);
    br_hmac_out(&hmac, ret_mac);
    secret_wipe(&keyed, sizeof(keyed));
    secret_wipe(&hmac, sizeof(hmac));
}

bool hmac_equals(const uint8_t a[HMAC_BYTES], const uint8_t b[HMAC_BYTES])
{
    unsigned differs = 0;

    for (unsigned i = 0; i < HMAC_BYTES; i++)
        differs |= a[i] ^ b[i];
    return !differs;
}
