// SPDX-License-Identifier: MIT
#include "boot/uefi/network/conf_names.h"

#include "lib/fmt.h"

static struct fmt_buffer begin(struct conf_names *names)
{
    struct fmt_buffer b = fmt_buffer_make(names->name[names->n++], CONF_NAME_SIZE);

    fmt_append(&b, "okram.conf");
    return b;
}

void conf_names_make(const char *uuid, const uint8_t *mac, struct conf_names *ret_names)
{
    struct fmt_buffer b;

    *ret_names = (struct conf_names){ 0 };
    if (uuid[0]) {
        b = begin(ret_names);
        fmt_append(&b, "-%s", uuid);
    }
    if (mac) {
        b = begin(ret_names);
        fmt_append(&b, "-%02x-%02x-%02x-%02x-%02x-%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
                   mac[5]);
    }
    begin(ret_names);
}
