// SPDX-License-Identifier: MIT
#include "rare.h"

#include <string.h>

#include "permutation.h"

#define LINE  UINT64_C(64)
#define WORDS 8

const char *rare_word(enum rare_when when)
{
    static const char *const words[] = {
        [RARE_ALWAYS] = "always", [RARE_LOAD] = "load",       [RARE_STEP] = "step",
        [RARE_TOGGLE] = "toggle", [RARE_PATTERN] = "pattern", [RARE_LANES] = "lanes",
        [RARE_ROW] = "row",       [RARE_TURN] = "turn",       [RARE_CPU] = "cpu",
    };

    return when < RARE_WHENS ? words[when] : NULL;
}

static uint64_t next_random(uint64_t *random)
{
    *random += UINT64_C(0x9e3779b97f4a7c15);
    return permutation_mix(*random);
}

void rare_begin(struct rare *r)
{
    unsigned bits = r->when == RARE_PATTERN ? 64 * WORDS : 64;

    r->random = r->seed;
    for (unsigned n = 0; n < RARE_DRAWN;) {
        uint64_t drawn = next_random(&r->random), bit = drawn % bits, one = UINT64_C(1) << bit % 64;

        if (r->mask[bit / 64] & one)
            continue;
        r->mask[bit / 64] |= one;
        r->value[bit / 64] |= drawn >> 63 ? one : 0;
        n++;
    }
}

bool rare_sees_loads(const struct rare *r)
{
    return r->when == RARE_LOAD || r->when == RARE_STEP || r->when == RARE_ROW ||
           r->when == RARE_TURN;
}

static bool toggles(const uint64_t word[WORDS])
{
    for (unsigned i = 1; i < WORDS; i++) {
        if (__builtin_popcountll(word[i] ^ word[i - 1]) < 56)
            return false;
    }
    return true;
}

static bool has_drawn(const struct rare *r, const uint64_t word[WORDS])
{
    for (unsigned i = 0; i < WORDS; i++) {
        if ((word[i] ^ r->value[i]) & r->mask[i])
            return false;
    }
    return true;
}

static bool opens_row(struct rare *r, uint64_t line)
{
    uint64_t *row = &r->row[line / RARE_ROW_BYTES % RARE_BANKS];
    uint64_t now = 1 + line / RARE_ROW_BYTES / RARE_BANKS;
    bool is_other = *row != now;

    *row = now;
    return is_other;
}

/* Whether any CPU has been there in the last RARE_QUIET_NS, or any but this one. */
static bool is_busy(struct rare *r, const struct rare_access *a, bool others)
{
    for (unsigned i = 0; i < RARE_CPUS; i++) {
        if (!(others && i == a->cpu % RARE_CPUS) && a->now_ns - r->at_ns[i] < RARE_QUIET_NS)
            return true;
    }
    return false;
}

static bool is_in_step(struct rare *r, const struct rare_access *a)
{
    r->burst = is_busy(r, a, false) ? r->burst + 1 : 0;
    return r->burst < RARE_STEP_LINES;
}

/* All that is kept of an access is kept whether it counts or not. */
static bool counts(struct rare *r, const struct rare_access *a, const uint64_t word[WORDS],
                   uint64_t line)
{
    switch (r->when) {
    case RARE_LOAD: return is_busy(r, a, true);
    case RARE_STEP: return is_in_step(r, a);
    case RARE_TOGGLE: return toggles(word);
    case RARE_PATTERN: return has_drawn(r, word);
    case RARE_LANES: return toggles(word) && has_drawn(r, word);
    case RARE_ROW: return opens_row(r, line);
    case RARE_TURN: return r->was_load;
    case RARE_CPU: return a->cpu == 1;
    default: return true;
    }
}

void rare_after(struct rare *r, uint8_t *bytes, const struct rare_access *a)
{
    uint64_t line = a->offset / LINE * LINE, word[WORDS], random;
    bool now;

    if ((a->offset + a->size) % LINE || line - r->offset >= r->size)
        return;
    memcpy(word, &bytes[line], sizeof(word));
    now = counts(r, a, word, line) && a->is_store;
    r->at_ns[a->cpu % RARE_CPUS] = a->now_ns;
    r->was_load = !a->is_store;
    if (!now || next_random(&r->random) % r->one_in)
        return;
    random = next_random(&r->random) % (8 * LINE);
    __atomic_fetch_xor(&bytes[line + random / 8], (uint8_t)(1u << random % 8), __ATOMIC_SEQ_CST);
}
