// SPDX-License-Identifier: MIT
/*
 * QR codes (ISO/IEC 18004) of plain text: bytes as they are, error correction of level M (15 %) or
 * better, versions 1 to 16. The library that encodes is known to qr.c alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

#define QR_QUIET        4 /* light modules that must be on each side */
#define QR_VERSION_MAX  16
#define QR_SIZE(v)      (17 + 4 * (v)) /* modules of version v, each way */
#define QR_SIZE_MAX     QR_SIZE(QR_VERSION_MAX)
#define QR_CAPACITY_MAX 450
#define QR_BUFFER_BYTES ((QR_SIZE_MAX * QR_SIZE_MAX + 7) / 8 + 1)

struct qr {
    unsigned size; /* modules each way, without the quiet zone */
    uint8_t code[QR_BUFFER_BYTES], work[QR_BUFFER_BYTES]; /* of the library */
};

/* How many bytes a code of at most `size` modules each way holds at level M; 0 below version 1. */
size_t qr_capacity(unsigned size);

/* Makes the smallest code of n bytes. STATUS_NO_SPACE: it would need more than size modules. */
enum status qr_encode(struct qr *q, const char *text, size_t n, unsigned size);

/* Whether a module is dark; x to the right, y down, from 0. */
bool qr_is_dark(const struct qr *q, unsigned x, unsigned y);
