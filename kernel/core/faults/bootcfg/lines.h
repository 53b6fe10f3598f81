// SPDX-License-Identifier: MIT
/*
 * The lines that a person copies into a bootloader or an operating system.
 *
 * GRUB's lists patterns. The others list the bad pages themselves, or ranges of
 * them (lines_ranges.c). Each has its own limit: a list that is too long is made to fit by giving
 * up the fewest good pages, and the note that comes with the line says how many, and which other
 * lines lose none.
 *
 * The folder: lines_source.h numbers the kinds of lines, lines.c names them; each is described by a
 * struct line_form (lines_form.h) in lines_grub.c or lines_systems.c. lines_ranges.c writes the
 * lists, lines_make.c the notes. To add a line: a kind in lines_source.h, its name in lines.c, its
 * form, and the form's row in lines_make.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bootcfg/lines_source.h"
#include "lib/fmt.h"

/* Texts of this size hold every line but lists of many pages, which end early and say so. */
#define LINES_TEXT_SIZE 20480
#define LINES_NOTE_SIZE 480

/* "memmap", as in lines=. */
const char *lines_name(enum line_kind kind);

/* "Linux 4.16 and newer: the kernel command line": where a person puts the line. */
const char *lines_place(enum line_kind kind);

/* The kind with that name of length bytes; false: there is none. */
bool lines_find(const char *name, size_t length, enum line_kind *ret_kind);

/*
 * The memory map that reaches Linux holds 168 entries. How many ranges of bad pages go into it
 * besides the entries of the machine's own map: each may split one of them. By UEFI it is an entry
 * itself, too, so that it takes two, and some entries are kept back; by BIOS GRUB leaves a gap, and
 * it takes one. At least 1.
 */
uint64_t lines_map_room(size_t map_entries, bool by_bios);

/*
 * By UEFI, GRUB 2.12 and newer starts Linux by its EFI stub, which hands on more entries: 3200, as
 * most distributions build the kernel. With LINES_STUB_RANGES ranges Linux starts without delay.
 */
#define LINES_STUB_RANGES 500

/*
 * Makes a line, parts of it separated by \n, without one at the end; and its note, a sentence or
 * two in plain ASCII. The text stays empty when there is no bad page, and when no such line can
 * cover them: the note then says why.
 */
void lines_make(enum line_kind kind, const struct lines_source *source, struct lines_work *work,
                struct fmt_buffer *text, struct fmt_buffer *note);
