// SPDX-License-Identifier: MIT
#include "kind/kind_evidence.h"

#include "external/low_memory.h"
#include "lib/bits.h"
#include "lib/gf2.h"
#include "lib/minmax.h"
#include "lib/sort.h"
#include "lib/span.h"

#define LINE_SHIFT     6
#define BLOCK_SHIFT    18
#define BLOCK_SIZE     (UINT64_C(1) << BLOCK_SHIFT)
#define CHANNELS       3    /* that take turns, where it is not a power of two */
#define TURN_BYTES_MAX 4096 /* of one of these, until the next has its turn */

static struct kind_word word_of(const struct fault *f, uint32_t count)
{
    return (struct kind_word){ .addr = f->addr,
                               .rises = f->found & ~f->expected,
                               .falls = f->expected & ~f->found,
                               .count = count };
}

static bool is_below(const void *ctx, const void *a, const void *b)
{
    return ((const struct kind_word *)a)->addr < ((const struct kind_word *)b)->addr;
}

static void merge_equal(struct kind_words *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++) {
        struct kind_word *last = n ? &w->word[n - 1] : NULL;

        if (!last || last->addr != w->word[i].addr) {
            w->word[n++] = w->word[i];
            continue;
        }
        last->rises |= w->word[i].rises;
        last->falls |= w->word[i].falls;
        last->count += w->word[i].count;
        last->in_whole += w->word[i].in_whole;
    }
    w->n = n;
}

static void make_words(const struct kind_input *input, struct kind_words *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < min_u64(input->n_records, FAULT_RECORDS); i++) {
        ret->word[ret->n] = word_of(&input->record[i], 1);
        ret->word[ret->n++].in_whole = kind_reads_have(&input->reads, &input->record[i]);
    }
    for (size_t i = 0; i < min_u64(input->n_sample, FAULT_SAMPLE_MAX); i++)
        ret->word[ret->n++] = word_of(&input->sample[i], 0);
    sort(ret->word, ret->n, sizeof(ret->word[0]), is_below, NULL);
    merge_equal(ret);
}

/* A way in which a machine may count addresses. */
struct layout {
    uint64_t turn_bytes; /* 0: channels do not take turns by threes */
    uint64_t hole;       /* below 4 GiB */
};

static uint64_t local_of(const struct layout *layout, uint64_t addr, uint64_t *ret_channel)
{
    uint64_t linear = row_map_linear(layout->hole, addr), turn;

    *ret_channel = 0;
    if (!layout->turn_bytes)
        return linear;
    turn = linear / layout->turn_bytes;
    *ret_channel = turn % CHANNELS;
    return turn / CHANNELS * layout->turn_bytes + linear % layout->turn_bytes;
}

/* Takes what this layout improves; nothing if by it the words are in several channels. */
static void look_by(const struct layout *layout, const struct kind_words *words,
                    struct kind_places *p)
{
    uint64_t channel, first_channel, differing = 0;
    uint64_t first = local_of(layout, words->word[0].addr, &first_channel), last = first;
    struct gf2_basis basis = { 0 };

    for (size_t i = 1; i < words->n; i++) {
        last = local_of(layout, words->word[i].addr, &channel);
        if (channel != first_channel)
            return;
        differing |= last ^ first;
        gf2_add(&basis, (last ^ first) >> LINE_SHIFT);
    }
    p->n_blocks = min_u64(p->n_blocks, (last >> BLOCK_SHIFT) - (first >> BLOCK_SHIFT) + 1);
    p->rank = (unsigned)min_u64(p->rank, basis.rank);
    p->same_bits = (unsigned)max_u64(p->same_bits,
                                     bits_count(~differing & (BLOCK_SIZE - 1) & ~(LINE_SIZE - 1)));
}

/*
 * Without turns, a hole of whole blocks changes neither how many blocks there are nor which bits
 * below are the same. With turns it matters by its remainder.
 */
static void look(const struct kind_words *words, struct kind_places *p)
{
    p->n_blocks = UINT64_MAX;
    p->rank = 64;
    look_by(&(struct layout){ 0 }, words, p);
    for (uint64_t turn = LINE_SIZE; turn <= TURN_BYTES_MAX; turn *= 2) {
        for (uint64_t hole = 0; hole < CHANNELS * BLOCK_SIZE; hole += BLOCK_SIZE)
            look_by(&(struct layout){ turn, hole }, words, p);
    }
}

