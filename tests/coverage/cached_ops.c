// SPDX-License-Identifier: MIT
#include "tests/coverage/cached_ops.h"

/* Code under test. */
#define TESTED __attribute__((section("okram_text"), noinline))

TESTED static void write_line(struct line *line, const struct data *data, uint64_t phys,
                              uint64_t flip)
{
    volatile uint64_t *word = line->word;

    for (size_t i = 0; i < 8; i++)
        word[i] = data_word(data, phys + i * sizeof(*word)) ^ flip;
}

TESTED static void read_line(const struct line *line, const struct data *data, uint64_t phys,
                             bool complement, const struct line_faults *faults)
{
    const volatile uint64_t *word = line->word;
    uint64_t flip = complement ? UINT64_MAX : 0;
    struct line differs;

    for (size_t i = 0; i < 8; i++)
        differs.word[i] = word[i] ^ data_word(data, phys + i * sizeof(*word)) ^ flip;
    line_ops_report(faults, data, phys, complement, &differs);
}

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *ops, const struct line_faults *faults)
{
    struct line *line = run->first;
    uint64_t phys = run->phys;

    for (uint64_t n = run->n_lines; n; n--) {
        for (uint32_t i = 0; i < ops->n_ops; i++) {
            if (ops->op[i].write)
                write_line(line, data, phys, ops->op[i].complement ? UINT64_MAX : 0);
            else
                read_line(line, data, phys, ops->op[i].complement, faults);
        }
        line += run->down ? -1 : 1;
        phys += run->down ? -sizeof(*line) : sizeof(*line);
    }
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    struct march_op op = { .write = true, .complement = complement };

    sequence(run, data, &(struct line_sequence){ .op = &op, .n_ops = 1, .n_lanes = 1, .window = 1 },
             NULL);
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    struct march_op op = { .complement = complement };

    sequence(run, data, &(struct line_sequence){ .op = &op, .n_ops = 1, .n_lanes = 1, .window = 1 },
             faults);
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    struct march_op ops[] = {
        { .complement = read_complement },
        { .write = true, .complement = write_complement },
    };

    sequence(run, data, &(struct line_sequence){ .op = ops, .n_ops = 2, .n_lanes = 1, .window = 1 },
             faults);
}

const struct line_ops cached_ops = {
    .name = "cached",
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
};
