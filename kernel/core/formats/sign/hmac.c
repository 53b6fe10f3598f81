// SPDX-License-Identifier: MIT
#include "sign/hmac.h"

#include <bearssl.h>

#include "lib/fmt.h"
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

void run_id_make(const void *bytes, size_t n, char ret_id[RUN_ID_SIZE])
{
    static const char purpose[] = "okram run";
    struct fmt_buffer b = fmt_buffer_make(ret_id, RUN_ID_SIZE);
    uint8_t mac[HMAC_BYTES];

    hmac_sha256(purpose, sizeof(purpose), &(struct hmac_part){ bytes, n }, 1, mac);
    for (size_t i = 0; i < RUN_ID_SIZE / 2; i++)
        fmt_append(&b, "%02x", mac[i]);
}
