#include "run/own_aliases.h"

#include <stdbool.h>

#include "arch/cpu.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "faults/own_words.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "run/machine.h"
#include "run/plan.h"
#include "run/watch.h"
#include "sweep/lines.h"

/* Of a batch all pages are marked, and then all of okram's own are looked at. */
#define BATCH_BYTES (UINT64_C(1) << 30)

/* In page tables the CPU sets these, "accessed" and "dirty", at any time: SDM vol. 3A, 4.8. */
#define UNSTEADY_BITS UINT64_C(0x60)

/* A change that may be seen by whatever uses the word: in page tables it is an ignored bit. */
#define HARMLESS_BIT (UINT64_C(1) << 10)

/* What is in use while okram's own words are changed: is_shared, and the stack around. */
#define CODE_BYTES        512
#define STACK_BYTES_ABOVE 1024
#define STACK_BYTES_BELOW 1024

static struct {
    struct own_words words;
    void *memory;
    uint64_t max_pages;
    uint64_t key;
    uint64_t offset; /* of the word in each page */
    bool all_known;
} own;

static volatile uint64_t *word_of(uint64_t page)
{
    return direct(page + own.offset);
}

/* Done only after a fence. */
static void flush(uint64_t page)
{
    if (machine.cpu.clflushopt)
        __asm__ volatile("clflushopt %0" : : "m"(*(volatile char *)word_of(page)) : "memory");
    else
        __asm__ volatile("clflush %0" : : "m"(*(volatile char *)word_of(page)) : "memory");
}

static uint64_t n_pages_of(const struct arena_place *place)
{
    return (place->data.bytes + place->tables.bytes) / PAGE_SIZE;
}

static uint64_t page_of(const struct arena_place *place, uint64_t i)
{
    uint64_t offset = i * PAGE_SIZE;

    return offset < place->data.bytes ? place_at(&place->data, offset).base
                                      : place_at(&place->tables, offset - place->data.bytes).base;
}

static void flush_place(const struct arena_place *place)
{
    for (uint64_t i = 0; i < n_pages_of(place); i++)
        flush(page_of(place, i));
    lines_fence();
}

static void flush_batch(struct span batch)
{
    for (uint64_t page = batch.base; page < span_end(batch); page += PAGE_SIZE)
        flush(page);
    lines_fence();
}

/*
 * Whether a change of one page's word is one of the other's. What is written is put back at once:
 * the other may be in use, and so this is one function whose code and stack are known (is_in_use).
 */
static __attribute__((noinline)) bool is_shared(volatile uint64_t *written,
                                                volatile uint64_t *watched)
{
    uint64_t was = *written, before, after;

    cpu_flush_line(watched);
    before = *watched;
    *written = was ^ HARMLESS_BIT;
    cpu_flush_line(written);
    cpu_flush_line(watched);
    after = *watched;
    *written = was;
    cpu_flush_line(written);
    cpu_flush_line(watched);
    return ((before ^ after) & ~UNSTEADY_BITS) == HARMLESS_BIT &&
           ((before ^ *watched) & ~UNSTEADY_BITS) == 0;
}

/* Whether any of these bytes, less than a page, is in the word at this offset of its page. */
static bool has_offset(uint64_t at, uint64_t bytes, uint64_t offset)
{
    uint64_t end = at + bytes;

    at = align_down(at, sizeof(uint64_t));
    return (offset - at) % PAGE_SIZE < end - at;
}

static bool is_in_use(uint64_t offset)
{
    uint64_t stack = (uint64_t)__builtin_frame_address(0);

    return has_offset((uint64_t)is_shared, CODE_BYTES, offset) ||
           has_offset(stack - STACK_BYTES_BELOW, STACK_BYTES_BELOW + STACK_BYTES_ABOVE, offset) ||
           has_offset((uint64_t)&own, sizeof(own), offset);
}

/* A new key, and the offset of a word that is not in use now. */
static void begin(void)
{
    own.key = tsc_now();
    for (own.offset = 0; is_in_use(own.offset); own.offset += sizeof(uint64_t))
        ASSERT(own.offset + sizeof(uint64_t) < PAGE_SIZE);
}

