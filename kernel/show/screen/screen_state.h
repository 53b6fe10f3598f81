// SPDX-License-Identifier: MIT
/* What the screen keeps: the part of all events that it shows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bandwidth/stream.h"
#include "bootcfg/lines.h"
#include "event/events.h"
#include "lib/warn.h"
#include "memory/nodes.h"
#include "qr/qr.h"
#include "report/format_text.h"

#define SCREEN_NODES_MAX    8
#define SCREEN_FAULTS_MAX   40
#define SCREEN_WARNINGS_MAX 16
#define SCREEN_WARNING_SIZE (sizeof("warning: ") + WARNING_TEXT_MAX)

#define SCREEN_CACHES_MAX 6

enum screen_pages {
    SCREEN_MAIN,
    SCREEN_RESULT,    /* when the run has ended: the first to be seen */
    SCREEN_BANDWIDTH, /* and latency */
    SCREEN_CODE,      /* a QR code */
    SCREEN_HELP,      /* what the keys do */
    SCREEN_DETAILS,   /* several pages: the result explained, warnings, modules, the machine */
    SCREEN_FIRST_OF_KEY = SCREEN_BANDWIDTH, /* this one and those after it have a key */
};

struct screen_node {
    uint32_t node;
    char cpus[16]; /* "0-3,8", or "64 CPUs" when the list is longer */
    uint64_t ram_bytes;
};

struct screen_cache {
    uint32_t level; /* 0: memory */
    uint64_t size_bytes;
    double mb_s, ns;
};

struct screen_rate {
    double mb_s;
    uint32_t threads; /* 0: not measured */
};

/* Whose memory the CPUs of a node use, and which those of another that is busy. */
enum screen_busy {
    BUSY_WITH_ITS_OWN, /* each its own */
    BUSY_WITH_LOCAL,   /* both that of those that are measured */
    BUSY_WITH_REMOTE,  /* both that of the others */
    BUSY_WITH_ANOTHER, /* both that of a node without CPUs */
    BUSY_PLACES,
};

/* Reads, writes and latency. */
#define SCREEN_CONTESTS 3

/* Slots of modules with faults. */
#define SCREEN_FAULTY_SLOTS 16

/* By what two CPUs share. */
#define SCREEN_EXCHANGES_MAX 5

/* Measurements, as far as a person at the machine needs them; the report has all. */
struct screen_measured {
    uint32_t node[NODES_MAX]; /* proximity domains, in order of arrival */
    size_t n_nodes;
    /* By place in node[]: the CPUs' first, then the memory's. Of all CPUs of a node. */
    struct screen_rate rate[STREAM_OPS][NODES_MAX][SCREEN_NODES_MAX];
    double ns[NODES_MAX][SCREEN_NODES_MAX]; /* idle latency; 0: not measured */
    double one_cpu_mb_s[STREAM_OPS];        /* of the last pair of nodes */
    struct screen_cache cache[SCREEN_CACHES_MAX];
    size_t n_caches; /* that are kept */
    /* Per cent of time added: of the pair of nodes and the load that add most. */
    struct event_stats busy[BUSY_PLACES][SCREEN_CONTESTS];
    /* Of lines in another CPU's cache: clean and modified, of the reader's memory. */
    struct {
        char share[8];
        double ns[2];
    } exchange[SCREEN_EXCHANGES_MAX];
    size_t n_exchanges;
    bool has_more; /* the report has */
};

struct screen_fault {
    uint64_t addr, expected, found;
    char test[20];
    uint32_t cpu;
};

struct screen_code {
    bool half_blocks; /* a device shows no smaller modules */
    char report[800]; /* the short report, as it was when the page was turned to */
    struct qr qr;     /* the visible code, of this text */
    char text[QR_CAPACITY_MAX + 1];
};

struct screen_state {
    const char *report_place; /* where the whole report goes, "on the serial port"; NULL: none */

    char version[32], boot[8], loader[32];
    /* "2026-11-24 13:14", by the machine's clock; maker and product; each may be "". */
    char date[20], system[2 * SMBIOS_NAME_MAX], board[2 * SMBIOS_NAME_MAX];

    bool has_machine;
    char cpu[64], isa[16];
    uint32_t cpus, nodes;
    uint64_t ram_bytes, testable_bytes, installed_bytes;
    enum memory_ecc_state ecc;
    unsigned repair; /* bits: firmware/memory_ecc.h */
    uint64_t side_cache_bytes;

