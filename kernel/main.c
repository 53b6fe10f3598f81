// SPDX-License-Identifier: MIT
/*
 * A run from start to end: takes over and explores the machine, measures and tests its memory, and
 * sends the result.
 */
#include "arch/tsc.h"
#include "boot/boot_info.h"
#include "console/console.h"
#include "cpus/cpu_pool.h"
#include "cpus/smp.h"
#include "ecc/cper_emit.h"
#include "ecc/mce_emit.h"
#include "event/notices.h"
#include "facts/describe.h"
#include "facts/machine_emit.h"
#include "faults/cpu_evidence.h"
#include "faults/fault_emit.h"
#include "loop/leave.h"
#include "machine/inventory.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "measure/bandwidth.h"
#include "memory/sign_key.h"
#include "progress/progress.h"
#include "saver/saving.h"
#include "serial/serial_ports.h"
#include "stick/cycles_emit.h"
#include "stick/stick.h"
#include "start/planning.h"
#include "start/take_over.h"
#include "testing/page_search.h"
#include "testing/passes.h"
#include "verdict/advice_emit.h"
#include "verdict/verdict.h"

/* How long the screen says that options are wrong, before the tests begin. */
#define WRONG_OPTIONS_US 10000000

static struct run the_run;
static struct poll poll;
static struct saver saver;
static struct stick stick;
static struct diagnose diagnose; /* this run as one of a guided diagnosis */

/* Short, so that a person can type it. */
static uint64_t fresh_seed(void)
{
    return tsc_now() % UINT32_MAX;
}

/* From the loader's machine to one with a screen and a report. Returns the wrong words. */
static unsigned begin(struct run *run, struct boot_info *boot)
{
    static char words[ALL_WORDS_MAX];
    unsigned n_wrong;

    sign_key_take(boot); /* out of the boot information, before okram moves */
    tsc_start();         /* the run has begun */
    leave_prepare(run);  /* how it ends with a panic */
    poll_prepare(&poll, run, &saver, &stick);
    take_over_cpu(boot);
    n_wrong = read_options(boot, &run->options, &run->selection.tests, words);
    take_over_memory(boot, &run->options);
    saving_begin(&saver, boot, &run->options); /* before the first event */
    stick_begin(&stick, &run->options);
    serial_ports_choose(&run->options, board.is_locked);
    open_console(boot, &run->options); /* from here on there is a screen */
    machine_emit_start(boot, words);   /* and a report */
    describe_step("the screen is on");
    return n_wrong;
}

/* What there is, what of it is tested, and how. */
static void prepare(struct run *run, const struct boot_info *boot)
{
    explore_machine(boot, &run->options);
    diagnose_begin(&diagnose, &run->options, board.slots, &inventory_get()->modules, &notices);
    cycles_emit_begin(run);
    describe_step("memory modules are read");
    describe_firmware(boot); /* while its tables are intact */
    smp_prepare();
    cpu_pool_init(machine.cpus, machine.n_cpus, cpu_evidence_explain);
    smp_start(cpu_pool_serve);
    cpu_evidence_start(); /* without those that compute wrong */
    machine_make_nodes(); /* needs the running CPUs */
    describe_step("CPUs are started");
    planning_take_memory(run, boot);
    poll_begin(&poll, console_poll_key, console_ask_report); /* keys are answered from here on */
    planning_settle(run);
    planning_choose(run);
    stick_start(&stick);
    cycles_emit_start(run, boot);
    saving_start(&saver, &run->poll); /* saves that a run has begun */
    planning_announce(run);
}

/* Before hours are spent on the wrong test. With exit=qemu a program reads the warnings. */
static void show_wrong_options(const struct run *run)
{
    if (run->options.exit == OPTION_EXIT_QEMU)
        return;
    progress_phase(PROGRESS_WRONG_OPTIONS, 0, "", 0, 0);
    poll_for(&poll, WRONG_OPTIONS_US);
}

static struct run_done test(struct run *run)
{
    const struct options *o = &run->options;
    struct pass_limits limits = { o->passes, diagnose_enough(&diagnose) };

    describe_step("the tests begin");
    fault_emit_own_aliases(run, 0);
    page_search_begin(run); /* the pages of errors without an address */
    return passes_run(run, limits, o->has_seed ? o->seed : fresh_seed());
}

static enum leave_code conclude(struct run *run, const struct run_done *done)
{
    struct diagnose_found found;
    enum leave_code code;

    retest_bad_pages(run, done, &found); /* again bad? what kind of fault is it? */
    diagnose_end(&diagnose, done, &found, &notices);
    mce_emit_finish(&run->found.log);
    cper_emit_finish(&run->found.log);
    cycles_emit_end(run, !done->passes && (poll.stay_asked || done->skipped_tests),
                    saving_keeps(&saver));
    code = verdict_emit(run, *done, &found, &diagnose, saving_keeps(&saver));
    if (run->options.beep)
        console_beep(code == LEAVE_FAULTY || advice_emit_has_headline() ? CONSOLE_BEEP_FAIL
                     : code == LEAVE_CLEAN                              ? CONSOLE_BEEP_PASS
                                                                        : CONSOLE_BEEP_OTHER);
    return code;
}

_Noreturn void kernel_main(struct boot_info *boot)
{
    struct run *run = &the_run;
    unsigned n_wrong = begin(run, boot);
    struct run_done done;
    enum leave_code code;

    prepare(run, boot);
    if (n_wrong)
        show_wrong_options(run);
    bandwidth_measure(run); /* bandwidth and latency */
    done = test(run);
    code = conclude(run, &done);
    poll_take_restart(&poll); /* from here on a key restarts the machine */
    stick_finish(&stick, &run->poll);
    saving_finish(&saver, run); /* the whole report */
    leave(&poll, code);
}
