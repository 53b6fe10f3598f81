// SPDX-License-Identifier: MIT
#include "save/saved_write.h"

#include "lib/crc32c.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define MAGIC_BYTES 8

void saved_seal_state(struct saved_state *state)
{
    memcpy(state->magic, SAVED_STATE_MAGIC, MAGIC_BYTES);
    state->version = SAVED_VERSION;
    state->bytes = sizeof(*state);
    state->crc = 0;
    state->crc = crc32c(state, sizeof(*state));
}

void saved_part_name(unsigned index, char *ret_name)
{
    fmt_print(ret_name, SAVED_NAME_MAX, SAVED_PART_NAME "%X", index);
}

unsigned saved_parts_of(size_t report_bytes)
{
    return (unsigned)((report_bytes + SAVED_PART_BYTES_MAX - 1) / SAVED_PART_BYTES_MAX);
}

size_t saved_make_part(uint64_t run_id, unsigned index, const char *report, size_t report_bytes,
                       void *ret_data)
{
    size_t begin = index * SAVED_PART_BYTES_MAX, bytes = report_bytes - begin;
    struct saved_part part = {
        .run_id = run_id,
        .index = (uint16_t)index,
        .n = (uint16_t)saved_parts_of(report_bytes),
    };

    if (bytes > SAVED_PART_BYTES_MAX)
        bytes = SAVED_PART_BYTES_MAX;
    memcpy(part.magic, SAVED_PART_MAGIC, MAGIC_BYTES);
    part.bytes = (uint32_t)bytes;
    memcpy(ret_data, &part, sizeof(part));
    memcpy((char *)ret_data + sizeof(part), report + begin, bytes);
    part.crc = crc32c(ret_data, sizeof(part) + bytes);
    memcpy(ret_data, &part, sizeof(part));
    return sizeof(part) + bytes;
}

uint32_t saved_report_crc(const char *report, size_t bytes)
{
    return crc32c(report, bytes);
}

bool saved_is_own(const void *data, size_t bytes, const char *magic)
{
    return bytes >= MAGIC_BYTES && memcmp(data, magic, MAGIC_BYTES) == 0;
}

bool saved_fits(uint64_t remaining, size_t bytes)
{
    return remaining >= SAVED_KEEP_FREE + SAVED_OVERHEAD + bytes;
}

bool saved_leaves_room(uint64_t remaining)
{
    return saved_fits(remaining, sizeof(struct saved_state) + SAVED_OTHERS +
                                     SAVED_PARTS_MAX * (SAVED_VARIABLE_MAX + SAVED_OVERHEAD));
}

unsigned saved_parts_that_fit(uint64_t remaining)
{
    uint64_t parts;

    if (remaining < SAVED_KEEP_FREE + SAVED_OTHERS)
        return 0;
    parts = (remaining - SAVED_KEEP_FREE - SAVED_OTHERS) / (SAVED_VARIABLE_MAX + SAVED_OVERHEAD);
    return parts < SAVED_PARTS_MAX ? (unsigned)parts : SAVED_PARTS_MAX;
}

bool saved_is_due(struct saved_pace *pace, double t)
{
    if (pace->has_written && t < pace->written + SAVED_EVERY_SECONDS)
        return false;
    pace->has_written = true;
    pace->written = t;
    return true;
}
