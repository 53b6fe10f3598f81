// SPDX-License-Identifier: MIT
#include "tests/kinds/faulty.h"

#include "lib/splitmix.h"

static bool bit_of(const struct line *line, uint32_t bit)
{
    return line->word[bit / 64] >> bit % 64 & 1;
}

static void set_bit(struct line *line, uint32_t bit, bool value)
{
    uint64_t one = UINT64_C(1) << bit % 64;

    line->word[bit / 64] = value ? line->word[bit / 64] | one : line->word[bit / 64] & ~one;
}

bool faulty_chance(struct faulty *f, double part)
{
    return (double)(splitmix_next(&f->random) >> 11) < part * 0x1p53;
}

/* Between the data bus and the cells. */
static struct line scramble(const struct faulty *f, size_t line, struct line data)
{
    uint64_t state = f->seed + f->line[line].phys * SPLITMIX_STEP;

    for (size_t i = 0; f->scrambles && i < 8; i++)
        data.word[i] ^= splitmix_next(&state);
    return data;
}

static void act_on_write(struct faulty *f, struct faulty_cell *c, const struct line *was,
                         struct line *now)
{
    bool before = bit_of(was, c->bit), stored = bit_of(now, c->bit);

    switch (c->what) {
    case CELL_TRANSITION: set_bit(now, c->bit, stored == c->value ? before : stored); break;
    case CELL_LAPSE:
        if (faulty_chance(f, 1.0 / c->one_in))
            set_bit(now, c->bit, !stored);
        break;
    default: break;
    }
    c->touched_s = f->now_s;
}

/* An aggressor has been written: its victims change. */
static void couple(struct faulty *f, const struct faulty_cell *c, const struct line *was,
                   const struct line *now)
{
    struct line *victim = &f->line[c->line].held;
    bool old = bit_of(was, c->aggressor_bit), new = bit_of(now, c->aggressor_bit);

    if (old == new || new != c->edge)
        return;
    if (c->what == CELL_INVERTED)
        set_bit(victim, c->bit, !bit_of(victim, c->bit));
    else if (c->what == CELL_SET)
        set_bit(victim, c->bit, c->value);
}

void faulty_write(struct faulty *f, size_t line, const struct line *data)
{
    size_t target = f->line[line].reaches;
    struct line was = f->line[target].held, now = scramble(f, line, *data);

    for (size_t i = 0; i < f->n_cells; i++) {
        if (f->cell[i].line == target)
            act_on_write(f, &f->cell[i], &was, &now);
    }
    f->line[target].held = now;
    for (size_t i = 0; i < f->n_cells; i++) {
        if (f->cell[i].what >= CELL_INVERTED && f->cell[i].aggressor_line == target)
            couple(f, &f->cell[i], &was, &now);
    }
}

static void act_on_read(struct faulty *f, struct faulty_cell *c, struct line *cells,
                        struct line *found)
{
    switch (c->what) {
    case CELL_STUCK: set_bit(found, c->bit, c->value); break;
    case CELL_MISREAD:
        if (faulty_chance(f, 1.0 / c->one_in))
            set_bit(found, c->bit, !bit_of(cells, c->bit));
        break;
    case CELL_FADES:
        if (f->now_s - c->touched_s > c->hold_s && bit_of(cells, c->bit) == c->value) {
            set_bit(cells, c->bit, !c->value);
            set_bit(found, c->bit, !c->value);
        }
        c->touched_s = f->now_s;
        break;
    case CELL_STATE:
        if (bit_of(&f->line[c->aggressor_line].held, c->aggressor_bit) == c->edge) {
            set_bit(cells, c->bit, c->value);
            set_bit(found, c->bit, c->value);
        }
        break;
    default: break;
    }
}

static void act_lanes(struct faulty *f, const struct faulty_line *l, struct line *found)
{
    bool noisy = f->noise_one_in && faulty_chance(f, 1.0 / f->noise_one_in);

    for (size_t i = 0; i < 8; i++) {
        if (!f->noise_one_in)
            found->word[i] =
                (found->word[i] & ~l->mask.word[i]) | (l->stuck.word[i] & l->mask.word[i]);
        else if (noisy)
            found->word[i] ^= l->mask.word[i] & splitmix_next(&f->random);
    }
}

struct line faulty_read(struct faulty *f, size_t line)
{
    struct faulty_line *target = &f->line[f->line[line].reaches];
    struct line found = target->held;

    act_lanes(f, target, &found);
    for (size_t i = 0; i < f->n_cells; i++) {
        if (f->cell[i].line == f->line[line].reaches)
            act_on_read(f, &f->cell[i], &target->held, &found);
    }
    return scramble(f, line, found);
}
