// SPDX-License-Identifier: MIT
/*
 * The fault models by hand: reads lines from standard input, does what they say, and prints what
 * was read. For the comparison with march_sim.py.
 *
 *     PRIMITIVE STATES OPERATION...
 *
 * STATES: what the aggressor, if there is one, and the victim hold first, such as 01. Operations:
 * a.w0 v.w1 a.r v.r on the cells of two lines; "w01" and "r" on both as two bits of one line. The
 * answer: what the reads gave, one digit each, "- ", and the states at the end.
 */
#include <stdio.h>
#include <string.h>

#include "tests/coverage/dram.h"

#define AGGRESSOR ((struct bit_place){ 0, 3 })
#define VICTIM    ((struct bit_place){ together ? 0 : 1, 200 })

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

static void operate(struct dram *d, const char *operation, bool together)
{
    struct bit_place place = operation[0] == 'a' ? AGGRESSOR : VICTIM;
    struct line data = { 0 };

    if (strcmp(operation, "r") == 0) {
        data = dram_read(d, 0);
        printf("%d%d", line_bit(&data, AGGRESSOR.bit), line_bit(&data, VICTIM.bit));
    } else if (operation[0] == 'w') {
        line_set_bit(&data, AGGRESSOR.bit, operation[1] == '1');
        line_set_bit(&data, VICTIM.bit, operation[2] == '1');
        dram_write(d, 0, &data);
    } else if (operation[2] == 'w') {
        write_bit(d, place, operation[3] == '1');
    } else {
        printf("%d", read_bit(d, place));
    }
}

static bool answer(char *text)
{
    struct dram d;
    struct primitive p;
    char *primitive = strtok(text, " \n"), *states = strtok(NULL, " \n"), *operation;
    bool together, pair;

    if (!primitive || !states || !primitive_parse(primitive, &p))
        return false;
    operation = strtok(NULL, " \n");
    together = operation && (operation[0] == 'w' || strcmp(operation, "r") == 0);
    pair = p.aggressor != EVENT_NONE;
    dram_make(&d, 2, 1);
    dram_add(&d, (struct fault){ .primitive = p, .aggressor = AGGRESSOR, .victim = VICTIM });
    if (pair)
        dram_preset(&d, AGGRESSOR, states[0] == '1');
    dram_preset(&d, VICTIM, states[pair] == '1');
    dram_settle(&d);
    for (; operation; operation = strtok(NULL, " \n"))
        operate(&d, operation, together);
    printf("- ");
    if (pair)
        printf("%d", cell(&d, AGGRESSOR));
    printf("%d\n", cell(&d, VICTIM));
    dram_free(&d);
    return true;
}

int main(void)
{
    char text[1024];

    while (fgets(text, sizeof(text), stdin)) {
        if (!answer(text)) {
            fprintf(stderr, "fault_trace: no primitive: %s\n", text);
            return 2;
        }
    }
    return 0;
}
