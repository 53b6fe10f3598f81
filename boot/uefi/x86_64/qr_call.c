// SPDX-License-Identifier: MIT
/* Calls of libqrcodegen, as library_call.h has them. */
#include "library_call.h"
#include "qr/qr.h"

enum status __real_qr_encode(struct qr *q, const char *text, size_t n, unsigned size);
enum status __wrap_qr_encode(struct qr *q, const char *text, size_t n, unsigned size);
bool __real_qr_is_dark(const struct qr *q, unsigned x, unsigned y);
bool __wrap_qr_is_dark(const struct qr *q, unsigned x, unsigned y);

enum status __wrap_qr_encode(struct qr *q, const char *text, size_t n, unsigned size)
{
    struct library_call call = library_call_begin();
    enum status status = __real_qr_encode(q, text, n, size);

    library_call_end(call);
    return status;
}

bool __wrap_qr_is_dark(const struct qr *q, unsigned x, unsigned y)
{
    struct library_call call = library_call_begin();
    bool is_dark = __real_qr_is_dark(q, x, y);

    library_call_end(call);
    return is_dark;
}
