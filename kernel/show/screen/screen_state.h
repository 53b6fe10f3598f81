// SPDX-License-Identifier: MIT
/* What the screen keeps: the part of all events that it shows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bootcfg/lines.h"
#include "event/events.h"
#include "lib/warn.h"
#include "qr/qr.h"
#include "report/badram_snapshot.h"
#include "screen/screen_measured.h"

#define SCREEN_NODES_MAX     8
#define SCREEN_BAD_PAGES_MAX 48
#define SCREEN_FAULTS_MAX    40
#define SCREEN_WARNINGS_MAX  16
#define SCREEN_WARNING_SIZE  (sizeof("warning: ") + WARNING_TEXT_MAX)

/* Single pages, and kinds of pages of which the user turns one after the other. */
enum screen_pages {
    SCREEN_MAIN,
    SCREEN_RESULT,   /* when the run has ended: the first to be seen */
    SCREEN_MEASURED, /* and all warnings */
    SCREEN_CODES,    /* QR codes */
    SCREEN_SUPPORT,  /* what a bug report needs */
    SCREEN_KINDS,
    SCREEN_FIRST_KIND = SCREEN_MEASURED,
};

/* Of one node's memory, by the place of the CPUs' node among all: what the CPUs of a node reach. */
struct screen_rates {
    struct measured_rate from[NODES_MAX];
};

struct screen_node {
    uint32_t node;
    char cpus[16]; /* "0-3,8", or "64 CPUs" when the list is longer */
    uint64_t ram_bytes;
    struct screen_rates read, write;
};

struct screen_fault {
    uint64_t addr, expected, found;
    char test[12];
    uint32_t cpu;
};

#define SCREEN_RATES_MAX 40 /* even */

/* The speed of all CPUs together over the run, of equal times each. */
struct rate_history {
    double mb_s[SCREEN_RATES_MAX]; /* the mean of that time */
    uint32_t n, n_now;             /* complete ones; and values in the sum of the current one */
    double sum;
    uint32_t each; /* progress events that one stands for */
};

struct screen_page {
    size_t section, part;
};

/* A bad page, and those of its faults that were events. */
struct screen_bad_page {
    uint64_t addr, faults, bits;
    bool has_retest;
    struct event_retest retest;
};

struct screen_codes {
    unsigned size_max; /* modules each way that every device has room for */
    char report[800];  /* the short report, as it was when the page was turned to */
    struct qr qr;      /* the visible code, of this text */
    char text[QR_CAPACITY_MAX + 1];
};

struct screen_state {
    const char *report_place; /* where the whole report goes, "on the serial port"; NULL: none */

    char version[32], boot[8], loader[32];

    bool has_machine;
    char cpu[64], isa[16];
    uint32_t cpus, nodes;
    uint64_t ram_bytes, testable_bytes, installed_bytes;
    enum memory_ecc_state ecc;
    unsigned repair; /* bits: firmware/memory_repair.h */
    uint64_t side_cache_bytes;

    struct screen_node node[SCREEN_NODES_MAX];
    size_t n_nodes; /* all; the first SCREEN_NODES_MAX are kept */

    char warning[SCREEN_WARNINGS_MAX][SCREEN_WARNING_SIZE];
    size_t n_warnings; /* all; the first are kept */

    struct measured measured;
    /*
     * Of the smallest grid that shows this: it has the most pages and parts, and says which one is
     * visible. See screen_part_of.
     */
    unsigned rows_min;
    enum screen_pages shown;
    struct screen_page page[SCREEN_KINDS]; /* of each kind, the one that is visible or was last */
    struct screen_codes codes;
    const struct support *support; /* NULL: not yet known */
    const struct modules *modules; /* so these; of both, temperatures change */
    const struct temperature *cpu_temperature;

    bool has_progress;
    char phase[16], test[48];
    struct event_progress progress; /* its phase and test are the two above */

    struct ram_view ram; /* n_cells 0: not known yet */
    struct rate_history rates;
    double node_mb_s[SCREEN_NODES_MAX], most_node_mb_s;    /* swept a second now, and most ever */
    struct screen_bad_page bad_page[SCREEN_BAD_PAGES_MAX]; /* in the order of their first faults */
    size_t n_bad_pages;                                    /* that are kept */

    struct screen_fault fault[SCREEN_FAULTS_MAX]; /* number i is at i % SCREEN_FAULTS_MAX */
    uint64_t n_records;                           /* fault events so far */
    uint64_t n_faults, bad_pages, failing_bits;
    uint64_t n_mces, n_reported, n_external; /* events; n_reported: errors by firmware */
    bool is_encrypted;                       /* memory: bits of faults mean nothing */
    bool has_ecc_errors;                     /* some were of memory */
    struct alias alias;                      /* the largest; pages 0: none */
    char kind[80]; /* ", sure: 1 to 4 rows (word lines)", ": not clear"; "": not known */
    char kind_evidence[KIND_EVIDENCE_SIZE];
    char by_channel[240]; /* how many are in which, or "" */
    char chip[120];       /* "byte lane 3 of 8 (bits 24-31)", or "" */

    bool has_diagnosis, diagnosis_has_begun;
    struct diagnosis_record diagnosis; /* which module is bad, as far as that is known */

    struct badram_snapshot badram;
    /*
     * What the section of the badram line shows: it, and in the end the other lines of the report,
     * each after a \n; or the one that was asked for, and its note.
     */
    char lines[2 * LINES_TEXT_SIZE];
    char asked_place[64]; /* of the one that was asked for; "": none was */
    /* Which screenful of it is shown, of how many on the grid that has most: see screen_part_of. */
    size_t badram_part, badram_parts;

    bool is_without_keys;   /* no keyboard answers, and no key was heard since */
    struct event_keys keys; /* then: how the run is ended */
    bool turns_itself;      /* as no key was heard: the pages of support=on, and at the end */
    bool has_result;
    struct event_report_saved kept;      /* in UEFI variables */
    char status[12], reason[16];         /* reason "": none */
    struct event_result result;          /* without its pointers */
    uint64_t unpaired_bytes;             /* tested, but never together with the rest */
    char untested_why[160];              /* the reasons, each once */
    char channels[120];                  /* with ECC errors, and how many each has */
    char advice[ADVICE_TEXT_SIZE];       /* what to do next */
    char by_tests[80];                   /* stopped: what the completed tests have found */
    char after_result[WARNING_TEXT_MAX]; /* the last warning after the result */
};

/* The page that the others are left for: while the run lasts the main one, then the result. */
enum screen_pages screen_home(const struct screen_state *s);

void screen_state_init(struct screen_state *s, const char *report_place);
/*
 * Which of its own n parts a grid shows while part `part` of n_most is visible on the smallest: all
 * grids begin and end together.
 */
size_t screen_part_of(size_t part, size_t n_most, size_t n);

void screen_state_receive(struct screen_state *s, const struct event *e);
