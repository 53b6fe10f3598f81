// SPDX-License-Identifier: MIT
#include "external/external.h"

#include "lib/crc32c.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

/* Over all backgrounds when a line is tested again, and the number of random data. */
#define JUDGE_MARCH  "any(w0);any(r0,w1);any(r1,w0);any(r0)"
#define JUDGE_RANDOM 8

enum state {
    STATE_FREE,
    STATE_KEPT,
    STATE_FAULT, /* found while judging */
};

void external_init(struct external *external, struct external_line *line, uint64_t memory_end)
{
    memset(external, 0, sizeof(*external));
    external->line = line;
    external->written.memory_end = memory_end;
}

void external_set_encrypted(struct external *external)
{
    external->is_encrypted = true;
}

bool external_is_encrypted(const struct external *external)
{
    return external->is_encrypted || garble_look_is_seen(&external->look);
}

bool external_wants_look(const struct external *external)
{
    return !external->is_encrypted && garble_look_wants(&external->look);
}

void external_round(struct external *external, const struct data *data)
{
    written_add(&external->written, data);
}

/* Lines that were taken; some may not be written yet. */
static uint32_t count_taken(const struct external *f)
{
    return (uint32_t)min_u64(atomic_load(&f->n_lines), EXTERNAL_LINES);
}

void external_begin_element(struct external *f, uint64_t now_us)
{
    f->element++;
    f->began_us = now_us;
    f->n_before = atomic_load(&f->n_lines);
}

void external_end_element(struct external *f, bool writes, uint64_t now_us)
{
    if (atomic_load(&f->n_lines) != f->n_before)
        f->hold_us = max_u64(f->hold_us, now_us - f->written_us);
    if (writes)
        f->written_us = f->began_us;
}

void external_held(struct external *f, uint64_t us)
{
    f->hold_us = max_u64(f->hold_us, us);
}

static uint32_t crc_of(const struct external_line *line)
{
    return crc32c(line, offsetof(struct external_line, crc));
}

