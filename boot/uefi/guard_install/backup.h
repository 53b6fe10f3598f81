// SPDX-License-Identifier: MIT
/*
 * What an installation of the guard has changed, so that removing it restores everything: the
 * variable OkramGuardBackup, a JSON object on one line. docs/guard-forms.md has the form;
 * tools/okram writes the same. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BACKUP_NAME        "OkramGuardBackup"
#define BACKUP_VERSION     1
#define BACKUP_MAX         4096 /* bytes of the line, with the NUL */
#define BACKUP_PATH_MAX    96
#define BACKUP_PATHS_MAX   4
#define BACKUP_ORDER_BYTES 1024

/* A way to start the guard at each boot; the rows are in tools/okramlib/guard/ways.inc. */
struct guard_way {
    const char *name;
    const char *folder, *file; /* of the driver, from the root of the partition: "\\EFI\\okram" */
    const char *prefix;        /* of the variable that starts it: "Driver", "Boot", or "": none */
    const char *order;         /* "DriverOrder": the variable with the numbers of such variables */
    const char *row;           /* in the menu, or "": that does not install it */
    const char *row_on;        /* the same, followed by the partition's name */
    const char *needs;         /* the folder that must be there: the host's */
    const char *starter;       /* what starts it: "systemd-boot" */
    const char *shim; /* the file, in the folder, that the variable starts instead: or "" */
};

extern const struct guard_way guard_ways[]; /* after the last is one without a name */

/* NULL: there is none of that name. */
const struct guard_way *guard_way_named(const char *name);

/* "Driver0003": the number after the way's prefix. False: it is not such a name. */
bool guard_way_number(const struct guard_way *way, const char *option, uint16_t *ret_number);

/* A folder in the way's folder, and the files that an installation makes in it. */
#define GUARD_FOLDER       "okram"
#define GUARD_LIST_FILE    "guard.list"
#define GUARD_OPTIONS_FILE "guard.conf"

#define GUARD_MOKMANAGER_FILE "mmx64.efi" /* beside shim, which starts it by this name */

struct backup {
    const struct guard_way *way;
    char option[12]; /* "Driver0003" or "Boot0003", or "": none was made */
    bool has_order;  /* the way's order was there */
    uint8_t order[BACKUP_ORDER_BYTES];
    size_t order_bytes;
    char partition[40]; /* GUID of the partition with the files, as Linux's PARTUUID has it */
    unsigned n_files, n_folders;
    char file[BACKUP_PATHS_MAX][BACKUP_PATH_MAX];   /* that were made */
    char folder[BACKUP_PATHS_MAX][BACKUP_PATH_MAX]; /* that were made, each before what is in it */
};

/* Returns the length of the line, which ends in \n; 0: it does not fit. */
size_t backup_write(const struct backup *backup, char *out, size_t size);

/*
 * False: the line is not a backup, is of another version, or names a file or folder that no
 * installation makes; ret_why is then half a sentence. This is the only reader of the form:
 * tools/okram calls it through build/guardlist.
 */
bool backup_read(const char *line, struct backup *ret_backup, const char **ret_why);
