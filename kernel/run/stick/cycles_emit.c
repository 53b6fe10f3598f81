// SPDX-License-Identifier: MIT
#include "stick/cycles_emit.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "event/events.h"
#include "event/notices.h"
#include "faults/cpu_evidence.h"
#include "lib/crc32c.h"
#include "lib/splitmix.h"
#include "machine/board.h"
#include "machine/inventory.h"
#include "machine/machine.h"
#include "machine/uefi_runtime.h"
#include "progress/progress.h"
#include "self/self_check.h"
#include "stick/stick.h"

#define RAM_UNIT (UINT64_C(64) << 20) /* firmware takes a little more or less at each start */

static uint32_t add_to(uint32_t crc, const void *bytes, size_t n)
{
    return crc32c_by_nibbles(crc, bytes, n);
}

/* 0: unknown. */
static uint64_t now(void)
{
    return board.started ? (uint64_t)board.started + tsc_elapsed_us() / 1000000 : 0;
}

/* What is fitted, wherever it is; not 0. */
static uint32_t memory_id(const struct modules *modules)
{
    uint64_t ram = machine.ram_bytes / RAM_UNIT;
    uint32_t sum = 0;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];
        uint32_t crc = add_to(~0u, &m->size_bytes, sizeof(m->size_bytes));

        crc = add_to(crc, m->part, sizeof(m->part));
        sum += add_to(crc, m->serial, sizeof(m->serial));
    }
    return add_to(sum, &ram, sizeof(ram)) | 1;
}

void cycles_emit_begin(struct run *run)
{
    struct cycles *c = &run->options.cycles;

    if (c->wanted && !cycles_begin(c, memory_id(&inventory_get()->modules), now()))
        notice("the memory is not that of the starts before: %u start%s no longer count, and "
               "cycles=%u begins anew; was a module changed, or not found by the firmware?",
               c->dropped, fmt_plural(c->dropped), c->wanted);
}

/* What GRUB is to begin the next start with, which is told that `c` was before. */
static bool keep_on_stick(struct run *run, const struct cycles *c)
{
    char options[STICK_NEXT_BYTES] = "", name[64];
    struct fmt_buffer b = fmt_buffer_make(options, sizeof(options));

    if (!cycles_append_others(&b, run->cmdline))
        return false;
    fmt_append(&b, "cycles=");
    cycles_append(&b, c);
    fmt_print(name, sizeof(name), "start %u of %u", c->starts + c->lost + 1, c->wanted);
    return !b.cut && stick_keep_next(run->stick, &run->poll, cycles_left(c) ? options : "", name);
}

/* A number by which the kernel knows, as from the loader, that starts are kept. */
static void begin_on_stick(struct run *run)
{
    struct cycles *c = &run->options.cycles, begun = *c;

    if (!begun.id)
        begun.id = (uint32_t)splitmix_mix(now() + tsc_now()) | 1;
    c->id = begun.id;
    begun.lost++;
    begun.asked = 0;
    if (!keep_on_stick(run, &begun))
        c->id = 0;
}

void cycles_emit_start(struct run *run, const struct boot_info *boot)
{
    struct cycles *c = &run->options.cycles;

    if (!c->wanted)
        return;
    if (c->cold && uefi_set_wakeup(0) != UEFI_SUCCESS) {
        c->cold = false;
        notice(
            "the firmware cannot switch the machine on at a set time: cycles= restarts it instead, "
            "so all its starts are warm ones");
    }
    if (boot->firmware == BOOT_BIOS) {
        run->cmdline = boot->cmdline;
        begin_on_stick(run);
    }
}

/* The loader gives a number to starts that it can keep. */
static void warn_of_restart(const struct cycles *c, const char *word, bool is_kept)
{
    if (cycles_left(c) && (!c->id || !is_kept))
        notice("the count of the starts cannot be kept here over a restart: for the next of the %u "
               "starts that are left, restart the machine and give okram the option cycles=%s",
               cycles_left(c), word);
}

/* Whether one of the CPUs in use has failed its own check or was lost. */
static bool has_failed_cpu(const struct run *run)
{
    bool any = false;

    for (uint32_t cpu = 0; cpu < machine.n_cpus; cpu++) {
        bool is_used = !cpu || id_set_contains(&run->options.cpus, cpu);

        any |= is_used && (cpu_evidence_of(cpu)->failed || cpu_pool_has_lost(cpu));
    }
    return any;
}

/* The pages of an alias are bad without an error. */
static uint64_t errors(const struct fault_log *log)
{
    uint64_t n = fault_log_errors(log);

    return n ? n : fault_log_bad_pages(log) != 0;
}

static bool has_result(const struct run *run, bool is_cut)
{
    return errors(&run->found.log) || has_failed_cpu(run) ||
           (!is_cut && run->plan.tested_bytes && !self_check_has_internal_error());
}

void cycles_emit_end(struct run *run, bool is_cut, bool keeps_report)
{
    struct cycles *c = &run->options.cycles;
    char word[CYCLES_WORD_MAX] = "";
    struct fmt_buffer w = fmt_buffer_make(word, sizeof(word));

    if (!c->wanted)
        return;
    if (has_result(run, is_cut))
        cycles_ran(c,
                   (struct cycles_result){ errors(&run->found.log), progress_total_swept(),
                                           has_failed_cpu(run) },
                   now());
    else
        cycles_lose(c, now());
    cycles_append(&w, c);
    warn_of_restart(c, word, run->cmdline ? c->id && keep_on_stick(run, c) : keeps_report);
    events_send(&(struct event){
        .type = EVENT_CYCLES, .cycles = { c, confidence_part(c->with_errors, c->starts), word } });
}
