// SPDX-License-Identifier: MIT
/* The parts of findings.c, a file each. */
#pragma once

#include "findings/findings_input.h"
#include "lib/warn.h"

/* Installed against usable memory, and speeds. */
void findings_slots(const struct findings_input *in, const struct warnings *warnings);

/* Sockets against nodes, and nodes against each other. */
void findings_nodes(const struct findings_input *in, const struct warnings *warnings);

/* Bandwidth and latency against the HMAT, which is there, and its memory side caches. */
void findings_hmat(const struct findings_input *in, const struct warnings *warnings);

/* Bandwidths of the nodes against each other. */
void findings_speeds(const struct findings_input *in, const struct warnings *warnings);
