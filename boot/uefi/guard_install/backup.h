// SPDX-License-Identifier: MIT
/*
 * What an installation of the guard has changed, so that removing it restores everything: the
 * variable OkramGuardBackup, a JSON object on one line. docs/guard.md has the form; tools/okram
 * writes the same. Pure.
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

enum guard_way {
    GUARD_BY_DRIVER,  /* Driver####: firmware starts it before any boot option */
    GUARD_BY_SYSTEMD, /* in systemd-boot's folder of drivers */
    GUARD_BY_REFIND,  /* in rEFInd's folder of drivers */
    GUARD_BY_WRAPPER, /* Boot####, the first in BootOrder; it returns an error, so that firmware
                         goes on to the next entry */
    GUARD_WAYS,
};

/* The guard's file, from the root of the partition. */
const char *guard_way_folder(enum guard_way way); /* "\\EFI\\okram" */
const char *guard_way_file(enum guard_way way);   /* "okram-guardx64.efi" */

/* A folder in that folder, and the files that an installation makes in it. */
#define GUARD_FOLDER       "okram"
#define GUARD_LIST_FILE    "guard.list"
#define GUARD_OPTIONS_FILE "guard.conf"

/* The names of the variables by which firmware starts it: with a number, and the order. */
const char *guard_way_prefix(enum guard_way way); /* "Driver" or "Boot" */
const char *guard_way_order(enum guard_way way);  /* "DriverOrder" or "BootOrder" */

struct backup {
    enum guard_way way;
    char option[12]; /* "Driver0003" or "Boot0003", or "": none was made */
    bool has_order;  /* there was a DriverOrder, or for the wrapper a BootOrder */
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
