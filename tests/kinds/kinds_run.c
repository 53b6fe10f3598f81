// SPDX-License-Identifier: MIT
#include "tests/kinds/kinds_run.h"

#include <stdlib.h>
#include <string.h>

#include "kind/fault_sample.h"
#include "lib/panic.h"
#include "lib/splitmix.h"
#include "log/log_records.h"
#include "sweep/tests.h"

#define PAGE_BYTES  4096
#define PAGES_MAX   (FAULTY_LINES_MAX + 8192)
#define PAGE_SLOTS  32768 /* a power of two, and more than twice as many */
#define RETEST_HOLD 2.0
#define SEED        1
#define FIRST_PASS  ((struct pass){ 1, SEED })

/* As in sweep/page_check.c. */
static const char *const page_marches[] = {
    "any(w0);up(r0,w1);up(r1,w0);down(r0,w1);down(r1,w0);any(r0)",
    "up(w0);up(r0);down(w1);down(r1)",
};

struct run {
    struct faulty *f;
    const struct test_list *list;
    const struct test *test;
    struct kind_test *count;
    uint32_t index;
    bool logs; /* else only `wrong` is set, as in a page that is tested again */
    bool wrong;
    struct fault record[FAULT_RECORDS];
    size_t n_records;
    uint64_t n_faults;
    struct fault_sample sample;
    uint64_t page[PAGES_MAX]; /* bad ones, in order of their first faults */
    size_t n_pages;
    uint64_t slot[PAGE_SLOTS]; /* the same, by hash: the number and 1 */
    uint64_t alias_pages, alias_bits;
    bool given_up[FAULTY_LINES_MAX]; /* its page is, for an alias */
    uint64_t rounds;                 /* of reads of all memory, so far */
};

/* False: it was there already, or there are too many. */
static bool add_page(struct run *r, uint64_t page)
{
    size_t i = splitmix_mix(page) % PAGE_SLOTS;

    for (; r->slot[i]; i = (i + 1) % PAGE_SLOTS) {
        if (r->slot[i] == page + 1)
            return false;
    }
    if (r->n_pages == PAGES_MAX)
        return false;
    r->slot[i] = page + 1;
    r->page[r->n_pages++] = page;
    return true;
}

static void log_fault(struct run *r, uint64_t phys, uint64_t expected, uint64_t found)
{
    const struct fault fault = {
        .addr = phys, .expected = expected, .found = found, .test = r->index, .pass = 1
    };

    r->wrong = true;
    if (!r->logs)
        return;
    r->n_faults++;
    r->count->faults++;
    if (r->n_records < FAULT_RECORDS)
        r->record[r->n_records++] = fault;
    if (add_page(r, phys / PAGE_BYTES))
        fault_sample_add(&r->sample, &fault);
}

/* As faults/reporter.c and alias/aliases.h do: a page whose word is another line's is given up. */
static bool is_alias(struct run *r, uint32_t line, const struct data *data, size_t i,
                     uint64_t found)
{
    uint64_t phys = r->f->line[line].phys, partner, bits;

    if (data->kind != DATA_ADDRESS)
        return false;
    partner = data_address_of(data, i, found);
    if (partner >= faulty_phys(r->f, faulty_bytes(r->f)) || partner == phys || partner % 64)
        return false;
    bits = (partner ^ phys) & ~(uint64_t)(PAGE_BYTES - 1);
    if (!r->given_up[line]) {
        r->alias_bits = !r->alias_pages || r->alias_bits == bits ? bits : 0;
        r->alias_pages++;
    }
    r->given_up[line] = true;
    return true;
}

static void compare(struct run *r, uint32_t line, const struct data *data, bool complement)
{
    struct line found = faulty_read(r->f, line);
    uint64_t flip = complement ? ~UINT64_C(0) : 0;

    for (size_t i = 0; i < 8; i++) {
        uint64_t phys = r->f->line[line].phys + i * 8;
        uint64_t expected = data_word(data, phys) ^ flip;

        if (found.word[i] != expected &&
            !(r->logs && is_alias(r, line, data, i, found.word[i] ^ flip)))
            log_fault(r, phys, expected, found.word[i]);
    }
}

static void write_line(struct run *r, uint32_t line, const struct data *data, bool complement)
{
    struct line l;

    for (size_t i = 0; i < 8; i++)
        l.word[i] =
            data_word(data, r->f->line[line].phys + i * 8) ^ (complement ? ~UINT64_C(0) : 0);
    faulty_write(r->f, line, &l);
}

