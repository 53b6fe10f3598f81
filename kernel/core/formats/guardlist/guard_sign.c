// SPDX-License-Identifier: MIT
#include "guardlist/guard_sign.h"

#include "lib/crc32c.h"
#include "lib/string.h"

#define FROM    offsetof(struct guard_list_head, version)
#define PURPOSE "okram guard list"

static void compute(const struct guard_list_head *head, const uint8_t *runs,
                    const uint8_t key[HMAC_BYTES], uint8_t ret_hmac[HMAC_BYTES])
{
    struct guard_list_head unsigned_head = *head;
    const struct hmac_part part[] = {
        { PURPOSE, sizeof(PURPOSE) },
        { (const uint8_t *)&unsigned_head + FROM, sizeof(unsigned_head) - FROM },
        { runs, head->bytes - GUARD_LIST_HEAD },
    };

    memset(unsigned_head.hmac, 0, sizeof(unsigned_head.hmac));
    hmac_sha256(key, HMAC_BYTES, part, sizeof(part) / sizeof(part[0]), ret_hmac);
}

void guard_list_sign(uint8_t *bytes, const uint8_t key[HMAC_BYTES])
{
    struct guard_list_head head;

    memcpy(&head, bytes, sizeof(head));
    compute(&head, bytes + GUARD_LIST_HEAD, key, head.hmac);
    memcpy(bytes, &head, sizeof(head));
    head.crc32c = crc32c(bytes + FROM, head.bytes - FROM);
    memcpy(bytes, &head, sizeof(head));
}

bool guard_list_is_signed(const struct guard_list *list, const uint8_t key[HMAC_BYTES])
{
    uint8_t hmac[HMAC_BYTES];

    if (list->head.version < GUARD_LIST_VERSION)
        return false;
    compute(&list->head, list->runs, key, hmac);
    return hmac_equals(hmac, list->head.hmac);
}
