// SPDX-License-Identifier: MIT
#include "self/self_check.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/image.h"
#include "arch/paging.h"
#include "boot/check/image_check.h"
#include "event/notices.h"
#include "lib/crc32c.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "self/log_memory.h"
#include "self/phys_of.h"

#define POLL_PAGES 4
#define CHUNKS     64 /* for 16 CPUs: more would gain little */
#define TOLD_MAX   8  /* places, in a panic's text */
#define RANGES     3
#define PAGE_WORDS (PAGE_SIZE / sizeof(uint64_t))

#define VECTOR_MACHINE_CHECK 18

struct range {
    const uint8_t *start;
    uint64_t pages;
};

static struct {
    uint8_t *copy; /* of all ranges, one after the other; first: tests/system/test_survival.py */
    uint64_t n_pages, next_page;
    struct range ranges[RANGES];
    size_t n_ranges;
    uint32_t *sums[2]; /* of each page; the second are with the copy */
    crc32c_function crc;
    struct fault_log *log; /* that bad pages are marked in; NULL: it has not begun */
} self;

/* Whole pages that do not change from now on. */
static void guard(const void *start, uint64_t bytes)
{
    ASSERT(self.n_ranges < RANGES && (uint64_t)start % PAGE_SIZE == 0);
    self.ranges[self.n_ranges++] = (struct range){ start, align_up(bytes, PAGE_SIZE) / PAGE_SIZE };
    self.n_pages += self.ranges[self.n_ranges - 1].pages;
}

/* Where a page is (0), and its copy (1). */
static const uint8_t *page_at(uint64_t page, unsigned which)
{
    if (which)
        return self.copy + page * PAGE_SIZE;
    for (size_t i = 0; i < self.n_ranges; page -= self.ranges[i++].pages) {
        if (page < self.ranges[i].pages)
            return self.ranges[i].start + page * PAGE_SIZE;
    }
    panic("a page beyond those that are guarded");
}

static uint32_t sum_of(const uint8_t *page)
{
    return crc32c_of(self.crc, page, PAGE_SIZE);
}

static bool equal_pages(const uint8_t *a, const uint8_t *b)
{
    uint64_t words[2], differ = 0;

    for (size_t i = 0; i < PAGE_SIZE; i += sizeof(words[0])) {
        __builtin_memcpy(&words[0], a + i, sizeof(words[0]));
        __builtin_memcpy(&words[1], b + i, sizeof(words[1]));
        differ |= words[0] ^ words[1];
    }
    return !differ;
}

/* True: neither it nor its copy has changed. Any CPU. */
static bool is_sound(uint64_t page, uint32_t ret_sum[2])
{
    const uint8_t *at[2] = { page_at(page, 0), page_at(page, 1) };

    ret_sum[0] = sum_of(at[0]);
    ret_sum[1] = equal_pages(at[0], at[1]) ? ret_sum[0] : sum_of(at[1]);
    return ret_sum[0] == ret_sum[1] && ret_sum[0] == self.sums[0][page] &&
           ret_sum[0] == self.sums[1][page];
}

/* Marks the page as bad, and adds its address to the text. */
static void tell(struct fmt_buffer *text, const void *at, size_t *n)
{
    uint64_t phys = phys_of(at);

    fault_log_mark_page(self.log, phys);
    if ((*n)++ < TOLD_MAX)
        fmt_append(text, "%s 0x%lx",
                   *n == 1 ? "okram's own code or fixed data, or the copy, has changed in memory at"
                           : ",",
                   (unsigned long)phys);
}

static void tell_page(struct fmt_buffer *text, uint64_t page, size_t *n)
{
    uint32_t sum[2], right;
    bool is_known;

    if (is_sound(page, sum))
        return;
    is_known = crc32c_vote(sum, (uint32_t[]){ self.sums[0][page], self.sums[1][page] }, &right);
    for (unsigned i = 0; i < 2; i++) {
        if (!is_known || sum[i] != right)
            tell(text, page_at(page, i), n);
        if (!is_known || self.sums[i][page] != right)
            tell(text, &self.sums[i][page], n);
    }
}

bool self_check_append(struct fmt_buffer *text)
{
    size_t n = 0;

    if (!self.log)
        return false;
    for (uint64_t page = 0; page < self.n_pages; page++)
        tell_page(text, page, &n);
    fmt_append(text, n > TOLD_MAX ? " and more\n" : n ? "\n" : "okram's own code is intact\n");
    return !n;
}

