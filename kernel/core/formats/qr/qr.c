// SPDX-License-Identifier: MIT
#include "qr/qr.h"

#include <qrcodegen/qrcodegen.h>

#include "lib/string.h"

_Static_assert(QR_BUFFER_BYTES == qrcodegen_BUFFER_LEN_FOR_VERSION(QR_VERSION_MAX), "qrcodegen.h");

/* Bytes at level M, ISO/IEC 18004, table 7. */
static const uint16_t capacities[QR_VERSION_MAX + 1] = {
    0, 14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, QR_CAPACITY_MAX,
};

static unsigned largest_version(unsigned size)
{
    if (size < QR_SIZE(1))
        return 0;
    return size < QR_SIZE_MAX ? (size - QR_SIZE(0)) / 4 : QR_VERSION_MAX;
}

size_t qr_capacity(unsigned size)
{
    return capacities[largest_version(size)];
}

enum status qr_encode(struct qr *q, const char *text, size_t n, unsigned size)
{
    int version = (int)largest_version(size);

    if (n > qr_capacity(size))
        return STATUS_NO_SPACE;
    memcpy(q->work, text, n);
    if (!qrcodegen_encodeBinary(q->work, n, q->code, qrcodegen_Ecc_MEDIUM, 1, version,
                                qrcodegen_Mask_AUTO, true))
        return STATUS_NO_SPACE;
    q->size = (unsigned)qrcodegen_getSize(q->code);
    return STATUS_OK;
}

bool qr_is_dark(const struct qr *q, unsigned x, unsigned y)
{
    return qrcodegen_getModule(q->code, (int)x, (int)y);
}
