// SPDX-License-Identifier: MIT
#include "save/saved_read.h"

#include "lib/crc32c.h"
#include "lib/fmt.h"
#include "lib/string.h"

/* The checksum of n bytes, of which the 4 at crc_at count as 0. */
static uint32_t crc_without(const uint8_t *bytes, size_t n, size_t crc_at)
{
    static const uint8_t zeros[4];
    uint32_t crc = crc32c_by_nibbles(~UINT32_C(0), bytes, crc_at);

    crc = crc32c_by_nibbles(crc, zeros, sizeof(zeros));
    return ~crc32c_by_nibbles(crc, bytes + crc_at + 4, n - crc_at - 4);
}

/* Whether a field holds printable ASCII and a NUL. */
static bool is_string(const char *field, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!field[i])
            return true;
        if (field[i] < ' ' || field[i] > '~')
            return false;
    }
    return false;
}

static bool has_sane_values(const struct saved_state *s)
{
    bool finished = s->phase == SAVED_FINISHED;

    return s->phase >= SAVED_STARTED && s->phase <= SAVED_FINISHED &&
           (finished ? s->verdict >= SAVED_PASS && s->verdict <= SAVED_ERROR : s->verdict == 0) &&
           s->n_parts <= SAVED_PARTS_MAX && s->report_bytes <= s->n_parts * SAVED_PART_BYTES_MAX &&
           s->jsonl_bytes <= s->report_bytes && is_string(s->test, sizeof(s->test)) &&
           is_string(s->board, sizeof(s->board)) && is_string(s->okram, sizeof(s->okram));
}

/* Takes the state if it keeps the rules; else writes what it violates. */
static bool take_state(const struct saved_variable *v, struct saved_report *r)
{
    struct saved_state s = { 0 };

    memcpy(&s, v->bytes, v->size < sizeof(s) ? v->size : sizeof(s));
    if (v->size > SAVED_VARIABLE_MAX)
        fmt_print(r->why, sizeof(r->why), "it is too long.");
    else if (v->attributes != SAVED_ATTRIBUTES)
        fmt_print(r->why, sizeof(r->why), "its attributes are 0x%x, not 0x%x.", v->attributes,
                  SAVED_ATTRIBUTES);
    else if (v->size < 16 || memcmp(s.magic, SAVED_STATE_MAGIC, sizeof(s.magic)) != 0)
        fmt_print(r->why, sizeof(r->why), "it does not begin with \"" SAVED_STATE_MAGIC "\".");
    else if (s.version != SAVED_VERSION)
        fmt_print(r->why, sizeof(r->why), "it is of version %u; this okram reads version %u.",
                  s.version, SAVED_VERSION);
    else if (v->size != sizeof(s) || s.bytes != sizeof(s))
        fmt_print(r->why, sizeof(r->why), "it holds %zu bytes, not %zu.", v->size, sizeof(s));
    else if (s.crc !=
             crc_without((const uint8_t *)&s, sizeof(s), offsetof(struct saved_state, crc)))
        fmt_print(r->why, sizeof(r->why), "its checksum is wrong.");
    else if (!has_sane_values(&s))
        fmt_print(r->why, sizeof(r->why), "a value in it is out of its range.");
    else
        r->state = s;
    return !r->why[0];
}

static void part_head(const struct saved_variable *v, struct saved_part *ret_head)
{
    memcpy(ret_head, v->bytes, sizeof(*ret_head));
}

const char *saved_part_error(const struct saved_variable *v, unsigned index)
{
    struct saved_part head;

    if (v->attributes != SAVED_ATTRIBUTES)
        return "its attributes are not those of okram's variables.";
    if (v->size > SAVED_VARIABLE_MAX)
        return "it is too long.";
    if (v->size < sizeof(head))
        return "it is too short.";
    part_head(v, &head);
    if (memcmp(head.magic, SAVED_PART_MAGIC, sizeof(head.magic)) != 0)
        return "it does not begin with \"" SAVED_PART_MAGIC "\".";
    if (head.bytes != v->size - sizeof(head))
        return "its length is wrong.";
    if (head.crc != crc_without(v->bytes, v->size, offsetof(struct saved_part, crc)))
        return "its checksum is wrong.";
    if (head.index != index || head.n > SAVED_PARTS_MAX || index >= head.n || head.reserved)
        return "a value in it is out of its range.";
    return NULL;
}

/* Whether part i is one of the state's run. */
static bool belongs(const struct saved_variables *variables, const struct saved_report *r,
                    unsigned i, struct saved_part *ret_head)
{
    if (!variables->part[i].bytes || r->invalid_parts >> i & 1)
        return false;
    part_head(&variables->part[i], ret_head);
    return ret_head->run_id == r->state.run_id && ret_head->n == r->state.n_parts;
}

/* Joins the parts that are there, and marks the places of the others, the first of which is `why`.
 */
static size_t join_parts(const struct saved_variables *variables, struct saved_report *r, char *out)
{
    unsigned n = r->state.n_parts;
    struct saved_part head;
    size_t at = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct saved_variable *v = &variables->part[i];

        if (belongs(variables, r, i, &head)) {
            memcpy(out + at, (const uint8_t *)v->bytes + sizeof(head), head.bytes);
            at += head.bytes;
            continue;
        }
        if (!r->why[0])
            fmt_print(r->why, sizeof(r->why), "Part %u of %u of the report is %s.", i + 1, n,
                      !v->bytes                   ? "missing"
                      : r->invalid_parts >> i & 1 ? "damaged"
                                                  : "of another run");
        at += fmt_print(out + at, SAVED_MARK_MAX, "\n[part %u of %u is missing]\n", i + 1, n);
    }
    out[at] = 0;
    return at;
}

static void read_report(const struct saved_variables *variables, struct saved_report *r)
{
    const struct saved_state *s = &r->state;
    size_t n = join_parts(variables, r, r->text);
    bool is_whole = n == s->report_bytes && crc32c(r->text, n) == s->report_crc;

    for (size_t i = 0; i < n; i++) {
        if (!r->text[i]) {
            r->text[i] = '?';
            is_whole = false;
        }
    }
    if (!s->n_parts)
        fmt_print(r->why, sizeof(r->why), "The report itself was not kept.");
    else if (!is_whole && !r->why[0])
        fmt_print(r->why, sizeof(r->why), "The parts do not add up to the report.");
    r->kind = r->why[0] ? SAVED_INCOMPLETE : SAVED_WHOLE;
    if (r->kind == SAVED_WHOLE) {
        string_copy(r->jsonl, r->text, s->jsonl_bytes + 1);
        memmove(r->text, r->text + s->jsonl_bytes, n - s->jsonl_bytes + 1);
    }
}

void saved_read(const struct saved_variables *variables, struct saved_report *ret_report)
{
    struct saved_report *r = ret_report;

    memset(r, 0, sizeof(*r));
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        const struct saved_variable *v = &variables->part[i];

        if (v->bytes && saved_part_error(v, i))
            r->invalid_parts |= UINT32_C(1) << i;
    }
    if (!variables->state.bytes)
        r->kind = SAVED_NOTHING;
    else if (!take_state(&variables->state, r))
        r->kind = SAVED_UNREADABLE;
    else if (r->state.phase != SAVED_FINISHED)
        r->kind = SAVED_UNFINISHED;
    else
        read_report(variables, r);
}