static void count(const struct kind_words *words, struct kind_places *p)
{
    uint64_t line = ~UINT64_C(0), page = ~UINT64_C(0);
    unsigned offsets = 0;
    size_t in_page = 0;

    for (size_t i = 0; i < words->n; i++) { /* they are in order */
        uint64_t addr = words->word[i].addr;

        if (addr >> PAGE_SHIFT != page)
            in_page = 0;
        in_page += addr >> LINE_SHIFT != line;
        p->most_in_page = max_u64(p->most_in_page, in_page);
        p->n_lines += addr >> LINE_SHIFT != line;
        p->n_pages += addr >> PAGE_SHIFT != page;
        line = addr >> LINE_SHIFT;
        page = addr >> PAGE_SHIFT;
        offsets |= 1u << (addr / sizeof(uint64_t) % 8);
    }
    p->n_offsets = bits_count(offsets);
}

static void find_places(const struct kind_words *words, struct kind_places *ret)
{
    *ret = (struct kind_places){ 0 };
    if (!words->n)
        return;
    count(words, ret);
    look(words, ret);
    ret->span_bytes = align_down(words->word[words->n - 1].addr, LINE_SIZE) + LINE_SIZE -
                      align_down(words->word[0].addr, LINE_SIZE);
}

/* A line's place by one of two maps; banks are compared, not counted. */
struct line_place {
    uint64_t bank, row, column;
    struct dram_place at;
};

static bool place_of(const struct kind_input *input, bool by_registers, uint64_t addr,
                     struct line_place *ret)
{
    uint64_t line = align_down(addr, LINE_SIZE);
    struct dram_place *p = &ret->at;

    if (!by_registers) {
        *ret = (struct line_place){ row_map_bank(input->rows, line),
                                    row_map_row(input->rows, line),
                                    row_map_linear(input->rows->hole, line) & input->rows->column,
                                    { 0 } };
        return true;
    }
    if (!dram_map_locate_below(input->map, input->map_below, line, p) ||
        !input->map->channel[p->channel].dimm[p->dimm].n_banks)
        return false;
    ret->bank = p->channel | (uint64_t)p->dimm << 8 | (uint64_t)p->rank << 16 |
                (uint64_t)p->subchannel << 24 | (uint64_t)p->bank << 32;
    ret->row = p->row;
    ret->column = p->column;
    return true;
}

/* False: a word has no place by this map. */
static bool find_rows_by(const struct kind_input *input, bool by_registers,
                         const struct kind_words *words, struct kind_rows *ret)
{
    uint64_t in_channel[DRAM_CHANNELS_MAX] = { 0 }, most = 0; /* words */
    struct line_place first, p;

    if (!(by_registers ? (const void *)input->map : input->rows) || !words->n ||
        !place_of(input, by_registers, words->word[0].addr, &first))
        return false;
    *ret = (struct kind_rows){ .known = true,
                               .by_registers = by_registers,
                               .one_bank = true,
                               .one_column = true,
                               .first = UINT64_MAX,
                               .bank = by_registers ? first.at.bank : (uint32_t)first.bank,
                               .at = first.at };
    for (size_t i = 0; i < words->n; i++) {
        if (!place_of(input, by_registers, words->word[i].addr, &p))
            return false;
        most = max_u64(most, ++in_channel[p.at.channel]);
        ret->one_bank &= p.bank == first.bank;
        ret->one_column &= p.column == first.column;
        ret->first = min_u64(ret->first, p.row);
        ret->last = max_u64(ret->last, p.row);
    }
    ret->one_channel = most * 100 >= words->n * KIND_LANE_SHARE;
    return true;
}

static void find_rows(const struct kind_input *input, const struct kind_words *words,
                      struct kind_rows *ret)
{
    if (!find_rows_by(input, true, words, ret) && !find_rows_by(input, false, words, ret))
        *ret = (struct kind_rows){ 0 };
}

void kind_rows_append(struct fmt_buffer *b, const struct kind_rows *rows)
{
    if (!rows->known)
        return;
    if (!rows->one_bank)
        fmt_append(b, "; in several banks");
    else if (rows->first == rows->last)
        fmt_append(b, "; all in row 0x%llx of bank %u", (unsigned long long)rows->first,
                   rows->bank);
    else
        fmt_append(b, "; in rows 0x%llx to 0x%llx of bank %u", (unsigned long long)rows->first,
                   (unsigned long long)rows->last, rows->bank);
    if (rows->by_registers && rows->one_bank)
        fmt_append(b, " of rank %u", rows->at.rank);
    fmt_append(b, rows->by_registers ? ", by the controller's registers" : ", by timing");
}

