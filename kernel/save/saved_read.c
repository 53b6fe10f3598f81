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
    if (v->attributes != SAVED_ATTRIBUTES)
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

/* Joins the parts of the state's run; false: one is missing or wrong, and `why` names it. */
static bool join_parts(const struct saved_variables *variables, struct saved_report *r)
{
    const struct saved_state *s = &r->state;
    struct saved_part head;
    size_t at = 0;

    for (unsigned i = 0; i < s->n_parts; i++) {
        const struct saved_variable *v = &variables->part[i];

        if (v->bytes && !(r->invalid_parts >> i & 1))
            part_head(v, &head);
        else
            head = (struct saved_part){ .n = 0 };
        if (head.n != s->n_parts || head.run_id != s->run_id || head.bytes > s->report_bytes - at) {
            fmt_print(r->why, sizeof(r->why), "Part %u of %u of the report is %s.", i + 1,
                      s->n_parts,
                      !v->bytes ? "missing"
                      : head.n  ? "of another run"
                                : "damaged");
            return false;
        }
        memcpy(r->jsonl + at, (const uint8_t *)v->bytes + sizeof(head), head.bytes);
        at += head.bytes;
    }
    if (at == s->report_bytes && crc32c(r->jsonl, at) == s->report_crc && strlen(r->jsonl) == at)
        return true;
    fmt_print(r->why, sizeof(r->why), "The parts do not add up to the report.");
    return false;
}

static void read_report(const struct saved_variables *variables, struct saved_report *r)
{
    size_t n = r->state.jsonl_bytes;

    r->kind = SAVED_WHOLE;
    if (!r->state.n_parts) {
        r->kind = SAVED_INCOMPLETE;
        fmt_print(r->why, sizeof(r->why), "The report itself was not kept.");
    } else if (!join_parts(variables, r)) {
        r->kind = SAVED_INCOMPLETE;
        memset(r->jsonl, 0, sizeof(r->jsonl));
    } else {
        string_copy(r->text, r->jsonl + n, sizeof(r->text));
        r->jsonl[n] = 0;
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
