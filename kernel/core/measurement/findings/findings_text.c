// SPDX-License-Identifier: MIT
#include "findings/findings_text.h"

#define NAME_SIZE      72u /* a bank and a slot */
#define SEPARATOR_SIZE 2u
#define MORE_SIZE      20u /* " and 4294967295 more" */

void findings_begin(struct findings_text *t)
{
    t->buffer = fmt_buffer_make(t->text, sizeof(t->text));
}

void findings_size(struct findings_text *t, uint64_t bytes)
{
    uint64_t mib = bytes >> 20, tenths = (mib * 10 + 512) >> 10;

    if (mib < 1024)
        fmt_append(&t->buffer, "%lu MiB", (unsigned long)mib);
    else if (tenths % 10)
        fmt_append(&t->buffer, "%lu.%lu GiB", (unsigned long)(tenths / 10),
                   (unsigned long)(tenths % 10));
    else
        fmt_append(&t->buffer, "%lu GiB", (unsigned long)(tenths / 10));
}

void findings_say(const struct findings_text *t, const struct warnings *warnings)
{
    warn_print(warnings, "%s", t->text);
}

/* The name of element i, which must be used before the next call. */
static size_t print_name(char text[NAME_SIZE], uint32_t i, findings_name *name, const void *ctx)
{
    struct fmt_buffer out = fmt_buffer_make(text, NAME_SIZE);

    name(ctx, i, &out);
    return out.length;
}

uint32_t findings_count(uint32_t n, findings_filter *wanted, const void *ctx)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        count += wanted(ctx, i);
    return count;
}

void findings_list(struct findings_text *t, uint32_t n, findings_filter *wanted,
                   findings_name *name, const void *ctx)
{
    const size_t room = t->buffer.size - 1 - t->buffer.length;
    size_t all_bytes = 0, used = 0, reserve;
    uint32_t shown = 0, left = 0;
    char text[NAME_SIZE];

    for (uint32_t i = 0; i < n; i++) {
        if (wanted(ctx, i)) {
            all_bytes += print_name(text, i, name, ctx) + SEPARATOR_SIZE;
            left++;
        }
    }
    reserve = all_bytes <= room ? 0 : MORE_SIZE;
    for (uint32_t i = 0; i < n && left; i++) {
        if (!wanted(ctx, i))
            continue;
        used += print_name(text, i, name, ctx) + SEPARATOR_SIZE;
        if (used + reserve > room)
            break;
        fmt_append(&t->buffer, "%s%s", shown ? ", " : "", text);
        shown++;
        left--;
    }
    if (left)
        fmt_append(&t->buffer, "%s%u more", shown ? " and " : "", left);
}
