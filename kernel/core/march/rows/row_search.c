// SPDX-License-Identifier: MIT
#include "rows/row_search.h"

#include <stdbool.h>

#include "lib/bits.h"
#include "lib/sort.h"
#include "lib/span.h"
#include "lib/splitmix.h"
#include "rows/row_memory.h"

/* Measurements of a search for rows (rows/row_search.h), their two modes, and votes against noise.
 */

struct row_vote {
    const struct row_question *question;
    uint64_t random; /* state of lib/splitmix.h */
    unsigned bits;   /* of linear addresses */
    uint64_t n_measurements;
    bool is_over; /* no time, or no measurements, are left: all that follows is 0 */
};

enum row_verdict { ROW_FAST, ROW_SLOW, ROW_DIVIDED, ROW_NO_PAIR };

#define ROW_MEDIAN_MAX 15

/* Fewer latencies are not a mode. */
#define ROW_MODE_MIN 8

#define VOTES        24
#define VOTES_TO_WIN 17

/* Two lines that differ so. False: there are hardly any. */
static bool row_vote_pair(struct row_vote *vote, uint64_t difference, uint64_t ret_phys[2])
{
    return difference && row_memory_pair(vote->question->memory, vote->question->hole, vote->bits,
                                         difference, &vote->random, ret_phys);
}

/* How long a pair takes: once, and the median of n times. 0: it is over. */
static uint32_t row_vote_measure(struct row_vote *vote, const uint64_t phys[2])
{
    const struct row_question *q = vote->question;
    uint32_t latency = 0;

    vote->is_over |= vote->n_measurements >= q->n_measurements_max;
    if (!vote->is_over) {
        vote->n_measurements++;
        latency = q->latency(q->ctx, phys[0], phys[1]);
        vote->is_over = !latency;
    }
    return latency;
}

static uint32_t row_vote_median(struct row_vote *vote, const uint64_t phys[2], unsigned n)
{
    uint32_t latency[ROW_MEDIAN_MAX];

    for (unsigned i = 0; i < n; i++)
        latency[i] = row_vote_measure(vote, phys);
    sort_numbers(latency, n);
    return vote->is_over ? 0 : latency[n / 2];
}

/*
 * Whether pairs that differ so are slower than the threshold: 17 of 24 pairs at random have
 * to agree. With one measurement of four wrong, that is true of 77 % of the slow differences and of
 * one in 10^6 of the others.
 */
static enum row_verdict row_vote_is_slow(struct row_vote *vote, uint64_t difference,
                                         uint32_t threshold)
{
    unsigned slow = 0, fast = 0;

    while (slow < VOTES_TO_WIN && fast < VOTES_TO_WIN && slow + fast < VOTES) {
        uint64_t phys[2];

        if (!row_vote_pair(vote, difference, phys))
            return ROW_NO_PAIR;
        if (row_vote_measure(vote, phys) > threshold)
            slow++;
        else
            fast++;
        if (vote->is_over)
            return ROW_DIVIDED;
    }
    return slow >= VOTES_TO_WIN ? ROW_SLOW : fast >= VOTES_TO_WIN ? ROW_FAST : ROW_DIVIDED;
}

#define SEPARATION_MIN 12
#define DISTANCE_SHARE 20

struct sums {
    double n, x, xx;
};

static void add(struct sums *s, double x)
{
    s->n += 1;
    s->x += x;
    s->xx += x * x;
}

static double mean(const struct sums *s)
{
    return s->x / s->n;
}

static double variance(const struct sums *s)
{
    double v = s->xx / s->n - mean(s) * mean(s);

    return v > 0 ? v : 0;
}

/*
 * Splits n latencies, which it sorts, in two so that the means are as far from each other as can be
 * and far in comparison with how each part is spread: the squared distance of the means is 12 times
 * the sum of the variances, at least (two halves of one normal distribution have 3.5). And it is a
 * twentieth of the lower mean, at least: what separates less is the counter's unit, not a row that
 * is opened. False: no such split, so there is one mode.
 */
