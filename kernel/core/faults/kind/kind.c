// SPDX-License-Identifier: MIT
#include "kind/kind.h"

#include "kind/kind_evidence.h"
#include "lib/bits.h"
#include "lib/div_up.h"
#include "lib/fmt.h"
#include "lib/panic.h"

/* The rules' numbers, each with its reason in docs/kinds.md. */
#define FEW_WORDS        64
#define ROWS_MAX         4 /* next to each other, each in a block */
#define ROW_RANK_MAX     8 /* column bits of an address, at most */
#define COLUMN_BITS_MIN  6 /* column bits that all rows of a column have in common */
#define CHIP_LINES_MIN   32
#define CHIP_BLOCKS_SURE 64 /* in fewer it may be as many rows */
#define OTHER_DATA_SHARE 90 /* per cent of words that look random */
#define CHANGING_ONCE    70 /* per cent of words that were wrong once */
#define WRITTEN_PAGES    16 /* devices write to few places: the buffers that a driver gave them */
#define WRITTEN_LANES    3  /* a chip has one byte lane, of 16 bits two */
#define STATIC_RATE      90 /* per cent of the reads where a stuck cell would show */

struct facts {
    const struct kind_input *input;
    struct kind_evidence seen;
    struct kind_lane lane;
};

typedef bool rule(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *evidence);

/* Sure if there are `sure` or more, likely if `likely` or more; below, possible. */
static enum kind_confidence by_number(uint64_t n, uint64_t sure, uint64_t likely)
{
    return n >= sure ? KIND_SURE : n >= likely ? KIND_LIKELY : KIND_POSSIBLE;
}

static void set(struct kind_verdict *v, enum kind kind, enum kind_confidence confidence)
{
    v->kind = kind;
    v->confidence = confidence;
}

static void put_lane(struct fmt_buffer *b, const struct kind_lane *lane)
{
    if (lane->what == KIND_LANE_PIN)
        fmt_append(b, "bit %u of %u", lane->pin, lane->bus_bits);
    else if (lane->what == KIND_LANE_NONE)
        fmt_append(b, "bits of several byte lanes");
    else
        fmt_append(b, "bits %u-%u of %u", lane->pin, lane->pin + kind_lane_pins(lane) - 1,
                   lane->bus_bits);
}

static void put_again(struct fmt_buffer *b, const struct kind_repeats *r)
{
    if (r->n_again)
        fmt_append(b, "; %u of %u page%s bad again", r->always + r->sometimes + r->lost, r->n_again,
                   fmt_plural(r->n_again));
}

static bool is_alias(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_input *in = f->input;

    if (!in->alias_pages)
        return false;
    set(v, KIND_ADDRESS_LINE, by_number(in->alias_pages, 64, 2));
    fmt_append(b, "%llu page%s reach%s the cells of %s", (unsigned long long)in->alias_pages,
               fmt_plural(in->alias_pages), in->alias_pages == 1 ? "es" : "",
               in->alias_pages == 1 ? "another" : "others");
    if (in->alias_bits)
        fmt_append(b, ", at addresses that differ in 0x%llx", (unsigned long long)in->alias_bits);
    return true;
}

/* What the CPU encrypts before it gets to the pins says nothing of these. */
static bool is_hidden(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    if (!f->input->is_encrypted)
        return false;
    set(v, KIND_UNCLEAR, KIND_POSSIBLE);
    fmt_append(b, "memory is encrypted, so which bits are faulty is not known");
    return true;
}

static bool has_none(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    if (f->seen.words->n)
        return false;
    if (f->input->n_bad_pages) {
        set(v, KIND_UNCLEAR, KIND_POSSIBLE);
        fmt_append(b, "pages are bad, but no wrong data were read by a test");
    }
    return true;
}

static bool is_retention(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_repeats *r = &f->seen.repeats;
    uint64_t all = r->by_waiting + r->by_others + r->by_hammering;
    bool by_tests = r->others_ran && r->by_waiting && r->by_waiting * 50 >= all * 49;
    bool by_holding = r->lost * 2 > r->n_again;

    if (!by_tests && !by_holding)
        return false;
    set(v, KIND_RETENTION,
        by_tests && (r->lost || f->seen.words->n > 1) ? KIND_SURE
        : by_tests || f->seen.words->n > 1            ? KIND_LIKELY
                                                      : KIND_POSSIBLE);
    if (by_tests)
        fmt_append(b, "only tests that wait between write and read found it");
    else
        fmt_append(b, "data were lost in a wait, and kept when the page was tested without one");
    if (r->lost && by_tests)
        fmt_append(b, "; %u of %u pages lost data in a wait again", r->lost, r->n_again);
    return true;
}

