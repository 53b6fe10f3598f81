// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis between two starts, as a word (diagnosis/code.h): in the UEFI variable
 * OkramDiagnosis, and in \okram\diagnosis.bin on the volume that okram was started from, if that
 * can be written to.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "diagnosis/code.h"

#define KEPT_VARIABLE "OkramDiagnosis"

/* What is in one place, or ""; why: it cannot be read: the end of a sentence, or NULL. */
struct kept_copy {
    char text[DIAGNOSIS_KEPT_MAX];
    const char *why;
};

struct kept_state {
    struct kept_copy variable, file;
};

void kept_state_read(EFI_HANDLE own, struct kept_state *ret_kept);

/* False, with a sentence: it is in neither. One of the two is enough. */
bool kept_state_write(EFI_HANDLE own, const struct diagnosis *d, struct fmt_buffer *message);

/* False, with a sentence: the variable, or a file that is okram's, is still there. */
bool kept_state_delete(EFI_HANDLE own, struct fmt_buffer *message);
