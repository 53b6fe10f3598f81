// SPDX-License-Identifier: MIT
#include "acpi/error_block.h"

#include "lib/string.h"

struct status_block {
    uint32_t status;
    uint32_t raw_offset, raw_bytes, data_bytes;
    uint32_t severity;
} __attribute__((packed));
_Static_assert(sizeof(struct status_block) == ERROR_BLOCK_HEADER_BYTES, "ACPI 6.5, 18.3.2.7.1");

struct data_entry {
    uint8_t kind[16];
    uint32_t severity;
    uint16_t revision;
    uint8_t valid;
    uint8_t flags;
    uint32_t bytes;
    uint8_t fru_id[16];
    char fru[ERROR_FRU_BYTES];
} __attribute__((packed));
_Static_assert(sizeof(struct data_entry) == 64, "ACPI 6.5, 18.3.2.7.1");

#define VALID_FRU          (1u << 1)
#define REVISION_WITH_TIME 0x300 /* a time stamp follows */
#define TIME_BYTES         8u

/* 0: the entry does not fit. */
static size_t entry_head(const uint8_t *at, size_t left)
{
    const struct data_entry *e = (const void *)at;
    size_t head;

    if (left < sizeof(*e))
        return 0;
    head = sizeof(*e) + (e->revision >= REVISION_WITH_TIME ? TIME_BYTES : 0);
    return left < head || e->bytes > left - head ? 0 : head;
}

static bool are_whole(const uint8_t *pos, const uint8_t *end)
{
    while (pos < end) {
        size_t head = entry_head(pos, (size_t)(end - pos));

        if (!head)
            return false;
        pos += head + ((const struct data_entry *)(const void *)pos)->bytes;
    }
    return true;
}

enum status error_block_open(const void *bytes, size_t size, struct error_block *ret_block)
{
    const struct status_block *b = bytes;
    const uint8_t *data = (const uint8_t *)bytes + sizeof(*b);
    uint64_t end;

    if (size < sizeof(*b))
        return STATUS_INVALID;
    if (!b->status)
        return STATUS_NOT_FOUND;
    end = sizeof(*b) + (uint64_t)b->data_bytes;
    if (end > size || (b->raw_bytes && b->raw_offset < end))
        return STATUS_INVALID;
    if (b->raw_bytes)
        end = (uint64_t)b->raw_offset + b->raw_bytes;
    if (end > size || !are_whole(data, data + b->data_bytes))
        return STATUS_INVALID;
    *ret_block = (struct error_block){ end, data, data + b->data_bytes };
    return STATUS_OK;
}

/* As far as it is text. */
static void copy_fru(char ret[ERROR_FRU_BYTES + 1], const struct data_entry *e)
{
    size_t n = 0;

    while (e->valid & VALID_FRU && n < ERROR_FRU_BYTES && e->fru[n] >= ' ' && e->fru[n] <= '~') {
        ret[n] = e->fru[n];
        n++;
    }
    while (n && ret[n - 1] == ' ')
        n--;
    ret[n] = 0;
}

bool error_block_next(struct error_block *block, struct error_section *ret_section)
{
    const struct data_entry *e = (const void *)block->pos;
    size_t head = entry_head(block->pos, (size_t)(block->end - block->pos));

    if (!head)
        return false;
    memcpy(ret_section->kind, e->kind, sizeof(e->kind));
    ret_section->severity = e->severity;
    copy_fru(ret_section->fru, e);
    ret_section->data = block->pos + head;
    ret_section->bytes = e->bytes;
    block->pos += head + e->bytes;
    return true;
}