static bool is_hammered(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_repeats *r = &f->seen.repeats;

    if (!r->others_ran || !r->by_hammering || r->by_others || r->by_waiting)
        return false;
    set(v, KIND_COUPLING, KIND_SURE);
    fmt_append(b, "only row hammer found it: reads of neighbouring rows change cells");
    return true;
}

/* One chip, or one data line, belongs to one channel. */
static bool is_in_several_channels(const struct facts *f)
{
    return f->seen.rows.known && !f->seen.rows.one_channel;
}

static bool is_pin(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    if (f->lane.what != KIND_LANE_PIN || f->seen.words->n < 6 || f->seen.places.n_offsets < 2 ||
        is_in_several_channels(f))
        return false;
    set(v, KIND_PIN, by_number(f->seen.places.n_lines, 16, 4));
    v->lane = f->lane;
    put_lane(b, &f->lane);
    fmt_append(b, " in all of %zu lines seen, in %u of a line's 8 words", f->seen.places.n_lines,
               f->seen.places.n_offsets);
    put_again(b, &f->seen.repeats);
    return true;
}

/* In rows of one bank, at one place: certain where rows are known. */
static bool has_column(const struct facts *f)
{
    const struct kind_rows *r = &f->seen.rows;

    return r->one_bank && r->one_column;
}

static bool is_bit_line(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    if (f->lane.what != KIND_LANE_PIN || f->seen.places.n_lines < 3 ||
        f->seen.places.n_offsets != 1 || (f->seen.rows.known && !has_column(f)))
        return false;
    set(v, KIND_COLUMN, by_number(f->seen.places.n_lines, 8, 4));
    v->lane = f->lane;
    fmt_append(b, "the same bit of %zu lines, whose addresses have rank %u", f->seen.places.n_lines,
               f->seen.places.rank);
    put_again(b, &f->seen.repeats);
    return true;
}

/* A column select line: several bits of one burst, in many rows. */
static bool is_column(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_places *p = &f->seen.places;

    if (f->lane.what == KIND_LANE_NONE || p->n_lines < 8 ||
        (f->seen.rows.known
             ? !has_column(f) || f->seen.rows.last - f->seen.rows.first < ROWS_MAX
             : p->same_bits < COLUMN_BITS_MIN || p->most_in_page > 2 || p->n_blocks <= ROWS_MAX))
        return false;
    set(v, KIND_COLUMN, by_number(p->n_lines, 24, 8));
    v->lane = f->lane;
    put_lane(b, &f->lane);
    fmt_append(b, " in %zu lines of %zu pages, all at one place of a row", p->n_lines, p->n_pages);
    if (!f->seen.rows.known)
        fmt_append(b, ": %u address bits agree", p->same_bits);
    put_again(b, &f->seen.repeats);
    return true;
}

/* Rows next to each other: those that timing has shown, or a bank's as in all published maps. */
static bool has_rows(const struct facts *f)
{
    const struct kind_places *p = &f->seen.places;

    if (f->seen.rows.known)
        return f->seen.rows.one_bank && f->seen.rows.last - f->seen.rows.first < ROWS_MAX;
    return p->n_blocks <= (f->lane.what == KIND_LANE_NONE ? 1 : ROWS_MAX) &&
           p->rank < ROW_RANK_MAX + p->n_blocks;
}

static bool is_row(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_places *p = &f->seen.places;

    if (p->n_lines < 4 || !has_rows(f))
        return false;
    set(v, KIND_ROW, by_number(p->n_lines, 8, 4));
    v->lane = f->lane;
    fmt_append(b, "%zu lines, all within %llu KiB%s: ", p->n_lines,
               (unsigned long long)div_up(p->span_bytes, 1024),
               p->n_blocks == 1 || f->seen.rows.known ? "" : ", as rows next to each other are");
    put_lane(b, &f->lane);
    put_again(b, &f->seen.repeats);
    return true;
}

static bool is_mostly_once(const struct facts *f)
{
    return f->seen.repeats.n_once * 100 >= f->seen.words->n * CHANGING_ONCE;
}

