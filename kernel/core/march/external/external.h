// SPDX-License-Identifier: MIT
/*
 * Memory under test that somebody else wrote to: a device, by DMA that nobody stopped, or firmware.
 *
 * The folder: looks_external.h decides which lines look externally written, low_memory.h keeps and
 * judges what changes below 1 MiB; this module keeps lines that look so until they have been tested
 * again, counts, and knows what a fault makes of encrypted memory.
 *
 * A line that looks so is kept, and is not a fault yet. After the round of the test it is tested
 * again (external_judge): by a march over all backgrounds, and by what was expected, which it must
 * hold for as long as it did not. A line that fails is a fault after all. So is a line of a page
 * that is bad or has changed in EXTERNAL_RUNS elements of tests, and a line for which there is no
 * room. So a fault that recurs is found, whatever it looks like, and no line is dropped.
 *
 * Where memory is encrypted, as reported by the CPU, or inferred from the faults, an
 * intermittent fault of one chip garbles all of a line and leaves no other sign: such a line is a
 * fault the first time. Only data that cannot be garbage are taken for a device's there.
 *
 * All CPUs add at the same time, lock-free; the boot CPU does the rest while no other works.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "external/looks_external.h"
#include "sweep/engine.h"

#define EXTERNAL_LINES 256 /* in a round */
#define EXTERNAL_PAGES 512 /* in a run */
#define EXTERNAL_RUNS  3   /* elements in which a page may change before it counts as bad */

/* Where in the run something was found. */
struct external_place {
    uint32_t test, pass, cpu;
};

struct external_line {
    uint64_t phys;
    struct line expected, found;
    struct external_place place;
    uint32_t element; /* number since the start of the run */
    uint32_t crc;     /* of all before; it may be in bad memory itself */
    atomic_uint state;
};

struct external_page {
    uint64_t page; /* number */
    uint32_t runs; /* elements in which it was found changed */
    uint32_t last_element;
};

#define GARBLE_LINES 3 /* garbled lines show that memory is encrypted */

/* All zero: no line was wrong so far. For every CPU. */
struct garble_look {
    atomic_uint n_garbled, n_others;
    atomic_bool seen;
};

/* The fields are its own. */
struct external {
    struct external_line *line; /* EXTERNAL_LINES */
    atomic_uint n_lines;        /* and more: those that found no room */
    uint32_t n_before;          /* of them, when the element began */
    struct external_page page[EXTERNAL_PAGES];
    size_t n_pages;
    struct written written;
    bool is_encrypted; /* as reported by the CPU */
    struct garble_look look;
    uint32_t element;
    uint64_t began_us, written_us; /* the element; the last one that wrote */
    uint64_t hold_us;              /* longest time that a line had to hold its data in this round */
};

/* line: room for EXTERNAL_LINES of them, zeroed. memory_end: of RAM. */
void external_init(struct external *external, struct external_line *line, uint64_t memory_end);

/* All memory is encrypted: the CPU says so. Boot CPU, before the tests. */
void external_set_encrypted(struct external *external);

/* Whether memory is encrypted, as far as is known by now. For every CPU. */
bool external_is_encrypted(const struct external *external);

/* The line at phys held `found`; again: what it holds now, read from DRAM. */
struct wrong_line {
    uint64_t phys;
    const struct line *expected, *found, *again;
};

/*
 * To find out by the look of faults: whether more lines are wanted, and a line that was wrong, on a
 * page that may be known as bad. For every CPU.
 */
bool external_wants_look(const struct external *external);
void external_look(struct external *external, const struct wrong_line *wrong);

/* Before a round that writes these data. Boot CPU. */
void external_round(struct external *external, const struct data *data);

/* Before and after each element. Boot CPU, while no other works. */
void external_begin_element(struct external *external, uint64_t now_us);
void external_end_element(struct external *external, bool writes, uint64_t now_us);

/*
 * Before they are judged: lines of this round may have had to hold their data for so long, though
 * other memory was written last.
 */
void external_held(struct external *external, uint64_t us);

/*
 * True: the line is kept. False: it is a fault: it does not look as if written by somebody else; it
 * holds something else by now than what was found, or the complement of what was expected, to which
 * the element may have set it; it may be garbage of encrypted memory; or there is no room. For
 * every CPU.
 */
bool external_add(struct external *external, const struct wrong_line *wrong,
                  struct external_place place);

/* Whether any line of this run has looked so, whatever became of it. */
bool external_ever(const struct external *external);

/* Whether any is kept; or any at such an address. */
bool external_any(const struct external *external);
bool external_any_at(const struct external *external, bool (*at)(const void *ctx, uint64_t phys),
                     const void *ctx);

/* Before lines are judged: the next one that was damaged while it was kept; it is dropped. */
bool external_take_damaged(struct external *external, uint64_t *ret_phys);

/* What judging needs. */
struct external_judge {
    const struct line_ops *ops;
    bool has_clflushopt;
    struct line *(*memory)(uint64_t phys);
    bool (*is_bad)(void *ctx, uint64_t phys);
    bool (*wait)(void *ctx, uint64_t us); /* false: not for so long */
    void *ctx;
};

/*
 * Tests all lines again that are kept, so that they hold any data then. Boot CPU, while no other
 * works.
 */
void external_judge(struct external *external, const struct external_judge *judge);

struct external_judged {
    const struct external_line *line; /* valid until the next round */
    bool is_fault;                    /* as judged */
    bool is_repeated;                 /* it was found before in the same element */
};

/* Takes the next line out, after external_judge or, as before a panic's end, without it. */
bool external_take(struct external *external, struct external_judged *ret);
