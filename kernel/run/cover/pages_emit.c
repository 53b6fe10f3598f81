// SPDX-License-Identifier: MIT
#include "cover/pages_emit.h"

#include "event/events.h"
#include "log/fault_log.h"

static void send(const struct span *run, size_t n, bool goes_on, bool more)
{
    events_send(&(struct event){
        .type = EVENT_PAGES,
        .pages = { .run = run, .n = n, .goes_on = goes_on, .more = more },
    });
}

void pages_emit(const struct fault_log *log)
{
    static struct span run[PAGES_EVENT_RUNS];
    uint64_t index = 0;
    size_t n = 0, sent = 0;
    struct page_run found;

    while (fault_log_next_run(log, &index, &found)) {
        if (n == PAGES_EVENT_RUNS) {
            bool is_last = sent + n == PAGES_RUNS_MAX;

            send(run, n, !is_last, is_last);
            sent += n;
            n = 0;
            if (is_last)
                return;
        }
        run[n++] = (struct span){ found.first << PAGE_SHIFT, found.count << PAGE_SHIFT };
    }
    if (n)
        send(run, n, false, false);
}
