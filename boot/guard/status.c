// SPDX-License-Identifier: MIT
#include "status.h"

#include <efi.h>
#include <efilib.h>

#include "lib/date.h"
#include "lib/fmt.h"
#include "lib/json.h"
#include "saved/saved.h"

#define TO_BE_READ (EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)
#define DAY_SIZE   sizeof("2026-11-22")
#define LINE_MAX   1024
#define NOTE_SIZE  200 /* where the list is, and 128 bytes of why it is not used */

static EFI_GUID vendor = SAVED_GUID;

static const char *const states[] = {
    [GUARD_NONE] = "none",     [GUARD_INVALID] = "invalid", [GUARD_STALE] = "stale",
    [GUARD_MASKED] = "masked", [GUARD_STOPPED] = "stopped",
};

static const char *const origins[] = {
    [GUARD_NOWHERE] = "",
    [GUARD_VARIABLE] = "variable",
    [GUARD_FILE] = "file",
};

static bool has_list(const struct guard_source *source)
{
    return source->state >= GUARD_STALE;
}

/* The list's date, or "". */
static void day(const struct guard_source *source, char text[32])
{
    struct fmt_buffer b = fmt_buffer_make(text, 32);

    if (has_list(source) && source->list.head.made > 0)
        date_append(&b, source->list.head.made);
    text[DAY_SIZE - 1] = 0;
}

uint64_t guard_status_held(const struct guard_status *status)
{
    uint64_t refused = status->tally.free - status->n_room - status->n_beyond;
    bool was_tried = status->source->state != GUARD_STOPPED;

    return status->tally.held + status->tally.kept + (was_tried ? refused : 0);
}

static void write_patrol(struct json *j, const struct guard_patrol *patrol)
{
    if (!patrol) {
        json_null(j, "patrol");
        return;
    }
    json_object(j, "patrol");
    json_integer(j, "bytes", patrol->bytes);
    json_integer(j, "of", patrol->free_bytes);
    json_hex(j, "next", patrol->next);
    json_integer(j, "lap", patrol->lap);
    json_integer(j, "faults", patrol->n_found);
    json_text(j, "why", patrol->why);
    json_integer(j, "microseconds", patrol->us);
    json_close(j, "}");
}

void guard_status_store(const struct guard_status *status)
{
    const struct guard_source *source = status->source;
    char line[LINE_MAX], made[32];
    struct fmt_buffer b = fmt_buffer_make(line, sizeof(line));
    struct json j = { .out = &b };

    day(source, made);
    fmt_append(&b, "{\"type\":\"guard\"");
    json_text(&j, "version", OKRAM_VERSION);
    json_text(&j, "state", states[source->state]);
    json_text_if_any(&j, "source", origins[source->origin]);
    json_text_if_any(&j, "why", source->why);
    json_text_if_any(&j, "made", made);
    json_integer(&j, "pages", has_list(source) ? source->list.head.n_pages : 0);
    json_integer(&j, "masked", status->tally.masked);
    json_integer(&j, "held", guard_status_held(status));
    json_integer(&j, "kept", status->tally.kept);
    json_integer(&j, "reserved", status->reserved);
    json_integer(&j, "outside", status->tally.outside);
    json_integer(&j, "between", status->n_between);
    json_integer(&j, "room", status->n_room);
    json_integer(&j, "beyond", status->n_beyond);
    json_integer(&j, "microseconds", status->us);
    write_patrol(&j, status->patrol);
    fmt_append(&b, "}\n");
    RT->SetVariable(L"OkramGuardStatus", &vendor, TO_BE_READ, b.length, line);
}

void guard_status_store_masked(const void *list, size_t bytes)
{
    RT->SetVariable(L"OkramGuardMasked", &vendor, TO_BE_READ, bytes, (void *)list);
}

static void append_pages(struct fmt_buffer *b, uint64_t n, const char *what)
{
    fmt_append(b, "%llu %spage%s", (unsigned long long)n, what, fmt_plural(n));
}

/* What is left free though it is listed. */
static void append_left(struct fmt_buffer *b, uint64_t n, const char *why)
{
    if (!n)
        return;
    fmt_append(b, "; ");
    append_pages(b, n, "bad ");
    fmt_append(b, " left in use: %s", why);
}

/* "list in the variable, made 2026-11-22; the memory modules changed since it was made" */
static void append_note(struct fmt_buffer *b, const struct guard_source *source)
{
    char made[32];

    day(source, made);
    if (source->origin != GUARD_NOWHERE)
        fmt_append(b, "list in the %s%s%s", origins[source->origin], made[0] ? ", made " : "",
                   made);
    if (source->why[0])
        fmt_append(b, "%s%s", b->length ? "; " : "", source->why);
}

static void append_masked(struct fmt_buffer *b, const struct guard_status *status)
{
    const struct guard_tally *t = &status->tally;
    uint64_t held = guard_status_held(status);
    char note[NOTE_SIZE];
    struct fmt_buffer n = fmt_buffer_make(note, sizeof(note));
    const struct guard_counts counts = { t->masked + t->free + t->held + t->kept, t->masked,
                                         t->kept, status->reserved };

    append_note(&n, status->source);
    guard_append_masked(&counts, note, b);
    if (status->n_between)
        fmt_append(b, "; %llu good pages between them masked, too",
                   (unsigned long long)status->n_between);
    if (held)
        fmt_append(b, "; firmware holds %llu", (unsigned long long)held);
    append_left(b, status->n_room, "a system needs the memory to start");
    append_left(b, status->n_beyond, "too scattered");
    if (status->reserved)
        fmt_append(b, "; of these Linux leaves %llu alone", (unsigned long long)status->reserved);
    if (t->outside) {
        fmt_append(b, "; ");
        append_pages(b, t->outside, "listed ");
        fmt_append(b, " outside RAM");
    }
}

static void append_line(struct fmt_buffer *b, const struct guard_status *status)
{
    enum guard_state state = status->source->state;

    if (state == GUARD_NONE) {
        fmt_append(b, "no bad page masked: there is no list");
        return;
    }
    append_masked(b, status);
    if (state == GUARD_STALE || state == GUARD_INVALID)
        fmt_append(b, "; test again with okram");
}

static void append_patrol_line(struct fmt_buffer *b, const struct guard_patrol *patrol)
{
    if (!patrol->free_bytes) {
        fmt_append(b, "no memory tested: %s", patrol->why);
        return;
    }
    fmt_append(b, "%s of %s tested in %llu ms, ", FMT_SIZE(patrol->bytes),
               FMT_SIZE(patrol->free_bytes), (unsigned long long)patrol->us / 1000);
    append_pages(b, patrol->n_found, "bad ");
    fmt_append(b, " found");
    if (patrol->why)
        fmt_append(b, ": %s", patrol->why);
}

void guard_status_print(const struct guard_status *status)
{
    char line[LINE_MAX];
    struct fmt_buffer b = fmt_buffer_make(line, sizeof(line));

    append_line(&b, status);
    Print(L"okram-guard: %a.\r\n", line);
    if (!status->patrol)
        return;
    b = fmt_buffer_make(line, sizeof(line));
    append_patrol_line(&b, status->patrol);
    Print(L"okram-guard: %a.\r\n", line);
}
