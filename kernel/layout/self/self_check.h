// SPDX-License-Identifier: MIT
/*
 * Finds and repairs damage to okram's own memory, which may be faulty as well: the fault log
 * (log/fault_log.h), and the parts of okram that never change, text, read-only data, and tables
 * made at start. Each of these has a second copy far away, and checksums of each 4 KiB page in two
 * places. A page that has changed is reported, marked as bad and rewritten from the other copy;
 * when both have changed, the run ends with a panic. Boot CPU only, except self_check_append.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpus/cpu_pool.h"
#include "lib/fmt.h"
#include "log/fault_log.h"
#include "plan/plan.h"

/*
 * Guards text, read-only data and the log's numbers of pages. The image must be as built
 * (boot/check/image_check.h): otherwise the page is marked as bad, and the run ends with a panic.
 * The numbers' checksums are of what they are now. Pages that change are marked in the log. Before
 * arena_close.
 */
void self_check_begin(const struct plan *plan, struct fault_log *log);

/*
 * For the text of a panic, on any CPU: lists what has changed, and marks it as bad; nothing is
 * repaired. True: all is intact. Before self_check_begin it does nothing, and is false.
 */
bool self_check_append(struct fmt_buffer *text);

/*
 * While all CPUs work: checks the next few pages and their copies, and scrubs a part of the log.
 * Cheap enough for every poll of the boot CPU.
 */
void self_check_poll(struct fault_log *log);

/*
 * Checks all, and all of the log, with the help of other CPUs, which are idle: after each test,
 * before and after each move, and when a CPU has been lost.
 */
void self_check_all(struct fault_log *log);

/*
 * What caused an exception on another CPU, that CPU, memory, or okram itself, in words for a
 * cpu_pool_explain. An exception in intact code of okram's may be okram's own fault; the same one
 * on two CPUs certainly is: an internal error, and the run ends with a panic.
 *
 * ret_intact: okram's code is, and so memory or the CPU has given it wrong data.
 */
const char *self_check_explain(uint32_t cpu, const struct cpu_failure *failure, bool *ret_intact);

/* Whether there was an exception that may be okram's own fault: no result is to be trusted. */
bool self_check_has_internal_error(void);
