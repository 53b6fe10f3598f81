// SPDX-License-Identifier: MIT
/* The loader's menu on firmware's keyboard and screen, before the kernel is loaded. */
#pragma once

#include "lib/fmt.h"
#include "menu_model.h"

/* Who writes: each appends how that went. */
struct menu_saver {
    void (*save)(void *ctx, const char *words, struct fmt_buffer *message); /* to okram.conf */
    void *ctx;
    void (*write_report)(void *ctx, unsigned volume, struct fmt_buffer *message);
    void (*guard)(void *ctx, enum menu_action action, unsigned choice, struct fmt_buffer *message);
    void (*diagnose)(void *ctx, enum menu_action action, unsigned choice,
                     struct fmt_buffer *message);
};

struct menu_end {
    bool leaves;         /* okram returns to firmware, which starts what comes next */
    bool wrong_is_shown; /* a person saw that options are wrong */
};

/*
 * Shows the menu until a test is chosen or the count-down (menu=) has ended, and appends the
 * options chosen. Does nothing with menu=0, or without a keyboard or a screen. What the saver
 * changes in `texts` counts from then on. Restarts or switches off where that is chosen; if
 * firmware cannot, okram leaves.
 */
struct menu_end menu_run(const struct menu_texts *texts, const struct menu_saver *saver,
                         struct fmt_buffer *out);
