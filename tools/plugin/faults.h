// SPDX-License-Identifier: MIT
/*
 * Faults of memory cells, made in a plain array of bytes.
 *
 * A cell is one bit. The caller reports every store once its bytes are in place; the faults then
 * change the array as a faulty chip would: what was stored before and what is
 * stored now decide alone, so the same stores always give the same faults. Memory starts zeroed.
 *
 * First every fault of the stored cells themselves acts, then the couplings that these cells are
 * the aggressor of; a victim changed by a coupling sets off no further coupling. The kinds are
 * those of A. J. van de Goor, "Testing Semiconductor Memories" (1991), chapter 2; WDF, DRDF and
 * CFds are of S. Hamdioui et al., "An Experimental Analysis of Spot Defects in SRAMs" (ATS 2000);
 * that how long a cell holds its data depends on those around it is measured in J. Liu et al., "An
 * Experimental Study of Data Retention Behavior in Modern DRAM Devices" (ISCA 2013).
 *
 * The neighbours of a cell are the same bit of the words before and after its own in a line.
 *
 * A faulty chip is not of these: now and then it stores wrong bits of a line of 64 bytes, behind a
 * controller that encrypts (permutation.h). A line counts as stored once its last byte is. Faults
 * of beats (words of a line) act as a cache writes the line back: when another one of its page is
 * stored.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dram_fault.h"
#include "rare.h"

enum fault_kind {
    FAULT_STUCK0,       /* the cell is 0 */
    FAULT_STUCK1,       /* the cell is 1 */
    FAULT_RISE,         /* storing 1 over 0 fails */
    FAULT_FALL,         /* storing 0 over 1 fails */
    FAULT_FADE,         /* a 1 that is not stored again within hold_ns becomes 0 */
    FAULT_LEAK,         /* the same of `value`, while its neighbours hold `left` and `right` */
    FAULT_LAPSE,        /* each store of a certain number stores the opposite */
    FAULT_DISTURB,      /* storing the value that the cell has inverts it (WDF) */
    FAULT_DECEIVE,      /* a load brings the right value, but inverts the cell (DRDF) */
    FAULT_COUPLE,       /* coupling: an event of the cell makes the victim 0 or 1, or inverts it */
    FAULT_STATE,        /* coupling: while the cell is 1 the victim is 0 (CFst) */
    FAULT_STATE_VICTIM, /* the same, by the victim's page; made by faults_add */
    FAULT_ECC,          /* the cell is 0, which ECC corrects: only seen by who reads a 1 there */
    FAULT_ALIAS,        /* address decoder: the page and the victim's page share their cells */
    FAULT_CHIP,   /* of a page's lines that are stored, one in `one_in` is garbled, the last of them
                   */
    FAULT_BRIDGE, /* two data lines of a page are one: of words in which they differ both are 0 */
    FAULT_BEATS,  /* of a page's lines that are written back, one in `one_in` lacks a beat */
    FAULT_MISREAD,  /* one load in `one_in`, at random, brings the opposite */
    FAULT_ONE_CPU,  /* storing 1 fails if that CPU stores */
    FAULT_ALL_CPUS, /* storing 1 fails if another CPU stores as well, to whatever place */
    FAULT_WITNESS,  /* a good cell whose stores are counted */
};

/* What sets off a coupling (CFid, CFin; the last two: CFds). */
enum fault_event {
    EVENT_RISE = 1, /* the cell goes from 0 to 1 */
    EVENT_FALL = 2,
    EVENT_SAME = 4, /* the value that it has is stored */
    EVENT_LOAD = 8,
};

enum fault_effect { EFFECT_0, EFFECT_1, EFFECT_INVERT };

struct fault {
    enum fault_kind kind;
    uint64_t offset;        /* byte; for FAULT_ALIAS a page's first */
    uint64_t victim_offset; /* of couplings; for FAULT_ALIAS a page's first */
    uint8_t events;         /* FAULT_COUPLE: any of enum fault_event */
    uint8_t effect;         /* and enum fault_effect */
    bool has_third;         /* it is set off only while a third cell holds `value` */
    uint64_t third_offset;
    unsigned third_bit;
    uint64_t hold_ns;        /* FAULT_FADE, FAULT_LEAK */
    bool left, value, right; /* FAULT_LEAK: what the three cells hold when it is lost */
    uint64_t one_in, random; /* FAULT_ECC: how many reads show it, at random; 1: each */
    unsigned other_line;     /* FAULT_BRIDGE: of 64; the first one is `bit` */
    bool shifts;        /* FAULT_BEATS: the beats from `bit` on, not 0, hold the one before; else
                           it is not written */
    uint8_t *before;    /* FAULT_BEATS: the page as it was written back; kept by faults.c */
    uint64_t pending;   /* FAULT_BEATS: the line that is not yet written back; same */
    unsigned vcpu;      /* FAULT_ONE_CPU */
    bool is_next_wrong; /* FAULT_MISREAD: the cell is inverted for its next load; same */
    uint32_t every;     /* FAULT_LAPSE: every how many stores, 1 or more */
    bool reads_right;   /* FAULT_CHIP: only the first read of such a line is wrong */
    uint64_t n_stored;  /* FAULT_CHIP: lines; kept by faults.c */
    uint64_t garbled;   /* FAULT_CHIP: the line that reads right next time, or NO_LINE; same */
    uint64_t n_garbled; /* n_stored then; kept by faults.c */
    unsigned bit, victim_bit; /* 0-7 */
    uint32_t n_in_page;       /* of a page's first one; kept by faults.c */
    bool previous;            /* the cell after the last store; kept by faults.c */
    uint64_t stored_ns;
    uint32_t stores;   /* since the last that lapsed; kept by faults.c */
    uint64_t *counter; /* FAULT_WITNESS: of stores */
};

