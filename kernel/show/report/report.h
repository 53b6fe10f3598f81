// SPDX-License-Identifier: MIT
/*
 * The report on the serial port, in the form that serial= asks for. A map of the folder:
 *
 *   text             log lines, to read; text_line, text_machine, text_measured: parts of them
 *   jsonl            JSON lines, for programs
 *   records          the table of records and their fields, which jsonl walks
 *   saved_report     JSON lines again, as saver/ keeps them in UEFI variables
 *   format_text      times, lists and sentences that text and the screen share; a copy of the last
 *                    badram line, and how often it is written
 */
#pragma once

#include "event/events.h"
#include "report/jsonl.h"
#include "report/text.h"
#include "lib/fmt.h"

enum report_form { REPORT_NONE, REPORT_TEXT, REPORT_JSONL };

struct report {
    enum report_form form;
    struct text_log text;
    struct jsonl jsonl;
    double last_t; /* of the last event */
};

/* 24 KiB: place it statically. */
void report_init(struct report *r, enum report_form form, struct writer out);

/* Of the serial port, if not 115200 baud: how often a long line may be written. */
void report_set_speed(struct report *r, uint32_t baud);

/* The sink: ctx is a struct report. */
void report_receive(void *ctx, const struct event *e);

/* The user wants the report so far: the next progress and badram events are written in any case. */
void report_ask(struct report *r);

/*
 * The last entry, on a line of its own: why the run ended, its lines separated by \n. reason: of
 * the result.
 */
void report_panic(struct report *r, enum reason reason, const char *text);