/* What the copy and its checksums were made of may have changed since the loader looked at it. */
static void check_against_build(uint64_t first_page, struct fault_log *log)
{
    const struct image_check *built = (const void *)page_at(first_page, 1);
    bool sound = image_check_valid(built);
    uint64_t page = first_page;

    while (sound && ++page < self.n_pages)
        sound = self.sums[1][page] == built->crc[page - first_page];
    if (sound)
        return;
    fault_log_mark_page(log, phys_of(page_at(page, 0)));
    panic_of_memory(
        "okram's own code or fixed data at %p (memory at 0x%lx) has changed since it was loaded",
        (const void *)page_at(page, 0), (unsigned long)phys_of(page_at(page, 0)));
}

static void guard_index(const struct page_index *space)
{
    guard(space->extent, space->n_extents * sizeof(*space->extent));
}

void self_check_begin(const struct plan *plan, struct fault_log *log)
{
    uint64_t sums_bytes, image_page;

    guard_index(log->space);
    guard_index(log->marked);
    image_page = self.n_pages;
    guard(image_start, (uint64_t)(image_rodata_end - image_start));
    sums_bytes = align_up(self.n_pages * sizeof(*self.sums[0]), PAGE_SIZE);
    self.crc = crc32c_best();
    self.sums[0] = arena_alloc(sums_bytes);
    self.copy =
        distant_memory_alloc(plan, GROUP_SPARE, self.n_pages * PAGE_SIZE + sums_bytes, image_start);
    self.sums[1] = (uint32_t *)(self.copy + self.n_pages * PAGE_SIZE);
    for (uint64_t i = 0; i < self.n_pages; i++) {
        memcpy(self.copy + i * PAGE_SIZE, page_at(i, 0), PAGE_SIZE);
        self.sums[0][i] = self.sums[1][i] = sum_of(page_at(i, 1));
    }
    check_against_build(image_page, log);
    self.log = log;
}

/* Through the direct map: what is guarded is mapped read-only elsewhere. */
static volatile uint64_t *writable(const void *page)
{
    return direct(phys_of(page));
}

struct difference {
    uint64_t phys, bits; /* of the first word that differed */
    uint32_t words;
};

/* Copies the right page over the other; other CPUs may read it meanwhile. */
static struct difference rewrite(const uint8_t *page, const uint8_t *right)
{
    struct difference d = { 0 };

    for (size_t i = PAGE_WORDS; i-- > 0;) {
        volatile uint64_t *word = writable(page) + i;
        uint64_t wanted, wrong;

        memcpy(&wanted, right + i * sizeof(wanted), sizeof(wanted));
        wrong = *word ^ wanted;
        if (!wrong)
            continue;
        *word = wanted;
        cpu_flush_line(word);
        d = (struct difference){ (uint64_t)word - DIRECT_BASE, wrong, d.words + 1 };
    }
    return d;
}

static void repair(uint64_t page, unsigned which, uint32_t sum)
{
    const uint8_t *at = page_at(page, which);
    struct difference d = rewrite(at, page_at(page, !which));

    if (d.words) {
        fault_log_mark_page(self.log, d.phys);
        notice("okram's own %s, at %p, had changed in memory at 0x%lx (bits 0x%lx, %u words of "
               "the page): repaired, and the page counts as bad",
               which ? "spare copy" : "code or fixed data", (const void *)at, d.phys, d.bits,
               d.words);
    }
    if (sum_of(at) != sum)
        panic_of_memory(
            "okram's own %s at %p (memory at 0x%lx) cannot be repaired: the module there is bad",
            which ? "spare copy" : "code or fixed data", (const void *)at,
            (unsigned long)phys_of(at));
}

static void mark_both(uint64_t page)
{
    for (unsigned i = 0; i < 2; i++)
        fault_log_mark_page(self.log, phys_of(page_at(page, i)));
}

static uint32_t true_sum(uint64_t page, const uint32_t sum[2])
{
    uint32_t right;

    if (crc32c_vote(sum, (uint32_t[]){ self.sums[0][page], self.sums[1][page] }, &right))
        return right;
    mark_both(page);
    for (unsigned i = 0; i < 2; i++)
        fault_log_mark_page(self.log, phys_of(&self.sums[i][page]));
    panic_of_memory("okram's own code or fixed data at %p (memory at 0x%lx) has changed, and so "
                    "have its copy and checksums",
                    (const void *)page_at(page, 0), (unsigned long)phys_of(page_at(page, 0)));
}

