// SPDX-License-Identifier: MIT
#include "facts/heating.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "interrupt/idle.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "machine/inventory.h"
#include "memory/arena.h"
#include "progress/progress.h"
#include "run/run.h"
#include "spd/module_lines.h"

#define MODULE_MAX_MC 95000 /* JEDEC's extended range ends there (JESD79-4, 79-5) */
#define CPU_BELOW_MC  1000  /* above this below its own limit: at it, where it slows down already */
#define HOT_BELOW_MC  2000  /* what modules are held at is so far below the limit, at least */
#define HOT_BAND_MC   1000
#define SAMPLE_US     UINT64_C(10000000)
#define SAMPLE_SHARE  20
#define PAUSES_SENT   100
#define WAIT_US       20000

static bool is_trusted(const struct temperature *t)
{
    return t->is_known && t->doubt == SENSOR_TRUSTED;
}

/* The hottest that is trusted; NULL: none is. */
static const struct module *hottest(const struct modules *modules)
{
    const struct module *found = NULL;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];

        if (is_trusted(&m->temperature) &&
            (!found || m->temperature.now_mc > found->temperature.now_mc))
            found = m;
    }
    return found;
}

static struct heat_now heat_now(void)
{
    const struct inventory *i = inventory_get();
    const struct module *m = hottest(&i->modules);
    struct heat_now now = { .cpu = { is_trusted(&i->cpu), i->cpu.now_mc } };

    if (m)
        now.module = (struct degrees){ true, m->temperature.now_mc };
    for (size_t n = 0; n < i->modules.n; n++)
        now.has_module = now.has_module || i->modules.module[n].temperature.is_known;
    return now;
}

/* Of what the run began with: two sensors are not one curve. */
static struct degrees own_heat(const struct heating *h)
{
    const struct heat_now now = heat_now();

    return h->by_module ? now.module : now.cpu;
}

static bool is_any_known(void)
{
    return inventory_get()->cpu.is_known || heat_now().has_module;
}

static struct degrees limit(int32_t mc)
{
    return (struct degrees){ mc != INT32_MAX, mc };
}

/* By which the limit is kept now: "module", "cpu", "time"; NULL: by none. */
static const char *governs(const struct heat_gate *gate, const struct heat_now *now)
{
    if (heat_gate_is_by_time(gate, now))
        return heat_cause_word(HEAT_TIME);
    if (now->module.is_known && gate->module_max_mc != INT32_MAX)
        return heat_cause_word(HEAT_MODULE);
    return now->cpu.is_known && gate->cpu_max_mc != INT32_MAX ? heat_cause_word(HEAT_CPU) : NULL;
}

static void send(struct run *run, const char *when, const char *text)
{
    const struct inventory *inventory = inventory_get();
    struct heating *h = &run->heating;
    const struct heat_now now = heat_now();
    uint64_t us = tsc_elapsed_us(), bytes = progress_total_swept();

    if (!is_any_known())
        return;
    events_send(&(struct event){
        .type = EVENT_TEMPERATURE,
        .temperature = {
            .when = when,
            .cpu = &inventory->cpu,
            .modules = &inventory->modules,
            .mb_s = us > h->sent_us ? (double)(bytes - h->sent_bytes) / (double)(us - h->sent_us) : 0,
            .faults = fault_log_faults(&run->found.log),
            .module_max = limit(h->gate.module_max_mc),
            .cpu_max = limit(h->gate.cpu_max_mc),
            .governs = governs(&h->gate, &now),
            .pauses = h->gate.pauses,
            .paused_seconds = (double)heat_gate_paused_us(&h->gate, us) / 1e6,
            .text = text,
        },
    });
    h->sent_us = us;
    h->sent_bytes = bytes;
    h->next_us = us + max_u64(SAMPLE_US, us / SAMPLE_SHARE);
}

/* --- limits ----------------------------------------------------------------------------------- */

static int32_t limit_of(uint32_t option, int32_t usual_mc)
{
    if (option == OPTIONS_DEGREES_OFF)
        return INT32_MAX;
    return option == OPTIONS_DEGREES_AUTO ? usual_mc : (int32_t)option * 1000;
}

