// SPDX-License-Identifier: MIT
/*
 * Events as the report that is kept in UEFI variables (saved/saved.h): JSON lines and lines to
 * read, each with its rank, so that what matters least is left out where not all fits.
 */
#pragma once

#include "event/events.h"
#include "report/jsonl.h"
#include "report/text.h"
#include "saved/saved_lines.h"

#define SAVED_FAULTS_MAX 100 /* the first; all are counted */

struct saved_events {
    struct saved_lines lines;
    struct jsonl json;
    struct text_log text;
    uint32_t n_faults;
    uint32_t n_retests;

    /* What one event makes; is_cut: more than fits into any report, and left out. */
    char entry[SAVED_REPORT_MAX];
    size_t n_entry;
    bool is_cut;
};

/* 60 KiB: place it statically; it must stay where it is. */
void saved_report_init(struct saved_events *r);

/* The sink: ctx is a struct saved_events. */
void saved_report_receive(void *ctx, const struct event *e);
