// SPDX-License-Identifier: MIT
/*
 * The report that the last run of okram left in UEFI variables: shown in the menu, written to files
 * on a FAT volume, and then cleared.
 */
#pragma once

#include <efi.h>

#include "boot/uefi/last_report/report_page.h"
#include "boot/uefi/menu/menu_model.h"
#include "options/options.h"

struct last_report;

/* Reads the variables. NULL: there is nothing to show. Never freed. */
struct last_report *last_report_begin(void);

/*
 * A report is written to \okram on the volume `own`, from which okram was started, and the
 * variables are deleted once all files are there; if writing fails they stay, and the writable
 * volumes are listed. Prints what was done. Before the report is shown.
 */
void last_report_settle(struct last_report *report, EFI_HANDLE own);

/* The report as a file for a server. STATUS_NOT_FOUND: there is none, or it is damaged. */
enum status last_report_pack(const struct last_report *report, const char *uuid,
                             struct report_packet *ret_packet);

/* For the menu; it changes with last_report_write(). */
const struct menu_report *last_report_shown(const struct last_report *report);

/* Whether it was signed with this machine's key: okram's loader wrote it, not a running system. */
bool last_report_is_signed(const struct last_report *report);

/* Whether it has bad pages. */
bool last_report_has_bad_pages(const struct last_report *report);

/* Its records, as JSON lines, or "". */
const char *last_report_jsonl(const struct last_report *report);

/* Writes the report to a listed volume, deletes the variables, and appends how that went. */
void last_report_write(struct last_report *report, unsigned volume, struct fmt_buffer *message);

/*
 * The option send= (send_report.c): sends the report to the server that the loader is from, by HTTP
 * PUT, to the folder `reports` next to the loader there (docs/collecting.md); three attempts, of 10
 * seconds at most each. last: or NULL; device: that the loader is from. Prints what was done.
 *
 * False: okram is to return to firmware, with nothing tested, because send=leave and the report is
 * signed with this machine's key, or because the server does not take the report, which the next
 * run would replace. If the loader was not started by UEFI's HTTP boot, nothing is sent.
 */
bool send_report(const struct last_report *last, enum option_send send, EFI_HANDLE device);