static bool is_given(uint32_t option)
{
    return option != OPTIONS_DEGREES_AUTO && option != OPTIONS_DEGREES_OFF;
}

static void set_limits(struct heat_gate *gate, const struct options *o)
{
    int32_t cpu_max_mc = inventory_get()->cpu_max_mc;

    *gate = (struct heat_gate){
        .module_max_mc = limit_of(o->module_max, MODULE_MAX_MC),
        .cpu_max_mc = limit_of(o->cpu_max, cpu_max_mc ? cpu_max_mc - CPU_BELOW_MC : INT32_MAX),
        .module_back_mc = HEAT_BACK_MC,
        .cpu_back_mc = HEAT_BACK_MC,
        .is_asked = is_given(o->module_max),
    };
}

/* What the modules are held at, below the limit; the gate then holds that. */
static void set_goal(struct heating *h, uint32_t hot)
{
    int32_t *max_mc = h->by_module ? &h->gate.module_max_mc : &h->gate.cpu_max_mc;
    int32_t top_mc = *max_mc == INT32_MAX ? INT32_MAX : *max_mc - HOT_BELOW_MC;
    int32_t wanted_mc = hot == OPTIONS_DEGREES_MOST ? INT32_MAX : (int32_t)hot * 1000;
    const char *what = h->by_module ? "modules are" : "the CPU is";
    struct degrees now = own_heat(h);

    h->goal.target_mc = (int32_t)min_u64((uint64_t)wanted_mc, (uint64_t)top_mc);
    if (h->goal.target_mc == INT32_MAX)
        return;
    if (now.is_known && now.mc > h->goal.target_mc + HOT_BAND_MC) {
        notice("hot= has no effect: %s at %d C already", what, temperature_degrees(now.mc));
        h->is_hot = false;
        return;
    }
    if (wanted_mc > top_mc && hot != OPTIONS_DEGREES_MOST)
        notice("hot=%u is less than 2 degrees below the limit: %s held at %d C", hot, what,
               temperature_degrees(top_mc));
    *max_mc = h->goal.target_mc + HOT_BAND_MC;
    *(h->by_module ? &h->gate.module_back_mc : &h->gate.cpu_back_mc) = HOT_BAND_MC;
    h->gate.is_asked |= h->by_module;
}

/* What a person has asked for, and cannot be. */
static void warn_of_sensors(const struct heating *h, const struct options *o)
{
    const struct heat_now now = heat_now();
    bool lacks_cpu = is_given(o->cpu_max) && !now.cpu.is_known;
    const char *trusted = "can be trusted", *read = "okram can read";
    const char *which = is_any_known() ? trusted : read;

    if (lacks_cpu && now.module.is_known)
        notice("the CPU has no temperature sensor that %s: its limit has no effect",
               inventory_get()->cpu.is_known ? trusted : read);
    if (now.module.is_known || !(h->gate.is_asked || h->is_hot || lacks_cpu))
        return;
    if (heat_gate_is_by_time(&h->gate, &now))
        notice("no memory module has a temperature sensor that can be trusted: pauses are timed");
    else if (now.cpu.is_known)
        notice("no memory module has a temperature sensor that %s: the CPU's temperature governs%s",
               now.has_module ? trusted : read, h->is_hot ? ", also how hot hot= makes it" : "");
    else if (!h->is_hot)
        notice("temperature.max= has no effect: neither a memory module nor the CPU has a "
               "temperature sensor that %s",
               which);
    if (h->is_hot && !now.cpu.is_known)
        notice("neither a memory module nor the CPU has a temperature sensor that %s: hot= is 5 "
               "minutes of traffic before the tests",
               which);
}

/* A limit that a person has given, and that a pause may not get below. */
static void warn_of_limit(uint32_t option, struct degrees now, int32_t back_mc, const char *what)
{
    int32_t to_mc = limit_of(option, INT32_MAX) - back_mc;

    if (is_given(option) && now.is_known && now.mc > to_mc)
        notice("temperature.max= may be too low: %s at %d C already, and each pause lasts until %d "
               "C, or 5 minutes",
               what, temperature_degrees(now.mc), temperature_degrees(to_mc));
}

