// SPDX-License-Identifier: MIT
/*
 * The fault models by hand: reads lines from standard input, does what they say, and prints what
 * was read. For the comparison with march_sim.py.
 *
 *     FAULT STATES OPERATION...
 *
 * FAULT: a primitive, or two linked ones, as FIRST=SECOND with one aggressor at most, or
 * FIRST+SECOND with one of each. STATES: what the aggressors, if there are any, and the victim hold
 * first, such as 01. Operations: a.w0 v.w1 a.r v.r, and b.w0 of the second's aggressor, on cells of
 * different lines; "w01" and "r" on a and v as two bits of one line. The answer: what the reads
 * gave, one digit each, "- ", and the states at the end.
 */
#include <stdio.h>
#include <string.h>

#include "tests/coverage/dram.h"

#define CELLS_MAX 3

/* The last is the victim. */
struct cells {
    struct dram dram;
    uint32_t n;
    struct bit_place place[CELLS_MAX];
};

static bool cell(const struct dram *d, struct bit_place place)
{
    return line_bit(&d->cell[place.line], place.bit);
}

static void write_bit(struct dram *d, struct bit_place place, bool value)
{
    struct line data = { 0 };

    line_set_bit(&data, place.bit, value);
    dram_write(d, place.line, &data);
}

static bool read_bit(struct dram *d, struct bit_place place)
{
    struct line data = dram_read(d, place.line);

    return line_bit(&data, place.bit);
}

static struct bit_place place_of(const struct cells *c, char name)
{
    return c->place[name == 'a' ? 0 : name == 'b' ? 1 : c->n - 1];
}

static void operate(struct cells *c, const char *operation)
{
    struct bit_place place = place_of(c, operation[0]);
    struct line data = { 0 };

    if (strcmp(operation, "r") == 0) {
        data = dram_read(&c->dram, 0);
        printf("%d%d", line_bit(&data, c->place[0].bit), line_bit(&data, c->place[1].bit));
    } else if (operation[0] == 'w') {
        line_set_bit(&data, c->place[0].bit, operation[1] == '1');
        line_set_bit(&data, c->place[1].bit, operation[2] == '1');
        dram_write(&c->dram, 0, &data);
    } else if (operation[2] == 'w') {
        write_bit(&c->dram, place, operation[3] == '1');
    } else {
        printf("%d", read_bit(&c->dram, place));
    }
}

/* text: FAULT, which is cut at its sign. together: all cells are in one line. */
static bool make_cells(struct cells *c, char *text, bool together)
{
    struct fault fault[2] = { 0 };
    char *sign = strpbrk(text, "=+");
    const bool is_pair = sign && *sign == '+';

    if (!primitive_parse(strtok(text, "=+"), &fault[0].primitive) ||
        (sign && !primitive_parse(sign + 1, &fault[1].primitive)))
        return false;
    c->n = is_pair ? 3
                   : 1 + (fault[0].primitive.aggressor != EVENT_NONE ||
                          fault[1].primitive.aggressor != EVENT_NONE);
    for (uint32_t i = 0; i < c->n; i++)
        c->place[i] = (struct bit_place){ together ? 0 : i, i == c->n - 1 ? 200 : 3 };
    dram_make(&c->dram, CELLS_MAX, 2);
    for (uint32_t i = 0; i < 1 + (sign != NULL); i++) {
        fault[i].aggressor = c->place[is_pair ? i : 0];
        fault[i].victim = c->place[c->n - 1];
        dram_add(&c->dram, fault[i]);
    }
    return true;
}

static bool answer(char *line)
{
    struct cells c;
    char *save, *text = strtok_r(line, " \n", &save), *states = strtok_r(NULL, " \n", &save);
    char *operation = strtok_r(NULL, " \n", &save);

    if (!text || !states || !operation ||
        !make_cells(&c, text, operation[0] == 'w' || strcmp(operation, "r") == 0))
        return false;
    for (uint32_t i = 0; i < c.n; i++)
        dram_preset(&c.dram, c.place[i], states[i] == '1');
    dram_settle(&c.dram);
    for (; operation; operation = strtok_r(NULL, " \n", &save))
        operate(&c, operation);
    printf("- ");
    for (uint32_t i = 0; i < c.n; i++)
        printf("%d", cell(&c.dram, c.place[i]));
    printf("\n");
    dram_free(&c.dram);
    return true;
}

int main(void)
{
    char line[1024];

    while (fgets(line, sizeof(line), stdin)) {
        if (!answer(line)) {
            fprintf(stderr, "fault_trace: no fault: %s\n", line);
            return 2;
        }
    }
    return 0;
}
