// SPDX-License-Identifier: MIT
/* UEFI variables of any length, by runtime services. What is written is read back. */
#pragma once

#include <efi.h>
#include <stdbool.h>

struct variable {
    uint8_t *bytes; /* with a NUL after them; from the pool */
    UINTN size;
    UINT32 attributes;
    EFI_STATUS status; /* EFI_NOT_FOUND: there is none */
};

#define VARIABLE_BYTES_MAX (UINTN)(1 << 20)
#define VARIABLE_KEPT      3u /* NV, BS: not for the running system */
#define VARIABLE_SHARED    7u /* NV, BS, RT */

/*
 * Names are ASCII, vendors those of okram, of the boot manager (UEFI 2.10, 3.3) and of shim, whose
 * protocol has the same GUID.
 */
extern EFI_GUID variable_okram, variable_boot, variable_shim;

/* The caller frees it, which wipes it: it may be a key. After an error bytes is NULL and size 0. */
struct variable variable_read(const char *name, const EFI_GUID *vendor);
void variable_free(struct variable *variable);

bool variable_exists(const char *name, const EFI_GUID *vendor);

/*
 * Writes it and reads it back. A variable with other attributes is deleted first, as firmware
 * requires (8.2.1).
 */
EFI_STATUS variable_write(const char *name, const EFI_GUID *vendor, UINT32 attributes,
                          const void *bytes, UINTN size);

/* EFI_SUCCESS also if there is none. */
EFI_STATUS variable_delete(const char *name, const EFI_GUID *vendor);

/*
 * The next start is okram's, whatever the boot order says, as after a run (saver/saving_job.h). If
 * firmware does not say what okram was booted from, or refuses, a person starts it as before.
 */
void variable_boot_again(void);

/* The room for variables with these attributes; false: firmware does not say. */
bool variable_room(UINT32 attributes, uint64_t *ret_remaining, uint64_t *ret_largest);
