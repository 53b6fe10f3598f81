// SPDX-License-Identifier: MIT
#include "usb_formats/storage.h"

#include "lib/string.h"

#define WRAPPER_SIGNATURE 0x43425355u
#define STATUS_SIGNATURE  0x53425355u
#define WRAPPER_IN        0x80

/* SPC-4 and SBC-3. */
#define TEST_UNIT_READY   0x00
#define REQUEST_SENSE     0x03
#define INQUIRY           0x12
#define READ_CAPACITY_10  0x25
#define READ_10           0x28
#define WRITE_10          0x2a
#define SYNCHRONIZE_CACHE 0x35

const struct storage_command storage_test_ready = { { TEST_UNIT_READY }, 6, false, 0 };
const struct storage_command storage_request_sense = {
    { REQUEST_SENSE, 0, 0, 0, STORAGE_SENSE_BYTES }, 6, true, STORAGE_SENSE_BYTES
};
const struct storage_command storage_inquiry = {
    { INQUIRY, 0, 0, 0, STORAGE_INQUIRY_BYTES }, 6, true, STORAGE_INQUIRY_BYTES
};
const struct storage_command storage_read_capacity = {
    { READ_CAPACITY_10 }, 10, true, STORAGE_CAPACITY_BYTES
};
const struct storage_command storage_synchronize = { { SYNCHRONIZE_CACHE }, 10, false, 0 };

static struct storage_command transfer(uint8_t code, bool in, uint32_t first, uint16_t n)
{
    return (struct storage_command){ { code, 0, (uint8_t)(first >> 24), (uint8_t)(first >> 16),
                                       (uint8_t)(first >> 8), (uint8_t)first, 0, (uint8_t)(n >> 8),
                                       (uint8_t)n, 0 },
                                     10,
                                     in,
                                     n * STORAGE_BLOCK };
}

struct storage_command storage_read(uint32_t first, uint16_t n)
{
    return transfer(READ_10, true, first, n);
}

struct storage_command storage_write(uint32_t first, uint16_t n)
{
    return transfer(WRITE_10, false, first, n);
}

static void put32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint32_t get32_big(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* Table 5.1. */
void storage_wrap(const struct storage_command *command, uint32_t tag,
                  uint8_t out[STORAGE_WRAPPER_BYTES])
{
    memset(out, 0, STORAGE_WRAPPER_BYTES);
    put32(out, WRAPPER_SIGNATURE);
    put32(out + 4, tag);
    put32(out + 8, command->data);
    out[12] = command->in ? WRAPPER_IN : 0;
    out[14] = command->n;
    memcpy(out + 15, command->bytes, command->n);
}

/* Table 5.2, 6.3. A phase error is one that only a reset of the device ends. */
enum status storage_status_read(const uint8_t *bytes, size_t n, uint32_t tag,
                                enum storage_result *ret_result)
{
    if (n != STORAGE_STATUS_BYTES || get32(bytes) != STATUS_SIGNATURE || get32(bytes + 4) != tag ||
        bytes[12] > 1)
        return STATUS_INVALID;
    *ret_result = bytes[12] ? STORAGE_REFUSED : STORAGE_GOOD;
    return STATUS_OK;
}

unsigned storage_sense_key(const uint8_t *bytes, size_t n)
{
    return n > 2 && (bytes[0] & 0x7e) == 0x70 ? bytes[2] & 15 : 0;
}

bool storage_is_disk(const uint8_t *bytes, size_t n)
{
    return n >= 5 && !bytes[0];
}

enum status storage_capacity_read(const uint8_t *bytes, size_t n, uint64_t *ret_blocks)
{
    if (n < STORAGE_CAPACITY_BYTES || get32_big(bytes) == UINT32_MAX ||
        get32_big(bytes + 4) != STORAGE_BLOCK)
        return STATUS_INVALID;
    *ret_blocks = (uint64_t)get32_big(bytes) + 1;
    return STATUS_OK;
}
