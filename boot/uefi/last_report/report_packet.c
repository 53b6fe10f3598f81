// SPDX-License-Identifier: MIT
#include "report_packet.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "options/number.h"
#include "saved/json_line.h"

/* The parts in their order, terminated. Returns the bytes. */
static size_t join(const struct saved_variables *variables, char out[SAVED_JSONL_MAX])
{
    size_t n = 0;

    for (unsigned i = 0; i < SAVED_PARTS_MAX && variables->part[i].bytes; i++) {
        size_t size = variables->part[i].size;

        if (size > SAVED_VARIABLE_MAX)
            break;
        memcpy(out + n, variables->part[i].bytes, size);
        n += size;
    }
    out[n] = 0;
    return n;
}

enum status report_packet_make(const struct saved_variables *variables, const char *uuid,
                               struct report_packet *ret_packet)
{
    struct fmt_buffer name = fmt_buffer_make(ret_packet->name, sizeof(ret_packet->name));
    size_t joined = join(variables, ret_packet->bytes);
    const char *lines = json_line_next(ret_packet->bytes);
    char crc[12], bytes[24];
    uint64_t size;

    if (!lines || !json_line_value(ret_packet->bytes, "crc32c", crc, sizeof(crc)) ||
        !json_line_value(ret_packet->bytes, "bytes", bytes, sizeof(bytes)) ||
        !number_parse(bytes, 0, joined - (size_t)(lines - ret_packet->bytes), &size))
        return STATUS_NOT_FOUND;
    ret_packet->size = (size_t)(lines - ret_packet->bytes) + (size_t)size;
    fmt_append(&name, "%s-%s.jsonl", uuid[0] ? uuid : "unknown", crc + 2); /* without 0x */
    return STATUS_OK;
}
