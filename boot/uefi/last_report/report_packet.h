// SPDX-License-Identifier: MIT
/* A report as the file that a server is sent: docs/collecting.md has its name and bytes. Pure. */
#pragma once

#include <stddef.h>

#include "lib/status.h"
#include "saved/saved_read.h"

#define REPORT_PACKET_NAME_MAX 64 /* UUID-CRC.jsonl, with the NUL */

struct report_packet {
    char name[REPORT_PACKET_NAME_MAX];
    char bytes[SAVED_JSONL_MAX]; /* the head and the lines, as the variables have them */
    size_t size;
};

/*
 * variables: from which saved_read() has made SAVED_UNFINISHED or SAVED_WHOLE, and so with a good
 * head. uuid: of the machine, or "": its file is called unknown-CRC.jsonl. STATUS_NOT_FOUND:
 * the variables hold no such report.
 */
enum status report_packet_make(const struct saved_variables *variables, const char *uuid,
                               struct report_packet *ret_packet);