static bool is_chip(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    bool changing = f->seen.places.n_lines >= 6 && is_mostly_once(f) && f->seen.repeats.always == 0;

    if (f->lane.what == KIND_LANE_NONE || (f->seen.places.n_lines < CHIP_LINES_MIN && !changing) ||
        is_in_several_channels(f))
        return false;
    set(v, KIND_CHIP,
        f->seen.places.n_blocks < CHIP_BLOCKS_SURE ? KIND_LIKELY
                                                   : by_number(f->seen.places.n_lines, 128, 16));
    v->lane = f->lane;
    put_lane(b, &f->lane);
    fmt_append(b, " in %zu lines of %llu pages, whose addresses have rank %u",
               f->seen.places.n_lines, (unsigned long long)f->input->n_bad_pages,
               f->seen.places.rank);
    put_again(b, &f->seen.repeats);
    return true;
}

/* With a scrambler, data of another address look random. So does a rank that does not answer. */
static bool is_other_data(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    unsigned random = kind_lane_random(f->seen.words);

    if (random < OTHER_DATA_SHARE || f->seen.places.n_lines < 16 ||
        f->seen.places.most_in_page < 8 || f->seen.places.n_blocks <= ROWS_MAX)
        return false;
    set(v, KIND_ADDRESS_LINE, f->seen.places.n_lines >= 64 ? KIND_LIKELY : KIND_POSSIBLE);
    fmt_append(b,
               "%u %% of %zu words are wrong in many bits, in line after line: data of other "
               "addresses, or none",
               random, f->seen.words->n);
    put_again(b, &f->seen.repeats);
    return true;
}

static bool is_changing(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_repeats *r = &f->seen.repeats;
    size_t n = f->seen.words->n;
    bool once = is_mostly_once(f);
    bool never = r->n_again && (r->never - r->lost) * 5 >= r->n_again * 4;

    if (f->lane.what != KIND_LANE_NONE || n < 3 || !once || !(never || n >= 16 || !r->n_again))
        return false;
    set(v, KIND_EVERYWHERE, by_number(n, 16, 6));
    fmt_append(b, "%zu of %zu words were wrong once only, in several byte lanes", r->n_once, n);
    put_again(b, r);
    return true;
}

static void put_rate(struct fmt_buffer *b, const struct kind_repeats *r)
{
    if (r->rate)
        fmt_append(b, ", wrong in %u %% of the reads where a stuck cell would show", r->rate);
    else if (r->most)
        fmt_append(b, ", wrong %u time%s", r->most, fmt_plural(r->most));
}

static void put_words(struct fmt_buffer *b, const struct facts *f)
{
    const struct kind_word *w = &f->seen.words->word[0];

    if (f->seen.words->n == 1)
        fmt_append(b, "bits 0x%llx of the word at 0x%llx", (unsigned long long)kind_word_bits(w),
                   (unsigned long long)w->addr);
    else
        fmt_append(b, "%zu words of %zu pages", f->seen.words->n, f->seen.places.n_pages);
    put_rate(b, &f->seen.repeats);
    put_again(b, &f->seen.repeats);
}

/* Wrong in too few reads for a stuck cell, and it takes other memory, or other data, to be so. */
static bool is_coupled(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_repeats *r = &f->seen.repeats;
    bool needs_others = r->n_again && r->never == r->n_again && r->most > 1;
    bool needs_data = r->always && r->always == r->n_again && r->rate && r->rate < STATIC_RATE;

    if (f->seen.words->n > FEW_WORDS || (!needs_others && !needs_data))
        return false;
    set(v, KIND_COUPLING, needs_others ? KIND_LIKELY : KIND_POSSIBLE);
    v->lane = f->lane;
    put_words(b, f);
    if (needs_others)
        fmt_append(b, " when tested alone");
    return true;
}

static bool is_few(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    const struct kind_repeats *r = &f->seen.repeats;
    bool one = f->seen.words->n == 1 && bits_count(kind_word_bits(&f->seen.words->word[0])) == 1;

    if (f->seen.words->n > FEW_WORDS)
        return false;
    set(v, one ? KIND_CELL : KIND_CELLS,
        r->always && r->always == r->n_again && !r->is_low ? KIND_SURE
        : r->rate >= STATIC_RATE                           ? KIND_SURE
        : r->most > 1 || r->sometimes                      ? KIND_LIKELY
                                                           : KIND_POSSIBLE);
    v->lane = f->lane;
    put_words(b, f);
    return true;
}

