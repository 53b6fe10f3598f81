// SPDX-License-Identifier: MIT
#include "start/planning.h"

#include "calibration/calibration.h"
#include "cover/cover_emit.h"
#include "cpus/cpu_clocks.h"
#include "cpus/survey.h"
#include "ecc/cper_emit.h"
#include "ecc/mce_emit.h"
#include "facts/describe.h"
#include "facts/machine_emit.h"
#include "verdict/geometry_emit.h"
#include "faults/channels.h"
#include "faults/cpu_evidence.h"
#include "facts/heating.h"
#include "faults/fault_emit.h"
#include "loop/poll.h"
#include "machine/machine.h"
#include "machine/uefi_runtime.h"
#include "measure/bandwidth.h"
#include "memory/arena.h"
#include "progress/progress.h"
#include "progress/ram_map.h"
#include "self/log_memory.h"
#include "self/move.h"
#include "self/own_aliases.h"
#include "self/probe.h"
#include "self/self_check.h"
#include "sweep/line_ops.h"
#include "testing/passes.h"

/* What is taken by the number of CPUs. */
static void prepare_cpus(const struct options *options)
{
    progress_begin(options, machine.n_cpus);
    survey_prepare();
    survey_take(); /* what all CPUs have */
    probe_use(line_ops_choose(selection_features(), NULL));
    probe_use_all_cpus();
    cpu_clocks_prepare();
    cpu_clocks_begin(); /* and compared again when the run is planned */
    bandwidth_prepare(options);
}

/* A page that is not tested: UEFI's runtime services write to it. */
static void begin_uefi(const struct boot_info *boot, const struct options *options)
{
    machine.uefi_page = uefi_runtime_begin(boot->efi_system_table, (uint32_t)boot->efi_services,
                                           &machine.map, options->acpimem);
}

/*
 * Each part is taken as soon as its size is known. Assertions check the order: what takes memory
 * needs the plan's sizes (plan_allocate), and nothing is taken after arena_close.
 */
void planning_take_memory(struct run *run, const struct boot_info *boot)
{
    struct plan *plan = &run->plan;

    prepare_cpus(&run->options);
    poll_find_keys(boot,
                   &run->options);   /* USB controllers write to some pages, which are not tested */
    begin_uefi(boot, &run->options); /* so do firmware's services, to one */
    plan_make_limits(plan, boot, &run->options); /* of the line for GRUB */
    plan_make(plan, &run->options);              /* what RAM is tested, and why the rest is not */
    log_memory_begin(plan, &run->found);         /* the fault log, with a size for that */
    self_check_begin(plan, &run->found.log);     /* checksums of okram's code, before any test */
    plan_allocate(plan); /* the pieces, which okram's place cuts: most of it is known now */
    share_prepare(&run->shares, plan, &run->found); /* who tests what */
    tested_prepare(&run->tested, plan);             /* what has been tested */
    unpaired_prepare(&run->unpaired, plan); /* and what was not tested together with the rest */
    move_prepare(plan);                     /* okram's other places */
    retest_prepare();                       /* the list of pages that are tested again */
    passes_prepare(machine.n_cpus);         /* the steps of tests, and places of three legs */
    own_aliases_prepare(plan);              /* the search for aliases of all pages that okram has */
    cpu_evidence_begin(plan, &run->options.cpus); /* where memory ends */
    heating_prepare(&run->heating);               /* what was moved at which temperature */
    ram_map_begin(plan);                          /* the picture of all RAM on the screen */
    cover_emit_prepare();                         /* the search for a line that covers bad pages */
    arena_close();
    share_main(&run->shares);
}

void planning_settle(struct run *run)
{
    describe_step("the run is planned");
    /* to where range= and nodes= leave memory untested */
    move_out_of_range((struct mover){ &run->shares, &run->unpaired, &run->poll });
    mce_emit_begin(&run->plan, &run->found.log); /* machine checks are sent and logged, */
    cper_emit_begin();                           /* and firmware's reports */
    describe_step("okram is in its place");
}

void planning_choose(struct run *run)
{
    const struct trials trials = { &run->shares, &run->poll };

    cpu_clocks_compare(); /* whether times of two CPUs can be compared */
    describe_step("the CPUs' clocks are compared");
    selection_make(&run->selection, trials, &run->options);
    probe_use(run->selection.ops);
    memory_types_report(trials, run->selection.ops);
}

void planning_announce(struct run *run)
{
    describe_step("instructions are chosen");
    fault_emit_begin(&run->found.external);
    channels_begin(&run->options);
    machine_emit(run); /* the machine, now that all is known about it */
    geometry_emit(run);
    heating_begin(run);
    describe_send(&run->options, &run->selection);
    fault_emit_own_aliases(run, 0); /* those found while instructions were chosen */
}
