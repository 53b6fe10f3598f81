// SPDX-License-Identifier: MIT
#include "report/report.h"

void report_init(struct report *r, enum report_form form, struct writer out)
{
    r->form = form;
    text_init(&r->text, out);
    r->jsonl = jsonl_make(out);
    r->last_t = 0;
}

void report_set_speed(struct report *r, uint32_t baud)
{
    r->text.pace.baud = r->jsonl.pace.baud = baud;
}

void report_receive(void *ctx, const struct event *e)
{
    struct report *r = ctx;

    r->last_t = e->t;
    if (r->form == REPORT_TEXT)
        text_receive(&r->text, e);
    else if (r->form == REPORT_JSONL)
        jsonl_receive(&r->jsonl, e);
}

void report_ask(struct report *r)
{
    text_ask(&r->text);
    r->jsonl.pace.ask = true;
}

void report_panic(struct report *r, enum reason reason, const char *text)
{
    if (r->form == REPORT_TEXT) {
        fmt_write(r->text.out.to, text);
        fmt_write(r->text.out.to, "\n");
    } else if (r->form == REPORT_JSONL) {
        jsonl_panic(&r->jsonl, r->last_t, reason, text);
    }
}