/* Calls find for each batch of whole pages that are tested now. */
static void for_each_batch(void (*find)(struct span batch, const struct arena_place *place),
                           const struct arena_place *place)
{
    for (size_t i = 0; i < plan.pieces.n; i++) {
        struct span s = plan.pieces.piece[i].span;
        uint64_t base = align_up(s.base, PAGE_SIZE), end = align_down(span_end(s), PAGE_SIZE);

        for (uint64_t at = base; at < end && !plan.pieces.piece[i].why; at += BATCH_BYTES) {
            uint64_t left = end - at;

            find((struct span){ at, left < BATCH_BYTES ? left : BATCH_BYTES }, place);
        }
    }
}

/* Of the line that the word is in. */
static void add(uint64_t page, uint64_t partner)
{
    uint64_t line = align_down(own.offset, LINE_SIZE);

    aliases_add(&aliases, page + line, partner + line);
}

/* The tested page is given up, too, where others of the same alias would be tested. */
static void add_own(uint64_t tested, uint64_t okrams)
{
    add(tested, okrams);
    aliases_give_up(&aliases, tested);
}

void own_aliases_prepare(void)
{
    own.max_pages = n_pages_of(arena_where());
    own.memory = arena_alloc(own_words_bytes(own.max_pages));
}

/* What is not 0: the others are told apart by marks. */
static void list_own_words(const struct arena_place *place)
{
    flush_place(place);
    memset(own.memory, 0, own_words_bytes(own.max_pages));
    own_words_init(&own.words, own.memory, own.max_pages);
    for (uint64_t i = 0; i < n_pages_of(place); i++) {
        uint64_t page = page_of(place, i), word = *word_of(page) & ~UNSTEADY_BITS;

        if (word)
            own_words_add(&own.words, word, page);
    }
    flush_place(place);
}

/* Marks what is 0, and looks into what is like a word of okram's own. */
static void mark_batch(struct span batch)
{
    flush_batch(batch);
    for (uint64_t page = batch.base; page < span_end(batch); page += PAGE_SIZE) {
        uint64_t word = *word_of(page) & ~UNSTEADY_BITS, at = 0, okrams;

        if (aliases_has_page(&aliases, page))
            continue;
        if (!word)
            *word_of(page) = own_words_mark(own.key, page);
        while (word && own_words_next(&own.words, word, &at, &okrams)) {
            if (is_shared(word_of(page), word_of(okrams)))
                add_own(page, okrams);
        }
    }
    flush_batch(batch);
}

/* Of pages that share cells with the same of okram's own, one is found. */
static void find_some(struct span batch, const struct arena_place *place)
{
    mark_batch(batch);
    flush_place(place);
    for (uint64_t i = 0; i < n_pages_of(place); i++) {
        uint64_t okrams = page_of(place, i), tested;

        if (!own_words_is_mark(own.key, *word_of(okrams), &tested) || !span_contains(batch, tested))
            continue;
        *word_of(okrams) = 0;
        flush(okrams);
        lines_fence();
        add_own(tested, okrams);
    }
}

static void find_in_batch(struct span batch, const struct arena_place *place)
{
    do
        find_some(batch, place);
    while (aliases_finish(&aliases));
}

void own_aliases_find(void)
{
    begin();
    list_own_words(arena_where());
    for_each_batch(find_in_batch, arena_where());
}

void own_aliases_tell(void)
{
    struct alias alias;

    while (aliases_drain(&aliases, &alias))
        watch_tell_own_alias(&alias);
}

static void find_marks(struct span batch, const struct arena_place *to)
{
    flush_batch(batch);
    for (uint64_t page = batch.base; page < span_end(batch); page += PAGE_SIZE) {
        uint64_t marked;

        if (own_words_is_mark(own.key, *word_of(page), &marked) && marked != page &&
            arena_place_holds(to, marked) && !aliases_has_page(&aliases, page) &&
            is_shared(word_of(marked), word_of(page)))
            add(page, marked);
    }
}

void own_aliases_all_known(void)
{
    own.all_known = true;
}

uint64_t own_aliases_find_of(const struct arena_place *to)
{
    uint64_t n_given_up;

    if (own.all_known)
        return 0;
    begin();
    for (uint64_t i = 0; i < n_pages_of(to); i++)
        *word_of(page_of(to, i)) = own_words_mark(own.key, page_of(to, i));
    flush_place(to);
    for_each_batch(find_marks, to);
    n_given_up = aliases_finish(&aliases);
    own_aliases_tell();
    return n_given_up;
}