static void append_limit(struct fmt_buffer *b, int32_t max_mc, const char *of)
{
    if (max_mc != INT32_MAX)
        fmt_append(b, "%s %d C (%s)", b->length ? "," : "traffic pauses above",
                   temperature_degrees(max_mc), of);
}

/* "traffic pauses above 95 C (modules), 100 C (CPU)" */
static void limits_text(const struct heat_gate *gate, char *text, size_t size)
{
    const struct heat_now now = heat_now();
    struct fmt_buffer b = fmt_buffer_make(text, size);

    text[0] = 0;
    if (now.module.is_known)
        append_limit(&b, gate->module_max_mc, "modules");
    if (now.cpu.is_known)
        append_limit(&b, gate->cpu_max_mc,
                     now.has_module ? "CPU" : "CPU, which alone has a sensor");
}

void heating_prepare(struct heating *heating)
{
    heating->account = arena_alloc(sizeof(*heating->account));
}

void heating_begin(struct run *run)
{
    struct heating *h = &run->heating;
    const struct options *o = &run->options;
    uint32_t hot = o->hot;
    char text[96];

    if (hot == OPTIONS_DEGREES_AUTO && run->selection.tests.is_hot)
        hot = OPTIONS_DEGREES_MOST;
    h->is_hot = hot != OPTIONS_DEGREES_AUTO && hot != OPTIONS_DEGREES_OFF;
    h->by_module = heat_now().module.is_known;
    set_limits(&h->gate, o);
    warn_of_sensors(h, o);
    if (h->is_hot)
        set_goal(h, hot);
    if (!h->is_hot) {
        warn_of_limit(o->module_max, heat_now().module, h->gate.module_back_mc, "modules are");
        warn_of_limit(o->cpu_max, heat_now().cpu, h->gate.cpu_back_mc, "the CPU is");
    }
    h->has_begun = true;
    h->us = h->sent_us = tsc_elapsed_us();
    h->bytes = h->sent_bytes = progress_total_swept();
    limits_text(&h->gate, text, sizeof(text));
    send(run, "start", text);
}

/* --- while tests run -------------------------------------------------------------------------- */

/* What has been moved and found since the last poll. */
static void count(struct run *run, uint64_t us)
{
    struct heating *h = &run->heating;
    uint64_t bytes = progress_total_swept(), faults = fault_log_faults(&run->found.log);
    const struct heat_now now = heat_now();
    struct degrees heat = own_heat(h);

    atomic_store_explicit(&h->now, heat_pack(&now), memory_order_relaxed);
    if (bytes != h->bytes)
        h->traffic_us += us - h->us;
    if (heat.is_known)
        heat_account_add(h->account, h->test, heat.mc, bytes - h->bytes, faults - h->faults);
    h->bytes = bytes;
    h->faults = faults;
    h->us = us;
}

/* "paused: 96 C (DIMM_A1), until 85 C" */
static void pause_text(struct heating *h)
{
    const struct inventory *i = inventory_get();
    const struct module *m = hottest(&i->modules);
    char place[SMBIOS_NAME_SIZE];

    if (h->gate.cause == HEAT_TIME || (h->gate.cause == HEAT_MODULE && !m))
        fmt_print(h->text, sizeof(h->text), "paused to cool down, by time");
    else if (h->gate.cause == HEAT_MODULE)
        fmt_print(h->text, sizeof(h->text), "paused: %d C (%s), until %d C",
                  temperature_degrees(m->temperature.now_mc), module_place(m, place),
                  temperature_degrees(h->gate.module_max_mc - h->gate.module_back_mc));
    else
        fmt_print(h->text, sizeof(h->text), "paused: %d C (CPU), until %d C",
                  temperature_degrees(i->cpu.now_mc),
                  temperature_degrees(h->gate.cpu_max_mc - h->gate.cpu_back_mc));
}

