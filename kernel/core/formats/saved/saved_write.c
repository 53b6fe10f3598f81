// SPDX-License-Identifier: MIT
#include "saved/saved_write.h"

#include "lib/crc32c.h"
#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/json.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "saved/saved_sign.h"

void saved_part_name(unsigned index, char *ret_name)
{
    fmt_print(ret_name, SAVED_NAME_MAX, SAVED_PART_NAME "%02X", index);
}

unsigned saved_parts_of(size_t bytes)
{
    return (unsigned)div_up(bytes, SAVED_VARIABLE_MAX);
}

static size_t write_state(const struct saved_state *s, char *out)
{
    struct fmt_buffer b = fmt_buffer_make(out, SAVED_STATE_MAX);
    struct json j = { .out = &b };

    fmt_append(&b, "{\"t\":%u,\"type\":\"state\"", s->seconds);
    json_text_if_any(&j, "started", s->started);
    json_text_if_any(&j, "written", s->written);
    json_text(&j, "board", s->board);
    json_text(&j, "test", s->test);
    json_integer(&j, "pass", s->pass);
    json_integer(&j, "cpu", s->cpu);
    json_integer(&j, "cpus", s->cpus);
    json_integer(&j, "tested_bytes", s->tested_bytes);
    json_integer(&j, "swept_bytes", s->swept_bytes);
    json_integer(&j, "ram_bytes", s->ram_bytes);
    json_integer(&j, "faults", s->faults);
    json_integer(&j, "bad_pages", s->bad_pages);
    if (s->status[0])
        json_text(&j, "status", s->status);
    fmt_append(&b, "}\n");
    ASSERT(!b.cut);
    return b.length;
}

static void append_hmac(struct fmt_buffer *b, enum saved_phase phase, const char *lines, size_t n,
                        const uint8_t *key)
{
    uint8_t hmac[HMAC_BYTES];

    saved_hmac(phase, lines, n, key, hmac);
    fmt_append(b, ",\"hmac\":\"");
    for (size_t i = 0; i < sizeof(hmac); i++)
        fmt_append(b, "%02x", hmac[i]);
    fmt_append(b, "\"");
}

static size_t write_head(enum saved_phase phase, const char *lines, size_t n, const uint8_t *key,
                         char *out)
{
    struct fmt_buffer b = fmt_buffer_make(out, SAVED_HEAD_MAX);
    static const char *const words[] = {
        [SAVED_STARTED] = "started",
        [SAVED_RUNNING] = "running",
        [SAVED_DONE] = "done",
    };

    fmt_append(&b,
               SAVED_HEAD_BEGIN "\"version\":%d,\"state\":\"%s\",\"bytes\":%zu,"
                                "\"crc32c\":\"0x%08x\"",
               SAVED_VERSION, words[phase], n, crc32c(lines, n));
    if (key)
        append_hmac(&b, phase, lines, n, key);
    fmt_append(&b, "}\n");
    ASSERT(!b.cut);
    return b.length;
}

size_t saved_make(enum saved_phase phase, const struct saved_state *state,
                  const struct saved_lines *lines, const uint8_t *key, size_t room, char *out,
                  bool *ret_cut)
{
    char *begin = out + SAVED_HEAD_MAX, head[SAVED_HEAD_MAX];
    size_t n, head_bytes;

    ASSERT(room >= SAVED_MADE_MIN);
    n = write_state(state, begin);
    n += saved_lines_write(lines, SAVED_JSON, room - SAVED_HEAD_MAX - n, begin + n, ret_cut);
    head_bytes = write_head(phase, begin, n, key, head);
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

bool saved_leaves_room(uint64_t remaining)
{
    return remaining >= SAVED_KEEP_FREE + (1 + SAVED_PARTS_MAX + 1) * SAVED_VARIABLE_COST;
}

bool saved_list_fits(size_t bytes, uint64_t largest, uint64_t remaining)
{
    const uint64_t head = SAVED_VARIABLE_COST - SAVED_VARIABLE_MAX;

    return bytes + head <= largest &&
           remaining >= SAVED_KEEP_FREE + 2 * SAVED_VARIABLE_COST + head + bytes;
}

unsigned saved_parts_that_fit(uint64_t remaining)
{
    if (remaining < SAVED_KEEP_FREE)
        return 0;
    return (unsigned)min_u64((remaining - SAVED_KEEP_FREE) / SAVED_VARIABLE_COST, SAVED_PARTS_MAX);
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
