// SPDX-License-Identifier: MIT
/*
 * Memory under test that somebody else wrote to: a device, by DMA that nobody stopped, or firmware.
 *
 * The folder: unrelated.h says which lines look so, garble.h what a fault makes of encrypted
 * memory, low_memory.h keeps what changes below 1 MiB; this module keeps lines that look so until
 * they have been tested again, and counts.
 *
 * A line that looks so is kept, and is no fault yet. After the round of the test it is tested again
 * (foreign_judge): by a march over all backgrounds, and by what was expected, which it must hold
 * for as long as it did not. What fails is a fault after all; so is a line of a page that is bad or
 * was changed in FOREIGN_RUNS elements of tests, and any for which there is no room. So a fault
 * that comes again is found, whatever it looks like, and no line is dropped.
 *
 * Where memory is encrypted, by the CPU's word or by its look (garble.h), an intermittent fault of
 * one chip garbles all of a line and leaves no other sign: such a line is a fault the first time.
 * Only data that cannot be garbage are taken for a device's there.
 *
 * All CPUs add at the same time, lock-free; the boot CPU does the rest while no other works.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "external/garble.h"
#include "external/unrelated.h"
#include "sweep/engine.h"

#define FOREIGN_LINES 256 /* in a round */
#define FOREIGN_PAGES 512 /* in a run */
#define FOREIGN_RUNS  3   /* so often in one page is too often */

/* Where in the run something was found. */
struct foreign_place {
    uint32_t test, pass, cpu;
};

struct foreign_line {
    uint64_t phys;
    struct line expected, found;
    struct foreign_place place;
    uint32_t element; /* number since the start of the run */
    uint32_t crc;     /* of all before; it may be in bad memory itself */
    atomic_uint state;
};

struct foreign_page {
    uint64_t page; /* number */
    uint32_t runs; /* elements in which it was found changed */
    uint32_t last_element;
};

/* The fields are its own. */
struct foreign {
    struct foreign_line *line; /* FOREIGN_LINES */
    atomic_uint n_lines;       /* and more: those that found no room */
    uint32_t n_before;         /* of them, when the element began */
    struct foreign_page page[FOREIGN_PAGES];
    size_t n_pages;
    struct written written;
    bool is_encrypted; /* by the CPU's word */
    struct garble_look look;
    uint32_t element;
    uint64_t began_us, written_us; /* the element; the last one that wrote */
    uint64_t hold_us;              /* for so long a line of this round had to hold its data */
};

/* line: room for FOREIGN_LINES of them, zeroed. memory_end: of RAM. */
void foreign_init(struct foreign *foreign, struct foreign_line *line, uint64_t memory_end);

/* All memory is encrypted: the CPU says so. Boot CPU, before the tests. */
void foreign_set_encrypted(struct foreign *foreign);

/* Whether memory is encrypted, as far as is known by now. For every CPU. */
bool foreign_is_encrypted(const struct foreign *foreign);

/*
 * To find out by the look of faults: whether more lines are wanted, and a line that was wrong, as
 * for foreign_add, on a page that may be known as bad. For every CPU.
 */
bool foreign_wants_look(const struct foreign *foreign);
void foreign_look(struct foreign *foreign, uint64_t phys, const struct line *expected,
                  const struct line *found, const struct line *again);

/* Before a round that writes these data. Boot CPU. */
void foreign_round(struct foreign *foreign, const struct data *data);

/* Before and after each element. Boot CPU, while no other works. */
void foreign_begin_element(struct foreign *foreign, uint64_t now_us);
void foreign_end_element(struct foreign *foreign, bool writes, uint64_t now_us);

/*
 * Before they are judged: lines of this round may have had to hold their data for so long, though
 * other memory was written last.
 */
void foreign_held(struct foreign *foreign, uint64_t us);

/*
 * The line at phys held `found`; again: what it holds now, read from DRAM. True: it is kept. False:
 * it is a fault: it does not look as if written by somebody else; it holds something else by now
 * than what was found, or the complement of what was expected, to which the element may have set
 * it; it may be garbage of encrypted memory; or there is no room. For every CPU.
 */
bool foreign_add(struct foreign *foreign, uint64_t phys, const struct line *expected,
                 const struct line *found, const struct line *again, struct foreign_place place);

/* Whether any is kept; or any at such an address. */
bool foreign_any(const struct foreign *foreign);
bool foreign_any_at(const struct foreign *foreign, bool (*at)(const void *ctx, uint64_t phys),
                    const void *ctx);

/* What judging needs, and whom it tells. */
struct foreign_judge {
    const struct line_ops *ops;
    bool has_clflushopt;
    struct line *(*memory)(uint64_t phys);
    bool (*is_bad)(uint64_t phys);
    bool (*wait)(uint64_t us); /* false: not for so long */
    void (*fault)(const struct foreign_line *line);
    void (*foreign)(const struct foreign_line *line);
    void (*damaged)(uint64_t phys); /* what was kept of this line is damaged */
};

/*
 * Tests all lines again that are kept, so that they hold any data then, and hands each to `fault`
 * or `foreign`; the same line in one element once. None is kept after that. Boot CPU, while no
 * other works.
 */
void foreign_judge(struct foreign *foreign, const struct foreign_judge *judge);

/* Hands all lines that are kept to `fault`, untested, as before a panic's end. */
void foreign_give_up(struct foreign *foreign, void (*fault)(const struct foreign_line *line));
