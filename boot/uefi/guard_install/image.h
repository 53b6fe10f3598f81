// SPDX-License-Identifier: MIT
/* The programs that an installation of the guard copies, on okram's own volume. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "lib/fmt.h"

enum image_kind {
    IMAGE_GUARD,
    IMAGE_SHIM,       /* a distribution's, signed by Microsoft */
    IMAGE_MOKMANAGER, /* with which a person enrolls what shim is to start */
    IMAGE_KINDS
};

/* The caller frees the bytes by FreePool. */
struct image {
    uint8_t *bytes; /* or NULL */
    UINTN size;
};

/* False: it is missing, damaged or no such program; `message` says so. */
bool image_read(EFI_HANDLE own, enum image_kind kind, struct image *ret_image,
                struct fmt_buffer *message);

/* Whether okram's own volume has shim's parts; they may still be damaged. */
bool image_has_shim(EFI_HANDLE own);

/* EDK2 starts no driver as a boot entry. A signature is void then. */
void image_make_application(struct image *guard);

/* Whether the guard on okram's own volume has a signature, with any key. */
bool image_is_signed(EFI_HANDLE own);

/*
 * Whether the shim that has started okram would start the guard on okram's own volume: its hash or
 * key is enrolled. False without shim, or if Secure Boot is off.
 */
bool image_is_enrolled(EFI_HANDLE own);

/*
 * Whether this machine's shims have revoked that one: it would switch the machine off under Secure
 * Boot. `level` is the content of the variable SbatLevel (shim's SBAT.md).
 */
bool image_is_revoked(const struct image *shim, const char *level);