static void count_tests(const struct kind_input *input, struct kind_repeats *r)
{
    for (size_t i = 0; i < input->n_tests; i++) {
        const struct kind_test *t = &input->test[i];

        if (t->waits)
            r->by_waiting += t->faults;
        else if (t->hammers)
            r->by_hammering += t->faults;
        else
            r->by_others += t->faults;
        r->others_ran |= t->ran && !t->waits && !t->hammers;
    }
}

static void count_retests(const struct kind_input *input, struct kind_repeats *r)
{
    for (size_t i = 0; i < input->n_retests; i++) {
        const struct page_retest *page = &input->retest[i];

        if (!page->tries)
            continue;
        r->n_again++;
        if (page->lost_data) {
            r->never++;
            r->lost++;
        } else if (page->failed == page->tries) {
            r->always++;
        } else if (page->failed) {
            r->sometimes++;
        } else {
            r->never++;
        }
    }
}

/* Reads of w0's data in a round, and of their complement. */
static void count_ops(const struct march *march, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t i = 0; i < march->n_elements; i++) {
        const struct march_element *e = &march->element[i];

        for (uint32_t op = 0; op < e->n_ops; op++) {
            if (!e->op[op].write)
                ret[e->op[op].complement]++;
        }
    }
}

static void add_test(const struct test *test, struct pass pass, uint64_t addr, unsigned bit,
                     uint64_t ret[2])
{
    struct march march;
    uint64_t n[2];

    if (test->kind != TEST_MARCH)
        return;
    test_march(test, &march);
    count_ops(&march, n);
    for (uint32_t round = 0; round < test->rounds; round++) {
        struct data data = test_data(test, round, pass);
        unsigned value = data_word(&data, addr) >> bit & 1;

        ret[value] += n[0];
        ret[!value] += n[1];
    }
}

/*
 * ret[b]: reads by marches, while the bit (0-63) of the word at addr is to be b. A stuck cell is
 * wrong each time that it is to be the other, whatever the data.
 */
static void reads_of(const struct kind_reads *reads, uint64_t addr, unsigned bit, uint64_t ret[2])
{
    ret[0] = ret[1] = 0;
    for (uint32_t pass = 0; pass < 64; pass++) {
        for (size_t i = 0; reads->whole >> pass & 1 && i < reads->tests->n_tests; i++)
            add_test(&reads->tests->test[i], (struct pass){ pass + 1, reads->seed + pass }, addr,
                     bit, ret);
    }
}

/* Of the reads that a stuck cell would spoil, of the lowest bit that was wrong. */
static unsigned rate_of(const struct kind_reads *reads, const struct kind_word *w)
{
    unsigned bit = (unsigned)__builtin_ctzll(kind_word_bits(w));
    uint64_t n[2], spoilt = 0;

    reads_of(reads, w->addr, bit, n);
    spoilt += w->rises >> bit & 1 ? n[0] : 0;
    spoilt += w->falls >> bit & 1 ? n[1] : 0;
    return spoilt ? (unsigned)min_u64(w->in_whole * UINT64_C(100) / spoilt, 100) : 0;
}

static void kind_repeats_make(const struct kind_input *input, const struct kind_words *words,
                              struct kind_repeats *ret)
{
    const struct kind_word *most = NULL;

    *ret = (struct kind_repeats){ .all_counted = input->n_faults <= input->n_records };
    count_tests(input, ret);
    count_retests(input, ret);
    for (size_t i = 0; i < words->n; i++) {
        ret->n_once += words->word[i].count <= 1;
        if (words->word[i].count > ret->most)
            most = &words->word[i];
        ret->most = (uint32_t)max_u64(ret->most, words->word[i].count);
    }
    ret->is_low = most && input->low_is_scanned && most->addr < LOW_MEMORY_END;
    if (most && !ret->is_low && ret->all_counted && input->reads.tests)
        ret->rate = rate_of(&input->reads, most);
}

void kind_evidence_make(const struct kind_input *input, struct kind_words *words,
                        struct kind_evidence *ret)
{
    make_words(input, words);
    ret->words = words;
    find_places(words, &ret->places);
    find_rows(input, words, &ret->rows);
    kind_repeats_make(input, words, &ret->repeats);
}