static bool row_modes_find(uint32_t *latency, size_t n, struct row_modes *ret)
{
    struct sums all = { 0 }, low = { 0 };
    double farthest = 0;

    sort_numbers(latency, n);
    for (size_t i = 0; i < n; i++)
        add(&all, latency[i]);
    for (size_t i = 0; i + ROW_MODE_MIN < n; i++) {
        struct sums high;
        double distance;

        add(&low, latency[i]);
        high = (struct sums){ all.n - low.n, all.x - low.x, all.xx - low.xx };
        distance = mean(&high) - mean(&low);
        if (i + 1 < ROW_MODE_MIN || distance <= farthest ||
            distance * DISTANCE_SHARE < mean(&low) ||
            distance * distance < SEPARATION_MIN * (variance(&low) + variance(&high)))
            continue;
        farthest = distance;
        *ret = (struct row_modes){ .fast = (uint32_t)mean(&low),
                                   .slow = (uint32_t)mean(&high),
                                   .threshold = (uint32_t)((mean(&low) + mean(&high)) / 2) };
    }
    return farthest > 0;
}

#define TAIL_TRIES     8192 /* pairs that are looked at for slow ones */
#define TAIL_FROM      85   /* per cent of all pairs that are faster than what is looked at again */
#define TAIL_MEDIAN    5
#define MODES_MAX      3
#define KNOWN_IN_A_ROW 20        /* slow differences that add nothing: 2^-20 that one is missing */
#define TRIES_MAX      (1 << 14) /* differences of which none is slow */
#define RIGHT_MIN      (ROW_PREDICTIONS * 5 / 8) /* with a function too few, half would be right */
#define DIVIDED_MAX    10
#define ROW_BITS_MIN   3
#define COLUMNS_MIN    3 /* bits of lines in a row: 512 bytes to 64 KiB */
#define COLUMNS_MAX    10

struct search {
    struct row_vote vote;
    struct row_work *work;
    struct row_result *result;
    uint64_t mask;      /* of the bits of a difference */
    size_t n_latencies; /* in `work` */
};

static const char *const texts[ROW_ANSWERS] = {
    [ROWS_FOUND] = "",
    [ROWS_TOO_LITTLE_MEMORY] = "too little memory to compare",
    [ROWS_ONE_MODE] = "all pairs of lines take the same time",
    [ROWS_NOT_LINEAR] = "which pairs of lines are slow does not follow from their addresses",
    [ROWS_NOT_CONFIRMED] = "the functions found do not predict which pairs of lines are slow",
    [ROWS_UNCLEAR] = "banks were found, but not which bits choose the row",
    [ROWS_OUT_OF_TIME] = "it took too long",
    [ROWS_VIRTUAL] = "addresses of a virtual machine are not those of the host's memory",
};

const char *row_answer_text(enum row_answer answer)
{
    return texts[answer];
}

static uint64_t any_difference(struct search *s)
{
    return splitmix_next(&s->vote.random) & s->mask;
}

/* What is usual: pairs at random. */
static enum row_answer measure_base(struct search *s)
{
    uint64_t pair[2];

    for (size_t i = 0; i < ROW_BASE_PAIRS && !s->vote.is_over; i++) {
        if (row_vote_pair(&s->vote, any_difference(s), pair))
            s->work->latency[s->n_latencies++] = row_vote_median(&s->vote, pair, ROW_MEDIAN_MAX);
    }
    if (s->vote.is_over)
        return ROWS_OUT_OF_TIME;
    return s->n_latencies < ROW_BASE_PAIRS / 2 ? ROWS_TOO_LITTLE_MEMORY : ROWS_FOUND;
}

/* What is slower: conflicts may be one pair in 512, so of many pairs only those count that are
 * slower than most, and are so again. */
static enum row_answer measure_tail(struct search *s)
{
    uint32_t limit;

    sort_numbers(s->work->latency, s->n_latencies);
    limit = s->work->latency[s->n_latencies * TAIL_FROM / 100];
    for (size_t i = 0; i < TAIL_TRIES && s->n_latencies < ROW_LATENCIES; i++) {
        uint64_t pair[2];

        if (!row_vote_pair(&s->vote, any_difference(s), pair) ||
            row_vote_measure(&s->vote, pair) <= limit ||
            row_vote_median(&s->vote, pair, TAIL_MEDIAN) <= limit)
            continue;
        s->work->latency[s->n_latencies++] = row_vote_median(&s->vote, pair, ROW_MEDIAN_MAX);
    }
    return s->vote.is_over ? ROWS_OUT_OF_TIME : ROWS_FOUND;
}

