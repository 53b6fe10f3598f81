// SPDX-License-Identifier: MIT
/* How modules run, beside what they are promised to do (spd/modules.h). */
#include "spd/modules.h"

#define SPEED_SLACK 40u /* MT/s: the same speed is written as 2666 and as 2667 */
#define ROUNDED_UP  2u  /* clocks that whole and even numbers of them add at most */

static bool has_module(const struct decoded_channel *c, const struct module *m)
{
    unsigned ranks = m && m->spd ? m->spd->spd.ranks : 0;
    bool has = false;

    for (unsigned i = 0; i < DRAM_DIMMS_MAX; i++) {
        const struct decoded_dimm *d = &c->dimm[i];

        has |= d->bytes &&
               (!m || (d->bytes == m->size_bytes && (!ranks || !d->ranks || d->ranks == ranks)));
    }
    return has;
}

static bool are_same(const struct decoded_timing *a, const struct decoded_timing *b)
{
    return a->cl == b->cl && a->rcd == b->rcd && a->rp == b->rp && a->ras == b->ras &&
           a->command_rate == b->command_rate && a->gear == b->gear && a->mts == b->mts;
}

/* Of all channels with a module, or with that one. False: there is none. */
static bool timing_of(const struct decoded_controller *controller, const struct module *m,
                      struct decoded_timing *ret)
{
    bool is_any = false;

    for (unsigned i = 0; i < controller->n_channels; i++) {
        const struct decoded_channel *c = &controller->channel[i];

        if (!has_module(c, m))
            continue;
        if (!is_any)
            *ret = c->timing;
        else if (!are_same(ret, &c->timing))
            *ret = (struct decoded_timing){ 0 };
        is_any = true;
    }
    return is_any;
}

void modules_set_running(struct modules *modules, const struct decoded_controller *controller)
{
    for (size_t i = 0; i < modules->n; i++) {
        struct module *m = &modules->module[i];

        if (m->slot && !m->slot->is_ordinary)
            continue;
        if (!timing_of(controller, m, &m->running))
            timing_of(controller, NULL, &m->running);
    }
}

uint32_t module_mt_s(const struct module *m)
{
    return m->running.mts ? m->running.mts : m->configured_mt_s;
}

/* Fewer clocks than those of a promise for another speed; those of a lower speed may be fewer. */
static bool is_fewer(const struct module *m, unsigned now, unsigned clocks, uint32_t mt_s)
{
    uint64_t speed = module_mt_s(m);

    if (!now)
        return false;
    if (speed + SPEED_SLACK >= mt_s)
        return now < clocks;
    return clocks > ROUNDED_UP && (uint64_t)now * mt_s < (clocks - ROUNDED_UP) * speed;
}

static bool is_beyond(const struct module *m, uint32_t mt_s, const struct spd_timings *t)
{
    const struct decoded_timing *r = &m->running;

    return module_mt_s(m) > mt_s + SPEED_SLACK || is_fewer(m, r->cl, t->cl, mt_s) ||
           is_fewer(m, r->rcd, t->rcd, mt_s) || is_fewer(m, r->rp, t->rp, mt_s) ||
           is_fewer(m, r->ras, t->ras, mt_s);
}

bool module_is_above_jedec(const struct module *m)
{
    static const struct spd_timings unknown;

    return m->jedec_mt_s && module_mt_s(m) &&
           is_beyond(m, m->jedec_mt_s, m->spd ? &m->spd->spd.timings : &unknown);
}

/* An odd CL may be made even. */
static bool reaches(const struct module *m, const struct spd_profile *p)
{
    return module_mt_s(m) + SPEED_SLACK >= p->mt_s &&
           (!p->timings.cl || module_mt_s(m) > p->mt_s + SPEED_SLACK ||
            m->running.cl <= p->timings.cl + 1);
}

/* One of those that are as fast as the fastest. */
static bool reaches_fastest(const struct module *m)
{
    const struct spd *spd = m->spd ? &m->spd->spd : NULL;
    bool reached = !spd;

    for (size_t i = 0; spd && i < spd->n_profiles; i++)
        reached |= spd->profile[i].mt_s == m->profile_mt_s && reaches(m, &spd->profile[i]);
    return reached;
}

bool module_runs_by_profile(const struct module *m)
{
    bool is_jedec = m->running.cl && m->jedec_mt_s && !module_is_above_jedec(m);

    return m->profile_mt_s && module_mt_s(m) + SPEED_SLACK >= m->profile_mt_s &&
           module_mt_s(m) <= m->profile_mt_s + SPEED_SLACK && !is_jedec;
}

enum module_setting module_setting(const struct module *m)
{
    bool is_below = m->profile_mt_s && !reaches_fastest(m);

    if (!module_mt_s(m) || !m->jedec_mt_s)
        return MODULE_SETTING_UNKNOWN;
    if (module_is_above_jedec(m))
        return is_below ? MODULE_SETTING_OVERCLOCK_PART : MODULE_SETTING_OVERCLOCK;
    return is_below ? MODULE_SETTING_BELOW_PROFILE : MODULE_SETTING_JEDEC;
}

const char *module_setting_word(enum module_setting setting)
{
    static const char *const words[] = {
        [MODULE_SETTING_UNKNOWN] = NULL,
        [MODULE_SETTING_JEDEC] = "jedec",
        [MODULE_SETTING_BELOW_PROFILE] = "below-profile",
        [MODULE_SETTING_OVERCLOCK] = "overclock",
        [MODULE_SETTING_OVERCLOCK_PART] = "overclock-below-profile",
    };

    return words[setting];
}
