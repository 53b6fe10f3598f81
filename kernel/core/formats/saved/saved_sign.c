// SPDX-License-Identifier: MIT
#include "saved/saved_read.h"

#include "lib/string.h"

#define PURPOSE "okram report"

void saved_hmac(enum saved_phase phase, const char *lines, size_t n, const uint8_t key[HMAC_BYTES],
                uint8_t ret_hmac[HMAC_BYTES])
{
    uint8_t phase_byte = (uint8_t)phase;
    const struct hmac_part part[] = {
        { PURPOSE, sizeof(PURPOSE) },
        { &phase_byte, sizeof(phase_byte) },
        { lines, n },
    };

    hmac_sha256(key, HMAC_BYTES, part, sizeof(part) / sizeof(part[0]), ret_hmac);
}

bool saved_is_signed(const struct saved_report *report, const uint8_t key[HMAC_BYTES])
{
    const struct saved_report *r = report;
    uint8_t hmac[HMAC_BYTES];

    if (!r->has_hmac || (r->kind != SAVED_UNFINISHED && r->kind != SAVED_WHOLE))
        return false;
    saved_hmac(r->phase, r->jsonl, strlen(r->jsonl), key, hmac);
    return hmac_equals(hmac, r->hmac);
}