/* The highest mode, and without it those latencies that are left. */
static enum row_answer take_modes(struct search *s)
{
    if (!row_modes_find(s->work->latency, s->n_latencies, &s->result->modes))
        return ROWS_ONE_MODE;
    while (s->work->latency[s->n_latencies - 1] > s->result->modes.threshold)
        s->n_latencies--;
    return ROWS_FOUND;
}

/* The space of the differences that are slow. */
static enum row_answer find_conflicts(struct search *s)
{
    unsigned known = 0, tries = 0, unmeasured = 0;

    s->work->conflicts = (struct gf2_basis){ 0 };
    while (known < KNOWN_IN_A_ROW) {
        uint64_t difference = any_difference(s), pair[2];

        if (!row_vote_pair(&s->vote, difference, pair)) {
            if (++unmeasured == TRIES_MAX)
                return ROWS_TOO_LITTLE_MEMORY;
            continue;
        }
        if (row_vote_measure(&s->vote, pair) <= s->result->modes.threshold ||
            row_vote_is_slow(&s->vote, difference, s->result->modes.threshold) != ROW_SLOW) {
            if (++tries == TRIES_MAX)
                return ROWS_NOT_LINEAR;
        } else {
            known = gf2_add(&s->work->conflicts, difference) ? 0 : known + 1;
            tries = 0;
        }
        if (s->vote.is_over)
            return ROWS_OUT_OF_TIME;
    }
    gf2_reduce(&s->work->conflicts);
    return ROWS_FOUND;
}

static enum row_answer find_functions(struct search *s)
{
    struct row_map *map = &s->result->map;

    map->n_functions =
        gf2_complement(&s->work->conflicts, s->mask, map->function, ROW_FUNCTIONS_MAX);
    return map->n_functions && map->n_functions <= ROW_FUNCTIONS_MAX ? ROWS_FOUND : ROWS_NOT_LINEAR;
}

static uint64_t any_conflict(struct search *s)
{
    uint64_t difference = 0;

    for (unsigned bit = 0; bit < 64; bit++)
        difference ^= splitmix_next(&s->vote.random) & 1 ? s->work->conflicts.row[bit] : 0;
    return difference;
}

/* Times pairs at random that should be slow, or should not. Returns how many, ROW_PREDICTIONS or
 * less. */
static size_t measure_predicted(struct search *s, bool slow, uint32_t *ret_latency)
{
    uint64_t one_bit_of_bank = s->result->map.function[0] & -s->result->map.function[0];
    size_t n = 0;

    for (unsigned i = 0; i < ROW_PREDICTIONS; i++) {
        uint64_t difference = any_difference(s), pair[2];

        if (gf2_contains(&s->work->conflicts, difference) != slow)
            difference = slow ? any_conflict(s) : difference ^ one_bit_of_bank;
        if (row_vote_pair(&s->vote, difference, pair))
            ret_latency[n++] = row_vote_measure(&s->vote, pair);
    }
    return n;
}

/* The modes anew: those of the tail are of what was slow twice. */
static enum row_answer find_medians(struct search *s)
{
    struct row_modes *modes = &s->result->modes;
    uint32_t latency[ROW_PREDICTIONS];
    size_t n;

    for (unsigned slow = 0; slow < 2; slow++) {
        n = measure_predicted(s, slow, latency);
        if (s->vote.is_over)
            return ROWS_OUT_OF_TIME;
        if (!n)
            return ROWS_TOO_LITTLE_MEMORY;
        sort_numbers(latency, n);
        *(slow ? &modes->slow : &modes->fast) = latency[n / 2];
    }
    modes->threshold = modes->fast + (modes->slow - modes->fast) / 2;
    return modes->slow > modes->fast ? ROWS_FOUND : ROWS_NOT_CONFIRMED;
}

/* How many of the pairs are as they should be. */
static uint32_t predict(struct search *s, bool slow)
{
    uint32_t latency[ROW_PREDICTIONS], right = 0;
    size_t n = measure_predicted(s, slow, latency);

    for (size_t i = 0; i < n; i++)
        right += (latency[i] > s->result->modes.threshold) == slow;
    return right;
}