#define FAULTS_NO_LINE UINT64_MAX

#define FAULTS_DRAM_MAX 16
#define FAULTS_RARE_MAX 16

/* Lines of 64 bytes in a page. */
#define FAULTS_PAGE_LINES 64

/* What stuck cells in terms of DRAM hold. */
enum faults_value { FAULTS_ALL_0, FAULTS_ALL_1, FAULTS_MIXED /* each its own, by its place */ };

/* All of these cells are stuck: a row, a data pin, a chip. */
struct faults_dram {
    struct dram_fault where; /* offsets are its map's addresses */
    enum faults_value value;
};

struct faults {
    uint8_t *bytes;
    uint64_t size;
    struct fault *fault; /* ordered by page once faults_begin has run */
    size_t n, capacity;
    uint32_t *first; /* of each page: index into fault[] plus 1, or 0 */
    /* [i], bit j: some page has a fault in word j (8 bytes) of its line i (64 bytes). */
    uint8_t words[FAULTS_PAGE_LINES];
    bool fades;      /* there is a FAULT_FADE or FAULT_LEAK */
    bool sees_loads; /* there is a fault that a load sets off, or that is seen by loads only */
    bool sees_cpus;  /* there is a FAULT_ALL_CPUS */
    unsigned vcpu;   /* whose store comes next: set by the caller, as the next one */
    bool is_crowded; /* another CPU stores at that time */
    struct faults_dram dram[FAULTS_DRAM_MAX];
    size_t n_dram;
    struct rare rare[FAULTS_RARE_MAX];
    size_t n_rare;
    uint8_t *dram_lines; /* bit i: such cells are in line i of memory; NULL: there are none */
};

/*
 * Adds a fault. A cell that leaks is not in the first or last word of its line. An alias is added
 * for both of its pages, which, like a page of a chip, a bridge or beats, have no other fault.
 * False when it lies outside the size bytes at bytes, or when there is no memory for it.
 */
bool faults_add(struct faults *f, struct fault fault);

/* False when there are too many. These may be in pages of other faults, and act after them. */
bool faults_add_dram(struct faults *f, const struct faults_dram *dram);

/* False when there are too many, or it lies outside the size bytes. Acts after all others. */
bool faults_add_rare(struct faults *f, const struct rare *rare);

/* Makes the table ready and the stuck cells stuck. Call once, after the last faults_add. */
bool faults_begin(struct faults *f, uint64_t now_ns);

/*
 * False when no word at these offsets within any page can have a fault: the quick answer that needs
 * no physical address, since paging keeps the offset within a page. size: 1 to 64 bytes.
 */
static inline bool faults_near(const struct faults *f, uint64_t address, uint64_t size)
{
    uint64_t end = address + size - 1;
    unsigned first = f->words[address / 64 % FAULTS_PAGE_LINES] >> address / 8 % 8;
    unsigned last = f->words[end / 64 % FAULTS_PAGE_LINES] & (0xffu >> (7 - end / 8 % 8));

    return address / 64 == end / 64 ? first & (last >> address / 8 % 8) : first | last;
}

/* The same before the size is known. */
static inline bool faults_near_line(const struct faults *f, uint64_t address)
{
    return f->words[address / 64 % FAULTS_PAGE_LINES] |
           f->words[(address + 63) / 64 % FAULTS_PAGE_LINES];
}

/* Whether a page has any fault. */
bool faults_has_page(const struct faults *f, uint64_t offset);

/*
 * size bytes at offset, at most 64 and all in one page, have just been stored. Calls must not
 * overlap in time; the guest may go on storing elsewhere, so single bits are changed atomically.
 */
void faults_after_store(struct faults *f, uint64_t offset, uint64_t size, uint64_t now_ns);

/* As above, loaded or stored, for errors at random times; after faults_after_store. */
void faults_after_access(struct faults *f, const struct rare_access *access);

/* As above, but loaded: whether ECC had to correct it. */
bool faults_after_load(struct faults *f, uint64_t offset, uint64_t size);

/* Lets cells fade whose time is over. Same rule as faults_after_store. */
void faults_after_time(struct faults *f, uint64_t now_ns);
