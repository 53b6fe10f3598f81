// SPDX-License-Identifier: MIT
/*
 * For findings.c and its parts: how the sentence of a finding is put together, with lists inside
 * it; and the parts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "findings/findings_input.h"
#include "lib/fmt.h"
#include "lib/warn.h"

/* A sentence that grows. */
struct findings_text {
    char text[WARNING_TEXT_MAX];
    struct fmt_buffer buffer;
};

/* Begins it; t must stay where it is. */
void findings_begin(struct findings_text *t);

/* A size as modules are sold: "96 GiB", "1.5 GiB", "512 MiB". */
void findings_size(struct findings_text *t, uint64_t bytes);

/* Gives the sentence as a warning. */
void findings_say(const struct findings_text *t, const struct warnings *warnings);

/* Writes the name of element i of a list. */
typedef void findings_name(const void *ctx, uint32_t i, struct fmt_buffer *out);

/* Whether element i of a list belongs to what is said. */
typedef bool findings_filter(const void *ctx, uint32_t i);

/* How many of n elements `wanted` takes. */
uint32_t findings_count(uint32_t n, findings_filter *wanted, const void *ctx);

/*
 * Appends "A, B, C", the names of those of n elements that `wanted` takes, and "and 5 more" instead
 * of what would not fit.
 */
void findings_list(struct findings_text *t, uint32_t n, findings_filter *wanted,
                   findings_name *name, const void *ctx);

/* What a sentence is about: the node where it is worst, and the others of which it is true. */
struct findings_about {
    const struct findings_input *in;
    bool (*is_one)(const struct findings_input *in, const struct findings_node *n);
    double (*share)(const struct findings_input *in,
                    const struct findings_node *n); /* less: worse; called for such nodes only */
    const struct findings_node *worst;              /* set by findings_begin_about */
};

/* Finds the worst node, and begins the sentence. False: it is true of no node. */
bool findings_begin_about(struct findings_text *t, struct findings_about *about);

/* Appends "; likewise nodes 1, 2": the other nodes of which the same is true. */
void findings_others(struct findings_text *t, const struct findings_about *about);

/* The parts of findings.c, a file each. */

/* Installed against usable memory, and speeds. */
void findings_slots(const struct findings_input *in, const struct warnings *warnings);

/* Sockets against nodes, and nodes against each other. */
void findings_nodes(const struct findings_input *in, const struct warnings *warnings);

/* Bandwidth and latency against the HMAT, which is there, and its memory side caches. */
void findings_hmat(const struct findings_input *in, const struct warnings *warnings);

/* Bandwidths of the nodes against each other. */
void findings_speeds(const struct findings_input *in, const struct warnings *warnings);
