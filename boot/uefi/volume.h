// SPDX-License-Identifier: MIT
/* The volume from which the loader was started, and the options in okram.conf on it. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "boot/boot_info.h"
#include "lib/fmt.h"

/* okram.conf as it was read. */
struct volume_conf {
    char text[BOOT_CONF_MAX]; /* terminated; "" if there is no file */
    bool is_cut;              /* the file is longer */
    bool is_text;             /* it has no NUL, or there is no file */
    bool is_in_root;          /* otherwise it is, or belongs, next to the loader */
};

/*
 * Reads okram.conf from the loader's directory, or else from the root of its volume; from the
 * network, where there may be one for this machine alone (network/network.h), if firmware has the
 * loader from there, without a volume. An unreadable file is reported on the console.
 */
void volume_read_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                      struct volume_conf *ret_conf);

/*
 * Sets the options of `words` (conf_edit, options/words.h) in the file and, if that succeeds, in
 * `conf`. Appends what was done, or why nothing was changed.
 */
void volume_save_conf(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path,
                      struct volume_conf *conf, const char *words, struct fmt_buffer *message);
