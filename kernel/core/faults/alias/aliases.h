// SPDX-License-Identifier: MIT
/*
 * Aliases: pages of RAM that reach the same cells as others, because an address line or a decoder
 * is faulty or memory is mapped twice. page_tags.h, the other module here, recognizes a page that
 * is seen at a second address.
 *
 * The address test writes each line's address to it. When a line reads back another line's address,
 * the two share cells, and usually so do the pages around them: thousands or millions of pages in
 * the same way. So pairs of pages that differ in the same address bits count as one alias. Pages
 * are given up until no two of the others share cells:
 *
 * - always the one with the higher address;
 * - the lower one, too, if its alias turns out to have few pairs (aliases_settle): that is a faulty
 *   decoder, and may disturb either. Many pairs are an address line or a whole range: the lower
 *   copies work alone.
 *
 * A lower page whose cells okram itself uses, by the higher address, is held: it is not tested
 * until okram has moved away (aliases_release).
 *
 * Where more than two addresses share cells, a test may see only some of the pairs. It has to be
 * repeated on the pages that are left until aliases_finish gives up no more.
 *
 * All CPUs add at the same time, lock-free: one that stops half-way, for good, blocks no other and
 * costs no page, but an alias may be reported with a pair too few. The boot CPU sums up while no
 * other works.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/spans.h"
#include "log/fault_log.h"

#define ALIASES_MAX       64 /* one more holds all others */
#define ALIASES_HELD_MAX  64 /* spans */
#define ALIASES_FEW_PAGES 64 /* with this many pairs or fewer both sides are given up */

/* Pairs of pages that reach the same cells. Addresses are physical. */
struct alias {
    uint64_t addr, partner; /* an example: two lines, addr the higher one */
    uint64_t address_bits;  /* all pairs differ in these; 0: lines of one page */
    bool various;           /* the pairs beyond ALIASES_MAX: address_bits says nothing */
    uint64_t pages;         /* how many pairs */
    struct span upper;      /* a range with the pairs' higher pages, and maybe others */
    struct span lower;      /* the lower ones; the same as upper for lines of one page */
    bool both;              /* few: both sides are given up in the end, not only the upper */
};

#define ALIAS_OFFERS 8 /* of an example: one is enough, unless its CPU stops before it is whole */

/* A range that only grows. 0: empty. */
struct alias_reach {
    _Atomic uint64_t not_base; /* the base's complement */
    _Atomic uint64_t end;
};

struct alias_entry {
    _Atomic uint64_t key;                      /* by what its pairs differ; 0: free */
    _Atomic uint64_t lower[ALIASES_FEW_PAGES]; /* the first pairs' lower pages: index + 1 */
    _Atomic uint64_t more_pairs;               /* of which the lower pages are not kept */
    atomic_bool from_above;                    /* was seen from the higher address */
    struct alias_reach upper_reach, lower_reach;

    /* Each is written by the one CPU that took it; whole: 1 + the number of one that is written. */
    struct {
        uint64_t addr, partner;
    } offer[ALIAS_OFFERS];
    atomic_uint n_offers, whole;

    uint64_t reported_pages;
};

/* About 50 KiB: place it statically. The fields are its own. */
struct aliases {
    struct fault_log *log;
    _Atomic uint64_t *bitmap; /* one bit a page, by index: given up, now or at the next finish */
    atomic_bool has_grown;    /* the bitmap, since the last finish; or it is about to */
    uint64_t n_left_out;      /* pages given up or held, at the last finish */
    struct span held_span[ALIASES_HELD_MAX];
    struct spans held;
    atomic_bool any;
    struct alias_entry entry[ALIASES_MAX + 1];
};

/* Bytes of bitmap that a page space needs, a multiple of 8. */
size_t aliases_bitmap_bytes(const struct page_index *space);

/*
 * No aliases. log: where pages given up are marked as bad, and its pages with a bit are those
 * tested. bitmap: 8-byte aligned, aliases_bitmap_bytes() long, cleared here.
 */
void aliases_init(struct aliases *aliases, struct fault_log *log, void *bitmap);

/*
 * A word at phys held what was written to the line at partner_phys, which may be any number. For
 * every CPU; pairs of pages that are known are only read.
 *
 * True: the caller is to log it as a fault. Either it is not an alias, because there is no other
 * line of RAM at partner_phys; or it is the first of its alias seen at the higher address, which is
 * given up.
 */
bool aliases_add(struct aliases *aliases, uint64_t phys, uint64_t partner_phys);

/* Gives the page of phys up at the next aliases_finish, whatever its pair. Not RAM: nothing. */
void aliases_give_up(struct aliases *aliases, uint64_t phys);

/*
 * Holds the page of phys from now on: it is left out of the tests, but not bad. Given up if there
 * is no room. Boot CPU only, while no other CPU works.
 */
void aliases_hold(struct aliases *aliases, uint64_t phys);

/* Whether any page is held. */
static inline bool aliases_hold_any(const struct aliases *aliases)
{
    return aliases->held.n != 0;
}

/* okram has left the cells of the pages that are held: they are tested like all others. */
void aliases_release(struct aliases *aliases);

/*
 * Gives up the upper pages added since the last call and marks them as bad in the fault log.
 * Returns how many, with those held since. Boot CPU only, while no other CPU works.
 */
uint64_t aliases_finish(struct aliases *aliases);

/*
 * The same when no more pairs are expected, as after an address test: also gives up the lower pages
 * of aliases with few pairs, and what is held.
 */
uint64_t aliases_settle(struct aliases *aliases);

/*
 * Whether a page is the higher one of two that share cells if an alias of many pairs goes on in the
 * same way.
 */
bool aliases_may_be_upper(const struct aliases *aliases, uint64_t phys);

/*
 * The next alias that is new or has grown since it was last handed out. False: no more. Boot CPU
 * only, while no other CPU works.
 */
bool aliases_drain(struct aliases *aliases, struct alias *ret_alias);

/* Whether any page is given up, or was held. */
static inline bool aliases_any(const struct aliases *aliases)
{
    return atomic_load_explicit(&aliases->any, memory_order_relaxed);
}

/* The one with most pairs. False: there is none. Boot CPU only, while no other CPU works. */
bool aliases_largest(const struct aliases *aliases, struct alias *ret_alias);

/*
 * Whether the page of phys is given up, as of the last aliases_finish, or held; of a page that is
 * bad anyway this may be true earlier. For every CPU.
 */
bool aliases_has_page(const struct aliases *aliases, uint64_t phys);
