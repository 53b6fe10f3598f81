// SPDX-License-Identifier: MIT
#include "saved/saved_write.h"

#include "lib/crc32c.h"
#include "lib/div_up.h"
#include "lib/field_rows.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "saved/saved_read.h"

void saved_part_name(unsigned index, char *ret_name)
{
    fmt_print(ret_name, SAVED_NAME_MAX, SAVED_PART_NAME "%02X", index);
}

unsigned saved_parts_of(size_t bytes)
{
    return (unsigned)div_up(bytes, SAVED_VARIABLE_MAX);
}

/* What the head says. */
struct head {
    uint32_t version;
    enum saved_phase phase;
    uint64_t bytes;
    uint32_t crc32c;
    const uint8_t *hmac; /* HMAC_BYTES; NULL: there is no key */
};

static const char *phase_word(unsigned phase)
{
    static const char *const words[] = {
        [SAVED_STARTED] = "started",
        [SAVED_RUNNING] = "running",
        [SAVED_DONE] = "done",
    };

    return words[phase];
}

static void write_crc(struct json *j, const struct field *f, const void *object)
{
    const struct head *head = object;

    json_name(j, f->name);
    fmt_append(j->out, "\"0x%08x\"", head->crc32c);
}

static void write_hmac(struct json *j, const struct field *f, const void *object)
{
    const struct head *head = object;

    json_bytes(j, f->name, head->hmac, HMAC_BYTES);
}

const struct field saved_head_fields[SAVED_HEAD_FIELDS] = {
    { FIELD(head, version), MIN(SAVED_VERSION), DOC("of this format", .max = SAVED_VERSION) },
    { "state", AT(head, phase), WORDS(phase_word, SAVED_DONE + 1),
      DOC("done: the run has ended; else it did not finish") },
    { FIELD(head, bytes), DOC_IN("bytes", "of the lines that follow") },
    { "crc32c", BY(FIELD_TEXT, write_crc),
      DOC("of these bytes, hexadecimal", .pattern = "^0x[0-9a-f]{1,8}$") },
    { "hmac", BY(FIELD_TEXT, write_hmac), IF(head, hmac),
      DOC("HMAC-SHA-256 of these bytes, with a key that only okram's loader can read",
          .there = "if there is one", .pattern = "^[0-9a-f]{64}$") },
};

static bool has_ended(const void *object)
{
    return ((const struct saved_state *)object)->verdict != VERDICT_NONE;
}

const struct field saved_state_fields[SAVED_STATE_FIELDS] = {
    { FIELD(saved_state, started), OR_NULL,
      DOC("by the machine's clock, its zone unknown, such as 2026-11-22T13:14:34; null: it has "
          "none") },
    { FIELD(saved_state, written), OR_NULL, DOC("when this was known, as started") },
    { FIELD(saved_state, board), DOC("maker and product, or empty") },
    { FIELD(saved_state, test), DOC("that ran then or ran last, or empty") },
    { FIELD(saved_state, pass), DOC("the pass, from 1; 0: before the first") },
    { FIELD(saved_state, cpu), DOC("the CPU that wrote this") },
    { FIELD(saved_state, cpus), DOC("CPUs that test") },
    { FIELD(saved_state, tested_bytes), DOC_IN("bytes", "RAM tested so far") },
    { FIELD(saved_state, swept_bytes), DOC_IN("bytes", "read and written so far") },
    { FIELD(saved_state, ram_bytes), DOC_IN("bytes", "RAM") },
    { FIELD(saved_state, faults), DOC("found so far") },
    { FIELD(saved_state, bad_pages), DOC("of 4 KiB") },
    { "status", AT(saved_state, verdict), WORDS(verdict_word, VERDICTS), IF_ANY,
      DOC("of the result", .there = "once the run has ended") },
    { FIELD(saved_state, complete), WHEN(has_ended),
      DOC("of the result; false, too, where options named a part of the memory",
          .there = "once the run has ended") },
};

static size_t write_state(const struct saved_state *s, char *out)
{
    struct fmt_buffer b = fmt_buffer_make(out, SAVED_STATE_MAX);
    struct json j = { .out = &b };

    fmt_append(&b, "{\"t\":%u,\"type\":\"state\"", s->seconds);
    fields_write(&j, saved_state_fields, SAVED_STATE_FIELDS, s);
    fmt_append(&b, "}\n");
    ASSERT(!b.cut);
    return b.length;
}

