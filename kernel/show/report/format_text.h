// SPDX-License-Identifier: MIT
/*
 * Times, lists and bits in readable form: shared by the text report and the screen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alias/aliases.h"
#include "event/events.h"
#include "lib/fmt.h"

/* "0:01:40": hours, minutes, seconds; less than a second shows as 0:00:00. */
void format_text_append_duration(struct fmt_buffer *b, double seconds);

/* "0-3,8,10-11"; "none" for an empty list. The numbers need not be sorted to be right. */
void format_text_append_list(struct fmt_buffer *b, const uint32_t *numbers, size_t n);

/* "52:54:00:12:34:56". */
void format_text_append_mac(struct fmt_buffer *b, const uint8_t mac[IDENTITY_MAC_BYTES]);

/* "2 pages were hidden before okram started: keep the old line". */
void format_text_append_hidden(struct fmt_buffer *b, uint64_t pages);

/* The set bits' numbers, "8,63", or how many when they are over eight: "17 bits". "none" for 0. */
void format_text_append_bits(struct fmt_buffer *b, uint64_t bits);

/* Like format_text_append_bits, of all faults; with encrypted memory: that they are not shown. */
void format_text_append_failing_bits(struct fmt_buffer *b, uint64_t bits, bool is_encrypted);

/*
 * "0x8000000-0xbffffff aliases 0x4000000-0x7ffffff (16384 pages, address bits 0xc000000): the upper
 * copy is excluded". The addresses come first, in case the text is cut.
 */
void format_text_append_alias(struct fmt_buffer *b, const struct alias *alias);

/* Who wrote to memory under test: "written by a device or by firmware", or below 1 MiB "firmware
 * may write here". */
const char *format_text_external(uint64_t addr);

/* For a stopped run without a bad page: "no fault in the tests that ended (address, march-c-)". */
void format_text_append_tests(struct fmt_buffer *b, const char *const *names, size_t n);

/*
 * "FAIL: 2 bad pages, 3 faults, bits 5,63"; of pages that are bad by ECC's errors alone, "FAIL: ECC
 * corrected 43 errors in 1 page". bits: the words before the failing bits.
 */
void format_text_append_fail(struct fmt_buffer *b, const struct event_result *r, const char *bits);

/* "ERRORS CORRECTED: ECC corrected 5 errors, no other fault". */
void format_text_append_corrected(struct fmt_buffer *b, const struct event_result *r);

/* For a run that has failed without a bad page: "FAIL: 1 uncorrected error of memory, whose page is
 * not known". */
void format_text_append_uncorrected(struct fmt_buffer *b, const struct event_result *r);

/* Why such errors give no badram line. */
extern const char format_text_no_page[];

/* "always (8 of 8 times)", "3 of 8 times", "not again in 8 times", "not tested again". */
void format_text_append_retest(struct fmt_buffer *b, const struct event_retest *r);

/* "1 of 4 modules is not seen"; "at least 1 of 3 modules is not seen"; "2 of 4 modules are not
 * seen, or memory is mirrored". */
void format_text_append_unseen(struct fmt_buffer *b, const struct unseen *unseen);

/* "each cell was read 96 times in completed tests: a fault that shows in more than 1 of 32 reads
 * would have been seen (95 %, for each cell)". */
void format_text_append_reads(struct fmt_buffer *b, const struct excluded *e);

/* "errors at random times are rarer than 7.2 an hour (95 %)"; rounded up. */
void format_text_append_rate(struct fmt_buffer *b, const struct excluded *e);

/* The part of the pass that is done, 0 to 1. */
double format_text_part_of_pass(const struct event_progress *p);

/* A part (0 to 1) in whole percent, rounded down: 100 only when all is done. */
unsigned format_text_percent(double part);

/*
 * How often the line is written while the run goes on. A long line takes seconds on a serial port,
 * so interim ones get at most a twentieth of the time; a short one always gets out.
 */
struct rate_limit {
    uint32_t baud;        /* of the serial port, 8N1; 0: 115200 */
    double spent_seconds; /* on the wire so far */
    bool ask;             /* the user asked: the next one is written at any cost */
};

/* Whether n bytes may be written at t seconds after kernel entry; counts them when they may. */
bool rate_limit_allows(struct rate_limit *p, double t, size_t n);
