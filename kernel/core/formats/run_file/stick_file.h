// SPDX-License-Identifier: MIT
/*
 * The report in files that are on okram's stick since its image was made (iso/stick_files.py):
 * \okram\run-1.html to run-4.html, each of STICK_FILE_BYTES bytes at one piece. A file is the page
 * that draws a run (tools/viewer); of its bytes, those of the report alone are ever written, in
 * place:
 *
 *   0                 the mark, a line of STICK_MARK_BYTES bytes, a comment of HTML; the page's
 *                     head
 *
 *   STICK_STATE_AT    the state, STICK_STATE_BYTES bytes: a record, and the number of the run
 *
 *   STICK_RECORDS_AT  records, and spaces: STICK_RECORDS_BYTES bytes
 *
 *   STICK_END_AT      the page's end
 *
 * And \okram\next.cfg, of STICK_NEXT_BYTES bytes: a mark, as a comment of GRUB's, and a sector with
 * GRUB's commands for the next start, or none. By BIOS GRUB's menu reads it (iso/grub.cfg).
 *
 * The mark says the file's name, the kernel that it belongs to, and how far from the beginning of
 * its volume it is. A file is written only if its folder, its chain of clusters, its length and its
 * mark are all as they must be, and the mark is read again each time. So neither another file or
 * disk nor a structure of the file system is written, nor a file that a person has renamed, moved,
 * made read-only or changed.
 *
 * The state is one sector, which a disk writes whole or not at all. A run that takes a file over
 * first writes a state that ends the page's records there; then the records; then the state without
 * that end. Later ones write the state, then the records that have come since. So a cut leaves the
 * old report whole, or the new state, with as many records as were written.
 */
#pragma once

#include <stddef.h>

#include "lib/status.h"
#include "saved/saved.h"
#include "run_file/disk.h"
#include "run_file/fat.h"

#define STICK_FILES         4
#define STICK_FILE_BYTES    (256u << 10)
#define STICK_MARK_BYTES    512u
#define STICK_STATE_AT      (16u << 10)
#define STICK_STATE_BYTES   512u
#define STICK_RECORDS_AT    (20u << 10)
#define STICK_RECORDS_BYTES (128u << 10)
#define STICK_END_AT        (STICK_RECORDS_AT + STICK_RECORDS_BYTES)
#define STICK_NEXT          (STICK_FILES + 1) /* the number of next.cfg */
#define STICK_NEXT_BYTES    (2 * DISK_BLOCK)

#define STICK_FOLDER   "OKRAM      "
#define STICK_NAME_MAX 16 /* "run-4.html" */

/* The mark of file n, from 1 to STICK_NEXT. kernel: the checksum of its image; offset: from the
 * volume. */
void stick_mark(unsigned n, uint32_t kernel, uint64_t offset, char ret_mark[STICK_MARK_BYTES]);

struct stick_file {
    unsigned n;                   /* from 1; 0: none */
    uint64_t at;                  /* bytes from the disk's beginning */
    uint64_t offset;              /* from the volume's */
    uint32_t kernel;              /* that it belongs to */
    uint64_t run;                 /* that it holds; 0: none */
    char started[SAVED_DATE_MAX]; /* when that run did; "": unknown */
};

void stick_file_name(unsigned n, char ret_name[STICK_NAME_MAX]);

/*
 * The files on a disk that belong to that kernel. Returns how many of reports; what does not belong
 * to it is not counted. *ret_next: next.cfg; n 0: there is none.
 */
size_t stick_find(struct disk *d, uint32_t kernel, struct stick_file ret_file[STICK_FILES],
                  struct stick_file *ret_next);

/* The place of file n in a volume, whatever its mark says. STATUS_NOT_FOUND: it has none. */
enum status stick_place(const struct fat_volume *v, unsigned n, struct stick_file *ret_file);

/*
 * The file for a run that started then, and its number there. *run: it may have one already, on
 * this stick or another; 0: it has none. A file that it has not taken is the oldest one.
 */
struct stick_file stick_choose(const struct stick_file *file, size_t n, const char *started,
                               uint64_t *run);

/* What a run has to say. */
struct stick_report {
    uint64_t run;
    const struct saved_state *state;
    const char *records; /* escaped (stick_escape), whole lines */
    size_t n;
};

/* How much of that is in the file; all zeros at the start. */
struct stick_written {
    bool has_begun;
    size_t n;
};

enum stick_result {
    STICK_WRITTEN,
    STICK_NOT_MARKED, /* the file is not there any more: nothing was written */
    STICK_TOO_LONG,   /* the same */
    STICK_FAILED,     /* the disk did not read or write, or has something else than was written */
};

/* Writes what has come since. */
enum stick_result stick_write(struct disk *d, const struct stick_file *file,
                              const struct stick_report *report, struct stick_written *written);

/*
 * Writes what GRUB is to do at the next start, unless the file has it: the options, in place of
 * those of its first row, and the row's name. "": nothing. STICK_TOO_LONG: they do not fit, or a
 * character of theirs would end a string.
 */
enum stick_result stick_write_next(struct disk *d, const struct stick_file *next,
                                   const char *options, const char *name);

/*
 * Appends text so that it cannot end the element of the page that it is in: `<` and `&` become
 * JSON's \u003c and \u0026. Returns the new length; `room` and more: it does not fit, and what is
 * behind n has to be ignored.
 */
size_t stick_escape(char *to, size_t n, size_t room, const char *text, size_t bytes);