static void repair_sum(uint64_t page, unsigned which, uint32_t sum)
{
    uint64_t phys = phys_of(&self.sums[which][page]);

    warn_print(
        &notices,
        "okram's own checksums had changed in memory at 0x%lx: repaired, and the page counts "
        "as bad",
        (unsigned long)phys);
    fault_log_mark_page(self.log, phys);
    self.sums[which][page] = sum;
}

static void check_page(uint64_t page)
{
    uint32_t sum[2], right;

    if (is_sound(page, sum))
        return;
    right = true_sum(page, sum);
    if (sum[0] != right && sum[1] != right) {
        mark_both(page);
        panic_of_memory("okram's own code or fixed data at %p (memory at 0x%lx) has changed, and "
                        "so has its copy",
                        (const void *)page_at(page, 0), (unsigned long)phys_of(page_at(page, 0)));
    }
    for (unsigned i = 0; i < 2; i++) {
        if (sum[i] != right)
            repair(page, i, right);
        if (self.sums[i][page] != right)
            repair_sum(page, i, right);
    }
}

/* Checks and repairs the page there, if it is guarded. True: it was intact. */
static bool repair_at(const void *at)
{
    const uint8_t *start = (const uint8_t *)align_down((uint64_t)at, PAGE_SIZE);

    for (uint64_t page = 0; page < self.n_pages; page++) {
        uint32_t sum;

        if (page_at(page, 0) != start)
            continue;
        sum = sum_of(start);
        check_page(page);
        return sum == self.sums[0][page];
    }
    return true;
}

void self_check_poll(struct fault_log *log)
{
    fault_log_scrub(log);
    for (unsigned i = 0; i < POLL_PAGES && self.n_pages; i++) {
        self.next_page = (self.next_page + 1) % self.n_pages;
        check_page(self.next_page);
    }
}

static uint64_t chunk_start(uint32_t chunk)
{
    return self.n_pages * chunk / CHUNKS;
}

/* Any CPU checks a chunk; only the boot CPU repairs. */
static void look_at_chunk(void *ctx, uint32_t chunk)
{
    atomic_bool *is_chunk_sound = ctx;
    bool sound = true;
    uint32_t sum[2];

    for (uint64_t i = chunk_start(chunk); sound && i < chunk_start(chunk + 1); i++)
        sound = is_sound(i, sum);
    atomic_store(&is_chunk_sound[chunk], sound);
}

static void check_chunk(uint32_t chunk)
{
    for (uint64_t i = chunk_start(chunk); i < chunk_start(chunk + 1); i++)
        check_page(i);
}

void self_check_all(struct fault_log *log)
{
    atomic_bool sound[CHUNKS];

    fault_log_writers_lost(log, cpu_pool_count_lost());
    fault_log_reconcile(log);
    chunks_run(machine.online, machine.n_online, CHUNKS, look_at_chunk, sound);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        if (!atomic_load(&sound[i]))
            check_chunk(i);
    }
}

/* The first exception on another CPU with the code intact. */
static struct {
    struct cpu_failure failure;
    uint32_t cpu;
    bool is_set;
} unexplained;

static bool is_in_text(uint64_t rip)
{
    return rip >= (uint64_t)image_start && rip < (uint64_t)image_text_end;
}

const char *self_check_explain(uint32_t cpu, const struct cpu_failure *f, bool *ret_intact)
{
    *ret_intact = f->vector != VECTOR_MACHINE_CHECK;
    if (f->vector == VECTOR_MACHINE_CHECK)
        return "reported by the hardware";
    if (!is_in_text(f->rip))
        return "outside of okram's code";
    *ret_intact = repair_at((const void *)f->rip);
    if (!*ret_intact)
        return "where okram's code had changed in memory";
    if (unexplained.is_set && unexplained.failure.vector == f->vector &&
        unexplained.failure.rip == f->rip)
        panic("internal error: the same exception on cpu %u and cpu %u: %lu at rip 0x%lx, cr2 "
              "0x%lx",
              unexplained.cpu, cpu, (unsigned long)f->vector, (unsigned long)f->rip,
              (unsigned long)f->address);
    if (!unexplained.is_set) {
        unexplained.failure = *f;
        unexplained.cpu = cpu;
        unexplained.is_set = true;
    }
    return f->is_flipped ? "where okram's code is intact, by one wrong bit: a faulty CPU or memory"
                         : "where okram's code is intact: an internal error, or a faulty CPU";
}

bool self_check_has_internal_error(void)
{
    return unexplained.is_set;
}
