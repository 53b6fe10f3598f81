// SPDX-License-Identifier: MIT
/*
 * Storage devices by bulk transfers alone (USB Mass Storage Class, Bulk-Only Transport 1.0): a
 * command goes out in a wrapper, then come data in one direction, then how it went. The commands
 * are SCSI's (SBC-3, SPC-4), those few that okram needs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define STORAGE_WRAPPER_BYTES 31 /* 5.1 */
#define STORAGE_STATUS_BYTES  13 /* 5.2 */

#define STORAGE_SENSE_BYTES    18
#define STORAGE_INQUIRY_BYTES  36
#define STORAGE_CAPACITY_BYTES 8

struct storage_command {
    uint8_t bytes[10]; /* the SCSI command */
    uint8_t n;
    bool in;       /* the device sends the data */
    uint32_t data; /* bytes of it */
};

extern const struct storage_command storage_test_ready, storage_request_sense, storage_inquiry,
    storage_read_capacity, storage_synchronize; /* the last: what was written survives the power */

/* n blocks of STORAGE_BLOCK bytes from block `first` on. */
struct storage_command storage_read(uint32_t first, uint16_t n);
struct storage_command storage_write(uint32_t first, uint16_t n);

/* The wrapper of a command, for logical unit 0. tag: returned with how it went. */
void storage_wrap(const struct storage_command *command, uint32_t tag,
                  uint8_t out[STORAGE_WRAPPER_BYTES]);

enum storage_result { STORAGE_GOOD, STORAGE_REFUSED };

/* How the command with that tag went. STATUS_INVALID: it is none of that, or the device is lost. */
enum status storage_status_read(const uint8_t *bytes, size_t n, uint32_t tag,
                                enum storage_result *ret_result);

/* The sense key of an answer to storage_request_sense (SPC-4, 4.5.3); 0: there is none. */
#define STORAGE_SENSE_PROTECTED 7
unsigned storage_sense_key(const uint8_t *bytes, size_t n);

/* Whether an answer to storage_inquiry is that of a disk. */
bool storage_is_disk(const uint8_t *bytes, size_t n);

#define STORAGE_BLOCK 512u

/*
 * From an answer to storage_read_capacity. STATUS_INVALID: the size of a block is another, or there
 * are no blocks, or more than 2^32 - 1.
 */
enum status storage_capacity_read(const uint8_t *bytes, size_t n, uint64_t *ret_blocks);
