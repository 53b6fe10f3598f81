// SPDX-License-Identifier: MIT
/*
 * Variables, files and folders that are written or deleted one after the other, each read back
 * before the next: the steps of installing the guard, adding to its list, and removing it.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "backup.h"
#include "boot/uefi/variables.h"
#include "lib/fmt.h"

enum change_kind {
    CHANGE_VARIABLE,
    CHANGE_FILE,   /* a file that is replaced is there, whole, as it was or as it is to be */
    CHANGE_FOLDER, /* deleted if it is empty; one with files in it stays, without an error */
};

struct change {
    enum change_kind kind;
    char name[BACKUP_PATH_MAX]; /* of a file or folder its path from the root of the partition */
    const EFI_GUID *vendor;     /* of a variable */
    UINT32 attributes;
    const void *bytes; /* NULL: it is deleted; of a folder "": it is made */
    UINTN size;
    char what[96]; /* shown after the name: ": 3 bad pages" */
    bool was_there;
    struct variable before;
};

#define CHANGES_MAX 13

struct changes {
    EFI_HANDLE partition; /* with the files; NULL: it is missing */
    unsigned n;
    struct change change[CHANGES_MAX];
};

/* The next one, to be filled in. A name that is too long is cut; callers have checked it. */
struct change *changes_add(struct changes *changes, enum change_kind kind, const char *name);

/* Appends a paragraph for each, except a folder that is made: its file says as much. */
void changes_show(const struct changes *changes, struct fmt_buffer *out);

/*
 * Does all of them, in their order. After a failure ret_failed is the one that failed. If
 * is_undone, those before it are then taken back, except that a file that was replaced keeps its
 * new content.
 */
EFI_STATUS changes_do(struct changes *changes, bool is_undone, const struct change **ret_failed);

/* True only if firmware reports that the file or folder does not exist; false after any error. */
bool changes_is_absent(EFI_FILE *root, const char *path);

/*
 * Reads a file, or what an interrupted replacement has left of it, of at most max bytes, into the
 * pool. NULL: it cannot be read.
 */
uint8_t *changes_read_file(EFI_FILE *root, const char *path, UINTN max, UINTN *ret_size);
