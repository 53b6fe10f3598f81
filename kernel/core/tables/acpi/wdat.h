// SPDX-License-Identifier: MIT
/*
 * How the machine's watchdog is read and stopped: the WDAT (Microsoft, Hardware Watchdog Timers
 * Design Specification, 2006), a list of register accesses for each action. Only those that okram
 * does are kept; what an access means is computed here, and done by watchdog/wdat_run.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "acpi/fadt.h"
#include "lib/status.h"
#include "lib/warn.h"

enum wdat_action {
    WDAT_IS_RUNNING, /* query the running state */
    WDAT_COUNTDOWN,  /* query the current countdown */
    WDAT_STOP,       /* set the stopped state */
    WDAT_ACTIONS
};

enum wdat_instruction { WDAT_READ_VALUE, WDAT_READ_COUNTDOWN, WDAT_WRITE_VALUE };

/* One access. */
struct wdat_step {
    enum wdat_instruction instruction;
    bool preserve;            /* of a write: the register's other bits are kept */
    struct acpi_register reg; /* in memory or an I/O port */
    unsigned bytes;           /* of the access: 1, 2 or 4 */
    uint32_t value, mask;     /* both before they are shifted by reg.bit_offset */
};

#define WDAT_STEPS_MAX 8

struct wdat {
    uint32_t period_ms; /* of one count; at least 1 */
    struct {
        size_t n; /* at least 1, but for WDAT_COUNTDOWN */
        struct wdat_step step[WDAT_STEPS_MAX];
    } action[WDAT_ACTIONS];
};

/*
 * Reads a table that acpi_find handed out. STATUS_NOT_FOUND: firmware has the watchdog switched
 * off, or it is a PCI device, which this table does not describe. STATUS_INVALID, with one warning:
 * the table contradicts itself, or lacks the actions above.
 */
enum status wdat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct wdat *ret_wdat);

/* What a step reads, of the register's content. */
uint32_t wdat_value(const struct wdat_step *step, uint32_t content);

/* What a step writes; old: the register's content, for one that preserves. */
uint32_t wdat_written(const struct wdat_step *step, uint32_t old);
