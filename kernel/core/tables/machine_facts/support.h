// SPDX-License-Identifier: MIT
/* What a bug report has to say of a machine, so that somebody far away can help. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "firmware/smbios_names.h"
#include "spd/modules.h"

#define SUPPORT_TABLES_MAX 96 /* the first are kept, here and below */
#define SUPPORT_FACTS_MAX  20
#define SUPPORT_STEPS_MAX  16

/* Text of firmware's that is not a text has '?' in it. */
struct support_table {
    char signature[5], oem_id[7], oem_table_id[9];
    uint64_t address;
    uint32_t bytes, oem_revision;
    uint8_t revision;
};

struct support_fact {
    char name[18];
    char value[80];
};

struct support_facts {
    struct support_fact fact[SUPPORT_FACTS_MAX];
    size_t n;
};

struct support_step {
    const char *name; /* what was done then */
    double seconds;   /* since kernel entry */
};

struct support {
    bool is_uefi;
    struct smbios_names names;
    const struct boot_region *region; /* firmware's memory map, as it was given */
    size_t n_regions;
    uint64_t regions_lost; /* further ones */
    struct support_table table[SUPPORT_TABLES_MAX];
    size_t n_tables;          /* all that ACPI lists */
    struct support_facts cpu; /* what was chosen for this CPU, and why */
    struct support_facts ports;
    const struct boot_framebuffer *framebuffer; /* NULL: none was given */
    bool has_vga_text;
    const struct modules *modules; /* with the bytes of their SPDs; NULL */
    double entry_seconds;          /* what the time stamp counter had counted at kernel entry */
    struct support_step step[SUPPORT_STEPS_MAX];
    size_t n_steps;
};

/* printf's way (lib/fmt.h); a value that is too long is cut, a fact too many is left out. */
void support_add(struct support_facts *facts, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies n characters of a table's header, and ends them. */
void support_copy_id(char *to, const char *from, size_t n);

/* What a bug report needs, as lines of text, for the screen's page and for the report. */

struct support_line {
    bool is_heading;
    char text[176]; /* printable ASCII, shorter than 80 characters unless a name is long */
};

size_t support_lines(const struct support *s);

/* Line i, of those that there are now. */
void support_line(const struct support *s, size_t i, struct support_line *ret_line);
