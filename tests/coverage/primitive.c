// SPDX-License-Identifier: MIT
#include "tests/coverage/primitive.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/panic.h"

const struct primitive_row primitive_rows[N_PRIMITIVES] = {
    { CLASS_ONE_CELL, "SF", "<0/1/->" },       { CLASS_ONE_CELL, "SF", "<1/0/->" },
    { CLASS_ONE_CELL, "TF", "<0w1/0/->" },     { CLASS_ONE_CELL, "TF", "<1w0/1/->" },
    { CLASS_ONE_CELL, "WDF", "<0w0/1/->" },    { CLASS_ONE_CELL, "WDF", "<1w1/0/->" },
    { CLASS_ONE_CELL, "RDF", "<0r0/1/1>" },    { CLASS_ONE_CELL, "RDF", "<1r1/0/0>" },
    { CLASS_ONE_CELL, "DRDF", "<0r0/1/0>" },   { CLASS_ONE_CELL, "DRDF", "<1r1/0/1>" },
    { CLASS_ONE_CELL, "IRF", "<0r0/0/1>" },    { CLASS_ONE_CELL, "IRF", "<1r1/1/0>" },

    { CLASS_TWO_CELL, "CFst", "<0;0/1/->" },   { CLASS_TWO_CELL, "CFst", "<0;1/0/->" },
    { CLASS_TWO_CELL, "CFst", "<1;0/1/->" },   { CLASS_TWO_CELL, "CFst", "<1;1/0/->" },
    { CLASS_TWO_CELL, "CFds", "<0r0;0/1/->" }, { CLASS_TWO_CELL, "CFds", "<0r0;1/0/->" },
    { CLASS_TWO_CELL, "CFds", "<1r1;0/1/->" }, { CLASS_TWO_CELL, "CFds", "<1r1;1/0/->" },
    { CLASS_TWO_CELL, "CFds", "<0w0;0/1/->" }, { CLASS_TWO_CELL, "CFds", "<0w0;1/0/->" },
    { CLASS_TWO_CELL, "CFds", "<0w1;0/1/->" }, { CLASS_TWO_CELL, "CFds", "<0w1;1/0/->" },
    { CLASS_TWO_CELL, "CFds", "<1w0;0/1/->" }, { CLASS_TWO_CELL, "CFds", "<1w0;1/0/->" },
    { CLASS_TWO_CELL, "CFds", "<1w1;0/1/->" }, { CLASS_TWO_CELL, "CFds", "<1w1;1/0/->" },
    { CLASS_TWO_CELL, "CFtr", "<0;0w1/0/->" }, { CLASS_TWO_CELL, "CFtr", "<0;1w0/1/->" },
    { CLASS_TWO_CELL, "CFtr", "<1;0w1/0/->" }, { CLASS_TWO_CELL, "CFtr", "<1;1w0/1/->" },
    { CLASS_TWO_CELL, "CFwd", "<0;0w0/1/->" }, { CLASS_TWO_CELL, "CFwd", "<0;1w1/0/->" },
    { CLASS_TWO_CELL, "CFwd", "<1;0w0/1/->" }, { CLASS_TWO_CELL, "CFwd", "<1;1w1/0/->" },
    { CLASS_TWO_CELL, "CFrd", "<0;0r0/1/1>" }, { CLASS_TWO_CELL, "CFrd", "<0;1r1/0/0>" },
    { CLASS_TWO_CELL, "CFrd", "<1;0r0/1/1>" }, { CLASS_TWO_CELL, "CFrd", "<1;1r1/0/0>" },
    { CLASS_TWO_CELL, "CFdr", "<0;0r0/1/0>" }, { CLASS_TWO_CELL, "CFdr", "<0;1r1/0/1>" },
    { CLASS_TWO_CELL, "CFdr", "<1;0r0/1/0>" }, { CLASS_TWO_CELL, "CFdr", "<1;1r1/0/1>" },
    { CLASS_TWO_CELL, "CFir", "<0;0r0/0/1>" }, { CLASS_TWO_CELL, "CFir", "<0;1r1/1/0>" },
    { CLASS_TWO_CELL, "CFir", "<1;0r0/0/1>" }, { CLASS_TWO_CELL, "CFir", "<1;1r1/1/0>" },

    { CLASS_WITHIN, "CFst", "<0;0/1/->" },     { CLASS_WITHIN, "CFst", "<0;1/0/->" },
    { CLASS_WITHIN, "CFst", "<1;0/1/->" },     { CLASS_WITHIN, "CFst", "<1;1/0/->" },
    { CLASS_WITHIN, "CFid", "<0w1;1/0/->" },   { CLASS_WITHIN, "CFid", "<0w1;0/1/->" },
    { CLASS_WITHIN, "CFid", "<1w0;1/0/->" },   { CLASS_WITHIN, "CFid", "<1w0;0/1/->" },
    { CLASS_WITHIN, "CFin", "<0w1;x/!x/->" },  { CLASS_WITHIN, "CFin", "<1w0;x/!x/->" },
};