static size_t write_head(enum saved_phase phase, const char *lines, size_t n, const uint8_t *key,
                         char *out)
{
    struct fmt_buffer b = fmt_buffer_make(out, SAVED_HEAD_MAX);
    struct json j = { .out = &b, .first = true };
    uint8_t hmac[HMAC_BYTES];
    struct head head = { SAVED_VERSION, phase, n, crc32c(lines, n), key ? hmac : NULL };

    if (key)
        saved_hmac(phase, lines, n, key, hmac);
    fmt_append(&b, SAVED_HEAD_BEGIN);
    fields_write(&j, saved_head_fields, SAVED_HEAD_FIELDS, &head);
    fmt_append(&b, "}\n");
    ASSERT(!b.cut);
    return b.length;
}

size_t saved_make(const struct saved_source *from, size_t room, char *out, bool *ret_cut)
{
    char *begin = out + SAVED_HEAD_MAX, head[SAVED_HEAD_MAX];
    size_t n, head_bytes;

    ASSERT(room >= SAVED_MADE_MIN);
    n = write_state(from->state, begin);
    n += saved_lines_write(from->lines, from->is_verdict ? SAVED_VERDICT : SAVED_JSON,
                           room - SAVED_HEAD_MAX - n, begin + n, ret_cut);
    head_bytes = write_head(from->phase, begin, n, from->key, head);
    memmove(out + head_bytes, begin, n);
    memcpy(out, head, head_bytes);
    return head_bytes + n;
}

static bool is_text(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((bytes[i] < ' ' || bytes[i] > '~') && bytes[i] != '\n')
            return false;
    }
    return true;
}

bool saved_is_own(unsigned index, const void *data, size_t bytes)
{
    size_t n = sizeof(SAVED_HEAD_BEGIN) - 1;

    if (index == 0)
        return bytes >= n && memcmp(data, SAVED_HEAD_BEGIN, n) == 0;
    return bytes && is_text(data, bytes);
}

#define LIST_HEAD (SAVED_VARIABLE_COST - SAVED_VARIABLE_MAX)

/* The variables: this one, the verdict, the whole report, the dump. */
bool saved_leaves_room(uint64_t remaining, size_t list_bytes)
{
    return remaining >= SAVED_KEEP_FREE + (2 + SAVED_PARTS_MAX + 1) * SAVED_VARIABLE_COST +
                            (list_bytes ? 2 * (LIST_HEAD + list_bytes) : 0);
}

bool saved_list_fits(size_t bytes, uint64_t largest, uint64_t remaining)
{
    return bytes + LIST_HEAD <= largest &&
           remaining >= SAVED_KEEP_FREE + 2 * SAVED_VARIABLE_COST + LIST_HEAD + bytes;
}

unsigned saved_parts_that_fit(uint64_t remaining)
{
    if (remaining < SAVED_KEEP_FREE)
        return 0;
    return (unsigned)min_u64((remaining - SAVED_KEEP_FREE) / SAVED_VARIABLE_COST, SAVED_PARTS_MAX);
}

unsigned saved_parts_besides(uint64_t remaining)
{
    unsigned n = saved_parts_that_fit(remaining);

    return n ? n - 1 : 0;
}

bool saved_is_due(struct saved_pace *pace, double t, bool has_fault)
{
    uint32_t most =
        has_fault ? SAVED_STATES_MAX : SAVED_STATES_MAX - 1; /* one for the first fault */
    bool is_due = !pace->n_written || (has_fault && !pace->has_fault) ||
                  t >= pace->written + SAVED_EVERY_SECONDS;

    if (!is_due || pace->n_written >= most)
        return false;
    *pace = (struct saved_pace){ pace->n_written + 1, has_fault, t };
    return true;
}

#define NAME_BEGIN  "dump-type0-1-1-"
#define FIRST_LINE  "okram#1 Part1\n"
#define FIRST_BYTES (sizeof(FIRST_LINE) - 1)

void pstore_name(int64_t time, char ret_name[PSTORE_NAME_MAX])
{
    fmt_print(ret_name, PSTORE_NAME_MAX, NAME_BEGIN "%lld-D", (long long)time);
}

bool pstore_is_name(const char *name)
{
    return strncmp(name, NAME_BEGIN, sizeof(NAME_BEGIN) - 1) == 0;
}

size_t pstore_dump(const struct saved_lines *lines, char ret_dump[PSTORE_DUMP_MAX])
{
    bool cut;

    memcpy(ret_dump, FIRST_LINE, FIRST_BYTES);
    return FIRST_BYTES + saved_lines_write(lines, SAVED_TEXT, PSTORE_DUMP_MAX - FIRST_BYTES,
                                           ret_dump + FIRST_BYTES, &cut);
}

bool pstore_is_own(const void *data, size_t bytes)
{
    return bytes >= FIRST_BYTES && memcmp(data, FIRST_LINE, FIRST_BYTES) == 0;
}
