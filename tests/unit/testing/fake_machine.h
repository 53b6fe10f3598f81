// SPDX-License-Identifier: MIT
/*
 * A machine for the flow of the tests: two CPUs, 1 MiB of RAM from 16 MiB on, a clock that goes on
 * when something is done, and an okram of ten pages in it. What is real: kernel/run/testing,
 * kernel/layout/plan, the search for a place to move to, the core. Faked are the moves, time,
 * events and progress, and sweeps, in one of two ways:
 *
 * - fake_sweeps.c: page by page. Pages hold what the marches write: a read of anything else fails
 *   the test, and so does a sweep of a page that okram is in.
 * - fake_order.h: what the real element_run and engine do with chosen lines, in which order.
 */
#pragma once

#include "tests/unit/unit.h"
#include "verdict/verdict.h"
#include "event/events.h"
#include "event/stop.h"
#include "machine/machine.h"
#include "progress/progress.h"
#include "run/run.h"

#define FAKE_PAGES     256
#define FAKE_BASE      (UINT64_C(16) << 20)
#define FAKE_OKRAM     10 /* pages */
#define FAKE_SEND_MAX  256
#define FAKE_OPS_MAX   4096
#define FAKE_MOVES_MAX 64
#define FAKE_CPUS_MAX  8
#define FAKE_LEGS_MAX  256
#define FAKE_NEVER     UINT32_MAX

struct march_element;

/* What has been done to a page. */
struct fake_page {
    char ops[FAKE_OPS_MAX]; /* 0 and 1: written; r and R: 0 and 1 were read */
    size_t n_ops;
    int holds;         /* 0, 1, or -1: not what a march wrote */
    uint64_t holds_of; /* the round that wrote it */
    uint64_t written_us;
    uint64_t held_us[2]; /* the longest from a write to a read, of 0 and 1 */
};

struct fake_test {
    const char *name;
    uint64_t swept_bytes;
};

/* What a leg of a march has gone over as a whole. */
struct fake_leg {
    uint32_t pass, test, round, leg;
    const struct march_element *element; /* the last one */
    uint32_t n_elements;
    uint32_t done[FAKE_PAGES]; /* elements, of each page */
};

struct fake_size {
    size_t pages, okram;
    uint32_t cpus;
};

extern struct fake_machine {
    struct fake_size size; /* may be set before the start */
    struct fake_page page[FAKE_PAGES];
    struct fake_leg leg[FAKE_LEGS_MAX];
    size_t n_legs;
    struct run run;
    uint64_t home[FAKE_MOVES_MAX];  /* okram's first page, originally and after each move */
    uint32_t n_moves, n_tries;      /* moves that were made, and wanted */
    uint32_t n_elements;            /* that have begun */
    uint32_t n_displaced;           /* elements after which a side cache is cared for */
    uint32_t n_displaced_pauses;    /* and pauses */
    uint64_t us;                    /* the clock */
    uint64_t move_us;               /* how long a move takes */
    struct event_progress progress; /* the last event */
    struct fake_test sent[FAKE_SEND_MAX];
    size_t n_sent;
    uint32_t skip_at_element;                  /* as below */
    uint32_t stop_at_element, lose_at_element; /* counted from 0; FAKE_NEVER */
    uint32_t alias_at_element;                 /* the same: it finds two pages that share cells */
    uint32_t hold_at_element;                  /* page 0 reaches the cells of okram's first page */
    uint32_t alias_sent_at;                    /* elements that had begun; FAKE_NEVER */
    uint32_t first_faulty, n_faulty;           /* elements that find a fault; FAKE_NEVER, 0 */
    uint32_t first_bad_try, n_bad_tries;       /* moves that fail; FAKE_NEVER, 0 */
    uint32_t n_choices;                        /* places that move_choose finds */
    uint32_t busy_cpu;                         /* 0: none */
    bool has_new_loss, has_lost;               /* CPU 1 is the one that is lost */
    bool has_internal_error;
    uint32_t n_heats; /* times that modules are to be heated, or go on being */
} fake;

/* Runs a scenario in a process of its own: the modules' state is that of a start. */
void fake_machine_run(void (*scenario)(void));

/* okram has been in this place, or is; NULL: all memory is new. By those that fake sweeps. */
void fake_content_lost(const struct footprint *place);

/* A page's number. */
size_t fake_page_of(uint64_t phys);

/* A new machine, before anything is planned. */
void fake_start(const char *tests);

/* A new machine, and a run with these tests (tests=). */
void fake_begin(const char *tests);

/* Passes of the run, until `failed` of them have had faults. The shares are those of the main part
 * then. */
struct run_done fake_run_until(uint32_t passes, uint32_t failed);
static inline struct run_done fake_run(uint32_t passes)
{
    return fake_run_until(passes, 0);
}

/* The last pass has swept as many bytes as it had said, with all that was added. */
void fake_assert_promised(void);

/* What the march of a test does to a line. */
const char *fake_ops_of(const char *test);

/* How many pages have had these operations, one after the other. */
size_t fake_pages_with(const char *ops);

/* How many pages have held both 0 and 1 for so long before they were read. */
size_t fake_pages_held(uint64_t us);

/* How many pairs of pages have been together in fewer than n_legs legs. */
size_t fake_pairs_below(uint32_t n_legs);

/* Whether okram is in this page. */
bool fake_is_home(size_t page);
