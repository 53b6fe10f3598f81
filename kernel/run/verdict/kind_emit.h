// SPDX-License-Identifier: MIT
/* The event of what kind of fault there is (kind/kind.h). Boot CPU, all others idle. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "diagnosis/diagnosis.h"
#include "diagnosis/module_name.h"
#include "verdict/run_done.h"
#include "kind/kind.h"
#include "run/run.h"
#include "sweep/page_retest.h"

/* Between two passes: sends it if there are faults, and new ones since it was sent. */
void kind_emit_pass(const struct run *run, const struct run_done *done);

/* At the end, by bad pages that were tested again, n of them. */
void kind_emit_final(const struct run *run, const struct run_done *done,
                     const struct page_retest *pages, size_t n, struct kind_verdict *ret_verdict);

/* In a panic, by an exception of the boot CPU's in intact code; is_flipped: by a wrong bit. */
void kind_emit_panic(const struct run *run, bool is_flipped, struct kind_verdict *ret_verdict);

/* The slots that they can be in (faults/channels.h). */
uint32_t kind_emit_suspects(enum diagnosis_suspicion *ret);

/* The modules that the faulty words of the last one are in; NULL: it is not known. */
const struct modules_with_words *kind_emit_modules(void);