    struct screen_node node[SCREEN_NODES_MAX];
    size_t n_nodes; /* all; the first SCREEN_NODES_MAX are kept */

    char warning[SCREEN_WARNINGS_MAX][SCREEN_WARNING_SIZE];
    size_t n_warnings; /* all; the first are kept */

    struct screen_measured measured;
    /*
     * Of the smallest grid that shows this: it has the most pages and parts, and says which one is
     * visible. See screen_part_of.
     */
    unsigned rows_min;
    enum screen_pages shown;
    size_t details_page; /* the one that is visible or was last */
    struct screen_code code;
    const struct support *support; /* NULL: not yet known */
    const struct modules *modules; /* so these; of both, temperatures change */
    const struct decoded_controller *controller;
    const struct temperature *cpu_temperature;

    char starts[200]; /* of cycles=, with or without errors; or "" */
    bool restarts;    /* the next of them follows by itself */

    bool has_progress;
    char phase[16], test[48];
    struct event_progress progress; /* its phase and test are the two above */

    struct ram_view ram; /* n_cells 0: not known yet */

    struct screen_fault fault[SCREEN_FAULTS_MAX]; /* number i is at i % SCREEN_FAULTS_MAX */
    uint64_t n_records;                           /* fault events so far */
    uint64_t n_faults, bad_pages, failing_bits;
    uint64_t n_mces, n_reported, n_external; /* events; n_reported: errors by firmware */
    bool is_encrypted;                       /* memory: bits of faults mean nothing */
    bool has_ecc_errors;                     /* some were of memory */
    const struct geometry *geometry;         /* NULL: modules are as they state, as far as known */
    struct alias alias;                      /* the largest; pages 0: none */
    char kind[80]; /* ", sure: 1 to 4 rows (word lines)", ": not clear"; "": not known */
    char kind_evidence[KIND_EVIDENCE_SIZE];
    char by_channel[640];                                       /* how many are in which, or "" */
    char in_modules[240];                                       /* "in DIMM_A2: 16 GiB", or "" */
    const struct smbios_slot *faulty_slot[SCREEN_FAULTY_SLOTS]; /* of these, the first */
    char chip[120]; /* "byte lane 3 of 8 (bits 24-31)", or "" */

    bool has_diagnosis, diagnosis_has_begun;
    struct diagnosis_record diagnosis; /* which module is bad, as far as that is known */

    struct event_badram badram; /* the last one */
    /*
     * What the section of the badram line shows: it, and in the end the other lines of the report,
     * each after a \n; or the one that was asked for, and its note.
     */
    char lines[2 * LINES_TEXT_SIZE];
    char asked_place[64]; /* of the one that was asked for; "": none was */
    /* Which screenful of it is shown, of how many on the grid that has most: see screen_part_of. */
    size_t badram_part, badram_parts;
    size_t page, n_pages; /* with a result: of the pages that the space key shows, from 1 on */

    int asked_key;          /* which is to be pressed again; 0: none */
    bool is_without_keys;   /* no keyboard answers, and no key was heard since */
    struct event_keys keys; /* then: how the run is ended */
    bool turns_itself;      /* as no key was heard: the pages of support=on, and at the end */
    bool has_result;
    struct event_report_saved kept; /* in UEFI variables */
    struct event_stick stick;
    struct event_result result;          /* without its pointers */
    uint64_t unpaired_bytes;             /* tested, but never together with the rest */
    char untested_why[640];              /* the reasons, each once */
    char channels[240];                  /* with ECC errors, and how many each has */
    char advice[ADVICE_TEXT_SIZE];       /* what to do next */
    const char *headline;                /* instead of PASS, or NULL */
    char by_tests[300];                  /* stopped: what the completed tests have found */
    char after_result[WARNING_TEXT_MAX]; /* the last warning after the result */
};

/* The page that the others are left for: while the run lasts the main one, then the result. */
static inline enum screen_pages screen_home(const struct screen_state *s)
{
    return s->has_result ? SCREEN_RESULT : SCREEN_MAIN;
}

/*
 * Which of its own n parts a grid shows while part `part` of n_most is visible on the smallest: all
 * grids begin and end together.
 */
static inline size_t screen_part_of(size_t part, size_t n_most, size_t n)
{
    return part * n / n_most;
}
