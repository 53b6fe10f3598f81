// SPDX-License-Identifier: MIT
/*
 * Events as the report that is kept in UEFI variables (saved/saved.h): JSON lines and lines to
 * read, each with its rank, so that what matters least is left out where not all fits. Records of
 * one type that follow each other become one line (saved/saved_lines.h).
 */
#pragma once

#include "event/events.h"
#include "report/jsonl.h"
#include "report/text.h"
#include "saved/saved.h"
#include "saved/saved_lines.h"

#define SAVED_FAULTS_MAX 100 /* the first; all are counted */
#define SAVED_RUNS_MAX   64  /* of bad pages; the badram line has all pages */

struct saved_events {
    struct saved_lines lines;
    struct jsonl json;
    struct text_log text;
    uint32_t n_faults;
    uint32_t n_retests;
    bool has_pages;

    /* What one event makes; is_cut: more than fits into any report, and left out. */
    char entry[SAVED_REPORT_MAX];
    size_t n_entry;
    bool is_cut;

    /* JSON lines that wait for more of their type. */
    struct {
        enum event_type type;
        size_t n, length;
        char text[SAVED_REPORT_MAX + 1];
    } group;
};

/* Takes from the event what the state says about the run; testable_bytes is kept for this. */
void saved_state_receive(struct saved_state *s, uint64_t *testable_bytes, const struct event *e);

/* started: seconds since 1970; 0: unknown. */
void saved_state_set_time(struct saved_state *s, int64_t started, uint32_t seconds);

/* 80 KiB: place it statically; it must stay where it is. */
void saved_report_init(struct saved_events *r);

/* The sink: ctx is a struct saved_events. */
void saved_report_receive(void *ctx, const struct event *e);

/* Before the lines are read: those that wait are among them. */
void saved_report_complete(struct saved_events *r);
