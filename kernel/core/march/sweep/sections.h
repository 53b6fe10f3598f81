// SPDX-License-Identifier: MIT
/*
 * Into how many sections (sweep/order.h) what a worker has is cut. Small sections keep waits short;
 * lanes need large ones; and where workers begin late many are needed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * n_cpus: how many have work. has_lanes: elements of the test are done in lanes (sweep_has_lanes).
 * orders_all_pairs: any two lines are in order in some round or leg of it (test_orders_all). In
 * other tests what two workers do in the same step is in no order: they have 64 sections at least.
 */
uint32_t sections_count(uint64_t worker_bytes, uint32_t n_cpus, bool has_lanes,
                        bool orders_all_pairs);
