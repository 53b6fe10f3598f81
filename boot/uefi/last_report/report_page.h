// SPDX-License-Identifier: MIT
/*
 * The report of the last run as one HTML file, its records in the viewer (tools/viewer), and as the
 * file that a server is sent. Pure.
 */
#pragma once

#include <stddef.h>

#include "lib/fmt.h"
#include "lib/status.h"
#include "saved/saved_read.h"

/* What is before and after the records: boot/uefi/x86_64/viewer.asm. */
extern const char viewer_head[], viewer_end[];

#define REPORT_VIEWER_MAX (128u << 10) /* bytes of both, which the build checks */
#define REPORT_ESCAPE_MAX 6u           /* bytes that one becomes */

/* Room for any. */
#define REPORT_PAGE_MAX (REPORT_VIEWER_MAX + REPORT_ESCAPE_MAX * SAVED_JSONL_MAX)

/*
 * Of the records, < and & become JSON's \u003c and \u0026, so no text can end the element that they
 * are in; what is not UTF-8 or is a control character becomes '?'.
 */
void report_append_page(const struct saved_report *report, struct fmt_buffer *out);

#define REPORT_PACKET_NAME_MAX 64 /* UUID-CRC.jsonl, with the NUL */

struct report_packet {
    char name[REPORT_PACKET_NAME_MAX];
    char bytes[SAVED_JSONL_MAX]; /* the head and the lines, as the variables have them */
    size_t size;
};

/*
 * As a server is sent it: docs/collecting.md has the file's name and bytes.
 *
 * variables: from which saved_read() has made SAVED_UNFINISHED or SAVED_WHOLE, and so with a good
 * head. uuid: of the machine, or "": its file is called unknown-CRC.jsonl. STATUS_NOT_FOUND:
 * the variables hold no such report.
 */
enum status report_packet_make(const struct saved_variables *variables, const char *uuid,
                               struct report_packet *ret_packet);