static const struct {
    const char *text;
    enum event event;
} events[] = {
    { "x", EVENT_ANY },         { "0r0", EVENT_READ_0 },    { "1r1", EVENT_READ_1 },
    { "0w0", EVENT_WRITE_0_0 }, { "0w1", EVENT_WRITE_0_1 }, { "1w0", EVENT_WRITE_1_0 },
    { "1w1", EVENT_WRITE_1_1 }, { "0", EVENT_IS_0 },        { "1", EVENT_IS_1 },
};

/* Moves *at past the word, if it is there. */
static bool take(const char **at, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool take_event(const char **at, enum event *ret_event)
{
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (take(at, events[i].text)) {
            *ret_event = events[i].event;
            return true;
        }
    }
    return false;
}

static bool take_bit(const char **at, bool *ret_bit)
{
    *ret_bit = **at == '1';
    return take(at, "0") || take(at, "1");
}

bool primitive_parse(const char *notation, struct primitive *ret_primitive)
{
    struct primitive p = { 0 };
    const char *at = notation;
    bool is_read;

    if (!take(&at, "<") || !take_event(&at, &p.victim))
        return false;
    if (take(&at, ";")) {
        p.aggressor = p.victim;
        if (p.aggressor == EVENT_ANY || !take_event(&at, &p.victim))
            return false;
        if (!event_is_state(p.aggressor) && p.victim > EVENT_IS_1)
            return false;
    }
    p.inverts = p.victim == EVENT_ANY;
    if (p.inverts && p.aggressor <= EVENT_IS_1)
        return false;
    is_read = p.victim == EVENT_READ_0 || p.victim == EVENT_READ_1;
    if (!take(&at, "/") || !(p.inverts ? take(&at, "!x") : take_bit(&at, &p.faulty)) ||
        !take(&at, "/") || !(is_read ? take_bit(&at, &p.read) : take(&at, "-")) || !take(&at, ">"))
        return false;
    if (*at)
        return false;
    *ret_primitive = p;
    return true;
}

/* Not one of states alone: an operation is what begins it. */
static bool has_operation(const struct primitive *p)
{
    return !event_is_state(p->victim) || p->aggressor > EVENT_IS_1;
}

static bool is_hidden(const struct primitive *p)
{
    const bool reads = p->victim == EVENT_READ_0 || p->victim == EVENT_READ_1;

    return has_operation(p) && p->faulty != event_after(p->victim) &&
           !(reads && p->read == p->faulty);
}

static bool flips_back(const struct primitive *p, bool from)
{
    return has_operation(p) && event_before(p->victim) == from && p->faulty != from;
}

static bool has_kind(const struct linked *l)
{
    static const bool has_first[] = { false, true, true, false, true };
    static const bool has_second[] = { false, true, false, true, true };

    return has_first[l->kind] == (l->first.aggressor != EVENT_NONE) &&
           has_second[l->kind] == (l->second.aggressor != EVENT_NONE);
}

#define N_STATIC (N_ONE_CELL + N_TWO_CELL)

static uint32_t make_linked(struct linked ret_rows[N_LINKED])
{
    static const char *const kinds[] = { "LF1", "LF2aa", "LF2av", "LF2va", "LF3" };
    uint32_t n = 0;

    for (uint32_t i = 0; i < N_LINKED_KINDS * N_STATIC * N_STATIC; i++) {
        const char *first = primitive_rows[i / N_STATIC % N_STATIC].notation;
        const char *second = primitive_rows[i % N_STATIC].notation;
        struct linked l = { .kind = i / N_STATIC / N_STATIC };

        ASSERT(primitive_parse(first, &l.first) && primitive_parse(second, &l.second));
        if (!has_kind(&l) || !is_hidden(&l.first) || !flips_back(&l.second, l.first.faulty))
            continue;
        ASSERT(n < N_LINKED);
        snprintf(l.name, sizeof(l.name), "%s %s %s", kinds[l.kind], first, second);
        ret_rows[n++] = l;
    }
    return n;
}

const struct linked *linked_row(uint32_t i)
{
    static struct linked rows[N_LINKED];
    static uint32_t n;

    if (!n)
        n = make_linked(rows);
    ASSERT(n == N_LINKED && i < n);
    return &rows[i];
}
