// SPDX-License-Identifier: MIT
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "badram/cover.h"
#include "badram/pattern.h"
#include "bootcfg/lines.h"
#include "message.h"
#include "print.h"
#include "simulate.h"

/* A PC's memory map ends with firmware's ROM below 4 GiB, if not with RAM above. */
#define MAP_TOP_GUESS UINT64_C(0xfec00000)

#define GRUB_CHUNK UINT64_C(0x400)

static struct pattern as_pattern(struct written w)
{
    return (struct pattern){ w.addr & w.mask & PATTERN_MASK_BITS, w.mask & PATTERN_MASK_BITS };
}

/* Whether GRUB's search for the pattern ends in a map whose last entry begins at map_top. */
static bool hangs_grub(struct written w, uint64_t map_top)
{
    uint64_t mask = w.mask & ~(GRUB_CHUNK - 1), lowest = mask & -mask;

    return !mask || ((w.addr & mask) | (~mask & -lowest)) < map_top;
}

/* It fixes bits that no physical address has. */
static bool is_out_of_reach(struct written w)
{
    return w.addr & w.mask & ~(PATTERN_MASK_BITS | (PAGE_SIZE - 1));
}

/* Returns whether it is wrong. */
static bool check_pattern(struct written w, const struct arguments *a, const struct fault_log *log)
{
    uint64_t top = a->map_top ? a->map_top : MAP_TOP_GUESS;
    struct pattern p = as_pattern(w);
    uint64_t pages = is_out_of_reach(w) ? 0 : pattern_pages(p, log->space);
    bool hangs = hangs_grub(w, top);

    print_pair(w.addr, w.mask);
    printf(": ");
    print_free_bits(p, log->space);
    printf("; ");
    print_pages(pages);
    printf(" of RAM");
    if (hangs && w.mask & ~(GRUB_CHUNK - 1))
        printf("; GRUB up to 2.14 HANGS: the mask's bits 52-63 must be clear");
    else if (hangs)
        printf("; GRUB HANGS: the mask fixes no bit");
    if (w.mask && !(w.mask >> 32))
        printf("; a mask of 32 bits: it covers the same page of every other 4 GiB, too");
    if (w.mask & (PAGE_SIZE - 1))
        printf("; the unit is a page: the mask's bits 0-11 are ignored");
    if (!pages)
        printf("; it covers no RAM");
    return hangs;
}

/* in_use: bad pages that are covered, but stay in use. Returns whether a bad page is left. */
static bool check_bad_pages(const struct pattern *list, size_t n, uint64_t pages, uint64_t in_use,
                            const struct fault_log *log)
{
    uint64_t index = 0, left = 0, first = 0, bad = fault_log_bad_pages(log);
    struct page_run run;

    while (fault_log_next_run(log, &index, &run)) {
        for (uint64_t page = run.first; page < page_run_end(run); page++) {
            if (pattern_list_covers(list, n, page << PAGE_SHIFT))
                continue;
            first = left++ ? first : page;
        }
    }
    printf("of ");
    print_count(bad, "bad page");
    printf(" %" PRIu64 " covered", bad - left);
    if (left)
        printf(", %" PRIu64 " NOT, the first at 0x%" PRIx64, left, first << PAGE_SHIFT);
    if (in_use)
        printf(", %" PRIu64 " of them left in use by GRUB", in_use);
    printf("; good pages lost: ");
    print_pages(pages - (bad - left));
    putchar('\n');
    return left || in_use;
}

static void print_rewritten(const struct pattern *list, size_t n)
{
    puts("the same in a form that GRUB accepts:");
    for (size_t i = 0; i < n; i++) {
        printf(i ? "," : "badram=");
        print_pair(list[i].addr, list[i].mask);
    }
    putchar('\n');
}

/* The characters of the pairs, as a command has them. */
static size_t count_chars(const struct written *w, size_t n)
{
    size_t chars = 0;

    for (size_t i = 0; i < n; i++)
        chars += (size_t)snprintf(NULL, 0, "0x%" PRIx64 ",0x%" PRIx64 ",", w[i].addr, w[i].mask);
    return chars - 1; /* no comma at the end */
}

