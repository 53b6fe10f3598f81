// SPDX-License-Identifier: MIT
/*
 * Finds banks and rows by time: two lines in different rows of one bank take longer to fetch
 * together than any other two, for the bank has to close one row to open the other (P. Pessl et
 * al., "DRAMA", USENIX Security 2016).
 *
 * Whether two lines conflict depends on the XOR of their addresses alone. So a difference is tried,
 * not a pair: at 24 places, of which 17 have to be slow. The differences that are slow span a
 * linear space; its orthogonal complement over GF(2) are the functions that choose the bank. This
 * needs neither a search over all functions nor knowledge of the machine, and its time grows with
 * the number of banks alone. In that space, the differences that are fast all the same stay in
 * their row: in the reduced basis each vector is one bit of a row or of a column, with what of the
 * bank's bits has to be flipped with it (as M. Wang et al., "DRAMDig", DAC 2020, by experiments of
 * one and two bits).
 *
 * What was found then has to predict: 256 pairs that should be slow, and 256 that should not. If it
 * does not, there may be another mode above that of conflicts, such as memory that is farther away:
 * the search is done again without it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/gf2.h"
#include "rows/row_map.h"
#include "rows/row_memory.h"

/* What a search is given. */
struct row_question {
    const struct row_memory *memory;
    uint64_t hole; /* rows/row_map.h */
    uint64_t seed;
    uint64_t n_measurements_max;
    /* How long it takes to fetch both lines, in any unit: rows/pair_latency.h. 0: no time is left.
     */
    uint32_t (*latency)(void *ctx, uint64_t phys, uint64_t other);
    void *ctx;
};

/*
 * The two modes of latencies: of pairs of lines that a controller fetches at the same time, and of
 * those that are in two rows of one bank, one of which has to be closed for the other.
 */
struct row_modes {
    uint32_t fast, slow, threshold; /* means, and what is between them */
};

enum row_answer {
    ROWS_FOUND,
    ROWS_TOO_LITTLE_MEMORY, /* or in pieces that hardly any pair is made of */
    ROWS_ONE_MODE,          /* all pairs take the same time */
    ROWS_NOT_LINEAR,        /* some are slow, but not by the bits of their addresses */
    ROWS_NOT_CONFIRMED,     /* the functions found do not predict which pairs are slow */
    ROWS_UNCLEAR,           /* banks were found, but not what a row is: it is closed at once */
    ROWS_OUT_OF_TIME,       /* too many measurements, or the caller's time was over */
    ROWS_VIRTUAL,           /* not searched, as a hypervisor is in between: the caller's answer */
    ROW_ANSWERS
};

#define ROW_PREDICTIONS 256

struct row_result {
    enum row_answer answer;
    struct row_map map; /* with ROWS_FOUND; with ROWS_UNCLEAR without rows and columns */
    struct row_modes modes;
    uint64_t n_measurements;
    uint32_t slow_right, fast_right; /* of ROW_PREDICTIONS each; both 0: it did not come to that */
};

#define ROW_BASE_PAIRS 512
#define ROW_LATENCIES  1536

/* Room to work in, about 7 KiB. */
struct row_work {
    uint32_t latency[ROW_LATENCIES];
    struct gf2_basis conflicts;
};

void row_search(const struct row_question *question, struct row_work *work,
                struct row_result *ret_result);

/* What an answer means, as in "no clear answer: ..."; of ROWS_FOUND "". */
const char *row_answer_text(enum row_answer answer);
