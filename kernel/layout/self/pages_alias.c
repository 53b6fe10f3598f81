// SPDX-License-Identifier: MIT
#include "self/pages_alias.h"

#include "arch/cpu.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "sweep/line_ops.h"

/* A change that does no harm to whatever uses the word: in page tables the bit is ignored. */
#define HARMLESS_BIT (UINT64_C(1) << 10)

/*
 * What is in use while okram's own words may change: is_shared, the stack around, and those of the
 * other CPUs, which begin at the end of a page.
 */
#define CODE_BYTES         256
#define STACK_BYTES_ABOVE  256
#define STACK_BYTES_BELOW  1024
#define OTHERS_STACK_BYTES 1024

struct page_words page_words;

/* One function whose code and stack are known (is_in_use). */
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
    return ((before ^ after) & ~PAGE_WORDS_UNSTEADY) == HARMLESS_BIT &&
           ((before ^ *watched) & ~PAGE_WORDS_UNSTEADY) == 0;
}

/* Whether any of these bytes, less than a page, is in the line at this offset of its page. */
static bool has_line(uint64_t at, uint64_t bytes, uint64_t line)
{
    uint64_t end = at + bytes;

    at = align_down(at, LINE_SIZE);
    return (line - at) % PAGE_SIZE < end - at;
}

static bool is_in_use(uint64_t line, const struct span *in_use, size_t n)
{
    uint64_t stack = (uint64_t)__builtin_frame_address(0);

    for (size_t i = 0; i < n; i++) {
        if (has_line(in_use[i].base, in_use[i].size, line))
            return true;
    }
    return has_line((uint64_t)is_shared, CODE_BYTES, line) ||
           has_line(stack - STACK_BYTES_BELOW, STACK_BYTES_BELOW + STACK_BYTES_ABOVE, line) ||
           has_line(PAGE_SIZE - OTHERS_STACK_BYTES, OTHERS_STACK_BYTES, line) ||
           has_line((uint64_t)&page_words, sizeof(page_words), line);
}

void page_words_choose(const struct span *in_use, size_t n)
{
    uint64_t *offset = &page_words.offset;

    page_words.clflushopt = machine.cpu.clflushopt;
    for (*offset = 0; is_in_use(*offset, in_use, n); *offset += LINE_SIZE)
        ASSERT(*offset + LINE_SIZE < PAGE_SIZE);
}

void page_word_store(uint64_t page, uint64_t word)
{
    *page_word(page) = word;
    page_word_flush(page);
    line_ops_fence();
}

static void visit_pages(const struct page_list *place, void (*visit)(uint64_t page))
{
    for (size_t i = 0; i < place->n; i++) {
        struct span s = page_list_span(place, i);

        for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE)
            visit(page);
    }
}

void page_words_visit(const struct footprint *place, void (*visit)(uint64_t page))
{
    visit_pages(&place->data, visit);
    visit_pages(&place->tables, visit);
}

void page_words_visit_own(void (*visit)(uint64_t page))
{
    page_words_visit(arena_footprint(), visit);
    visit_pages(arena_fixed(), visit);
}

void page_words_flush_own(void)
{
    page_words_visit_own(page_word_flush);
    line_ops_fence();
}

bool pages_alias(uint64_t written_page, uint64_t watched_page)
{
    return is_shared(page_word(written_page), page_word(watched_page));
}
