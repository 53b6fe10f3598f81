// SPDX-License-Identifier: MIT
#include "memory/sign_key.h"

#include <stdbool.h>

#include "arch/paging.h"
#include "sign/secret.h"

static _Alignas(64) uint8_t key[BOOT_SIGN_KEY_BYTES]; /* within a page */
static bool is_there;

void sign_key_take(struct boot_info *boot)
{
    is_there = boot->has_sign_key == 1;
    if (is_there)
        memcpy(key, boot->sign_key, sizeof(key));
    secret_wipe(boot->sign_key, sizeof(boot->sign_key));
}

const uint8_t *sign_key(void)
{
    return is_there ? key : NULL;
}

void sign_key_wipe(void)
{
    is_there = false;
    secret_wipe(key, sizeof(key));
}

void sign_key_wipe_in(const struct page_list *data)
{
    uint64_t offset = (uint64_t)key - BOOT_KERNEL_VIRT; /* the image is first */

    secret_wipe(direct(page_list_at(data, offset).base), sizeof(key));
}
