// SPDX-License-Identifier: MIT
#include "cover/lines_emit.h"

#include "bootcfg/lines.h"
#include "event/events.h"

static enum line_kind shown = LINE_GRUB;

static void send(const struct run *run, enum line_kind kind, const struct cover *cover, bool asked,
                 bool wanted)
{
    static struct lines_work work;
    static char text[LINES_TEXT_SIZE], note[LINES_NOTE_SIZE];
    struct lines_source source = { .log = &run->found.log,
                                   .cover = cover,
                                   .max_ranges = run->plan.limits.max_ranges,
                                   .by_bios = run->plan.limits.map != NULL };
    struct fmt_buffer t = fmt_buffer_make(text, sizeof(text));
    struct fmt_buffer n = fmt_buffer_make(note, sizeof(note));

    lines_make(kind, &source, &work, &t, &n);
    events_send(&(struct event){
        .type = EVENT_LINE,
        .line = { .name = lines_name(kind),
                  .place = lines_place(kind),
                  .text = text,
                  .note = note,
                  .asked = asked,
                  .wanted = wanted },
    });
}

void lines_emit(const struct run *run, const struct cover *cover)
{
    if (!cover->n_patterns)
        return;
    for (unsigned kind = LINE_GRUB + 1; kind < LINE_KINDS; kind++) {
        if (run->options.lines >> kind & 1)
            send(run, (enum line_kind)kind, cover, false, run->options.has_lines);
    }
}

void lines_emit_next(const struct run *run, const struct cover *cover)
{
    shown = (enum line_kind)((shown + 1) % LINE_KINDS);
    send(run, shown, cover, true, true);
}