static void heating_text(struct heating *h)
{
    struct degrees heat = own_heat(h);
    struct fmt_buffer b = fmt_buffer_make(h->text, sizeof(h->text));

    fmt_append(&b, "heating");
    if (heat.is_known)
        fmt_append(&b, ": %d C", temperature_degrees(heat.mc));
    if (heat.is_known && h->goal.target_mc != INT32_MAX)
        fmt_append(&b, ", to %d C", temperature_degrees(h->goal.target_mc));
}

static void show(struct heating *h)
{
    h->text[0] = 0;
    if (h->gate.cause)
        pause_text(h);
    else if (h->is_heating)
        heating_text(h);
    progress_heat(h->text);
}

/* While modules are held at a temperature, pauses are short and many: samples will do. */
static void send_pause(struct run *run, bool is_held)
{
    struct heating *h = &run->heating;

    if (h->is_hot || h->pauses_sent >= PAUSES_SENT)
        return;
    h->pauses_sent += !is_held;
    send(run, is_held ? "pause" : "resume", h->text);
}

static void warn_of_pause(struct heating *h, enum heat_cause cause)
{
    const struct heat_gate *gate = &h->gate;
    bool by_module = cause == HEAT_MODULE;

    if (h->has_warned || !gate->was_too_long)
        return;
    h->has_warned = true;
    notice("a pause of 5 minutes did not cool %s to %d C: cooling is poor, or temperature.max= is "
           "too low",
           by_module ? "the modules" : "the CPU",
           temperature_degrees(by_module ? gate->module_max_mc - gate->module_back_mc
                                         : gate->cpu_max_mc - gate->cpu_back_mc));
}

static void hold(struct run *run, uint64_t us)
{
    struct heating *h = &run->heating;
    const struct heat_now now = heat_now();
    enum heat_cause cause = h->gate.cause;
    bool was_held = cause, is_held = heat_gate_step(&h->gate, &now, us);
    uint64_t paused_us = heat_gate_paused_us(&h->gate, us);

    if (was_held && !is_held)
        warn_of_pause(h, cause);
    progress_paused(paused_us - h->paused_us);
    h->paused_us = paused_us;
    show(h);
    if (is_held != was_held)
        send_pause(run, is_held);
    cpu_pool_hold(is_held && !stop_is_requested());
}

void heating_poll(struct run *run)
{
    struct heating *h = &run->heating;
    uint64_t us = tsc_elapsed_us();

    if (!h->has_begun)
        return;
    inventory_poll(
        &(struct heat_times){ us, h->traffic_us, h->gate.cause ? us - h->gate.since_us : 0 });
    count(run, us);
    hold(run, us);
    if (!h->had_faults && fault_log_bad_pages(&run->found.log)) {
        h->had_faults = true;
        send(run, "fault", "");
    } else if (us >= h->next_us) {
        send(run, "sample", "");
    }
}

void heating_finish(struct run *run)
{
    run->heating.has_begun = false;
    cpu_pool_hold(false);
    progress_heat("");
    count(run, tsc_elapsed_us());
    send(run, "end", "");
}

bool heating_wants(struct run *run)
{
    struct heating *h = &run->heating;
    struct degrees heat = own_heat(h);
    bool was_settled = h->goal.is_settled, was_heating = h->is_heating;
    bool was_hot = h->goal.is_reached;

    if (!h->is_hot || stop_is_requested())
        return false;
    h->is_heating = heat_goal_wants(&h->goal, heat, tsc_elapsed_us());
    if (h->is_heating || !was_heating)
        return h->is_heating;
    if (h->goal.is_settled && !was_settled && heat.is_known)
        notice("the %s no hotter than %d C: the tests run at that temperature",
               h->by_module ? "modules get" : "CPU gets", temperature_degrees(h->goal.target_mc));
    if (!was_hot) /* later ones are many */
        send(run, "hot", "");
    return false;
}

void heating_wait(struct run *run)
{
    while (run->heating.gate.cause && !stop_is_requested()) {
        cpu_poll(&run->poll);
        idle_wait(WAIT_US);
    }
}
