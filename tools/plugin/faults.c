// SPDX-License-Identifier: MIT
#include "faults.h"

#include <stdlib.h>
#include <string.h>

#include "permutation.h"

#define PAGE_BYTES UINT64_C(4096)
#define LINE_BYTES UINT64_C(64)
#define WORDS      8

static bool cell_read(const struct faults *f, uint64_t offset, unsigned bit)
{
    return (__atomic_load_n(&f->bytes[offset], __ATOMIC_SEQ_CST) >> bit) & 1;
}

static void cell_write(struct faults *f, uint64_t offset, unsigned bit, bool value)
{
    uint8_t one = (uint8_t)(1u << bit);

    if (value)
        __atomic_fetch_or(&f->bytes[offset], one, __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_and(&f->bytes[offset], (uint8_t)~one, __ATOMIC_SEQ_CST);
}

static bool is_timed(enum fault_kind kind)
{
    return kind == FAULT_FADE || kind == FAULT_LEAK;
}

static bool has_neighbours(uint64_t offset)
{
    uint64_t word = offset % LINE_BYTES / sizeof(uint64_t);

    return word != 0 && word != WORDS - 1;
}

static bool is_coupling(enum fault_kind kind)
{
    return kind == FAULT_COUPLE || kind == FAULT_STATE || kind == FAULT_STATE_VICTIM;
}

/* Of a page as a whole, which has no other fault. */
static bool is_page(enum fault_kind kind)
{
    return kind == FAULT_ALIAS || kind == FAULT_CHIP || kind == FAULT_BRIDGE || kind == FAULT_BEATS;
}

static bool has_victim(enum fault_kind kind)
{
    return is_coupling(kind) || kind == FAULT_ALIAS;
}

static bool append(struct faults *f, struct fault fault)
{
    if (f->n == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 64;
        struct fault *grown = realloc(f->fault, capacity * sizeof(*grown));

        if (grown == NULL)
            return false;
        f->fault = grown;
        f->capacity = capacity;
    }
    f->fault[f->n++] = fault;
    return true;
}

bool faults_add(struct faults *f, struct fault fault)
{
    unsigned bits = fault.kind == FAULT_BRIDGE ? 64 : 8;

    if (fault.offset >= f->size || fault.bit >= bits || fault.other_line >= 64)
        return false;
    if (is_page(fault.kind) && fault.offset % PAGE_BYTES != 0)
        return false;
    if (fault.shifts && fault.bit == 0)
        return false;
    if (fault.has_third && (fault.third_offset >= f->size || fault.third_bit > 7))
        return false;
    if (fault.kind == FAULT_LAPSE && !fault.every)
        return false;
    if ((fault.kind == FAULT_CHIP || fault.kind == FAULT_BEATS || fault.kind == FAULT_MISREAD) &&
        fault.one_in == 0)
        return false;
    if (fault.kind == FAULT_LEAK && !has_neighbours(fault.offset))
        return false;
    fault.garbled = fault.pending = FAULTS_NO_LINE;
    fault.random = fault.offset;
    if (has_victim(fault.kind) && (fault.victim_offset >= f->size || fault.victim_bit > 7))
        return false;
    if (fault.kind != FAULT_ALIAS && fault.kind != FAULT_STATE)
        return append(f, fault);

    struct fault back = fault;

    back.offset = fault.victim_offset;
    back.bit = fault.victim_bit;
    back.victim_offset = fault.offset;
    back.victim_bit = fault.bit;
    back.kind = fault.kind == FAULT_STATE ? FAULT_STATE_VICTIM : fault.kind;
    return append(f, fault) && append(f, back);
}

bool faults_add_dram(struct faults *f, const struct faults_dram *dram)
{
    if (f->n_dram == FAULTS_DRAM_MAX)
        return false;
    f->dram[f->n_dram++] = *dram;
    return true;
}

bool faults_add_rare(struct faults *f, const struct rare *rare)
{
    if (f->n_rare == FAULTS_RARE_MAX || rare->offset > f->size ||
        rare->size > f->size - rare->offset)
        return false;
    f->rare[f->n_rare] = *rare;
    rare_begin(&f->rare[f->n_rare++]);
    return true;
}

static bool has_dram_line(const struct faults *f, uint64_t line)
{
    return f->dram_lines && f->dram_lines[line / 8] >> line % 8 & 1;
}

bool faults_has_page(const struct faults *f, uint64_t offset)
{
    uint64_t page = offset / PAGE_BYTES;

    for (uint64_t i = 0; f->dram_lines && i < PAGE_BYTES / LINE_BYTES / 8; i++) {
        if (f->dram_lines[page * (PAGE_BYTES / LINE_BYTES / 8) + i])
            return true;
    }
    for (size_t i = 0; i < f->n_rare; i++) {
        if (offset - f->rare[i].offset < f->rare[i].size)
            return true;
    }
    return f->first[page] != 0;
}

static uint64_t stuck_at(const struct faults_dram *d, uint64_t word)
{
    return d->value == FAULTS_MIXED ? permutation_mix(d->where.seed + permutation_mix(word))
                                    : -(uint64_t)d->value;
}

/* Of what was stored, all in one line. */
static void act_dram(struct faults *f, const struct faults_dram *d, uint64_t offset, uint64_t size)
{
    uint64_t line = offset / LINE_BYTES * LINE_BYTES, bits[DRAM_LINE_WORDS];

    if (!dram_fault_bits(&d->where, line, bits))
        return;
    for (uint64_t at = offset; at < offset + size; at++) {
        uint64_t word = (at - line) / sizeof(uint64_t);
        uint8_t mask = (uint8_t)(bits[word] >> at % 8 * 8);
        uint8_t value = (uint8_t)(stuck_at(d, line / 8 + word) >> at % 8 * 8);

        if (mask) {
            __atomic_fetch_and(&f->bytes[at], (uint8_t)(~mask | value), __ATOMIC_SEQ_CST);
            __atomic_fetch_or(&f->bytes[at], (uint8_t)(mask & value), __ATOMIC_SEQ_CST);
        }
    }
}

static void act_all_dram(struct faults *f, uint64_t offset, uint64_t size)
{
    while (size) {
        uint64_t in_line = LINE_BYTES - offset % LINE_BYTES, n = size < in_line ? size : in_line;

        for (size_t i = 0; has_dram_line(f, offset / LINE_BYTES) && i < f->n_dram; i++)
            act_dram(f, &f->dram[i], offset, n);
        offset += n;
        size -= n;
    }
}

/* Which lines have such cells: most of them none. */
static bool find_dram_lines(struct faults *f)
{
    uint64_t bits[DRAM_LINE_WORDS];

    if (!f->n_dram)
        return true;
    f->dram_lines = calloc(f->size / LINE_BYTES / 8 + 1, 1);
    if (!f->dram_lines)
        return false;
    for (uint64_t line = 0; line < f->size / LINE_BYTES; line++) {
        for (size_t i = 0; i < f->n_dram; i++) {
            if (!dram_fault_bits(&f->dram[i].where, line * LINE_BYTES, bits))
                continue;
            f->dram_lines[line / 8] |= (uint8_t)(1u << line % 8);
            for (unsigned word = 0; word < DRAM_LINE_WORDS; word++)
                f->words[line % FAULTS_PAGE_LINES] |= (uint8_t)((bits[word] != 0) << word);
        }
    }
    return true;
}

/* By page, and within it the cells' own faults before the couplings. */
static int by_page_then_coupling(const void *left, const void *right)
{
    const struct fault *a = left, *b = right;
    uint64_t page_a = a->offset / PAGE_BYTES, page_b = b->offset / PAGE_BYTES;

    if (page_a != page_b)
        return page_a < page_b ? -1 : 1;
    if (is_coupling(a->kind) != is_coupling(b->kind))
        return is_coupling(a->kind) ? 1 : -1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (int)a->bit - (int)b->bit;
}

/* What the stored cell itself does to what was stored. */
static void act_own(struct faults *f, struct fault *fault, uint64_t now_ns)
{
    bool stored = cell_read(f, fault->offset, fault->bit);
    bool kept = stored;

    switch (fault->kind) {
    case FAULT_STUCK0: kept = false; break;
    case FAULT_STUCK1: kept = true; break;
    case FAULT_RISE: kept = stored && fault->previous; break;
    case FAULT_FALL: kept = stored || fault->previous; break;
    case FAULT_ECC:
    case FAULT_DECEIVE: break;
    case FAULT_MISREAD: kept = stored != fault->is_next_wrong; break;
    case FAULT_ONE_CPU: kept = stored && f->vcpu != fault->vcpu; break;
    case FAULT_ALL_CPUS: kept = stored && !f->is_crowded; break;
    case FAULT_DISTURB: kept = stored != (stored == fault->previous); break;
    case FAULT_WITNESS: ++*fault->counter; break;
    case FAULT_LAPSE:
        fault->stores = (fault->stores + 1) % fault->every;
        kept = stored != (fault->stores == 0);
        break;
    default: fault->stored_ns = now_ns; break;
    }
    if (kept != stored)
        cell_write(f, fault->offset, fault->bit, kept);
    fault->previous = kept;
}

static enum fault_event event_of(bool now, bool changed)
{
    return !changed ? EVENT_SAME : now ? EVENT_RISE : EVENT_FALL;
}

static bool is_set_off(const struct faults *f, const struct fault *fault, enum fault_event event)
{
    return fault->events & event &&
           (!fault->has_third ||
            cell_read(f, fault->third_offset, fault->third_bit) == fault->value);
}

/* True when the victim has changed. */
static bool change_victim(struct faults *f, const struct fault *fault)
{
    bool was = cell_read(f, fault->victim_offset, fault->victim_bit);
    bool is = fault->effect == EFFECT_INVERT ? !was : fault->effect == EFFECT_1;

    cell_write(f, fault->victim_offset, fault->victim_bit, is);
    return is != was;
}

/* True when a coupling has changed its victim. */
static bool act_coupling(struct faults *f, struct fault *fault, bool may_act)
{
    bool now = cell_read(f, fault->offset, fault->bit);
    bool changed = now != fault->previous;

    fault->previous = now;
    if (!may_act)
        return false;
    if (fault->kind == FAULT_STATE_VICTIM) {
        if (cell_read(f, fault->victim_offset, fault->victim_bit))
            cell_write(f, fault->offset, fault->bit, false);
        return false;
    }
    if (fault->kind == FAULT_STATE) {
        if (now)
            cell_write(f, fault->victim_offset, fault->victim_bit, false);
        return now;
    }
    return is_set_off(f, fault, event_of(now, changed)) && change_victim(f, fault);
}

/* Of a page's faults, from which on they are as late in their order as these: a binary search. */
static size_t first_of(const struct faults *f, size_t low, size_t high, bool coupling,
                       uint64_t offset)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fault *fault = &f->fault[middle];
        bool is = is_coupling(fault->kind);

        if (is < coupling || (is == coupling && fault->offset < offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void settle(struct faults *f, uint64_t offset, uint64_t size, bool couplings,
                   uint64_t now_ns);

/* Whether the last byte of a line is among them. Returns the line's first byte, or NO_LINE. */
static uint64_t line_that_ends(uint64_t offset, uint64_t size)
{
    uint64_t last = offset + size - 1, line = last / LINE_BYTES * LINE_BYTES;

    if (last % LINE_BYTES == LINE_BYTES - 1)
        return line;
    return offset < line ? line - LINE_BYTES : FAULTS_NO_LINE;
}

/* A byte of half of the words, in DRAM: so the chip has some beats of the line wrong. */
static uint64_t wrong_bits(const struct fault *fault, uint64_t line, unsigned word)
{
    uint64_t random = permutation_mix(line * WORDS + word + permutation_mix(fault->n_garbled));
    uint64_t byte = random & 0xff ? random & 0xff : 1;

    return random >> 63 ? byte << fault->bit * 8 : 0;
}

/* Once more, and the line is as it was. */
static void garble(struct faults *f, const struct fault *fault, uint64_t line)
{
    for (unsigned i = 0; i < WORDS; i += 2) {
        uint64_t at = line + i * sizeof(uint64_t);
        struct permuted block;

        memcpy(&block, &f->bytes[at], sizeof(block));
        block = permutation_store(block, at);
        for (unsigned half = 0; half < 2; half++)
            block.half[half] ^= wrong_bits(fault, line, i + half);
        block = permutation_load(block, at);
        memcpy(&f->bytes[at], &block, sizeof(block));
    }
}

static void act_chip(struct faults *f, struct fault *fault, uint64_t offset, uint64_t size)
{
    uint64_t line = line_that_ends(offset, size);

    if (fault->garbled / LINE_BYTES == offset / LINE_BYTES)
        fault->garbled = FAULTS_NO_LINE;
    if (line == FAULTS_NO_LINE || ++fault->n_stored % fault->one_in != 0 ||
        fault->garbled != FAULTS_NO_LINE)
        return;
    fault->n_garbled = fault->n_stored;
    garble(f, fault, line);
    if (fault->reads_right)
        fault->garbled = line;
}

/* The first of two lines that are one, and the other: a wired AND. */
static void act_bridge(struct faults *f, const struct fault *fault, uint64_t offset, uint64_t size)
{
    for (uint64_t at = offset / 8 * 8; at < offset + size; at += 8) {
        uint64_t first = at + fault->bit / 8, other = at + fault->other_line / 8;
        bool both =
            cell_read(f, first, fault->bit % 8) && cell_read(f, other, fault->other_line % 8);

        cell_write(f, first, fault->bit % 8, both);
        cell_write(f, other, fault->other_line % 8, both);
    }
}

/* The line that was stored last leaves the cache. */
static void write_back(struct faults *f, struct fault *fault)
{
    uint8_t *line = &f->bytes[fault->pending], *was = fault->before + fault->pending % PAGE_BYTES;
    uint8_t *beat = line + fault->bit * sizeof(uint64_t);

    if (++fault->n_stored % fault->one_in == 0) {
        if (fault->shifts)
            memmove(beat, beat - sizeof(uint64_t), (WORDS - fault->bit) * sizeof(uint64_t));
        else
            memcpy(beat, was + fault->bit * sizeof(uint64_t), sizeof(uint64_t));
    }
    memcpy(was, line, LINE_BYTES);
}

static void act_beats(struct faults *f, struct fault *fault, uint64_t offset, uint64_t size)
{
    for (uint64_t line = offset / LINE_BYTES * LINE_BYTES; line < offset + size;
         line += LINE_BYTES) {
        if (fault->pending != FAULTS_NO_LINE && fault->pending != line)
            write_back(f, fault);
        fault->pending = line;
    }
}

/* False: the page has faults of cells. */
static bool act_page(struct faults *f, struct fault *fault, size_t n, uint64_t offset,
                     uint64_t size)
{
    switch (fault->kind) {
    case FAULT_ALIAS:
        for (size_t i = 0; i < n; i++)
            memcpy(&f->bytes[fault[i].victim_offset + offset % PAGE_BYTES], &f->bytes[offset],
                   size);
        return true;
    case FAULT_CHIP: act_chip(f, fault, offset, size); return true;
    case FAULT_BRIDGE: act_bridge(f, fault, offset, size); return true;
    case FAULT_BEATS: act_beats(f, fault, offset, size); return true;
    default: return false;
    }
}

static void act_couplings(struct faults *f, size_t i, size_t end, uint64_t offset, uint64_t size,
                          bool may_act, uint64_t now_ns)
{
    for (; i < end && f->fault[i].offset - offset < size; i++) {
        if (act_coupling(f, &f->fault[i], may_act))
            settle(f, f->fault[i].victim_offset, 1, false, now_ns);
    }
}

static void settle(struct faults *f, uint64_t offset, uint64_t size, bool couplings,
                   uint64_t now_ns)
{
    uint64_t page = offset / PAGE_BYTES;
    size_t begin, end, i;

    if (f->first[page] == 0)
        return;
    begin = f->first[page] - 1;
    end = begin + f->fault[begin].n_in_page;
    if (act_page(f, &f->fault[begin], end - begin, offset, size))
        return;
    i = first_of(f, begin, end, false, offset);
    for (; i < end && !is_coupling(f->fault[i].kind) && f->fault[i].offset - offset < size; i++)
        act_own(f, &f->fault[i], now_ns);
    i = first_of(f, i, end, true, offset);
    act_couplings(f, i, end, offset, size, couplings, now_ns);
}

/* On memory as it starts. */
static bool acts_before_stores(enum fault_kind kind)
{
    return !is_page(kind) && kind != FAULT_DISTURB && kind != FAULT_WITNESS;
}

static bool acts_on_loads(const struct fault *fault)
{
    return fault->kind == FAULT_ECC || fault->kind == FAULT_DECEIVE ||
           fault->kind == FAULT_MISREAD || fault->events & EVENT_LOAD || fault->reads_right;
}

bool faults_begin(struct faults *f, uint64_t now_ns)
{
    f->first = calloc(f->size / PAGE_BYTES + 1, sizeof(*f->first));
    if (f->first == NULL || !find_dram_lines(f))
        return false;
    if (f->n != 0)
        qsort(f->fault, f->n, sizeof(*f->fault), by_page_then_coupling);
    for (size_t i = f->n; i-- > 0;) {
        struct fault *fault = &f->fault[i];
        uint32_t *first = &f->first[fault->offset / PAGE_BYTES];

        fault->n_in_page = 1 + (*first ? f->fault[*first - 1].n_in_page : 0);
        *first = (uint32_t)i + 1;
        f->words[fault->offset / LINE_BYTES % FAULTS_PAGE_LINES] |=
            (uint8_t)(1u << fault->offset / sizeof(uint64_t) % WORDS);
        if (is_page(fault->kind))
            memset(f->words, 0xff, sizeof(f->words));
        if (fault->kind == FAULT_BEATS && !(fault->before = calloc(1, PAGE_BYTES)))
            return false;
        f->sees_loads |= acts_on_loads(fault);
        f->sees_cpus |= fault->kind == FAULT_ALL_CPUS;
        f->fades |= is_timed(fault->kind);
    }
    for (size_t i = 0; i < f->n_rare; i++) {
        f->sees_loads |= rare_sees_loads(&f->rare[i]);
        for (unsigned line = 0; line < FAULTS_PAGE_LINES; line++)
            f->words[line] |= 1u << (WORDS - 1);
    }
    for (size_t i = 0; i < f->n; i++)
        if (acts_before_stores(f->fault[i].kind))
            settle(f, f->fault[i].offset, 1, false, now_ns);
    return true;
}

void faults_after_store(struct faults *f, uint64_t offset, uint64_t size, uint64_t now_ns)
{
    settle(f, offset, size, true, now_ns);
    act_all_dram(f, offset, size);
}

void faults_after_access(struct faults *f, const struct rare_access *access)
{
    for (size_t i = 0; i < f->n_rare; i++)
        rare_after(&f->rare[i], f->bytes, access);
}

/* One read in `one_in` at random, in each run the same ones. S. Vigna's splitmix64. */
static bool shows_now(struct fault *fault)
{
    uint64_t x = fault->random += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % fault->one_in == 0;
}

/* The plugin is told of a load once it is over: whether the next one is wrong is decided now. */
static void act_misread(struct faults *f, struct fault *fault)
{
    bool right = cell_read(f, fault->offset, fault->bit) != fault->is_next_wrong;

    fault->is_next_wrong = shows_now(fault);
    cell_write(f, fault->offset, fault->bit, right != fault->is_next_wrong);
}

static void act_chip_loaded(struct faults *f, struct fault *fault, uint64_t offset, uint64_t size)
{
    if (fault->kind != FAULT_CHIP || fault->garbled == FAULTS_NO_LINE ||
        fault->garbled != line_that_ends(offset, size))
        return;
    garble(f, fault, fault->garbled);
    fault->garbled = FAULTS_NO_LINE;
}

bool faults_after_load(struct faults *f, uint64_t offset, uint64_t size)
{
    uint32_t first = f->first[offset / PAGE_BYTES];
    bool corrected = false;

    if (first)
        act_chip_loaded(f, &f->fault[first - 1], offset, size);
    for (size_t i = 0; first && i < f->fault[first - 1].n_in_page; i++) {
        struct fault *fault = &f->fault[first - 1 + i];

        if (fault->offset - offset >= size)
            continue;
        if (fault->kind == FAULT_ECC && cell_read(f, fault->offset, fault->bit))
            corrected |= shows_now(fault);
        if (fault->kind == FAULT_DECEIVE)
            cell_write(f, fault->offset, fault->bit, !cell_read(f, fault->offset, fault->bit));
        if (fault->kind == FAULT_MISREAD)
            act_misread(f, fault);
        if (fault->kind == FAULT_COUPLE && is_set_off(f, fault, EVENT_LOAD) &&
            change_victim(f, fault))
            settle(f, fault->victim_offset, 1, false, 0);
    }
    return corrected;
}

/* Whether the cell and its neighbours hold what makes it lose its data. */
static bool may_lose(const struct faults *f, const struct fault *fault)
{
    bool value = cell_read(f, fault->offset, fault->bit);

    if (fault->kind == FAULT_FADE)
        return value;
    return value == fault->value &&
           cell_read(f, fault->offset - sizeof(uint64_t), fault->bit) == fault->left &&
           cell_read(f, fault->offset + sizeof(uint64_t), fault->bit) == fault->right;
}

void faults_after_time(struct faults *f, uint64_t now_ns)
{
    for (size_t i = 0; i < f->n; i++) {
        struct fault *fault = &f->fault[i];
        bool value;

        if (!is_timed(fault->kind))
            continue;
        if (!may_lose(f, fault)) {
            fault->stored_ns = now_ns;
            continue;
        }
        if (now_ns - fault->stored_ns < fault->hold_ns)
            continue;
        value = cell_read(f, fault->offset, fault->bit);
        cell_write(f, fault->offset, fault->bit, !value);
        settle(f, fault->offset, 1, false, now_ns);
    }
}
