// SPDX-License-Identifier: MIT
#include "external/external.h"

#include "lib/bits.h"
#include "lib/crc32c.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

/*
 * What a fault looks like where memory is encrypted. The controller encrypts blocks of 16 bytes
 * (Intel's TME: AES-XTS; AMD's SME and TSME: AES). One wrong bit in DRAM makes all of its block
 * random: half of its bits differ from what was written, whatever chip or cell is faulty.
 *
 * Without encryption no fault does that, and no device writes single blocks of random data and
 * leaves the rest of the line alone. So memory counts as encrypted once several lines were garbled
 * in this way: some blocks are right, all others are random; or all four are random, and right when
 * they are read again, which what a device has written is not. Lines that are wrong in another way
 * speak against it: a few bits, or a part of a block.
 */

#define GARBLE_FOR_OTHERS  4  /* or this number for each line that is wrong in another way */
#define GARBLE_LINES_ASKED 64 /* further lines are not looked at */

enum garble {
    GARBLE_NOT,   /* a block is wrong in another way */
    GARBLE_PART,  /* one to three blocks are random, the others right */
    GARBLE_WHOLE, /* all blocks are random */
};

#define BLOCKS      4
#define BLOCK_WORDS 2
#define LINE_BYTES  64

/*
 * Of 64 random bytes, 56.7 differ from each other, give or take 2.4; each of the eight bits is set
 * in 32 of them, give or take 4.
 */
#define FEWEST_BYTES 41
#define SET_MIN      7
#define SET_MAX      57

static bool is_right(const struct line *expected, const struct line *found, unsigned block)
{
    const size_t first = block * BLOCK_WORDS;

    return memcmp(&expected->word[first], &found->word[first], BLOCK_WORDS * sizeof(uint64_t)) == 0;
}

static enum garble garble_of(const struct written *written, uint64_t phys,
                             const struct line *expected, const struct line *found)
{
    const uint32_t words = unrelated_words(written, phys, expected, found);
    const uint32_t both = (1u << BLOCK_WORDS) - 1;
    unsigned n_random = 0;

    for (unsigned block = 0; block < BLOCKS; block++) {
        if ((words >> block * BLOCK_WORDS & both) == both)
            n_random++;
        else if (!is_right(expected, found, block))
            return GARBLE_NOT;
    }
    if (n_random == BLOCKS)
        return GARBLE_WHOLE;
    return n_random ? GARBLE_PART : GARBLE_NOT;
}

static unsigned count_bytes(const struct line *line)
{
    uint64_t seen[4] = { 0 };
    unsigned n = 0;

    for (unsigned i = 0; i < LINE_BYTES; i++) {
        uint8_t byte = (uint8_t)(line->word[i / 8] >> i % 8 * 8);

        seen[byte / 64] |= UINT64_C(1) << byte % 64;
    }
    for (unsigned i = 0; i < 4; i++)
        n += bits_count(seen[i]);
    return n;
}

/*
 * Whether all of a line could be random. False, in one of 10^9 random lines: its bytes are too much
 * alike, or a bit of most of them is the same, as in text, numbers and pointers.
 */
static bool garble_is_random(const struct line *line)
{
    if (count_bytes(line) < FEWEST_BYTES)
        return false;
    for (unsigned bit = 0; bit < 8; bit++) {
        unsigned n_set = 0;

        for (unsigned i = 0; i < LINE_BYTES / 8; i++)
            n_set += bits_count(line->word[i] >> bit & UINT64_C(0x0101010101010101));
        if (n_set < SET_MIN || n_set > SET_MAX)
            return false;
    }
    return true;
}

/* Whether more lines are wanted. */
static bool garble_look_wants(const struct garble_look *look)
{
    return !atomic_load(&look->seen) &&
           atomic_load(&look->n_garbled) + atomic_load(&look->n_others) < GARBLE_LINES_ASKED;
}

/* A line was wrong. came_right: by a second read it is as expected. */
static void garble_look_add(struct garble_look *look, enum garble garble, bool came_right)
{
    unsigned n_garbled, n_others;

    if (garble == GARBLE_WHOLE && !came_right)
        return; /* a device may have written it */
    if (garble == GARBLE_NOT)
        atomic_fetch_add(&look->n_others, 1);
    else
        atomic_fetch_add(&look->n_garbled, 1);
    n_garbled = atomic_load(&look->n_garbled);
    n_others = atomic_load(&look->n_others);
    if (n_garbled >= GARBLE_LINES && n_garbled >= GARBLE_FOR_OTHERS * n_others)
        atomic_store(&look->seen, true);
}

/* Whether memory looks encrypted. It stays so. */
static bool garble_look_is_seen(const struct garble_look *look)
{
    return atomic_load(&look->seen);
}

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