static enum row_answer confirm(struct search *s)
{
    s->result->slow_right = predict(s, true);
    s->result->fast_right = predict(s, false);
    if (s->vote.is_over)
        return ROWS_OUT_OF_TIME;
    return s->result->slow_right >= RIGHT_MIN && s->result->fast_right >= RIGHT_MIN
               ? ROWS_FOUND
               : ROWS_NOT_CONFIRMED;
}

/* Whether a vector of the basis leads to another row. */
static enum row_verdict changes_row(struct search *s, uint64_t difference)
{
    enum row_verdict verdict = ROW_DIVIDED;

    for (unsigned i = 0; i < DIVIDED_MAX && verdict == ROW_DIVIDED; i++)
        verdict = row_vote_is_slow(&s->vote, difference, s->result->modes.threshold);
    /* of which no two lines exist: only highest bits are so, and these are a row's */
    return verdict == ROW_NO_PAIR && s->result->map.row ? ROW_SLOW : verdict;
}

static enum row_answer rows_are_sound(const struct row_map *map)
{
    unsigned columns = bits_count(map->column & ~(LINE_SIZE - 1));

    return columns >= COLUMNS_MIN && columns <= COLUMNS_MAX && bits_count(map->row) >= ROW_BITS_MIN
               ? ROWS_FOUND
               : ROWS_UNCLEAR;
}

/* Each vector of the reduced basis is a bit of the row, or of the place in it. */
static enum row_answer find_rows(struct search *s)
{
    struct row_map *map = &s->result->map;

    map->column = LINE_SIZE - 1;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t difference = s->work->conflicts.row[bit];
        enum row_verdict verdict = difference ? changes_row(s, difference) : ROW_FAST;

        if (s->vote.is_over)
            return ROWS_OUT_OF_TIME;
        if (difference && verdict != ROW_SLOW && verdict != ROW_FAST)
            return ROWS_UNCLEAR;
        if (difference)
            *(verdict == ROW_SLOW ? &map->row : &map->column) |= UINT64_C(1) << bit;
        map->step[bit] = difference;
    }
    return rows_are_sound(map);
}

typedef enum row_answer step(struct search *);

static enum row_answer do_steps(struct search *s, step *const *steps, size_t n)
{
    enum row_answer answer = ROWS_FOUND;

    for (size_t i = 0; i < n && answer == ROWS_FOUND; i++)
        answer = steps[i](s);
    return answer;
}

/* Banks by each mode from the highest on, until they predict. */
static enum row_answer find_banks(struct search *s)
{
    static step *const steps[] = { take_modes, find_conflicts, find_functions, find_medians,
                                   confirm };
    enum row_answer first = ROWS_FOUND, answer;

    for (unsigned i = 0; i < MODES_MAX; i++) {
        answer = do_steps(s, steps, sizeof(steps) / sizeof(steps[0]));
        if (answer != ROWS_NOT_LINEAR && answer != ROWS_NOT_CONFIRMED)
            break;
        first = first ? first : answer;
    }
    return answer == ROWS_ONE_MODE && first ? first : answer;
}

static void attempt(struct search *s)
{
    static step *const steps[] = { measure_base, measure_tail, find_banks, find_rows };
    struct row_result *r = s->result;

    s->n_latencies = 0;
    *r = (struct row_result){ .map = { .hole = s->vote.question->hole,
                                       .bits = s->mask | (LINE_SIZE - 1) } };
    r->answer =
        s->mask ? do_steps(s, steps, sizeof(steps) / sizeof(steps[0])) : ROWS_TOO_LITTLE_MEMORY;
    if (r->answer)
        r->map.row = r->map.column = 0;
    if (r->answer && r->answer != ROWS_UNCLEAR)
        r->map.n_functions = 0;
}

void row_search(const struct row_question *question, struct row_work *work,
                struct row_result *ret_result)
{
    struct row_result first;
    struct search s = {
        .vote = { .question = question,
                  .random = question->seed,
                  .bits = row_memory_bits(question->memory, question->hole) },
        .work = work,
        .result = ret_result,
    };

    s.mask =
        ((UINT64_C(1) << s.vote.bits) - 1) & row_memory_differing(question->memory, question->hole);
    attempt(&s);
    first = *ret_result;
    if (first.answer && !s.vote.is_over)
        attempt(&s); /* with other pairs */
    if (ret_result->answer)
        *ret_result = first;
    ret_result->n_measurements = s.vote.n_measurements;
}
