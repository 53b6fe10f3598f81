// SPDX-License-Identifier: MIT
#include "sign/run_id.h"

#include "lib/fmt.h"
#include "sign/hmac.h"

void run_id_make(const void *bytes, size_t n, char ret_id[RUN_ID_SIZE])
{
    static const char purpose[] = "okram run";
    struct fmt_buffer b = fmt_buffer_make(ret_id, RUN_ID_SIZE);
    uint8_t mac[HMAC_BYTES];

    hmac_sha256(purpose, sizeof(purpose), &(struct hmac_part){ bytes, n }, 1, mac);
    for (size_t i = 0; i < RUN_ID_SIZE / 2; i++)
        fmt_append(&b, "%02x", mac[i]);
}
