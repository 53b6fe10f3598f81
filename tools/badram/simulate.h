// SPDX-License-Identifier: MIT
/* What GRUB does with a line, pair by pair in its order (badram/grub_holes.h). */
#pragma once

#include "arguments.h"
#include "badram/grub_holes.h"
#include "log/fault_log.h"

/* Of one pair, when the whole line has been taken. */
struct left {
    uint64_t pages; /* of RAM, that it covers and GRUB has not registered */
    uint64_t first; /* the first of them */
};

struct simulation {
    bool is_known;      /* false: too many blocks to look at, or too many for GRUB */
    struct left *left;  /* by pair */
    uint64_t bad_pages; /* that the line covers and GRUB has not registered */
    bool leaves;        /* any page */
    uint64_t first;     /* the first of them */
};

/* The map of arguments->entry; there must be one. It stays in use. */
const struct grub_map *simulate_map(const struct arguments *arguments);

/* log: the bad pages. To be freed by simulate_free(). */
struct simulation simulate_line(enum firmware firmware, const struct grub_map *map,
                                const struct pattern *list, size_t n, const struct fault_log *log);

void simulate_free(struct simulation *simulation);
