// SPDX-License-Identifier: MIT
#include "heat/heat.h"

#include "lib/minmax.h"

#define SECOND_US UINT64_C(1000000)

/* What a sensor of modules measures (JEDEC 21-C, 4.1.5: -40 to 125), and how far a CPU can be above
 * its own limit: it has switched off before. */
#define LOW_MC         (-40000)
#define MODULE_HIGH_MC 125000
#define CPU_ABOVE_MC   15000

#define MODULE_STEP_MC 10000
#define CPU_STEP_MC    60000
#define STEP_MC_A_S    5000

#define SILENT_US        (30 * SECOND_US)
#define NEVER_CHANGED_US (60 * SECOND_US)
#define UNCHANGED_US     (600 * SECOND_US)

#define ONSET_FAULTS_MIN 3
#define ONSET_P_MAX      0.05

static bool can_be_true(const struct sensor_watch *w, int32_t mc, uint64_t now_us)
{
    uint64_t step = w->cpu_max_mc ? CPU_STEP_MC : MODULE_STEP_MC;
    uint64_t change = (uint64_t)(mc > w->mc ? (int64_t)mc - w->mc : (int64_t)w->mc - mc);

    if (mc < LOW_MC || mc > (w->cpu_max_mc ? w->cpu_max_mc + CPU_ABOVE_MC : MODULE_HIGH_MC))
        return false;
    return !w->has_read || change <= step + (now_us - w->at_us) * STEP_MC_A_S / SECOND_US;
}

static void watch_change(struct sensor_watch *w, int32_t mc, const struct heat_times *t)
{
    uint64_t longest = w->has_changed ? UNCHANGED_US : NEVER_CHANGED_US;

    if (!w->has_read || mc != w->mc) {
        w->has_changed = w->has_read;
        w->changed = *t;
        w->doubt = SENSOR_TRUSTED;
    } else if (t->traffic_us - w->changed.traffic_us >= longest ||
               min_u64(t->pause_us, t->now_us - w->changed.now_us) >= HEAT_STILL_US) {
        w->doubt = SENSOR_UNCHANGED;
    } else if (w->doubt == SENSOR_SILENT) {
        w->doubt = SENSOR_TRUSTED;
    }
}

bool sensor_take(struct sensor_watch *w, int32_t mc, const struct heat_times *t)
{
    if (w->doubt == SENSOR_JUMPS)
        return false;
    if (!can_be_true(w, mc, t->now_us)) {
        w->odd_mc = mc;
        if (++w->n_odd == SENSOR_ODD_MAX)
            w->doubt = SENSOR_JUMPS;
        return false;
    }
    watch_change(w, mc, t);
    w->n_odd = 0;
    w->has_read = true;
    w->mc = mc;
    w->at_us = t->now_us;
    return true;
}

void sensor_miss(struct sensor_watch *w, uint64_t now_us, bool is_given_up)
{
    if (w->doubt == SENSOR_TRUSTED && (is_given_up || now_us - w->at_us >= SILENT_US))
        w->doubt = SENSOR_SILENT;
}

const char *sensor_doubt_word(unsigned doubt)
{
    static const char *const words[SENSOR_DOUBTS] = {
        [SENSOR_SILENT] = "silent",
        [SENSOR_JUMPS] = "jumps",
        [SENSOR_UNCHANGED] = "unchanged",
    };

    return words[doubt];
}

/* In thousandths of a kelvin, of which 0 is free. */
#define ZERO_MK 273150

static uint64_t pack(struct degrees d)
{
    return d.is_known ? (uint32_t)(d.mc + ZERO_MK) : 0;
}

static struct degrees unpack(uint32_t mk)
{
    return (struct degrees){ mk != 0, mk ? (int32_t)mk - ZERO_MK : 0 };
}

uint64_t heat_pack(const struct heat_now *now)
{
    return pack(now->module) << 32 | pack(now->cpu);
}

struct heat_now heat_unpack(uint64_t word)
{
    return (struct heat_now){ unpack((uint32_t)(word >> 32)), unpack((uint32_t)word), false };
}

const char *heat_cause_word(unsigned cause)
{
    static const char *const words[] = { NULL, "module", "cpu", "time" };

    return words[cause];
}

bool heat_gate_is_by_time(const struct heat_gate *gate, const struct heat_now *now)
{
    return now->has_module && !now->module.is_known && gate->module_max_mc != INT32_MAX &&
           (gate->is_asked || gate->pauses);
}

static uint64_t duration(uint64_t measured_us, uint64_t usual_us)
{
    return measured_us ? measured_us : usual_us;
}

static enum heat_cause too_hot(const struct heat_gate *gate, const struct heat_now *now)
{
    if (now->module.is_known && now->module.mc > gate->module_max_mc)
        return HEAT_MODULE;
    return now->cpu.is_known && now->cpu.mc > gate->cpu_max_mc ? HEAT_CPU : HEAT_NONE;
}

/* Why a pause is to begin. */
static enum heat_cause hot_cause(const struct heat_gate *gate, const struct heat_now *now,
                                 uint64_t lasted_us)
{
    enum heat_cause cause = too_hot(gate, now);

    if (gate->was_too_long && lasted_us < HEAT_TRAFFIC_MIN_US)
        return HEAT_NONE;
    if (!cause && heat_gate_is_by_time(gate, now) && lasted_us >= duration(gate->on_us, HEAT_ON_US))
        return HEAT_TIME;
    return cause;
}