static bool are_equal(const struct line *a, const struct line *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/*
 * After a write it holds the other polarity by now, else still what was found. What is neither is
 * no line that somebody wrote once; what was expected was only read wrong.
 */
static bool is_changed(const struct wrong_line *w)
{
    struct line complement;

    for (size_t i = 0; i < sizeof(complement.word) / sizeof(complement.word[0]); i++)
        complement.word[i] = ~w->expected->word[i];
    return are_equal(w->again, w->found) || are_equal(w->again, &complement);
}

void external_look(struct external *f, const struct wrong_line *w)
{
    garble_look_add(&f->look, garble_of(&f->written, w->phys, w->expected, w->found),
                    are_equal(w->again, w->expected));
}

/* Whether an intermittent fault may have made it, which nothing but this line will show. */
static bool may_be_garbage(const struct external *f, const struct line *found)
{
    return external_is_encrypted(f) && garble_is_random(found);
}

bool external_add(struct external *f, const struct wrong_line *w, struct external_place place)
{
    struct external_line *line;
    unsigned n;

    if (!is_changed(w) || !looks_external(&f->written, w->phys, w->expected, w->found) ||
        may_be_garbage(f, w->found) || atomic_load(&f->n_lines) >= EXTERNAL_LINES)
        return false;
    n = atomic_fetch_add(&f->n_lines, 1);
    if (n >= EXTERNAL_LINES)
        return false;
    line = &f->line[n];
    memset(line, 0, offsetof(struct external_line, state));
    line->phys = w->phys;
    line->expected = *w->expected;
    line->found = *w->found;
    line->place = place;
    line->element = f->element;
    line->crc = crc_of(line);
    atomic_store(&line->state, STATE_KEPT);
    return true;
}

bool external_ever(const struct external *external)
{
    return external->n_pages != 0;
}

bool external_any(const struct external *f)
{
    return atomic_load(&f->n_lines) != 0;
}

static bool is_kept(const struct external_line *line)
{
    return atomic_load(&line->state) == STATE_KEPT;
}

bool external_any_at(const struct external *f, bool (*at)(const void *ctx, uint64_t phys),
                     const void *ctx)
{
    for (uint32_t i = 0; i < count_taken(f); i++) {
        if (is_kept(&f->line[i]) && at(ctx, f->line[i].phys))
            return true;
    }
    return false;
}

static void note_wrong(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
    *(bool *)ctx = true;
}

static bool fails_over(const struct external_judge *judge, uint64_t phys, const struct data *data)
{
    bool wrong = false;
    struct sweep sweep = {
        .ops = judge->ops,
        .has_clflushopt = judge->has_clflushopt,
        .lanes = ORDER_ONE_LANE,
        .faults = { .report = note_wrong, .ctx = &wrong },
    };
    struct slice slice = { judge->memory(phys), phys, 1 };
    struct march march;
    struct march_error error;

    ASSERT(march_parse(JUDGE_MARCH, &march, &error) == MARCH_OK);
    for (uint32_t i = 0; i < march.n_elements; i++)
        sweep_element(&sweep, &march.element[i], data, slice);
    return wrong;
}

static bool fails_march(const struct external_judge *judge, uint64_t phys)
{
    for (uint32_t i = 0; i < DATA_BACKGROUNDS_LINE + JUDGE_RANDOM; i++) {
        bool background = i < DATA_BACKGROUNDS_LINE;
        struct data data =
            data_make(background ? DATA_BACKGROUND : DATA_RANDOM, i, background ? 0 : phys);

        if (fails_over(judge, phys, &data))
            return true;
    }
    return false;
}

static struct line_run run_of(const struct external_judge *judge, uint64_t phys)
{
    return (struct line_run){ .first = judge->memory(phys), .phys = phys, .n_lines = 1 };
}

static struct data data_of(const struct line *line)
{
    return (struct data){ .kind = DATA_BACKGROUND, .background = *line };
}

static bool is_sound(const struct external_line *line)
{
    return line->crc == crc_of(line);
}

static void set_fault(struct external_line *line)
{
    atomic_store(&line->state, STATE_FAULT);
}

/* For each line that is kept and no fault so far: a function that may make it one. */
#define FOR_EACH_KEPT(f, line)                                                                     \
    for (struct external_line *line = (f)->line; line < (f)->line + count_taken(f); line++)        \
        if (is_kept(line))

/* They were kept before memory was known to be encrypted. */
static void doubt_garbage(struct external *f)
{
    FOR_EACH_KEPT(f, line)
    {
        if (may_be_garbage(f, &line->found))
            set_fault(line);
    }
}

static void march_again(struct external *f, const struct external_judge *judge)
{
    FOR_EACH_KEPT(f, line)
    {
        if (judge->is_bad(judge->ctx, line->phys) || fails_march(judge, line->phys))
            set_fault(line);
    }
}

static void write_expected(const struct external_judge *judge, const struct external_line *line)
{
    struct line_run run = run_of(judge, line->phys);
    struct data data = data_of(&line->expected);

    judge->ops->fill(&run, &data, false);
    line_ops_fence();
}

static bool holds_expected(const struct external_judge *judge, const struct external_line *line)
{
    bool wrong = false;
    struct line_faults faults = { .report = note_wrong, .ctx = &wrong };
    struct line_run run = run_of(judge, line->phys);
    struct data data = data_of(&line->expected);

    line_ops_flush(&run, judge->has_clflushopt);
    judge->ops->verify(&run, &data, false, &faults);
    return !wrong;
}

/* As long as they had to hold their data in the test: cells that lose them do so again. */
static void hold_again(struct external *f, const struct external_judge *judge)
{
    bool waited;

    FOR_EACH_KEPT(f, line)
    {
        write_expected(judge, line);
    }
    waited = judge->wait(judge->ctx, f->hold_us);
    FOR_EACH_KEPT(f, line)
    {
        if (!waited || !holds_expected(judge, line))
            set_fault(line);
    }
}

/* NULL: there is no room. */
static struct external_page *find_page(struct external *f, uint64_t number)
{
    for (size_t i = 0; i < f->n_pages; i++) {
        if (f->page[i].page == number)
            return &f->page[i];
    }
    if (f->n_pages == EXTERNAL_PAGES)
        return NULL;
    f->page[f->n_pages] = (struct external_page){ .page = number };
    return &f->page[f->n_pages++];
}

/* Lines of one element stand together, but for those of several CPUs: these have other pages. */
static void count_runs(struct external *f)
{
    FOR_EACH_KEPT(f, line)
    {
        struct external_page *page = find_page(f, line->phys >> PAGE_SHIFT);

        if (page && page->last_element != line->element) {
            page->runs++;
            page->last_element = line->element;
        }
    }
    FOR_EACH_KEPT(f, line)
    {
        const struct external_page *page = find_page(f, line->phys >> PAGE_SHIFT);

        if (!page || page->runs >= EXTERNAL_RUNS)
            set_fault(line);
    }
}

/* An element that reads a line twice finds it changed twice. */
static bool is_repeated(const struct external *f, const struct external_line *line)
{
    for (const struct external_line *l = f->line; l < line; l++) {
        if (l->phys == line->phys && l->element == line->element)
            return true;
    }
    return false;
}

static void forget(struct external *f)
{
    for (uint32_t i = 0; i < count_taken(f); i++)
        atomic_store(&f->line[i].state, STATE_FREE);
    atomic_store(&f->n_lines, 0);
    f->hold_us = 0;
}

bool external_take_damaged(struct external *f, uint64_t *ret_phys)
{
    FOR_EACH_KEPT(f, line)
    {
        if (is_sound(line))
            continue;
        *ret_phys = line->phys;
        atomic_store(&line->state, STATE_FREE);
        return true;
    }
    return false;
}

void external_judge(struct external *f, const struct external_judge *judge)
{
    doubt_garbage(f);
    march_again(f, judge);
    hold_again(f, judge);
    count_runs(f);
}

bool external_take(struct external *f, struct external_judged *ret)
{
    for (uint32_t i = 0; i < count_taken(f); i++) {
        struct external_line *line = &f->line[i];
        unsigned state = atomic_exchange(&line->state, STATE_FREE);

        if (state == STATE_FREE)
            continue;
        *ret = (struct external_judged){ line, state == STATE_FAULT, is_repeated(f, line) };
        return true;
    }
    forget(f);
    return false;
}
