// SPDX-License-Identifier: MIT
/*
 * UEFI firmware with variables and one disk, for tests and fuzz targets of what the loader does
 * with them. Any write may fail, or the power be cut at it. The stick that okram was started from
 * has the guard's image, and after fake_set_shim() shim and its MokManager.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guardlist/guard_list.h"

#define FAKE_THINGS_MAX 24
#define FAKE_NAME_MAX   120
#define FAKE_BYTES_MAX  4096
#define FAKE_DISK       ((EFI_HANDLE)1)
#define FAKE_STICK      ((EFI_HANDLE)2)
#define FAKE_PARTITION  "0f0e0d0c-01"

/* A variable by its name, or a file or folder of the disk by its path. */
struct fake_thing {
    bool is_there, is_folder;
    char name[FAKE_NAME_MAX];
    UINT32 attributes;
    UINTN size;
    uint8_t bytes[FAKE_BYTES_MAX];
};

struct fake_uefi {
    struct fake_thing file[FAKE_THINGS_MAX], variable[FAKE_THINGS_MAX];
    const uint8_t *image; /* on the stick */
    size_t image_bytes;
    struct fake_thing stick[FAKE_THINGS_MAX]; /* what else is there */
    bool has_shim_lock, is_enrolled;          /* shim has started okram; would start the guard */
    uint64_t disk_room, store_room, largest_variable;
    unsigned writes, fails_at; /* the write of this number, from 1, fails */
    bool is_cut;               /* and all after it */
    bool lists_itself;         /* each folder, without an end and without what is in it */
    bool is_secure;
    const uint8_t *key; /* by which okram signs, or NULL */
    uint64_t ram_pages; /* in the memory map, which is all that is known of the machine */
    unsigned n_partitions;
    bool no_memory;         /* of the pool */
    bool damages_write;     /* of a variable; once */
    unsigned damaged_reads; /* of variables */
    EFI_STATUS read_status, query_status, time_status;
    EFI_TIME time;
    unsigned open_handles, pools; /* what has not been given back */
};

extern struct fake_uefi fake_uefi;

/* NULL: there is none. */
struct fake_thing *fake_find(struct fake_thing *in, const char *name);

/* A computer with room for all, and a sound image of a driver on the stick; nothing else. */
void fake_begin(void);

/* The image, which a test may change; its PE header is there. */
#define FAKE_IMAGE_BYTES 600
#define FAKE_PE_AT       0x80
extern uint8_t fake_image[FAKE_IMAGE_BYTES];

/* Puts shim, whose section .sbat has that text, and its MokManager on the stick. */
void fake_set_shim(const char *sbat);
#define FAKE_SHIM       "\\EFI\\BOOT\\BOOTX64.EFI"
#define FAKE_MOKMANAGER "\\EFI\\BOOT\\mmx64.efi"

/* A list of this machine as a variable; its bytes. */
size_t fake_set_list(const char *name, const struct guard_run *run, size_t n);

/* This machine, of which lists are. */
struct guard_fingerprint fake_machine(void);

/* Replaces one of that name. */
void fake_set(struct fake_thing *in, const char *name, UINT32 attributes, const void *bytes,
              size_t size);
