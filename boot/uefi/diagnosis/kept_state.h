// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis between two starts (diagnosis/state_bytes.h): in the UEFI variable
 * OkramDiagnosis, and in \okram\diagnosis.bin on the volume that okram was started from, if that
 * can be written to.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "diagnosis/diagnosis.h"
#include "lib/fmt.h"

/* What was found in one place; why: there is one, which cannot be used: the end of a sentence. */
struct kept_copy {
    bool is_valid;
    struct diagnosis state;
    const char *why; /* or NULL */
};

struct kept_state {
    struct kept_copy variable, file;
};

void kept_state_read(EFI_HANDLE own, struct kept_state *ret_kept);

/* False, with a sentence: it is in neither. One of the two is enough. */
bool kept_state_write(EFI_HANDLE own, const struct diagnosis *d, struct fmt_buffer *message);

/* False, with a sentence: the variable, or a file that is okram's, is still there. */
bool kept_state_delete(EFI_HANDLE own, struct fmt_buffer *message);
