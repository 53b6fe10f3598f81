// SPDX-License-Identifier: MIT
#include "spd/module_lines.h"

#include "spd/spd.h"

/* "UDIMM", "1 rank of x8 chips, 64+8 bits". */
static void append_organization(struct fmt_buffer *out, const struct spd *spd)
{
    if (spd->ranks && spd->device_bits)
        fmt_append(out, ", %u rank%s of x%u chips", spd->ranks, fmt_plural(spd->ranks),
                   spd->device_bits);
    if (spd->data_bits)
        fmt_append(out, ", %u", spd->data_bits);
    if (spd->data_bits && spd->ecc_bits)
        fmt_append(out, "+%u", spd->ecc_bits);
    if (spd->data_bits)
        fmt_append(out, " bits");
}

/* "DIMM_A1, SMBus 0x50", or one of both. */
static void append_where(struct fmt_buffer *out, const struct module *m)
{
    char place[SMBIOS_NAME_SIZE];

    if (m->slot)
        fmt_append(out, "%s%s", module_place(m, place),
                   m->slot_by == MODULE_SLOT_BY_ORDER ? " (by its order)" : "");
    if (m->spd)
        fmt_append(out, "%sSMBus 0x%x", m->slot ? ", " : "", m->spd->address);
}

const char *module_type_name(const struct module *m)
{
    return m->spd    ? spd_type_name(m->spd->spd.type)
           : m->slot ? smbios_memory_type_name(m->slot->memory_type)
                     : "";
}

static void append_kind(struct fmt_buffer *out, const struct module *m)
{
    const char *type = module_type_name(m);

    append_where(out, m);
    fmt_append(out, ": %s", *type ? type : "memory");
    if (m->spd && spd_form_name(&m->spd->spd)[0])
        fmt_append(out, " %s", spd_form_name(&m->spd->spd));
    if (m->size_bytes) {
        fmt_append(out, ", ");
        fmt_append_size(out, m->size_bytes);
    }
    if (m->spd)
        append_organization(out, &m->spd->spd);
}

/* Some bytes of it are not known. */
static bool is_short(const struct spd *spd)
{
    return spd && spd->problems >> SPD_SHORT & 1;
}

static void append_maker(struct fmt_buffer *out, const struct module *m)
{
    const struct spd *spd = m->spd ? &m->spd->spd : NULL;

    if (m->maker[0])
        fmt_append(out, "%s", m->maker);
    else if (spd && spd->maker)
        fmt_append(out, "maker 0x%04x of JEDEC's list", spd->maker);
    else
        fmt_append(out, "unknown maker");
    if (m->part[0])
        fmt_append(out, " %s", m->part);
    if (m->serial[0])
        fmt_append(out, ", serial %s", m->serial);
    else
        fmt_append(out, ", %s serial number", is_short(spd) ? "unknown" : "no");
    if (spd && spd->year)
        fmt_append(out, ", week %u of %u", spd->week, spd->year);
    if (spd && spd_maker_name(spd->dram_maker)[0])
        fmt_append(out, "; chips by %s", spd_maker_name(spd->dram_maker));
}

/* " (19-19-19-43)" */
static void append_timings(struct fmt_buffer *out, const struct spd_timings *t)
{
    if (t->cl)
        fmt_append(out, " (%u-%u-%u-%u)", t->cl, t->rcd, t->rp, t->ras);
}

static void append_profiles(struct fmt_buffer *out, const struct spd *spd, bool is_expo)
{
    unsigned n = 0;

    for (size_t i = 0; spd && i < spd->n_profiles; i++) {
        if (spd->profile[i].is_expo != is_expo)
            continue;
        fmt_append(out, "%s %u", n++ ? "," : is_expo ? "EXPO" : "XMP", spd->profile[i].mt_s);
        append_timings(out, &spd->profile[i].timings);
    }
}

static void append_speeds(struct fmt_buffer *out, const struct module *m)
{
    struct decoded_timing now = m->running;

    now.mts = module_mt_s(m);
    if (now.mts) {
        fmt_append(out, "runs at ");
        decoded_append_timing(out, &now);
    }
    if (!m->spd || !m->jedec_mt_s)
        return;
    fmt_append(out, "%sJEDEC %u%s", now.mts ? "; " : "", m->jedec_mt_s, now.mts ? "" : " MT/s");
    append_timings(out, &m->spd->spd.timings);
}

static void append_setting(struct fmt_buffer *out, const struct module *m)
{
    switch (module_setting(m)) {
    case MODULE_SETTING_BELOW_PROFILE:
        fmt_append(out, "slower than its fastest profile, %u MT/s", m->profile_mt_s);
        break;
    case MODULE_SETTING_OVERCLOCK:
        fmt_append(out, "an overclock, beyond JEDEC's figures in its SPD: faults may come from it");
        break;
    case MODULE_SETTING_OVERCLOCK_PART:
        fmt_append(out, "an overclock, slower than its profile of %u MT/s: faults may come from it",
                   m->profile_mt_s);
        break;
    default: break;
    }
}

static void append_problems(struct fmt_buffer *out, const struct module *m)
{
    uint32_t problems = m->spd ? m->spd->spd.problems & ~(UINT32_C(1) << SPD_SERIAL) : 0;

    unsigned n = 0;

    for (unsigned i = 0; i < SPD_PROBLEMS; i++) {
        if (problems >> i & 1)
            fmt_append(out, "%s%s", n++ ? "; " : "SPD: ", spd_problem_text(i));
    }
}

void module_append_line(struct fmt_buffer *out, const struct module *m, unsigned line)
{
    const struct spd *spd = m->spd ? &m->spd->spd : NULL;

    switch (line) {
    case 0: append_kind(out, m); break;
    case 1: append_maker(out, m); break;
    case 2: append_speeds(out, m); break;
    case 3: append_profiles(out, spd, false); break;
    case 4: append_profiles(out, spd, true); break;
    case 5: append_setting(out, m); break;
    default: append_problems(out, m); break;
    }
}

int temperature_degrees(int32_t mc)
{
    return (int)((mc + (mc < 0 ? -500 : 500)) / 1000);
}

void temperature_append(struct fmt_buffer *out, const char *what, const struct temperature *t)
{
    if (t->doubt == SENSOR_TRUSTED)
        fmt_append(out, "%s %d C", what, temperature_degrees(t->now_mc));
    else
        fmt_append(out, "%s unknown", what);
    if (temperature_degrees(t->highest_mc) > temperature_degrees(t->now_mc))
        fmt_append(out, " (highest %d)", temperature_degrees(t->highest_mc));
}

void temperatures_append(struct fmt_buffer *out, const struct temperature *cpu,
                         const struct modules *modules)
{
    bool is_first = true;

    if (cpu->is_known) {
        temperature_append(out, "CPU", cpu);
        is_first = false;
    }
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];
        char place[SMBIOS_NAME_SIZE];

        if (!m->temperature.is_known)
            continue;
        if (!is_first)
            fmt_append(out, ", ");
        temperature_append(out, module_place(m, place), &m->temperature);
        is_first = false;
    }
}