/* What the pause is for, by its sensor; else by time. */
static bool has_cooled(struct heat_gate *gate, const struct heat_now *now, uint64_t lasted_us)
{
    bool by_module = gate->cause == HEAT_MODULE;
    struct degrees heat = by_module ? now->module : now->cpu;

    if (gate->cause == HEAT_TIME || !heat.is_known)
        return lasted_us >= duration(gate->off_us, HEAT_OFF_US);
    if (heat.mc > (by_module ? gate->module_max_mc - gate->module_back_mc
                             : gate->cpu_max_mc - gate->cpu_back_mc))
        return false;
    gate->on_us = gate->before_us;
    gate->off_us = lasted_us;
    return true;
}

static void begin_pause(struct heat_gate *gate, enum heat_cause cause, uint64_t lasted_us,
                        uint64_t now_us)
{
    gate->before_us = lasted_us;
    gate->cause = cause;
    gate->since_us = now_us;
    gate->pauses++;
}

static void end_pause(struct heat_gate *gate, uint64_t lasted_us, uint64_t now_us)
{
    gate->was_too_long = lasted_us >= HEAT_PAUSE_MAX_US;
    gate->paused_us += lasted_us;
    gate->cause = HEAT_NONE;
    gate->since_us = now_us;
}

static void step_pause(struct heat_gate *gate, const struct heat_now *now, uint64_t lasted_us,
                       uint64_t now_us)
{
    enum heat_cause other;

    if (lasted_us < HEAT_PAUSE_MAX_US) {
        if (!has_cooled(gate, now, lasted_us))
            return;
        other = too_hot(gate, now);
        if (other) {
            gate->cause = other;
            return;
        }
    }
    end_pause(gate, lasted_us, now_us);
}

bool heat_gate_step(struct heat_gate *gate, const struct heat_now *now, uint64_t now_us)
{
    uint64_t lasted_us;
    enum heat_cause cause;

    if (!gate->since_us)
        gate->since_us = now_us;
    lasted_us = now_us - gate->since_us;
    if (gate->cause) {
        step_pause(gate, now, lasted_us, now_us);
    } else {
        cause = hot_cause(gate, now, lasted_us);
        if (cause)
            begin_pause(gate, cause, lasted_us, now_us);
    }
    return gate->cause;
}

uint64_t heat_gate_paused_us(const struct heat_gate *gate, uint64_t now_us)
{
    return gate->paused_us + (gate->cause ? now_us - gate->since_us : 0);
}

static void reach(struct heat_goal *goal, struct degrees now, bool is_settled)
{
    if (is_settled && now.is_known)
        goal->target_mc = now.mc;
    goal->is_settled |= is_settled;
    goal->is_reached = true;
    goal->since_us = 0;
}

bool heat_goal_wants(struct heat_goal *goal, struct degrees now, uint64_t now_us)
{
    bool is_blind = !now.is_known;

    if (!goal->since_us) {
        if (goal->is_reached && (is_blind || now.mc >= goal->target_mc - HEAT_HOLD_MC))
            return false;
        goal->since_us = goal->rise_us = now_us;
        goal->rise_mc = now.mc;
    }
    if (is_blind ? now_us - goal->since_us >= HEAT_BLIND_US : now.mc >= goal->target_mc) {
        reach(goal, now, is_blind);
        return false;
    }
    if (!is_blind && now.mc >= goal->rise_mc + HEAT_RISE_MC) {
        goal->rise_mc = now.mc;
        goal->rise_us = now_us;
    }
    if ((!is_blind && now_us - goal->rise_us >= HEAT_RISE_US) ||
        now_us - goal->since_us >= HEAT_MAX_US) {
        reach(goal, now, true);
        return false;
    }
    return true;
}

static size_t bucket(int32_t mc)
{
    int32_t degrees = (mc < 0 ? mc - 999 : mc) / 1000 - HEAT_DEGREES_MIN;

    return degrees < 0 ? 0 : (size_t)min_u64((uint64_t)degrees, HEAT_DEGREES - 1);
}

void heat_account_add(struct heat_account *a, uint32_t test, int32_t mc, uint64_t bytes,
                      uint64_t faults)
{
    struct heat_cell *cell;

    if (test >= HEAT_TESTS)
        return;
    cell = &a->cell[test][bucket(mc)];
    a->rest[test] += bytes;
    cell->mib += (uint32_t)(a->rest[test] >> 20);
    a->rest[test] &= (1u << 20) - 1;
    cell->hits += faults && cell->hits < UINT16_MAX;
    a->faults += faults;
}

/* The first degree, of any test, at which there were faults; HEAT_DEGREES: none. */
static size_t first_hit(const struct heat_account *a)
{
    for (size_t degree = 0; degree < HEAT_DEGREES; degree++) {
        for (size_t test = 0; test < HEAT_TESTS; test++) {
            if (a->cell[test][degree].hits)
                return degree;
        }
    }
    return HEAT_DEGREES;
}

bool heat_account_onset(const struct heat_account *a, struct heat_onset *ret_onset)
{
    size_t first = first_hit(a);
    uint64_t below = 0;
    double chance = 1;

    for (size_t test = 0; test < HEAT_TESTS; test++) {
        uint64_t hits = 0, cold = 0, all = 0;

        for (size_t degree = 0; degree < HEAT_DEGREES; degree++) {
            hits += a->cell[test][degree].hits;
            all += a->cell[test][degree].mib;
            cold += degree < first ? a->cell[test][degree].mib : 0;
        }
        below += hits ? cold : 0;
        for (; hits && chance > ONSET_P_MAX && all; hits--)
            chance *= (double)(all - cold) / (double)all;
    }
    if (a->faults < ONSET_FAULTS_MIN || !below || chance > ONSET_P_MAX)
        return false;
    *ret_onset = (struct heat_onset){ .faults = a->faults,
                                      .from_degrees = (int32_t)first + HEAT_DEGREES_MIN,
                                      .bytes_below = below << 20 };
    return true;
}