static bool is_unclear(const struct facts *f, struct kind_verdict *v, struct fmt_buffer *b)
{
    set(v, KIND_UNCLEAR, KIND_POSSIBLE);
    put_lane(b, &f->lane);
    fmt_append(b, " in %zu lines of %llu pages", f->seen.places.n_lines,
               (unsigned long long)f->input->n_bad_pages);
    put_again(b, &f->seen.repeats);
    return true;
}

/* The first that applies. */
static rule *const rules[] = {
    is_alias,  is_hidden,   has_none,      is_hammered, is_retention,
    is_pin,    is_bit_line, is_other_data, is_changing, is_row,
    is_column, is_chip,     is_coupled,    is_few,      is_unclear,
};

static unsigned count_lanes(uint64_t bits)
{
    unsigned n = 0;

    for (; bits; bits >>= 8)
        n += (bits & 0xff) != 0;
    return n;
}

/*
 * Whether faults look as if a device had written there. A whole line that holds nothing of the
 * tests is not a fault at first (external/looks_external.h); a device that writes less than a line,
 * or again and again, makes faults: few pages are bad, and most of the words are wrong in bits of
 * more byte lanes than a chip has. Never where memory is encrypted, or pages share cells.
 */
static bool looks_written(const struct kind_input *input, const struct kind_words *words)
{
    size_t wide = 0;

    if (input->n_bad_pages > WRITTEN_PAGES || input->alias_pages || input->is_encrypted)
        return false;
    for (size_t i = 0; i < words->n; i++)
        wide += count_lanes(kind_word_bits(&words->word[i])) >= WRITTEN_LANES;
    return wide * 2 > words->n;
}

void kind_find(struct kind_work *work, const struct kind_input *input,
               struct kind_verdict *ret_verdict)
{
    struct facts f = { .input = input };
    struct fmt_buffer evidence;

    *ret_verdict = (struct kind_verdict){ .kind = KIND_NONE, .confidence = KIND_SURE };
    evidence = fmt_buffer_make(ret_verdict->evidence, sizeof(ret_verdict->evidence));
    kind_evidence_make(input, &work->words, &f.seen);
    ret_verdict->looks_written = looks_written(input, f.seen.words);
    f.lane = kind_lane_find(f.seen.words, input->bus_bits);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i](&f, ret_verdict, &evidence))
            break;
    }
    if (f.seen.words->n && !input->is_encrypted)
        kind_rows_append(&evidence, &f.seen.rows);
}

void kind_take_cause(struct kind_verdict *v)
{
    if (v->kind == KIND_NONE || v->cause.cause != KIND_CAUSE_CPU)
        return;
    v->kind = KIND_UNCLEAR;
    v->confidence = KIND_POSSIBLE;
    v->lane.what = KIND_LANE_NONE;
}

static const struct {
    const char *name, *word;
} names[KINDS] = {
    [KIND_NONE] = { "no fault", "none" },
    [KIND_UNCLEAR] = { "not clear", "unclear" },
    [KIND_CELL] = { "a single cell", "cell" },
    [KIND_CELLS] = { "a few cells", "cells" },
    [KIND_ROW] = { "1 to 4 rows (word lines)", "row" },
    [KIND_COLUMN] = { "a column (bit line)", "column" },
    [KIND_PIN] = { "a data pin (DQ)", "pin" },
    [KIND_CHIP] = { "a chip", "chip" },
    [KIND_ADDRESS_LINE] = { "an address line", "address-line" },
    [KIND_RETENTION] = { "retention: cells lose their data", "retention" },
    [KIND_COUPLING] = { "coupling: other accesses change cells", "coupling" },
    [KIND_EVERYWHERE] = { "everywhere and changing: settings, voltage or controller",
                          "everywhere" },
};

const char *kind_name(enum kind kind)
{
    ASSERT(kind < KINDS);
    return names[kind].name;
}

const char *kind_word(enum kind kind)
{
    ASSERT(kind < KINDS);
    return names[kind].word;
}

const char *kind_confidence_name(enum kind_confidence confidence)
{
    static const char *const name[KIND_CONFIDENCES] = { "possible", "likely", "sure" };

    ASSERT(confidence < KIND_CONFIDENCES);
    return name[confidence];
}

void kind_append(const struct kind_verdict *verdict, struct fmt_buffer *out)
{
    if (verdict->kind != KIND_UNCLEAR)
        fmt_append(out, "%s: ", kind_confidence_name(verdict->confidence));
    fmt_append(out, "%s", kind_name(verdict->kind));
}
