// SPDX-License-Identifier: MIT
/* What of reads and writes gets through a controller to the cells. */
#include "tests/coverage/controller.h"

#include "tests/unit/unit.h"

#define LINES 4

/*
 * Programs are words, each with a line's number: w writes the number of the word, c writes 9 to the
 * cells behind the controller, d drains it, r reads, and what it reads is noted.
 */
static const struct row {
    enum controller_kind kind;
    uint32_t capacity;
    const char *program;
    const char *read;  /* what the reads gave, one after the other */
    const char *cells; /* what is in the cells then */
} rows[] = {
    { CONTROLLER_NONE, 0, "w0 w0 r0 c0 r0", "29", "9000" },
    /* The queue merges, forwards, and lets out what came first. */
    { CONTROLLER_QUEUE, 2, "w0 w0 w1", "", "0000" },
    { CONTROLLER_QUEUE, 2, "w0 w1 w0 w2", "", "3000" },
    { CONTROLLER_QUEUE, 2, "w0 w1 w2 w3", "", "1200" },
    { CONTROLLER_QUEUE, 2, "w0 c0 r0 c0 r0", "11", "9000" },
    { CONTROLLER_QUEUE, 2, "w0 w1 w2 c0 r0", "9", "9000" },
    { CONTROLLER_QUEUE, 2, "r0 c0 r0", "09", "9000" }, /* what is only read is not held */
    { CONTROLLER_QUEUE, 1, "w0 w1 w0", "", "1200" },
    /* The side cache holds what is read, too, and lets out what was not used for longest. */
    { CONTROLLER_SIDE_CACHE, 2, "r0 c0 r0", "00", "9000" },
    { CONTROLLER_SIDE_CACHE, 2, "r0 c0 r1 r2 r0", "0009", "9000" },
    { CONTROLLER_SIDE_CACHE, 2, "w0 w1 w0 w2", "", "0200" },
    { CONTROLLER_SIDE_CACHE, 2, "w0 w1 r0 w2", "1", "0200" },
    { CONTROLLER_SIDE_CACHE, 2, "r0 w0 r1 r2", "000", "2000" },
    { CONTROLLER_SIDE_CACHE, 2, "r0 c0 r1 r2 r3", "0000", "9000" }, /* clean: nothing to write */
    { CONTROLLER_SIDE_CACHE, 1, "w0 r1 c0 r0", "09", "9000" },
    { CONTROLLER_SIDE_CACHE, 4, "w0 r1 w2 d0 c0 r0 r2", "093", "9030" },
    { CONTROLLER_QUEUE, 2, "w0 w1 d0 c0 r0", "9", "9200" },
    { CONTROLLER_NONE, 0, "w0 d0 r0", "1", "1000" },
    { CONTROLLER_SIDE_CACHE, 4, "w0 w1 w2 w3 w0 r0 r3", "54", "0000" },
};

static void set(struct line *line, uint64_t value)
{
    memset(line, 0, sizeof(*line));
    line->word[0] = value;
}

static void execute(const struct row *row, struct controller *c, char *ret_read)
{
    uint64_t number = 0;
    struct line data;

    for (const char *at = row->program; *at; at += at[2] ? 3 : 2) {
        uint32_t line = (uint32_t)(at[1] - '0');

        number++;
        if (*at == 'w') {
            set(&data, number);
            controller_write(c, line, &data);
        } else if (*at == 'd') {
            controller_drain(c);
        } else if (*at == 'c') {
            set(&c->dram->cell[line], 9);
        } else {
            *ret_read++ = (char)('0' + controller_read(c, line).word[0]);
        }
    }
    *ret_read = '\0';
}

TEST(get_through)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char read[16], cells[LINES + 1] = "";
        struct controller c;
        FREED_BY(dram_free) struct dram d;

        dram_make(&d, LINES, 0);
        controller_make(&c, &d, rows[i].kind, rows[i].capacity);
        execute(&rows[i], &c, read);
        for (uint32_t k = 0; k < LINES; k++)
            cells[k] = (char)('0' + d.cell[k].word[0]);
        assert_string_equal(read, rows[i].read);
        assert_string_equal(cells, rows[i].cells);
        controller_reset(&c);
        d.cell[0].word[0] = 8;
        assert_int_equal(controller_read(&c, 0).word[0], 8);
        controller_free(&c);
    }
}
