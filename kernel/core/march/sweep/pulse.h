// SPDX-License-Identifier: MIT
/*
 * Pulses of traffic: all CPUs switch their reads and writes on and off together. A supply's voltage
 * rings most where the load changes at a resonance, and only if all CPUs change it at the same time
 * (Kim et al., "AUDIT: Stress Testing the Automatic Way", MICRO 2012). Where that is depends on the
 * board, so a schedule goes through many settings, each a frequency and a duty.
 *
 * A schedule is a function of time alone: each CPU knows from its own counter whether traffic is
 * on, and which CPUs take part, or come late, changes nothing for the others. It repeats without
 * end.
 */
#pragma once

#include <stdint.h>

#define PULSE_HZ_MIN      1000
#define PULSE_HZ_MAX      1000000
#define PULSE_FREQUENCIES 31 /* ten a decade: the series R10 of ISO 3 */
#define PULSE_DUTIES      9  /* 10 to 90 % */
#define PULSE_SETTINGS    (PULSE_FREQUENCIES * PULSE_DUTIES)
#define PULSE_MEAN_DUTY   50 /* % */

/* Pulses with one setting, at least: enough for a resonance to build up. */
#define PULSE_COUNT_MIN 4

/* Times are ticks of a counter that all CPUs share. */
struct pulse_schedule {
    uint64_t start, dwell_ticks; /* dwell: the time with one setting */
    uint64_t period_ticks[PULSE_FREQUENCIES];
};

/* Traffic is on from begin until off, and off until end. A setting's last pulse may be cut. */
struct pulse {
    uint64_t begin, off, end;
};

struct pulse_setting {
    uint32_t hz, duty; /* duty: % of the time that traffic is on */
};

/*
 * Setting `number`, below PULSE_SETTINGS: frequencies rise, and after the highest come the next
 * duty and the lowest. Duties alternate between small and large.
 */
struct pulse_setting pulse_setting(uint32_t number);

/*
 * The schedule that begins with setting 0 at start and takes budget_ticks, or as long as the lowest
 * frequency's PULSE_COUNT_MIN pulses for each setting, if that is more. hz: the counter's
 * frequency, 1 MHz or more.
 */
struct pulse_schedule pulse_schedule_make(uint64_t hz, uint64_t start, uint64_t budget_ticks);

/* At a time, the number of the setting, and the pulse: begin <= at < end. */
uint32_t pulse_setting_at(const struct pulse_schedule *schedule, uint64_t at);
struct pulse pulse_at(const struct pulse_schedule *schedule, uint64_t at);

/* What lets one CPU's traffic through. */
struct pulse_gate {
    const struct pulse_schedule *schedule;
    uint64_t (*now)(void *ctx); /* the shared counter, which goes on from call to call */
    void *ctx;
    struct pulse pulse; /* the current or the next one; zero at first */
};

/* Returns when traffic is on: at once if it is, and else with all earlier accesses done before. */
void pulse_gate_pass(struct pulse_gate *gate);
