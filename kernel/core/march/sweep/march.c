// SPDX-License-Identifier: MIT
#include "sweep/march.h"

#include "lib/string.h"

/* What a line holds at this point of the text, and what was done to it last. */
enum held { HELD_UNKNOWN, HELD_0, HELD_1 };

struct parser {
    const char *text, *pos;
    struct march *march;
    struct march_error *error;
    enum held held;
    bool last_was_read;
};

/* All failures go through here. Returns false, for `return fail(…)`. */
static bool fail(struct parser *p, const char *at, enum march_status status, const char *expected)
{
    *p->error = (struct march_error){
        .status = status,
        .position = (size_t)(at - p->text),
        .expected = expected,
    };
    return false;
}

static void skip_spaces(struct parser *p)
{
    while (*p->pos == ' ')
        p->pos++;
}

/* Takes word if it comes next. */
static bool take(struct parser *p, const char *word)
{
    size_t n = strlen(word);

    skip_spaces(p);
    if (strncmp(p->pos, word, n) != 0)
        return false;
    p->pos += n;
    return true;
}

static bool need(struct parser *p, const char *word, const char *expected)
{
    return take(p, word) || fail(p, p->pos, MARCH_UNEXPECTED, expected);
}

static enum march_before op_before(const struct parser *p, bool first_in_element, bool write)
{
    if (p->last_was_read)
        return write ? MARCH_NOTHING : MARCH_FLUSH;
    return first_in_element ? MARCH_NOTHING : MARCH_FENCE;
}

static bool parse_op(struct parser *p, struct march_element *e)
{
    static const struct {
        const char *word;
        bool write;
        enum held value;
    } ops[] = {
        { "r0", false, HELD_0 },
        { "r1", false, HELD_1 },
        { "w0", true, HELD_0 },
        { "w1", true, HELD_1 },
    };
    const char *at;

    skip_spaces(p);
    at = p->pos;
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        if (!take(p, ops[i].word))
            continue;
        if (e->n_ops == MARCH_OPS_MAX)
            return fail(p, at, MARCH_TOO_LONG, "at most 16 operations in an element");
        if (!ops[i].write && p->held == HELD_UNKNOWN)
            return fail(p, at, MARCH_READ_BEFORE_WRITE, "a write before the first read");
        if (!ops[i].write && p->held != ops[i].value)
            return fail(p, at, MARCH_READS_OTHER_VALUE,
                        p->held == HELD_0 ? "r0 after w0" : "r1 after w1");
        e->op[e->n_ops] = (struct march_op){
            .write = ops[i].write,
            .complement = ops[i].value == HELD_1,
            .before = op_before(p, e->n_ops == 0, ops[i].write),
        };
        e->n_ops++;
        p->held = ops[i].value;
        p->last_was_read = !ops[i].write;
        return true;
    }
    return fail(p, at, MARCH_UNEXPECTED, "r0, r1, w0 or w1");
}

static bool parse_ops(struct parser *p, struct march_element *e)
{
    do {
        if (!parse_op(p, e))
            return false;
    } while (take(p, ","));
    return need(p, ")", "',' or ')'");
}

static bool parse_pause(struct parser *p, struct march_element *e)
{
    const char *at;
    uint64_t ms = 0;

    skip_spaces(p);
    at = p->pos;
    for (; *p->pos >= '0' && *p->pos <= '9'; p->pos++)
        ms = ms > MARCH_PAUSE_MS_MAX ? ms : ms * 10 + (uint64_t)(*p->pos - '0');
    if (p->pos == at)
        return fail(p, at, MARCH_UNEXPECTED, "a number of milliseconds");
    if (ms == 0 || ms > MARCH_PAUSE_MS_MAX)
        return fail(p, at, MARCH_BAD_PAUSE, "1 to 86400000 milliseconds");
    e->pause_ms = (uint32_t)ms;
    return need(p, ")", "')'");
}

static bool parse_element(struct parser *p)
{
    static const struct {
        const char *word;
        enum march_kind kind;
    } kinds[] = {
        { "any", MARCH_ANY },
        { "up", MARCH_UP },
        { "down", MARCH_DOWN },
        { "del", MARCH_PAUSE },
    };
    struct march_element *e;
    const char *at;

    skip_spaces(p);
    at = p->pos;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!take(p, kinds[i].word))
            continue;
        if (p->march->n_elements == MARCH_ELEMENTS_MAX)
            return fail(p, at, MARCH_TOO_LONG, "at most 16 elements");
        e = &p->march->element[p->march->n_elements++];
        *e = (struct march_element){ .kind = kinds[i].kind };
        if (!need(p, "(", "'('"))
            return false;
        return e->kind == MARCH_PAUSE ? parse_pause(p, e) : parse_ops(p, e);
    }
    return fail(p, at, MARCH_UNEXPECTED, "any, up, down or del");
}

static bool parse_list(struct parser *p)
{
    bool braces = take(p, "{");

    do {
        if (!parse_element(p))
            return false;
    } while (take(p, ";"));
    if (braces && !need(p, "}", "';' or '}'"))
        return false;
    skip_spaces(p);
    if (*p->pos)
        return fail(p, p->pos, MARCH_UNEXPECTED, braces ? "the end" : "';' or the end");
    return true;
}

enum march_status march_parse(const char *text, struct march *ret_march,
                              struct march_error *ret_error)
{
    struct march march = { 0 };
    struct march_error error = { 0 };
    struct parser p = { .text = text, .pos = text, .march = &march, .error = &error };

    if (parse_list(&p))
        *ret_march = march;
    else
        *ret_error = error;
    return error.status;
}

uint32_t march_sweeps(const struct march *march)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < march->n_elements; i++)
        n += march->element[i].n_ops;
    return n;
}

static bool is_directed(const struct march_element *e)
{
    return e->kind == MARCH_UP || e->kind == MARCH_DOWN;
}

uint32_t march_leg(const struct march *march, uint32_t element)
{
    enum march_kind direction = MARCH_ANY;
    uint32_t leg = 0;

    for (uint32_t i = 0; i <= element; i++) {
        const struct march_element *e = &march->element[i];

        if (!is_directed(e))
            continue;
        leg += direction != MARCH_ANY && e->kind != direction;
        direction = e->kind;
    }
    return leg;
}

static bool is_same(const struct march_element *a, const struct march_element *b)
{
    for (uint32_t i = 0; i < a->n_ops && a->n_ops == b->n_ops; i++) {
        if (a->op[i].write != b->op[i].write || a->op[i].complement != b->op[i].complement)
            return false;
    }
    return a->n_ops == b->n_ops;
}

uint32_t march_legs(const struct march *march)
{
    const struct march_element *directed[MARCH_ELEMENTS_MAX];
    uint32_t n = 0, legs = march_leg(march, march->n_elements - 1) + 1;

    for (uint32_t i = 0; i < march->n_elements; i++) {
        if (is_directed(&march->element[i]))
            directed[n++] = &march->element[i];
    }
    for (uint32_t i = 0, length = n / legs; i < n; i++) {
        if (n % legs || directed[i]->kind != directed[i / length * length]->kind ||
            !is_same(directed[i], directed[i % length]))
            return 0;
    }
    return legs;
}
