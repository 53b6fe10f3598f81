// SPDX-License-Identifier: MIT
/* Memory for the faults between bits that are written together: of one word, of one line. */
#include "tests/coverage/world.h"

#define WORD_BITS 64
#define WORDS     8
#define WORD_LINES                                                                                 \
    (N_WITHIN * WORD_BITS / WORDS) /* every bit of a word as aggressor, every fault */
#define LINE_LINES 128             /* every fourth bit of a line as aggressor */

static const struct area areas[] = {
    { 0, 0, UINT64_C(0x3fff800), WORD_LINES + LINE_LINES, 0 },
};

static void add(struct world *w, uint32_t row, const char *place, uint32_t line, uint32_t aggressor,
                uint32_t victim)
{
    struct fault fault = {
        .kind = FAULT_PRIMITIVE,
        .aggressor = { line, aggressor },
        .victim = { line, victim },
    };

    primitive_parse(row_primitive(row)->notation, &fault.primitive);
    world_add(w, (struct instance){ .row = row, .place = place }, fault, victim % 3 == 0);
}

/* In every word one bit is the aggressor of all others, by one of the faults. */
static void add_words(struct world *w)
{
    for (uint32_t word = 0; word < WORD_LINES * WORDS; word++) {
        uint32_t first = word % WORDS * WORD_BITS, aggressor = word % WORD_BITS;

        for (uint32_t bit = 0; bit < WORD_BITS; bit++) {
            if (bit != aggressor)
                add(w, ROW_WORD + word / WORD_BITS, "word", word / WORDS, first + aggressor,
                    first + bit);
        }
    }
}

/* In every line one bit is the aggressor of all others, by all faults in turn. */
static void add_lines(struct world *w)
{
    for (uint32_t i = 0; i < LINE_LINES; i++) {
        uint32_t aggressor = i * (LINE_BITS / LINE_LINES) + i % (LINE_BITS / LINE_LINES);

        for (uint32_t bit = 0; bit < LINE_BITS; bit++) {
            if (bit != aggressor)
                add(w, ROW_LINE + (bit + i) % N_WITHIN, "line", WORD_LINES + i, aggressor, bit);
        }
    }
}

void world_make_within(struct world *w)
{
    world_begin(w, areas, 1, 1, (WORD_LINES * WORDS) * WORD_BITS + LINE_LINES * LINE_BITS);
    add_words(w);
    add_lines(w);
}