/* What a bad setting does to a line on its way: a bit, a byte or much of some words. */
static void disturb(struct run *r, const struct data *data, bool complement)
{
    uint64_t *random = &r->f->random, way = r->f->whole_lines ? 20 : splitmix_below(random, 20);
    uint64_t phys = faulty_phys(r->f, splitmix_next(random) % faulty_bytes(r->f)) & ~UINT64_C(63);
    size_t first = way == 20 ? 0 : splitmix_below(random, 8),
           n = way < 15   ? 1
               : way < 20 ? 1 + splitmix_below(random, 8 - first)
                          : 8;

    for (size_t i = first; i < first + n; i++) {
        uint64_t at = phys + i * 8,
                 expected = data_word(data, at) ^ (complement ? ~UINT64_C(0) : 0);
        uint64_t wrong = way < 12 ? UINT64_C(1) << splitmix_below(random, 64)
                         : way < 15
                             ? (splitmix_next(random) | 1) % 256 << 8 * splitmix_below(random, 8)
                             : splitmix_next(random);

        if (wrong)
            log_fault(r, at, expected, expected ^ wrong);
    }
}

static void disturb_some(struct run *r, const struct data *data, bool complement)
{
    double n = r->f->errors / (double)r->rounds;

    for (; n >= 1; n--)
        disturb(r, data, complement);
    if (faulty_chance(r->f, n))
        disturb(r, data, complement);
}

static void do_line(struct run *r, uint32_t line, const struct march_element *e,
                    const struct data *data)
{
    if (r->given_up[line] && r->logs && data->kind != DATA_ADDRESS)
        return;
    for (uint32_t op = 0; op < e->n_ops; op++) {
        if (e->op[op].write)
            write_line(r, line, data, e->op[op].complement);
        else
            compare(r, line, data, e->op[op].complement);
    }
}

/* Lines of the fault, in the order of an upward sweep. */
struct swept {
    const uint32_t *line;
    size_t n;
    double sweep_s; /* of one operation on all that is swept */
};

static void do_element(struct run *r, const struct march_element *e, const struct data *data,
                       const struct swept *s)
{
    double start = r->f->now_s, whole = e->n_ops * s->sweep_s;

    if (e->kind == MARCH_PAUSE) {
        r->f->now_s += e->pause_ms / 1000.0;
        return;
    }
    for (size_t i = 0; i < s->n; i++) {
        uint32_t line = s->line[e->kind == MARCH_DOWN ? s->n - 1 - i : i];
        double part = r->f->line[line].part;

        r->f->now_s = start + whole * (e->kind == MARCH_DOWN ? 1 - part : part);
        do_line(r, line, e, data);
    }
    for (uint32_t op = 0; r->logs && op < e->n_ops && r->f->errors > 0; op++) {
        if (!e->op[op].write)
            disturb_some(r, data, e->op[op].complement);
    }
    r->f->now_s = start + whole;
}

static void do_march(struct run *r, const struct march *march, const struct data *data,
                     const struct swept *s)
{
    for (uint32_t i = 0; i < march->n_elements; i++)
        do_element(r, &march->element[i], data, s);
}

static void do_test(struct run *r, const struct test *test, const struct swept *s)
{
    struct march march;

    test_march(test, &march);
    for (uint32_t round = 0; round < test->rounds; round++) {
        struct data data = test_data(test, round, FIRST_PASS);

        do_march(r, &march, &data, s);
    }
}

/* A page alone. */
static bool page_is_bad(struct run *r, const struct swept *s)
{
    r->wrong = false;
    for (size_t m = 0; m < 2; m++) {
        struct march march;
        struct march_error error;

        ASSERT(march_parse(page_marches[m], &march, &error) == MARCH_OK);
        for (uint32_t round = 0; round < (m ? 1 : 2); round++) {
            struct data data = data_make(m ? DATA_ADDRESS : DATA_BACKGROUND, round, 0);

            do_march(r, &march, &data, s);
        }
    }
    return r->wrong;
}

/* As in testing/retest.c: the data of the fault that has made the page bad. */
static struct data data_of_page(const struct run *r, uint64_t page)
{
    const struct test *last = &r->list->test[r->list->n_tests - 1];
    struct fault fault;
    struct data data;