/* Returns whether it is wrong. */
static bool check_length(const struct arguments *a)
{
    size_t chars = count_chars(a->checked, a->n_checked);

    if (chars <= BADRAM_PAIRS_CHARS_MAX)
        return false;
    printf("GRUB STOPS at a command of %zu characters, more than %d: write it as several badram "
           "commands\n",
           chars, BADRAM_PAIRS_CHARS_MAX);
    return true;
}

static const struct simulation not_simulated = { 0 };

static struct simulation simulate(enum firmware firmware, const struct arguments *a,
                                  const struct pattern *list, size_t n, const struct fault_log *log)
{
    if (!a->n_entries)
        return not_simulated;
    return simulate_line(firmware, simulate_map(a), list, n, log);
}

/* What GRUB on the given firmware, or on UEFI, leaves of a pair. */
static void print_left(enum firmware firmware, const struct simulation *s, size_t i)
{
    if (!s->is_known || !s->left[i].pages)
        return;
    printf(firmware == FIRMWARE_BIOS
               ? "; GRUB on BIOS leaves "
               : "; blocks begin where the memory map has no entry: GRUB leaves ");
    print_pages(s->left[i].pages);
    printf(" of it in use, the first at 0x%" PRIx64, s->left[i].first << PAGE_SHIFT);
}

/* Returns whether it is wrong. */
static bool conclude(enum firmware firmware, const struct simulation *s)
{
    if (s->left && !s->is_known) {
        puts("no statement about GRUB: too many blocks");
        return firmware == FIRMWARE_BIOS;
    }
    if (s->leaves && firmware == FIRMWARE_BIOS)
        puts("GRUB on BIOS applies a pair in one piece of its map only: --firmware bios, without "
             "--check, orders and repeats them");
    return s->leaves;
}

/* The firmware is unknown. */
static void warn_of_bios(const struct simulation *s)
{
    if (s->leaves)
        printf("on BIOS GRUB would leave some of it in use, the first at 0x%" PRIx64
               " (details: --firmware bios)\n",
               s->first << PAGE_SHIFT);
}

int check_line(const struct arguments *arguments, const struct fault_log *log)
{
    struct pattern *list = allocate(arguments->n_checked * sizeof(list[0]));
    bool wrong = false, other = false, can_be_taken = true;
    struct simulation named, bios;
    uint64_t pages, ranges;
    size_t n = 0;

    for (size_t i = 0; i < arguments->n_checked; i++) {
        struct pattern p = as_pattern(arguments->checked[i]);

        if (!is_out_of_reach(arguments->checked[i]))
            list[n++] = p;
        can_be_taken &= p.mask != 0;
    }
    named = can_be_taken ? simulate(arguments->firmware, arguments, list, n, log) : not_simulated;
    n = 0;
    for (size_t i = 0; i < arguments->n_checked; i++) {
        struct written w = arguments->checked[i];
        struct pattern p = as_pattern(w);

        wrong |= check_pattern(w, arguments, log);
        if (!is_out_of_reach(w))
            print_left(arguments->firmware, &named, n++);
        putchar('\n');
        other |= p.addr != w.addr || p.mask != w.mask;
    }
    pages = cover_count_pages(list, n, log->space);
    ranges = cover_count_ranges(list, n, log->space, COVER_RANGES_MAX);
    printf("all: ");
    print_pages(pages);
    printf(" of RAM in ");
    print_count(ranges, "range");
    if (ranges > arguments->ranges) {
        printf(", but the memory map has room for %" PRIu64 ": Linux LOSES the rest",
               arguments->ranges);
        wrong = true;
    }
    puts(arguments->ram_is_known ? "" : "; without --map all addresses count as RAM");
    if (arguments->has_input)
        wrong |= check_bad_pages(list, n, pages, named.bad_pages, log);
    wrong |= check_length(arguments);
    wrong |= conclude(arguments->firmware, &named);
    if (arguments->firmware == FIRMWARE_UNKNOWN && can_be_taken) {
        bios = simulate(FIRMWARE_BIOS, arguments, list, n, log);
        warn_of_bios(&bios);
        simulate_free(&bios);
    }
    if (other && n && can_be_taken)
        print_rewritten(list, n);
    simulate_free(&named);
    free(list);
    return wrong;
}
