// SPDX-License-Identifier: MIT
#include "report_code.h"

#include "lib/string.h"
#include "qr/qr.h"

/* How many modules from x on, in a row, are like the one at x. */
static unsigned run_of(const struct qr *q, unsigned x, unsigned y)
{
    bool is_dark = qr_is_dark(q, x, y);
    unsigned n = 1;

    while (x + n < q->size && qr_is_dark(q, x + n, y) == is_dark)
        n++;
    return n;
}

/* A row as a line that is drawn where modules are dark. */
static void append_row(struct fmt_buffer *out, const struct qr *q, unsigned y)
{
    fmt_append(out, "M%u %u.5", QR_QUIET, QR_QUIET + y);
    for (unsigned x = 0, n; x < q->size; x += n) {
        n = run_of(q, x, y);
        if (qr_is_dark(q, x, y))
            fmt_append(out, "h%u", n);
        else if (x + n < q->size)
            fmt_append(out, "m%u 0", n);
    }
}

void report_append_code(const char *text, struct fmt_buffer *out)
{
    unsigned all;
    struct qr q;

    if (!text[0] || qr_encode(&q, text, strlen(text), QR_SIZE_MAX) != STATUS_OK)
        return;
    all = q.size + 2 * QR_QUIET;
    fmt_append(out,
               "<svg viewBox=\"0 0 %u %u\" shape-rendering=\"crispEdges\" role=\"img\" "
               "aria-label=\"QR code\">\n<path fill=\"#fff\" d=\"M0 0h%uv%uH0z\"/>\n"
               "<path stroke=\"#000\" d=\"",
               all, all, all, all);
    for (unsigned y = 0; y < q.size; y++)
        append_row(out, &q, y);
    fmt_append(out, "\"/>\n</svg>\n");
}