    if (fault_sample_of_page(&r->sample, page, &fault) &&
        test_data_of(&r->list->test[fault.test], FIRST_PASS, fault.addr, fault.expected, &data))
        return data;
    return test_data(last, 0, FIRST_PASS);
}

static bool page_holds(struct run *r, const struct swept *s, const struct data *data,
                       bool complement)
{
    r->wrong = false;
    for (size_t i = 0; i < s->n; i++)
        compare(r, s->line[i], data, complement);
    return !r->wrong;
}

static void hold_page(struct run *r, const struct swept *s, const struct data *data,
                      struct page_retest *ret)
{
    ret->tries++;
    for (unsigned complement = 0; complement < 2; complement++) {
        for (size_t i = 0; i < s->n; i++)
            write_line(r, s->line[i], data, complement);
        if (!page_holds(r, s, data, complement)) {
            ret->lost_data = false;
            ret->failed = 1;
            return;
        }
        r->f->now_s += RETEST_HOLD;
        ret->lost_data |= !page_holds(r, s, data, complement);
    }
    ret->failed = ret->lost_data;
}

/* As sweep/page_retest.h does. */
static void retest_page(struct run *r, uint64_t page, struct page_retest *ret)
{
    static uint32_t line[64];
    struct swept s = { .line = line, .sweep_s = 1e-6 };
    struct data data = data_of_page(r, page);

    for (uint32_t i = 0; i < r->f->n_lines; i++) {
        if (r->f->line[i].phys / PAGE_BYTES == page)
            line[s.n++] = i;
    }
    *ret = (struct page_retest){ .addr = page * PAGE_BYTES, .tries = PAGE_RETEST_TRIES };
    for (uint32_t i = 0; i < PAGE_RETEST_TRIES; i++)
        ret->failed += page_is_bad(r, &s);
    if (!ret->failed)
        hold_page(r, &s, &data, ret);
}

static size_t retest(struct run *r, struct page_retest *ret)
{
    size_t n = r->n_pages < PAGE_RETEST_MAX ? r->n_pages : PAGE_RETEST_MAX;

    r->logs = false;
    for (size_t i = 0; i < n; i++)
        retest_page(r, r->page[i], &ret[i]);
    return n;
}

static void count_reads(struct run *r, const struct test_list *list)
{
    r->rounds = 0;
    for (size_t i = 0; i < list->n_tests; i++)
        r->rounds += test_reads(&list->test[i]);
}

bool kinds_run(struct faulty *f, const char *level, struct kind_verdict *ret)
{
    static struct run r;
    static struct kind_work work;
    static struct fault sample[FAULT_SAMPLE_MAX];
    static struct page_retest pages[PAGE_RETEST_MAX];
    static uint32_t line[FAULTY_LINES_MAX];
    struct kind_test count[TEST_LIST_MAX] = { 0 };
    struct kind_input input = {
        .record = r.record, .sample = sample, .test = count, .retest = pages
    };
    struct swept all = { .line = line,
                         .n = f->n_lines,
                         .sweep_s = (double)faulty_bytes(f) / (SWEEP_MB_S * 1e6) };
    struct test_list list;
    struct test_word bad;

    memset(&r, 0, sizeof(r));
    for (uint32_t i = 0; i < f->n_lines; i++)
        line[i] = i;
    r.f = f;
    r.logs = true;
    ASSERT(tests_select(level, "", &list, &bad) == STATUS_OK);
    r.list = &list;
    count_reads(&r, &list);
    for (size_t i = 0; i < list.n_tests; i++) {
        r.index = (uint32_t)i;
        r.count = &count[i];
        count[i].ran = true;
        count[i].waits = test_longest_pause_ms(&list.test[i]) != 0;
        do_test(&r, &list.test[i], &all);
    }
    if (!r.n_faults && !r.alias_pages)
        return false;
    input.n_retests = retest(&r, pages);
    input.n_sample = fault_sample_list(&r.sample, sample);
    input.n_records = r.n_records;
    input.n_faults = r.n_faults;
    input.n_bad_pages = r.n_pages + r.alias_pages;
    input.n_tests = list.n_tests;
    input.reads = (struct kind_reads){ &list, SEED, 1 };
    input.alias_pages = r.alias_pages;
    input.alias_bits = r.alias_bits;
    input.bus_bits = f->knows_bus ? f->map->bus_bits : 0;
    kind_find(&work, &input, ret);
    return true;
}
