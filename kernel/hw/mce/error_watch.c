// SPDX-License-Identifier: MIT
#include "mce/error_watch.h"

#include "lib/crc32c.h"

void error_watch_empty(struct error_watch *w)
{
    *w = (struct error_watch){ 0 };
}

enum error_news error_watch_report(struct error_watch *w, const void *bytes, size_t n)
{
    uint32_t crc = crc32c(bytes, n);
    bool is_same = w->is_there && crc == w->crc;

    if (!is_same)
        w->n_same = 0;
    else if (w->n_same <= ERROR_WATCH_SAME_MAX)
        w->n_same++;
    w->is_there = true;
    w->crc = crc;
    if (w->n_same == ERROR_WATCH_SAME_MAX)
        return ERROR_IGNORED;
    return w->n_same > ERROR_WATCH_SAME_MAX || (is_same && w->is_uncleared) ? ERROR_NO_NEWS
                                                                            : ERROR_NEWS;
}

void error_watch_cleared(struct error_watch *w, bool is_empty)
{
    w->is_uncleared = !is_empty;
}
