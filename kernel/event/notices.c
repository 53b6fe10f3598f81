// SPDX-License-Identifier: MIT
#include "event/notices.h"

#include <stdbool.h>

#include "event/events.h"
#include "lib/string.h"

static char texts[NOTICES_MAX][WARNING_TEXT_MAX];
static const char *list[NOTICES_MAX];
static size_t n_kept;
static bool emitting;

static void send(const char *text)
{
    events_send(&(struct event){ .type = EVENT_WARNING, .warning = text });
}

static void note(void *ctx, const char *text)
{
    if (n_kept < NOTICES_MAX) {
        string_copy(texts[n_kept], text, sizeof(texts[0]));
        list[n_kept] = texts[n_kept];
        n_kept++;
    }
    if (emitting)
        send(text);
}

const struct warnings notices = { .warn = note };

void notices_emit(void)
{
    emitting = true;
    for (size_t i = 0; i < n_kept; i++)
        send(list[i]);
}

size_t notices_list(const char *const **ret_texts)
{
    *ret_texts = list;
    return n_kept;
}
