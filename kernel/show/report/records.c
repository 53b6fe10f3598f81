// SPDX-License-Identifier: MIT
#include "report/records.h"

#include "firmware/memory_map.h"
#include "firmware/memory_ecc.h"
#include "kind/kind.h"
#include "heat/heat.h"
#include "lib/field_rows.h"
#include "lib/string.h"
#include "picture/ram_picture.h"
#include "report/format_text.h"
#include "saved/saved_write.h"
#include "spd/spd.h"

/* Of a struct span, or one that begins with it. */
static void write_end(struct json *j, const struct field *f, const void *object)
{
    json_hex(j, f->name, span_end(*(const struct span *)object));
}

/* A name that says nothing is null. */
static void write_made(struct json *j, const struct field *f, struct smbios_maker made, bool full)
{
    char *const text[] = { made.maker, made.product, made.version, made.serial };

    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        if (smbios_name_is_filler(text[i]))
            text[i][0] = 0;
    }
    json_object(j, f->name);
    fields_write(j, f->rows, full ? f->n_rows : f->n_rows - 1, &made); /* the last is its number */
    json_close(j, "}");
}

static void write_system(struct json *j, const struct field *f, const void *object)
{
    const struct event_identity *i = object;

    write_made(j, f, i->names->system, i->full);
}

static void write_board(struct json *j, const struct field *f, const void *object)
{
    const struct event_identity *i = object;

    write_made(j, f, i->names->board, i->full);
}

static void write_mac(struct json *j, const struct field *f, const void *object)
{
    char text[sizeof("52:54:00:12:34:56")];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    format_text_append_mac(&b, object);
    json_text(j, f->name, text);
}

static void write_cpu_list(struct json *j, const struct field *f, const void *object)
{
    const struct event_cpu_kind *k = object;

    json_name(j, f->name);
    fmt_append(j->out, "\"");
    format_text_append_list(j->out, k->cpus, k->n_cpus);
    fmt_append(j->out, "\"");
}

static void write_repair(struct json *j, const struct field *f, const void *object)
{
    const struct event_machine *m = object;
    const char *repair[MEMORY_REPAIRS];

    json_texts(j, f->name, repair, memory_repair_names(m->repair, repair));
}

static const char *profile_word(unsigned is_expo)
{
    return is_expo ? "expo" : "xmp";
}

static void write_module_kind(struct json *j, const struct field *f, const void *object)
{
    const struct module *m = object;

    json_text_if_any(j, f->name,
                     m->spd    ? spd_type_name(m->spd->spd.type)
                     : m->slot ? smbios_memory_type_name(m->slot->memory_type)
                               : "");
}

static void write_form(struct json *j, const struct field *f, const void *object)
{
    const struct module *m = object;

    json_text_if_any(j, f->name, m->spd ? spd_form_name(&m->spd->spd) : "");
}

static void write_chip_maker(struct json *j, const struct field *f, const void *object)
{
    const struct module *m = object;

    json_text_if_any(j, f->name, m->spd ? spd_maker_name(m->spd->spd.dram_maker) : "");
}

static void write_module_setting(struct json *j, const struct field *f, const void *object)
{
    const char *word = module_setting_word(module_setting(object));

    json_text_if_any(j, f->name, word ? word : "");
}

static void write_problems(struct json *j, const struct field *f, const void *object)
{
    const struct module *m = object;
    const char *text[SPD_PROBLEMS];
    size_t n = 0;

    for (unsigned i = 0; m->spd && i < SPD_PROBLEMS; i++) {
        if (m->spd->spd.problems >> i & 1)
            text[n++] = spd_problem_text(i);
    }
    json_texts(j, f->name, text, n);
}

static void write_geometry_module(struct json *j, const struct field *f, const void *object)
{
    const struct geometry *g = object;
    char place[SMBIOS_NAME_SIZE] = "";

    json_text_if_any(j, f->name, g->module ? module_place(g->module, place) : "");
}

static const void *geometry_of(const struct event *e)
{
    return e->geometry;
}

static const void *module_of(const struct event *e)
{
    return &e->module.modules->module[e->module.index];
}

static void write_slot_name(struct json *j, const struct field *f, const void *object)
{
    char name[BOARD_SLOT_NAME];

    board_slot_name(((const struct board_slot *)object)->slot, name);
    json_text(j, f->name, name);
}

static bool has_slots(const void *object)
{
    return ((const struct event_controller *)object)->slots;
}

static bool has_modules(const void *object)
{
    return ((const struct event_kind *)object)->modules;
}

static void write_words(struct json *j, const struct field *f, const void *object)
{
    json_integer(j, f->name, ((const struct module_with_words *)object)->words);
}

static const char *decoded_ecc_word(unsigned ecc)
{
    static const char *const words[] = { NULL, "off", "unused", "in-band", "on" };

    return words[ecc];
}

static void write_dimms(struct json *j, const struct field *f, const void *object)
{
    const struct decoded_channel *c = object;

    json_array(j, f->name);
    for (size_t i = 0; i < DRAM_DIMMS_MAX; i++) {
        json_object(j, NULL);
        fields_write(j, f->rows, f->n_rows, &c->dimm[i]);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_registers(struct json *j, const struct field *f, const void *object)
{
    const struct event_controller *c = object;
    char text[REGISTER_TEXT_MAX];

    json_array(j, f->name);
    for (size_t i = 0; i <= c->registers->n; i++) {
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        if (i)
            register_append(&b, &c->registers->at[i - 1]);
        else
            register_append_cpu(&b, &c->registers->cpu);
        json_text(j, NULL, text);
    }
    json_close(j, "]");
}

/* Of those that have a sensor. */
static void write_sensors(struct json *j, const struct field *f, const void *object)
{
    const struct event_temperature *t = object;

    json_array(j, f->name);
    for (size_t i = 0; i < t->modules->n; i++) {
        if (!t->modules->module[i].temperature.is_known)
            continue;
        json_object(j, NULL);
        fields_write(j, f->rows, f->n_rows, &t->modules->module[i]);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_spd_bytes(struct json *j, const struct field *f, const void *object)
{
    const struct module_spd *spd = object;

    json_bytes(j, f->name, spd->byte, spd->n_bytes);
}

static void write_spds(struct json *j, const struct field *f, const void *object)
{
    const struct modules *modules = ((const struct support *)object)->modules;

    json_array(j, f->name);
    for (size_t i = 0; modules && i < modules->n; i++) {
        if (!modules->module[i].spd)
            continue;
        json_object(j, NULL);
        fields_write(j, f->rows, f->n_rows, modules->module[i].spd);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static const void *support_of(const struct event *e)
{
    return e->support.support;
}

static void write_slowdown(struct json *j, const struct field *f, const void *object)
{
    const struct event_contention *c = object;
    double idle = c->read_mb_s.idle.mean, loaded = c->read_mb_s.loaded.mean;

    if (idle > 0)
        json_number(j, f->name, 100 * (idle - loaded) / idle, 1);
    else
        json_null(j, f->name);
}

static void write_found(struct json *j, const struct field *f, const void *object)
{
    json_bool(j, f->name, ((const struct event_rows *)object)->result->answer == ROWS_FOUND);
}

static bool rows_are_of_part(const void *object)
{
    return ((const struct event_rows *)object)->result->map.part.size;
}

static void write_neighbours(struct json *j, const struct field *f, const void *object)
{
    const struct row_map *map = &((const struct event_rows *)object)->result->map;

    json_text(j, f->name, map->registers ? "registers" : map->row ? "timing" : "guess");
}

static const char *trace_word(unsigned what)
{
    switch (what) {
    case OPTION_TRACE_MOVES: return "move";
    case OPTION_TRACE_CPUS: return "cpu";
    case OPTION_TRACE_FIRMWARE: return "firmware";
    default: return NULL;
    }
}

static bool has_returned(const void *object)
{
    const struct event_trace *t = object;

    return t->what == OPTION_TRACE_FIRMWARE && strcmp(t->state, "returned") == 0;
}

static bool has_ended(const void *object)
{
    const struct event_trace *t = object;

    return t->what == OPTION_TRACE_MOVES ||
           (t->what == OPTION_TRACE_FIRMWARE && strcmp(t->state, "called") != 0);
}

static void write_lane_bits(struct json *j, const struct field *f, const void *object)
{
    json_integer(j, f->name, kind_lane_pins(&((const struct event_kind *)object)->verdict->lane));
}

static bool has_begun(const void *object)
{
    return ((const struct event_diagnosis *)object)->begun;
}

static void write_n_pages(struct json *j, const struct field *f, const void *object)
{
    const struct event_pages *p = object;
    uint64_t bytes = 0;

    for (size_t i = 0; i < p->n; i++)
        bytes += p->run[i].size;
    json_integer(j, f->name, bytes >> PAGE_SHIFT);
}

static void write_pattern(struct json *j, const struct field *f, const void *object)
{
    const struct pattern *p = object;

    json_hex_pair(j, f->name, p->addr, p->mask);
}

static void write_cells(struct json *j, const struct field *f, const void *object)
{
    const struct event_picture *p = object;

    json_array(j, f->name);
    for (uint32_t i = 0; i < p->ram->n_nodes; i++) {
        char cells[RAM_CELLS_TEXT_SIZE];
        struct fmt_buffer b = fmt_buffer_make(cells, sizeof(cells));

        ram_cells_append(&b, p->ram, p->ram->node[i]);
        json_object(j, NULL);
        json_integer(j, f->rows[0].name, p->node[i]);
        json_text(j, f->rows[1].name, cells);
        json_close(j, "}");
    }
    json_close(j, "]");
}

/* A panic does not know what was counted. */
static bool is_no_panic(const void *object)
{
    return !((const struct event_result *)object)->error;
}

static void write_look(struct json *j, const struct field *f, const void *object)
{
    json_text(j, f->name, "look");
}

/* A row is a line; a long sentence is the next one. */
/* clang-format off */

/* --- elements of lists ------------------------------------------------------------------------ */

static const struct field number_element[] = { { .type = FIELD_INTEGER,
                                                 .size = sizeof(uint32_t) } };
static const struct field byte_element[] = { { .type = FIELD_INTEGER, .size = 1, HEX } };
static const struct field mask_element[] = {
    { .type = FIELD_INTEGER, .size = sizeof(uint64_t), HEX },
};
static const struct field percent_element[] = {
    { .type = FIELD_INTEGER, .size = sizeof(uint32_t), OR_NULL, DOC_IN("%", "", .max = 100) },
};
static const struct field text_element[] = { { .type = FIELD_TEXT } };
static const struct field span_element[] = { { .type = FIELD_SPAN } };

static const struct field range_fields[] = {
    { FIELD(span, base), HEX, DOC("its first byte") },
    { "end", BY(FIELD_INTEGER, write_end), HEX, DOC("the byte after its last") },
};

static const struct field stats_fields[] = {
    { FIELD(event_stats, runs), DOC("repetitions", .since = true) },
    { FIELD(event_stats, mean), DECIMALS(3), DOC("of all runs") },
    { FIELD(event_stats, best), DECIMALS(3), DOC("the highest bandwidth, or the lowest latency", .since = true) },
    { FIELD(event_stats, stddev), OR_NULL, DECIMALS(3), DOC("standard deviation; null: one run has none") },
    { FIELD(event_stats, min), DECIMALS(3), DOC("the lowest") },
    { FIELD(event_stats, max), DECIMALS(3), DOC("the highest") },
    { FIELD(event_stats, left_out), IF_ANY, DOC("runs that do not count: a time stamp counter went back", .there = "if any", .since = true) },
};

/* Older fields are the mean alone; beside them is an object with the rest. */
#define MEAN(event, member)          #member, AT(event, member.mean), DECIMALS(1)
#define STATS_OF_MEAN(event, member) #member "_stats", OBJECT(event, member, stats_fields), IF(event, member.runs)
#define STATS_DOC(unit)              DOC_IN(unit, "of all its runs", .there = "if it was measured", .since = true)

/* --- what is run, and where ------------------------------------------------------------------- */

static const struct field start_fields[] = {
    { FIELD(event_start, version), DOC("of okram") },
    { FIELD(event_start, boot), DOC("how firmware started it", .one_of = "uefi|bios") },
    { FIELD(event_start, loader), DOC("the program that loaded okram") },
    { FIELD(event_start, cmdline), DOC("the options") },
};

static const struct field made_fields[] = {
    { FIELD(smbios_maker, maker), OR_NULL, DOC("null here and below: unknown") },
    { FIELD(smbios_maker, product), OR_NULL, DOC("its name") },
    { FIELD(smbios_maker, version), OR_NULL, DOC("of the product") },
    { FIELD(smbios_maker, serial), OR_NULL, DOC("its number", .there = "with identity=full", .may_lack = true) },
};

static const struct field mac_element[] = {
    { BY(FIELD_TEXT, write_mac), DOC("", .pattern = "^[0-9a-f]{2}(:[0-9a-f]{2}){5}$") },
};

#define DATE "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"

static const struct field identity_fields[] = {
    { FIELD(event_identity, run), DOC("128 random bits, whatever seed= is", .pattern = "^[0-9a-f]{32}$") },
    { FIELD(event_identity, date), OR_NULL,
      DOC("when it began by the machine's clock, its zone unknown, such as 2026-11-22T13:14:34; null: it has none", .pattern = "^" DATE "$") },
    { "uuid", THROUGH(event_identity, names, smbios_names, uuid), OR_NULL,
      DOC("of SMBIOS type 1; null: it has none", .pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$") },
    { "system", BY(FIELD_OBJECT, write_system), ROWS(made_fields), DOC("SMBIOS type 1") },
    { "board", BY(FIELD_OBJECT, write_board), ROWS(made_fields), DOC("SMBIOS type 2") },
    { "macs", LIST(event_identity, mac, n_macs, mac_element), IF(event_identity, full),
      DOC("of network cards, as far as firmware says", .there = "with identity=full") },
};

static const struct field cpu_kind_fields[] = {
    { FIELD(event_cpu_kind, kind), DOC("all: the machine is not hybrid", .one_of = "all|performance|efficiency|other") },
    { "cpus", BY(FIELD_TEXT, write_cpu_list), DOC("their numbers, such as 0-7,16") },
    { FIELD(event_cpu_kind, threads_per_core), DOC("the most of them that run on a core") },
    { FIELD(event_cpu_kind, microcode), HEX, OR_NULL, DOC("its version; null: unknown") },
    { FIELD(event_cpu_kind, speed_percent), OR_NULL,
      DOC_IN("%", "at which they sweep memory all at once, of the fastest CPU's; null: unknown", .max = 100) },
};

static const struct field memory_ecc_fields[] = {
    { FIELD(memory_ecc, state), WORDS(memory_ecc_word, MEMORY_ECC_UNUSED + 1), DOC("unused: off, although the modules have it") },
    { FIELD(memory_ecc, by), OR_NULL,
      DOC("the source: the controller's registers, or SMBIOS; null: unknown", .one_of = "controller|smbios") },
};

static const struct field side_cache_fields[] = {
    { FIELD(side_cache, bytes), MIN(1), DOC_IN("bytes", "its size") },
    { FIELD(side_cache, by), DOC("the source: the ACPI table, or the CPU's model", .one_of = "hmat|cpu") },
};

static const struct field repair_element[] = {
    { .type = FIELD_TEXT, DOC("", .one_of = "mirroring|address range mirroring|in-band ECC|on-die ECC") },
};

static const struct field machine_fields[] = {
    { FIELD(event_machine, cpu), DOC("the processor's name") },
    { FIELD(event_machine, cpus), DOC("CPUs") },
    { FIELD(event_machine, nodes), DOC("NUMA nodes") },
    { FIELD(event_machine, ram_bytes), DOC_IN("bytes", "RAM in firmware's memory map") },
    { FIELD(event_machine, testable_bytes), DOC_IN("bytes", "of it, what may be tested") },
    { FIELD(event_machine, installed_bytes), OR_NULL, DOC_IN("bytes", "RAM by SMBIOS; null: unknown") },
    { "memory_ecc", OBJECT(event_machine, ecc, memory_ecc_fields), DOC("whether ECC is on", .since = true) },
    { "memory_repair", BY(FIELD_LIST, write_repair), ROWS(repair_element), MIN(1), IF(event_machine, repair),
      DOC("[what repairs faults](coverage.md#mirroring-sparing-and-ecc-that-the-memory-does-by-itself) before a test can see them", .there = "if something does") },
    { "side_cache", OBJECT(event_machine, side_cache, side_cache_fields), IF(event_machine, side_cache.bytes),
      DOC("the largest [memory-side cache](coverage.md#memory-side-caches), which row hammer may not get through", .there = "if one is known") },
    { FIELD(event_machine, encryption), IF_ANY,
      DOC("of memory, as reported by the CPU: tme: all of it; sme: pages that ask for it, which okram's do not; unknown: it may be on without a sign (AMD's TSME, a host)", .one_of = "tme|sme|off|unknown") },
    { FIELD(event_machine, specific_bytes), IF_ANY,
      DOC_IN("bytes", "of ram_bytes: specific-purpose memory (CXL, high bandwidth), tested like all other", .there = "if there is any") },
    { "kinds", LIST(event_machine, kinds, n_kinds, cpu_kind_fields), IF_ANY,
      DOC("the kinds of CPUs: one, or several in a hybrid machine") },
    { "warnings", LIST(event_machine, warnings, n_warnings, text_element), DOC("sentences, up to this record") },
};

static const struct field node_fields[] = {
    { FIELD(event_node, node), DOC("its number") },
    { "cpus", LIST(event_node, cpus, n_cpus, number_element), DOC("the numbers of its CPUs") },
    { "speed_percent", LIST(event_node, speed_percent, n_cpus, percent_element), IF(event_node, speed_percent),
      DOC_IN("%", "of each of these CPUs, of the fastest CPU's: their shares of memory follow it; null: unknown", .there = "if it was measured") },
    { FIELD(event_node, ram_bytes), DOC_IN("bytes", "RAM") },
    { "spans", LIST(event_node, spans, n_spans, span_element), DOC("its RAM as [base, end], end exclusive") },
};

/* --- memory modules and temperatures ---------------------------------------------------------- */

static const struct field timing_fields[] = {
    { FIELD(spd_timings, cl), MIN(1), DOC_IN("clocks", "CL") },
    { FIELD(spd_timings, rcd), MIN(1), DOC_IN("clocks", "tRCD") },
    { FIELD(spd_timings, rp), MIN(1), DOC_IN("clocks", "tRP") },
    { FIELD(spd_timings, ras), MIN(1), DOC_IN("clocks", "tRAS") },
};

static const struct field profile_fields[] = {
    { "kind", PLACE(spd_profile, is_expo), .type = FIELD_INTEGER, WORDS(profile_word, 2), DOC("of profile") },
    { FIELD(spd_profile, number), MIN(1), DOC("among those of the module") },
    { FIELD(spd_profile, mt_s), MIN(1), DOC_IN("MT/s", "its speed") },
    { "timings", OBJECT(spd_profile, timings, timing_fields), NULL_UNLESS(spd_profile, timings.cl), DOC("at that speed; null: unknown") },
};

static const struct field live_fields[] = {
    { "mt_s", AT(decoded_timing, mts), OR_NULL, DOC_IN("MT/s", "at which the channel runs") },
    { FIELD(decoded_timing, cl), OR_NULL, DOC_IN("clocks", "CL; null here and below: not known") },
    { FIELD(decoded_timing, rcd), OR_NULL, DOC_IN("clocks", "tRCD") },
    { FIELD(decoded_timing, rp), OR_NULL, DOC_IN("clocks", "tRP") },
    { FIELD(decoded_timing, ras), OR_NULL, DOC_IN("clocks", "tRAS") },
    { FIELD(decoded_timing, command_rate), OR_NULL, DOC_IN("clocks", "2: 2T, or 2N") },
    { FIELD(decoded_timing, gear), OR_NULL, DOC("clocks of the memory for one of the controller") },
};

static const struct field module_fields[] = {
    { "slot", THROUGH(module, slot, smbios_slot, locator), OR_NULL, DOC("as firmware names it (SMBIOS type 17); null: not known") },
    { "bank", THROUGH(module, slot, smbios_slot, bank), OR_NULL, DOC("as firmware names it") },
    { FIELD(module, slot_by), WORDS(module_slot_by_word, MODULE_SLOT_ITSELF + 1), OR_NULL,
      DOC("how the slot was found: firmware has the module's serial number there; or, alone, its part number and size; only one module and one slot are left; as many modules as slots, of the same sizes in the same order (likely, not certain); slot: there is no SPD; null: it was not") },
    { "address", THROUGH(module, spd, module_spd, address), HEX, OR_NULL, DOC("of its SPD on the SMBus; null: none was read") },
    { "kind", BY(FIELD_TEXT, write_module_kind), OR_NULL, DOC("DDR3, DDR4, DDR5") },
    { FIELD(module, size_bytes), OR_NULL, DOC_IN("bytes", "without chips for ECC") },
    { FIELD(module, maker), OR_NULL, DOC("by the SPD, else by firmware") },
    { FIELD(module, part), OR_NULL, DOC("part number") },
    { FIELD(module, serial), OR_NULL, DOC("eight digits by the SPD, else as firmware has it; null: all zeros or all ones, too") },
    { FIELD(module, configured_mt_s), OR_NULL, DOC_IN("MT/s", "at which it runs, by firmware") },
    { "configured_mv", THROUGH(module, slot, smbios_slot, configured_mv), OR_NULL, DOC_IN("mV", "the same, its voltage", .since = true) },
    { "running", OBJECT(module, running, live_fields), NULL_UNLESS(module, running.cl), DOC("at which it runs, by the memory controllers; null: not known", .since = true) },
    { "setting", BY(FIELD_TEXT, write_module_setting), OR_NULL,
      DOC("how it runs, beside the figures of its SPD: as without XMP and EXPO; so, and slower than its fastest profile; faster than without, or with fewer clocks; so, and slower than its profile; null: not known", .one_of = "jedec|below-profile|overclock|overclock-below-profile", .since = true) },
    { FIELD(module, jedec_mt_s), OR_NULL, DOC_IN("MT/s", "promised without XMP or EXPO") },
    { "form", BY(FIELD_TEXT, write_form), OR_NULL, DOC("UDIMM, SO-DIMM") },
    { "ranks", THROUGH(module, spd, module_spd, spd.ranks), OR_NULL, DOC("of a channel") },
    { "chip_bits", THROUGH(module, spd, module_spd, spd.device_bits), OR_NULL, MIN(4), DOC_IN("bits", "4: x4") },
    { "data_bits", THROUGH(module, spd, module_spd, spd.data_bits), OR_NULL, MIN(8), DOC_IN("bits", "of its bus") },
    { "ecc_bits", THROUGH(module, spd, module_spd, spd.ecc_bits), NULL_UNLESS(module_spd, spd.data_bits), DOC_IN("bits", "of its bus") },
    { "maker_code", THROUGH(module, spd, module_spd, spd.maker), HEX, OR_NULL, DOC("JEP106: continuations << 8 | code without parity") },
    { "chip_maker", BY(FIELD_TEXT, write_chip_maker), OR_NULL, DOC("of its DRAM") },
    { "year", THROUGH(module, spd, module_spd, spd.year), OR_NULL, MIN(2000), DOC("when it was made") },
    { "week", THROUGH(module, spd, module_spd, spd.week), OR_NULL, DOC("of that year", .max = 53) },
    { "timings", FOLLOW(module, spd, module_spd), OBJECT(module_spd, spd.timings, timing_fields), NULL_UNLESS(module_spd, spd.timings.cl),
      DOC("at jedec_mt_s; null: unknown") },
    { "profiles", FOLLOW(module, spd, module_spd), LIST(module_spd, spd.profile, spd.n_profiles, profile_fields),
      DOC("above JEDEC's speed, as far as they are on in the SPD") },
    { "problems", BY(FIELD_LIST, write_problems), ROWS(text_element),
      DOC("what is wrong with its SPD, which then is null; but a wrong CRC leaves all values") },
};

static const struct field dimm_fields[] = {
    { "bytes", AT(decoded_dimm, bytes), DOC_IN("bytes", "0: there is none in this slot of the channel") },
    { "ranks", AT(decoded_dimm, ranks), OR_NULL, DOC("null: not known") },
    { "chip_bits", AT(decoded_dimm, device_width), OR_NULL, DOC_IN("bits", "8: x8; null: not known") },
    { FIELD(decoded_dimm, banks), OR_NULL, DOC("of a rank; null here and below: the registers do not say") },
    { FIELD(decoded_dimm, rows), OR_NULL, DOC("of a bank") },
};

static const struct field channel_fields[] = {
    { FIELD(decoded_channel, node), DOC("the socket") },
    { FIELD(decoded_channel, controller), DOC("its number in the socket, as its maker counts") },
    { FIELD(decoded_channel, number), DOC("of the channel in the controller") },
    { FIELD(decoded_channel, ecc), WORDS(decoded_ecc_word, DECODED_ECC_ON + 1), OR_NULL, DOC("unused: off, although the modules have it; in-band: check bits in a part of ordinary memory; null: not known") },
    { "dimms", BY(FIELD_LIST, write_dimms), ROWS(dimm_fields), DOC("of each slot, as the controller counts") },
    { "timing", OBJECT(decoded_channel, timing, live_fields), NULL_UNLESS(decoded_channel, timing.cl), DOC("at which it runs; null: not known") },
};

static const struct field board_slot_fields[] = {
    { FIELD(board_slot, channel), DOC("index of `channels`") },
    { FIELD(board_slot, dimm), DOC("of the channel, as the controller counts") },
    { "slot", FOLLOW(board_slot, slot, smbios_slot), AT(smbios_slot, locator), DOC("as firmware names it") },
    { "bank", FOLLOW(board_slot, slot, smbios_slot), AT(smbios_slot, bank), OR_NULL, DOC("as firmware names it") },
    { "name", BY(FIELD_TEXT, write_slot_name), DOC("as slot.order= takes it") },
};

static const struct field controller_fields[] = {
    { "family", THROUGH(event_controller, decoded, decoded_controller, family), OR_NULL, DOC("of the controllers; null: not known") },
    { "unknown", THROUGH(event_controller, decoded, decoded_controller, unknown), OR_NULL, DOC("why the channel and the module of an address are not known; null: they are, by the registers") },
    { "channels", FOLLOW(event_controller, decoded, decoded_controller), LIST(decoded_controller, channel, n_channels, channel_fields), DOC("of all controllers") },
    { "slots", FOLLOW(event_controller, slots, board_slots), LIST(board_slots, at, n, board_slot_fields), WHEN(has_slots),
      DOC("of the board, whose channel and number are shown by what is fitted, as of a module that is in alone: for [slot.order=](diagnosis.md#in-the-first-run)", .there = "if firmware lists slots") },
    { "registers", BY(FIELD_LIST, write_registers), ROWS(text_element), DOC("the processor, and what was read: space, unit, offset and value, in hexadecimal digits") },
    { "is_cut", THROUGH(event_controller, registers, register_list, is_cut), DOC("more registers were read than are listed") },
};

#define DOUBT                                                                                      \
    WORDS(sensor_doubt_word, SENSOR_DOUBTS), OR_NULL,                                              \
        DOC("why its sensor does not count; null: it does", .since = true)

static const struct field degrees_fields[] = {
    { "start", AT(temperature, start_mc), MILLI, NULL_IF(temperature, is_empty),
      DOC_IN("\xb0" "C", "at the start; null here and below: nothing that its sensor said can be true") },
    { "now", AT(temperature, now_mc), MILLI, NULL_IF(temperature, is_empty),
      DOC_IN("\xb0" "C", "now") },
    { "highest", AT(temperature, highest_mc), MILLI, NULL_IF(temperature, is_empty),
      DOC_IN("\xb0" "C", "since the start") },
    { "doubt", AT(temperature, doubt), DOUBT },
};

static const struct field sensor_fields[] = {
    { "address", THROUGH(module, spd, module_spd, address), HEX, DOC("of its SPD on the SMBus") },
    { "slot", THROUGH(module, slot, smbios_slot, locator), OR_NULL, DOC("as firmware names it") },
    { "start", AT(module, temperature.start_mc), MILLI, NULL_IF(module, temperature.is_empty),
      DOC_IN("\xb0" "C", "at the start; null here and below: nothing that its sensor said can be true") },
    { "now", AT(module, temperature.now_mc), MILLI, NULL_IF(module, temperature.is_empty),
      DOC_IN("\xb0" "C", "now") },
    { "highest", AT(module, temperature.highest_mc), MILLI, NULL_IF(module, temperature.is_empty),
      DOC_IN("\xb0" "C", "since the start") },
    { "doubt", AT(module, temperature.doubt), DOUBT },
};

static const struct field temperature_fields[] = {
    { FIELD(event_temperature, when), DOC("fault: the first faults have come; pause: traffic pauses because of a limit; resume: it goes on; hot: modules are as hot as hot= wants them, or get no hotter, for the first time; sample: a point of the curve", .one_of = "start|fault|pause|resume|hot|sample|end") },
    { "cpu", OBJECT_BEHIND(event_temperature, cpu, temperature, degrees_fields), NULL_UNLESS(temperature, is_known),
      DOC("of the CPU; null: it has no sensor") },
    { "modules", BY(FIELD_LIST, write_sensors), ROWS(sensor_fields), DOC("of those that have a sensor") },
    { FIELD(event_temperature, mb_s), DECIMALS(1), DOC_IN("MB/s", "memory read and written since the last such record", .since = true) },
    { FIELD(event_temperature, faults), DOC("until now", .since = true) },
    { "module_max", AT(event_temperature, module_max.mc), MILLI, NULL_UNLESS(event_temperature, module_max.is_known),
      DOC_IN("\xb0" "C", "of a module, above which traffic pauses; null: no limit", .since = true) },
    { "cpu_max", AT(event_temperature, cpu_max.mc), MILLI, NULL_UNLESS(event_temperature, cpu_max.is_known),
      DOC_IN("\xb0" "C", "of the CPU, likewise", .since = true) },
    { FIELD(event_temperature, governs), OR_NULL, DOC("which readings the limits use. module: the hottest module's, and the CPU's if it has a sensor; cpu: the CPU's alone; time: none, because the modules' sensors have failed: traffic and pauses are timed; null: there is no limit", .one_of = "module|cpu|time", .since = true) },
    { FIELD(event_temperature, pauses), DOC("of traffic, because of limits or to hold a temperature", .since = true) },
    { "paused_s", AT(event_temperature, paused_seconds), DECIMALS(3), DOC_IN("s", "of all pauses", .since = true) },
};

/* --- what a bug report needs ------------------------------------------------------------------ */

static const struct field firmware_fields[] = {
    { "vendor", AT(smbios_names, firmware.vendor), DOC("empty here and below: unknown") },
    { "version", AT(smbios_names, firmware.version), DOC("of the firmware") },
    { "date", AT(smbios_names, firmware.date), DOC("of its release") },
};

static const struct field maker_fields[] = {
    { FIELD(smbios_maker, maker), DOC("empty here and below: unknown") },
    { FIELD(smbios_maker, product), DOC("its name") },
    { FIELD(smbios_maker, version), DOC("of the product") },
};

static const struct field region_fields[] = {
    { FIELD(boot_region, base), HEX, DOC("its first byte") },
    { "bytes", AT(boot_region, size), DOC_IN("bytes", "its size") },
    { "type", AT(boot_region, firmware_type), DOC("of e820 or EFI") },
    { FIELD(boot_region, kind), WORDS(memory_kind_word, 0), DOC("how okram classifies it") },
};

static const struct field table_fields[] = {
    { FIELD(support_table, signature), DOC("such as APIC") },
    { "addr", AT(support_table, address), HEX, DOC("physical") },
    { FIELD(support_table, bytes), DOC_IN("bytes", "its length") },
    { FIELD(support_table, revision), DOC("of the table") },
    { FIELD(support_table, oem_id), DOC("who made it") },
    { FIELD(support_table, oem_table_id), DOC("of which model") },
    { FIELD(support_table, oem_revision), DOC("of the maker") },
};

static const struct field fact_fields[] = {
    { FIELD(support_fact, name), DOC("for people: it may change") },
    { FIELD(support_fact, value), DOC("for people: it may change") },
};

static const struct field spd_fields[] = {
    { FIELD(module_spd, address), HEX, DOC("on the SMBus") },
    { "bytes", BY(FIELD_TEXT, write_spd_bytes), DOC("hexadecimal, with serial numbers", .pattern = "^([0-9a-f]{2})+$") },
};

static const struct field framebuffer_fields[] = {
    { "addr", AT(boot_framebuffer, base), HEX, DOC("physical") },
    { FIELD(boot_framebuffer, width), DOC_IN("pixels", "of its mode") },
    { FIELD(boot_framebuffer, height), DOC_IN("pixels", "of its mode") },
    { "pitch_bytes", AT(boot_framebuffer, pitch), DOC_IN("bytes", "of a row") },
    { "bits", AT(boot_framebuffer, bits_per_pixel), DOC_IN("bits", "of a pixel") },
    { "red", AT(boot_framebuffer, red_mask), HEX, DOC("mask") },
    { "green", AT(boot_framebuffer, green_mask), HEX, DOC("mask") },
    { "blue", AT(boot_framebuffer, blue_mask), HEX, DOC("mask") },
};

static const struct field step_fields[] = {
    { FIELD(support_step, name), DOC("what was done then") },
    { FIELD(support_step, seconds), DECIMALS(6), DOC_IN("s", "since kernel entry") },
};

static const struct field support_fields[] = {
    { "firmware", OBJECT(support, names, firmware_fields), DOC("SMBIOS type 0") },
    { "system", OBJECT(support, names.system, maker_fields), DOC("SMBIOS type 1") },
    { "board", OBJECT(support, names.board, maker_fields), DOC("SMBIOS type 2") },
    { "map", LIST(support, region, n_regions, region_fields), DOC("firmware's memory map, as it was given") },
    { "tables", LIST(support, table, n_tables, table_fields), DOC("the headers of ACPI's tables, the first 96") },
    { "cpu", LIST(support, cpu.fact, cpu.n, fact_fields), DOC("what was chosen for it, and why") },
    { "ports", LIST(support, ports.fact, ports.n, fact_fields), DOC("serial ports and others") },
    { "spd", BY(FIELD_LIST, write_spds), ROWS(spd_fields), DOC("the SPDs of memory modules, as they were read") },
    { "framebuffer", OBJECT_BEHIND(support, framebuffer, boot_framebuffer, framebuffer_fields), OR_NULL,
      DOC("its mode; null: none was given") },
    { FIELD(support, entry_seconds), DECIMALS(6),
      DOC_IN("s", "what the time stamp counter had counted at kernel entry, on most machines the time since reset") },
    { "steps", LIST(support, step, n_steps, step_fields), DOC("of the start") },
};

/* --- measurements ----------------------------------------------------------------------------- */

#define ISA(event) "isa", AT(event, how.isa), IF_ANY, DOC("instructions", .there = "where it is known", .one_of = "sse2|avx2|avx512", .since = true)
#define PREFETCH(event) "prefetch", AT(event, how.prefetch), IF_ANY, DOC("hardware prefetchers; partly off: on CPUs with a documented register; not known: on no CPU, they are as firmware has left them", .there = "with bandwidth.prefetch=off", .one_of = "off|partly off|not known")

#define IN_CACHES(event) "in_caches", AT(event, how.in_caches), IF_ANY, DOC("measured in the caches in part: memory is too small for arrays of four times their size", .there = "where it is")

static const struct field cache_fields[] = {
    { FIELD(event_cache, level), DOC("1 for L1; 0: memory") },
    { FIELD(event_cache, size_bytes), DOC_IN("bytes", "its size; of memory: the node's RAM") },
    { MEAN(event_cache, mb_s), DOC_IN("MB/s", "read bandwidth") },
    { MEAN(event_cache, ns), NULL_UNLESS(event_cache, ns.runs), DOC_IN("ns", "latency; null: not measured", .since = true) },
    { STATS_OF_MEAN(event_cache, mb_s), STATS_DOC("MB/s") },
    { STATS_OF_MEAN(event_cache, ns), STATS_DOC("ns") },
    { ISA(event_cache) },
    { PREFETCH(event_cache) },
    { IN_CACHES(event_cache) },
};

#define CPU_NODE(event) FIELD(event, cpu_node), DOC("the node of the CPUs that measure")
#define MEM_NODE(event) FIELD(event, mem_node), DOC("the node of the memory")
#define THREADS(event)  FIELD(event, threads), DOC("CPUs that measure")
#define RUNS(event, of) "runs", AT(event, of.runs), DOC("repetitions")

#define GROWING "in a row of growing numbers of CPUs"

static const struct field bandwidth_fields[] = {
    { CPU_NODE(event_bandwidth) },
    { MEM_NODE(event_bandwidth) },
    { FIELD(event_bandwidth, op), DOC("the operation, by STREAM's names", .one_of = "read|write|copy|scale|add|triad") },
    { THREADS(event_bandwidth) },
    { RUNS(event_bandwidth, mb_s) },
    { "mb_s", OBJECT(event_bandwidth, mb_s, stats_fields), DOC_IN("MB/s", "counted as STREAM does") },
    { FIELD(event_bandwidth, order), IF_ANY,
      DOC("one node's CPUs first, the nodes in turn, or a hybrid machine's efficiency cores alone", .there = GROWING, .one_of = "fill|spread|efficient") },
    { FIELD(event_bandwidth, cores), IF(event_bandwidth, order),
      DOC("threads with a core of their own; of a hybrid CPU a performance core", .there = GROWING, .since = true) },
    { FIELD(event_bandwidth, efficient_cores), IF(event_bandwidth, order),
      DOC("threads with an efficient core of their own", .there = GROWING, .since = true) },
    { FIELD(event_bandwidth, siblings), IF(event_bandwidth, order),
      DOC("second threads of these cores", .there = GROWING, .since = true) },
    { ISA(event_bandwidth) },
    { PREFETCH(event_bandwidth) },
    { IN_CACHES(event_bandwidth) },
};

static const struct field latency_fields[] = {
    { CPU_NODE(event_latency) },
    { MEM_NODE(event_latency) },
    { FIELD(event_latency, size_bytes), DOC_IN("bytes", "of the array") },
    { MEAN(event_latency, ns), DOC_IN("ns", "latency") },
    { STATS_OF_MEAN(event_latency, ns), STATS_DOC("ns") },
    { FIELD(event_latency, load), DOC("idle, or what the other CPUs do meanwhile") },
    { FIELD(event_latency, mix), IF(event_latency, mix),
      DOC("what the other CPUs do: reads, or reads to writes", .there = "of a loaded-latency curve", .one_of = "reads|3:1|2:1|1:1") },
    { MEAN(event_latency, load_mb_s), IF(event_latency, mix),
      DOC_IN("MB/s", "the other CPUs' bandwidth", .there = "of a loaded-latency curve") },
    { STATS_OF_MEAN(event_latency, load_mb_s), STATS_DOC("MB/s") },
    { PREFETCH(event_latency) },
    { IN_CACHES(event_latency) },
};

static const struct field cache_to_cache_fields[] = {
    { FIELD(event_cache_to_cache, share), DOC("the nearest that both CPUs share; none: they are in different sockets", .one_of = "core|l2|l3|socket|none") },
    { FIELD(event_cache_to_cache, state), DOC("the other CPU has written the lines, or only read them", .one_of = "clean|modified") },
    { FIELD(event_cache_to_cache, cpu), DOC("the CPU that reads") },
    { FIELD(event_cache_to_cache, other_cpu), DOC("the CPU that held the lines") },
    { CPU_NODE(event_cache_to_cache) },
    { FIELD(event_cache_to_cache, other_node), DOC("the other CPU's node") },
    { MEM_NODE(event_cache_to_cache) },
    { FIELD(event_cache_to_cache, size_bytes), DOC_IN("bytes", "of the lines") },
    { MEAN(event_cache_to_cache, ns), DOC_IN("ns", "latency") },
    { STATS_OF_MEAN(event_cache_to_cache, ns), STATS_DOC("ns") },
    { PREFETCH(event_cache_to_cache) },
};

#define CONTEST(name, part, unit, text) { name, OBJECT(event_contention, part, stats_fields), DOC_IN(unit, text, .since = true) }

static const struct field contention_fields[] = {
    { CPU_NODE(event_contention) },
    { MEM_NODE(event_contention) },
    { FIELD(event_contention, load_node), DOC("the node of the CPUs that make the load") },
    { FIELD(event_contention, load_mem_node), DOC("the node of the memory that those use", .since = true) },
    { FIELD(event_contention, load), DOC("what they do; 2:1: two reads for each write", .one_of = "reads|writes|2:1", .since = true) },
    { THREADS(event_contention) },
    { FIELD(event_contention, load_threads), DOC("CPUs that make the load") },
    { RUNS(event_contention, read_mb_s.loaded) },
    { "idle_mb_s", OBJECT(event_contention, read_mb_s.idle, stats_fields), DOC_IN("MB/s", "read bandwidth without the load") },
    { "loaded_mb_s", OBJECT(event_contention, read_mb_s.loaded, stats_fields), DOC_IN("MB/s", "read bandwidth under the load") },
    { "slowdown_percent", BY(FIELD_NUMBER, write_slowdown), OR_NULL, DOC_IN("%", "read bandwidth lost; null: not measured") },
    CONTEST("read_time_percent", read_mb_s.more_percent, "%", "time that reads take more, run by run"),
    CONTEST("idle_write_mb_s", write_mb_s.idle, "MB/s", "write bandwidth without the load"),
    CONTEST("loaded_write_mb_s", write_mb_s.loaded, "MB/s", "write bandwidth under the load"),
    CONTEST("write_time_percent", write_mb_s.more_percent, "%", "time that writes take more, run by run"),
    { "idle_ns", AT(event_contention, ns.idle.mean), DECIMALS(1), NULL_UNLESS(event_contention, ns.idle.runs), DOC_IN("ns", "latency without the load; null: not measured") },
    { "loaded_ns", AT(event_contention, ns.loaded.mean), DECIMALS(1), NULL_UNLESS(event_contention, ns.loaded.runs), DOC_IN("ns", "latency under the load; null: not measured") },
    { "idle_ns_stats", OBJECT(event_contention, ns.idle, stats_fields), IF(event_contention, ns.idle.runs), STATS_DOC("ns") },
    { "loaded_ns_stats", OBJECT(event_contention, ns.loaded, stats_fields), IF(event_contention, ns.loaded.runs), STATS_DOC("ns") },
    { "latency_percent", AT(event_contention, ns.more_percent.mean), DECIMALS(1), NULL_UNLESS(event_contention, ns.loaded.runs), DOC_IN("%", "latency gained; null: not measured") },
    { "latency_percent_stats", OBJECT(event_contention, ns.more_percent, stats_fields), IF(event_contention, ns.loaded.runs), STATS_DOC("%") },
    { ISA(event_contention) },
    { PREFETCH(event_contention) },
    { IN_CACHES(event_contention) },
};

static const struct field redundancy_fields[] = {
    { CPU_NODE(event_redundancy) },
    { MEM_NODE(event_redundancy) },
    { FIELD(event_redundancy, other_node), DOC("the node of the copy or the parity") },
    { FIELD(event_redundancy, kind), DOC("written once, twice, or with parity", .one_of = "plain|mirror|parity") },
    { THREADS(event_redundancy) },
    { RUNS(event_redundancy, mb_s) },
    { "mb_s", OBJECT(event_redundancy, mb_s, stats_fields), DOC_IN("MB/s", "of data") },
    { FIELD(event_redundancy, cost_percent), DECIMALS(1), DOC_IN("%", "bandwidth lost against plain") },
    { ISA(event_redundancy) },
    { PREFETCH(event_redundancy) },
    { IN_CACHES(event_redundancy) },
};

static const struct field unmeasured_fields[] = {
    { FIELD(event_unmeasured, what), DOC("the figures", .one_of = "all|caches|bandwidth|latency|scaling|loaded latency|cache to cache|contention|redundancy") },
    { FIELD(event_unmeasured, cpu_node), IF(event_unmeasured, has_cpu_node), DOC("of this node's CPUs", .there = "if not of all nodes'") },
    { FIELD(event_unmeasured, mem_node), IF(event_unmeasured, has_mem_node), DOC("of this node's memory", .there = "if not of all nodes'") },
    { FIELD(event_unmeasured, why), DOC("for people") },
};

/* --- tests and faults ------------------------------------------------------------------------- */

#define ROWS_FIELD(member)                                                                         \
    THROUGH(event_rows, result, row_result, map.member), HEX, IF_IS(row_result, answer, ROWS_FOUND)

static const struct field rows_fields[] = {
    { FIELD(event_rows, node), DOC("the node of the memory") },
    { "part_base", THROUGH(event_rows, result, row_result, map.part.base), HEX, WHEN(rows_are_of_part),
      DOC("where the part begins that was timed by itself, because it is interleaved differently", .there = "where such parts differ") },
    { "part_bytes", THROUGH(event_rows, result, row_result, map.part.size), WHEN(rows_are_of_part),
      DOC_IN("bytes", "its size", .there = "where such parts differ") },
    { "found", BY(FIELD_BOOL, write_found), DOC("false: timing shows no rows") },
    { "neighbours_by", BY(FIELD_TEXT, write_neighbours),
      DOC("how row hammer knows the rows next to a row: from the memory controller's registers, which timing confirms, from timing, or by a guess", .one_of = "registers|timing|guess", .since = true) },
    { "measurements", THROUGH(event_rows, result, row_result, n_measurements), DOC("pairs of lines that were timed") },
    { "why", THROUGH(event_rows, result, row_result, answer), WORDS(row_answer_text, 0), IF_IS_NOT(row_result, answer, ROWS_FOUND),
      DOC("why there is no clear answer", .there = "if not found") },
    { "functions", FOLLOW(event_rows, result, row_result), LIST(row_result, map.function, map.n_functions, mask_element), MIN(1), IF_IS(row_result, answer, ROWS_FOUND),
      DOC("address bits whose XOR is a bit of the bank's number (channel, rank, bank group, bank)", .there = "if found, here and below", .max = 16) },
    { "row", ROWS_FIELD(row), DOC("address bits that choose the row", .there = "if found") },
    { "column", ROWS_FIELD(column), DOC("those that choose the place in it", .there = "if found") },
    { "hole", ROWS_FIELD(hole), DOC("bytes to subtract first from addresses above 4 GiB", .there = "if found") },
};

#define TEST_NAME(event) FIELD(event, test), DOC("the name of the memory test")
#define PASS(event)      FIELD(event, pass), MIN(1), DOC("the pass, from 1")

static const struct field test_fields[] = {
    { PASS(event_test) },
    { TEST_NAME(event_test) },
    { FIELD(event_test, seconds), DECIMALS(6), DOC_IN("s", "its duration") },
    { FIELD(event_test, swept_bytes), DOC_IN("bytes", "read and written: size times sweeps") },
    { FIELD(event_test, hammered_bytes), IF(event_test, hammers),
      DOC_IN("bytes", "size of the regions that were hammered", .there = "of row-hammer") },
    { FIELD(event_test, faults), DOC("found by it") },
    { FIELD(event_test, seed), IF(event_test, has_seed), DOC("seed= repeats its data; those of retention and fade depend on the pass, too", .there = "if its data depend on it") },
    { FIELD(event_test, note), IF_ANY, DOC("a sentence about its result", .there = "if there is something to know") },
};

/* An external change is of no node and of no channel. */
static const struct field fault_fields[] = {
    { FIELD(event_fault, addr), HEX, DOC("physical address") },
    { FIELD(event_fault, expected), HEX, DOC("what was written by the test") },
    { FIELD(event_fault, found), HEX, DOC("what was read") },
    { TEST_NAME(event_fault) },
    { PASS(event_fault) },
    { FIELD(event_fault, cpu), DOC("the CPU that found it") },
#define EXTERNAL_FIELDS 6
    { FIELD(event_fault, node), DOC("the node of the address") },
    { FIELD(event_fault, channel), IF_ANY,
      DOC("for people: the channel by a person's bits, which okram does not check, and its slots if they were given", .there = "with channel.bits=") },
    { FIELD(event_fault, place), IF_ANY,
      DOC("for people: channel, module, rank, bank, row and column by the memory controller's registers, as far as they say them; whether a measurement has confirmed these, `kind` says", .there = "where they are known") },
    { "module_temperature", AT(event_fault, heat.module.mc), MILLI, IF(event_fault, heat.module.is_known),
      DOC_IN("\xb0" "C", "of the hottest module, as the fault was found", .there = "where it is known") },
    { "cpu_temperature", AT(event_fault, heat.cpu.mc), MILLI, IF(event_fault, heat.cpu.is_known),
      DOC_IN("\xb0" "C", "of the CPU, likewise", .there = "where it is known") },
};

static const struct field geometry_fields[] = {
    { FIELD(geometry, finding), WORDS(geometry_word, GEOMETRY_FINDINGS),
      DOC("controller: the memory controllers are set otherwise than the SPDs state; spd: a module has less than its SPD states, or its highest address line is broken") },
    { "module", BY(FIELD_TEXT, write_geometry_module), OR_NULL, DOC("its place; null: it is not known which, or it is about several") },
    { FIELD(geometry, stated_bytes), DOC_IN("bytes", "that it states, or all of them, by SPD, else by firmware") },
    { FIELD(geometry, controller_bytes), OR_NULL, DOC_IN("bytes", "that the memory controllers are set to instead; null: to what is stated, or it is not known") },
    { FIELD(geometry, alias_bytes), OR_NULL, DOC_IN("bytes", "of addresses that reach the cells of others; null: none, so far") },
    { FIELD(geometry, text), DOC("for people") },
};

static const struct field alias_fields[] = {
    { "addr", AT(event_alias, alias.addr), HEX, DOC("physical address, the higher one") },
    { "partner", AT(event_alias, alias.partner), HEX, DOC("physical address of the same cells") },
    { "diff", AT(event_alias, alias.address_bits), HEX, NULL_IF(event_alias, alias.various),
      DOC("the address bits in which all its pairs of pages differ; 0x0: two lines of one page; null: they vary") },
    { "pages", AT(event_alias, alias.pages),
      DOC_IN("pages", "pairs of 4 KiB like it, so far: one that grows is written again with the same diff") },
    { FIELD(event_alias, test),
      DOC("the name of the memory test; own memory: okram found it while it looked for pages that share cells with its own") },
    { FIELD(event_alias, pass), DOC("the pass, from 1; 0: before the first") },
};

static const struct field mce_fields[] = {
    { FIELD(event_mce, cpu), DOC("that reported it") },
    { FIELD(event_mce, bank), DOC("of the CPU") },
    { FIELD(event_mce, status), HEX, DOC("MCi_STATUS") },
    { FIELD(event_mce, addr), HEX, NULL_UNLESS(event_mce, has_addr), DOC("MCi_ADDR; null: none") },
    { FIELD(event_mce, corrected), DOC("by the hardware") },
    { FIELD(event_mce, count), MIN(2), IF_ANY, DOC("errors of this bank and address so far", .there = "if several") },
    { "page", AT(event_mce, addr), PAGE, IF(event_mce, is_memory), DOC("that was marked bad", .there = "if one was") },
    { "memory", AT(event_mce, of_memory), IF_ANY, MIN(1), DOC("memory failed, whether its page is known or not") },
    { FIELD(event_mce, channel), IF_ANY,
      DOC("the part of a memory controller that reports it, as the hardware names it: \"node 0, UMC 3\"; the hardware does not say which slot that is", .there = "if the bank names one") },
};

static const struct field ecc_page_fields[] = {
    { FIELD(event_ecc_page, cpu), DOC("that reported the first of them") },
    { FIELD(event_ecc_page, bank), DOC("of the CPU") },
    { FIELD(event_ecc_page, channel), IF_ANY, DOC("as in mce", .there = "if the bank names one") },
    { FIELD(event_ecc_page, page), HEX, NULL_UNLESS(event_ecc_page, has_page), DOC("that was found, and marked bad; null: none") },
    { FIELD(event_ecc_page, result),
      DOC("not again: the error did not come again in all tries; elsewhere: errors come while nothing is read, too; stopped, time, CPU lost: why the search ended", .one_of = "found|not again|elsewhere|stopped|time|CPU lost") },
    { FIELD(event_ecc_page, searched_bytes), DOC_IN("bytes", "memory that was suspected") },
    { FIELD(event_ecc_page, left_bytes), DOC_IN("bytes", "memory that the error may still have come from") },
    { FIELD(event_ecc_page, tries), DOC("how often memory was read for it") },
    { FIELD(event_ecc_page, seconds), DECIMALS(3), DOC_IN("s", "that it took") },
};

#define OF_MEMORY(member) THROUGH(event_cper, memory, cper_memory, member)
#define PLACE_OF(name, of)                                                                         \
    {                                                                                              \
        name, OF_MEMORY(field[of]), IF_BIT(cper_memory, given, of),                                \
            DOC("as firmware counts, which need not be as the board's labels do",                  \
                .there = "if firmware names it")                                                   \
    }

static const struct field cper_fields[] = {
    { FIELD(event_cper, source), DOC("the HEST's number of the error source") },
    { "severity", OF_MEMORY(severity), WORDS(cper_severity_name, 4),
      DOC("uncorrected and fatal: not corrected; information: no error, it counts for nothing") },
    { "addr", OF_MEMORY(addr), HEX, NULL_UNLESS(cper_memory, has_addr), DOC("physical; null: none") },
    { FIELD(event_cper, count), MIN(2), IF_ANY,
      DOC("errors of this source and place so far: written again each time that there are ten times as many", .there = "if several") },
    { "page", OF_MEMORY(addr), PAGE, IF(cper_memory, has_page), DOC("that was marked bad", .there = "if one was") },
    { "error", OF_MEMORY(what), IF_ANY, DOC("its kind, such as single-bit ECC", .there = "if firmware names it") },
    PLACE_OF("node", CPER_NODE),
    PLACE_OF("card", CPER_CARD),
    PLACE_OF("module", CPER_MODULE),
    PLACE_OF("rank", CPER_RANK),
    PLACE_OF("device", CPER_DEVICE),
    PLACE_OF("bank", CPER_BANK),
    PLACE_OF("row", CPER_ROW),
    PLACE_OF("column", CPER_COLUMN),
    { "part", OF_MEMORY(fru), IF_ANY, DOC("the module's name, such as DIMM_A1", .there = "if firmware names it") },
};

#define OF_MOVE IF_IS(event_trace, what, OPTION_TRACE_MOVES)
#define OF_CALL IF_IS(event_trace, what, OPTION_TRACE_FIRMWARE)

static const struct field trace_fields[] = {
    { FIELD(event_trace, what), WORDS(trace_word, OPTION_TRACE_FIRMWARE + 1),
      DOC("okram moves; a CPU starts or is lost; a runtime service of UEFI is called") },
    { FIELD(event_trace, state),
      DOC("of a move: moved, no place (before the tests, too), copy differs, late CPU; of a CPU: started, absent, failed by an exception, hung; of a call: called, returned, exception, no return in time", .one_of = "moved|no place|copy differs|late CPU|started|absent|failed|hung|called|returned|exception|no return") },
    { FIELD(event_trace, from), HEX, OF_MOVE, DOC("where okram's first page was", .there = "of a move") },
    { FIELD(event_trace, to), HEX, OF_MOVE, OR_NULL,
      DOC("where it is then, or would have been; null: there was no place", .there = "of a move") },
    { FIELD(event_trace, bytes), OF_MOVE, DOC_IN("bytes", "that okram occupies", .there = "of a move") },
    { FIELD(event_trace, cpu), IF_IS_NOT(event_trace, what, OPTION_TRACE_MOVES),
      DOC("which CPU; of a call, the one that calls", .there = "not of a move") },
    { FIELD(event_trace, apic_id), IF_IS(event_trace, what, OPTION_TRACE_CPUS), DOC("its APIC's number", .there = "of a CPU") },
    { FIELD(event_trace, service), OF_CALL, DOC("such as SetVariable", .there = "of a call") },
    { FIELD(event_trace, variable), OF_CALL, IF_ANY, DOC("its name", .there = "of a call, where the service has one") },
    { FIELD(event_trace, status), HEX, WHEN(has_returned), DOC("EFI_STATUS", .there = "of a call that returned") },
    { FIELD(event_trace, seconds), DECIMALS(6), WHEN(has_ended),
      DOC_IN("s", "that the move or the call took", .there = "once it has ended") },
    { FIELD(event_trace, missed), OF_CALL, IF_ANY, MIN(1),
      DOC("states of calls before this that came too fast to be traced", .there = "of a call, if any") },
};

static const struct field retest_fields[] = {
    { FIELD(event_retest, page), HEX, DOC("its physical address") },
    { FIELD(event_retest, tries), DOC("how often it was tested again; 0: okram itself is there, or the time was over") },
    { FIELD(event_retest, failed), DOC("of these, how often it was bad") },
};

/* --- what the faults are, and what to do ------------------------------------------------------ */

#define OF_VERDICT(member) THROUGH(event_kind, verdict, kind_verdict, member)
#define IF_LANE            IF(kind_verdict, lane.what)
#define IF_CAUSE           IF(kind_verdict, cause.is_known)

static const struct field faulty_module_fields[] = {
    { FIELD(module_with_words, channel), DOC("index of the `controller` record's channels") },
    { FIELD(module_with_words, dimm), DOC("of the channel, as the controller counts") },
    { "words", BY(FIELD_INTEGER, write_words), DOC("faulty ones in it, of those that are listed") },
    { "slot", FOLLOW(module_with_words, name.slot, smbios_slot), AT(smbios_slot, locator), OR_NULL, DOC("as firmware names it; null: several are possible, or none is known") },
    { "bank", FOLLOW(module_with_words, name.slot, smbios_slot), AT(smbios_slot, bank), OR_NULL, DOC("as firmware names it") },
    { "part", FOLLOW(module_with_words, name.slot, smbios_slot), AT(smbios_slot, part), OR_NULL, DOC("part number") },
    { "serial", FOLLOW(module_with_words, name.slot, smbios_slot), AT(smbios_slot, serial), OR_NULL, DOC("serial number, by firmware") },
    { "why", AT(module_with_words, name.why), OR_NULL, DOC("why no slot is named; null: one is") },
};

static const struct field kind_fields[] = {
    { "kind", OF_VERDICT(kind), WORDS(kind_word, KINDS), MIN(KIND_UNCLEAR),
      DOC("by the rules of [kinds.md](kinds.md)", .word_means = kind_name) },
    { "confidence", OF_VERDICT(confidence), WORDS(kind_confidence_name, KIND_CONFIDENCES), DOC("how sure that is") },
    { "evidence", OF_VERDICT(evidence), DOC("for people") },
    { "bit", OF_VERDICT(lane.pin), IF_LANE,
      DOC("the first data bit of those concerned", .there = "if the fault keeps to a few data bits", .max = 63) },
    { "bits", FOLLOW(event_kind, verdict, kind_verdict), BY(FIELD_INTEGER, write_lane_bits), IF_LANE, MIN(1),
      DOC_IN("bits", "1: a pin, 4: half a byte lane, 8: a byte lane, 16: two", .there = "with bit", .max = 16) },
    { "bus_bits", OF_VERDICT(lane.bus_bits), IF_LANE, MIN(32),
      DOC_IN("bits", "of the channel; 32: of a subchannel of DDR5, whose bits are twice in each 64-bit word", .there = "with bit", .max = 64) },
    { FIELD(event_kind, chip), IF_ANY, DOC("which chip that is, for people", .there = "if it can be said") },
    { "cause", OF_VERDICT(cause.cause), IF_CAUSE, WORDS(kind_cause_word, KIND_CAUSES),
      DOC("whether memory or one CPU is at fault: [how that is found](kinds.md#memory-or-a-cpu). open: not decided", .there = "if there are several cores, and a test has read wrong data or a CPU has raised an exception by one wrong bit; or a CPU has failed its own check") },
    { "cause_percent", OF_VERDICT(cause.percent), IF_CAUSE, DOC_IN("%", "how likely that is; with open: that a CPU is at fault", .there = "with cause", .max = 100) },
    { "cause_cpu", OF_VERDICT(cause.cpu), IF_CAUSE, DOC("the CPU that is meant, the first thread of its core; with memory and open: the most suspect one", .there = "with cause") },
    { "cause_core", OF_VERDICT(cause.core), IF_CAUSE, DOC("its core: its APIC ID without the thread", .there = "with cause") },
    { "cause_evidence", OF_VERDICT(cause.evidence), IF_CAUSE, DOC("for people", .there = "with cause") },
    { FIELD(event_kind, channels), IF_ANY, DOC("how many faulty words are in which channel or module, for people", .there = "with channel.bits=, and where the memory controller's registers are confirmed") },
    { "modules", FOLLOW(event_kind, modules, modules_with_words), LIST(modules_with_words, module, n, faulty_module_fields), WHEN(has_modules),
      DOC("those that the faulty words are in", .there = "where the memory controller's registers are confirmed") },
    { "modules_fitted", THROUGH(event_kind, modules, modules_with_words, n_fitted), WHEN(has_modules),
      DOC("modules by these registers: if as many are in `modules`, faults are in all of them", .there = "with modules") },
    { "modules_by", THROUGH(event_kind, modules, modules_with_words, evidence), WHEN(has_modules),
      DOC("what has confirmed the registers", .there = "with modules", .one_of = "timing|count") },
    { "channels_counted", THROUGH(event_kind, modules, modules_with_words, channels_counted), WHEN(has_modules),
      DOC("which addresses share a channel is confirmed by counting reads; with timing it is not known at which channel they were counted", .there = "with modules", .since = true) },
};

#define OF_CYCLES(member) THROUGH(event_cycles, count, cycles, member)

static const struct field cycles_fields[] = {
    { "wanted", OF_CYCLES(wanted), DOC("by cycles=") },
    { "starts", OF_CYCLES(starts), DOC("with a result, this one too") },
    { "with_errors", OF_CYCLES(with_errors), DOC("starts, of these, in which faults were found, or a CPU failed its own check or was lost") },
    { "low", AT(event_cycles, part.low), DECIMALS(6), DOC("of all starts, the part that has errors: with 95 % confidence at least; the limits are one-sided where no start has errors, or all have") },
    { "high", AT(event_cycles, part.high), DECIMALS(6), DOC("and at most") },
    { "lost", OF_CYCLES(lost), DOC("starts that gave no result: the run hung, or was cut short") },
    { "late", OF_CYCLES(late), DOC("starts that came more than 15 minutes after the restart: the machine hung before them, or a person started it") },
    { "dropped", OF_CYCLES(dropped), DOC("starts with other memory, which do not count") },
    { "cold", OF_CYCLES(cold), DOC("between the starts the machine is switched off", .since = true) },
    { "errors", OF_CYCLES(errors), DOC("in all runs; with tests=stability those of `stability` in the record `result`") },
    { "moved_mb", OF_CYCLES(moved_mb), DOC_IN("MB", "read and written in all runs") },
    { FIELD(event_cycles, word), DOC("for cycles= of the next start", .pattern = "^[0-9]+(-[0-9a-f]+)*(/cold)?$") },
};

#define OF_RECORD(member) THROUGH(event_diagnosis, record, diagnosis_record, member)

static const struct field diagnosis_fields[] = {
    { FIELD(event_diagnosis, begun), DOC("this run went on with diagnosis=; else it is the first one") },
    { "headline", OF_RECORD(headline), WHEN(has_begun),
      DOC("how the search goes on or has ended, in capitals: NEXT STEP, BAD MODULE FOUND, TWO BAD MODULES, BAD SLOT FOUND, SETTINGS TOO FAST, NO MODULE IS BAD, TOO MANY MODULES, NOT AGAIN, UNDECIDED", .there = "if begun") },
    { "runs", OF_RECORD(runs), DOC("of the diagnosis, this one too if it counts") },
    { FIELD(event_diagnosis, passes), DOC("of this run, and the one that was cut short if it had faults; 0: the run does not count") },
    { FIELD(event_diagnosis, failed), DOC("of these, those with faults") },
    { FIELD(event_diagnosis, always), IF_ANY, DOC("a bad page was bad each time that it was tested again") },
    { "tests", OF_RECORD(tests), DOC("that the next run repeats, as for tests=; empty: its default") },
    { "march", OF_RECORD(march), IF_ANY, DOC("that the next run repeats, as for march=", .there = "if there is one") },
    { FIELD(event_diagnosis, kind), DOC("of the first run's faults", .one_of = "cells|line|everywhere|cpu|unknown") },
    { "next", OF_RECORD(next), DOC("what to do before the next run; empty: it is over") },
    { "end", OF_RECORD(end), OR_NULL,
      DOC("what was found ([diagnosis.md](diagnosis.md)); null: it is not over", .one_of = "module|slot|settings|controller|cpu|crowd|all|not-reproduced|undecided") },
    { "found", OF_RECORD(found), DOC("the end in a sentence") },
    { "reasons", OF_RECORD(reasons), DOC("why that, and what follows") },
    { "remedy", OF_RECORD(remedy), IF_ANY, DOC("what follows: the end of reasons", .there = "once it is over") },
    { "code", OF_RECORD(code), DOC("the state, for diagnosis=", .pattern = "^[0-9a-hjkmnp-tv-z]{1,4}(-[0-9a-hjkmnp-tv-z]{1,4})*$") },
    { "next_passes", OF_RECORD(next_passes), DOC("of the next run; 0: it is over") },
    { "words", OF_RECORD(words), DOC("the options of the next run; empty: it is over") },
};

static const struct field pages_fields[] = {
    { "pages", BY(FIELD_INTEGER, write_n_pages), MIN(1), DOC("in this record, of 4 KiB") },
    { "runs", LIST(event_pages, run, n, span_element), MIN(1), DOC("contiguous ones as [base, end], end exclusive", .max = 250) },
    { FIELD(event_pages, more), IF_ANY, DOC("others are left out, after 4,000 runs") },
};

static const struct field pattern_element[] = {
    { BY(FIELD_SPAN, write_pattern), DOC("", .pattern = "^0x(0|[0-9a-f]{1,10}000)$") },
};

static const struct field badram_fields[] = {
    { FIELD(event_badram, bad_pages), DOC("of 4 KiB") },
    { "patterns", FOLLOW(event_badram, cover, cover), LIST(cover, pattern, n_patterns, pattern_element),
      DOC("[address, mask] pairs: a page x is covered if ((x ^ address) & mask) == 0; bits 0-11 and 52-63 are clear") },
    { "sacrificed_pages", THROUGH(event_badram, cover, cover, sacrificed_pages), DOC("of RAM that the patterns cover, the good ones too") },
    { "ranges", THROUGH(event_badram, cover, cover, ranges), DOC("contiguous ranges of RAM that the patterns cover") },
    { FIELD(event_badram, line),
      DOC("badram= and the patterns in their order, and nothing else; empty: no bad page", .pattern = "^(badram=0x[0-9a-f]+,0x[0-9a-f]+(,0x[0-9a-f]+,0x[0-9a-f]+)*)?$") },
};

static const struct field line_fields[] = {
    { FIELD(event_line, name), DOC("by which lines= selects it; its form is in tools/okramlib/copied.py") },
    { FIELD(event_line, place), DOC("where to write it") },
    { FIELD(event_line, text), DOC("the line; empty: there is none") },
    { FIELD(event_line, note), DOC("what it costs, or why there is none") },
};

static const struct field advice_fields[] = {
    { "case", AT(event_advice, what), WORDS(advice_case_name, ADVICE_CASES),
      DOC("good: no fault; rest: test the rest of the memory; missing: modules are not seen; again: stopped too early; watch: ECC corrected errors; starts: no fault in this start, but errors in others; report: an error of okram; options: there was nothing to test. After faults: diagnosis: the next step of one; cpu: one CPU is at fault, without faults, too; settings: XMP or EXPO off first; not-modules: faults at changing places, or in all modules; reseat: errors without a place; one-module: it is bad; soldered, partly-soldered; find-module: one of several") },
    { FIELD(event_advice, text), DOC("for people: two sentences") },
    { FIELD(event_advice, headline), IF_ANY, DOC("instead of PASS, PARTIAL or STOPPED, in capitals: BAD CPU, BAD STARTS", .there = "if that counts more than that this run found no fault", .since = true) },
};

static const struct field cells_fields[] = {
    { "node", .type = FIELD_INTEGER, DOC("its number") },
    { "cells", .type = FIELD_TEXT,
      DOC("of each run of equal cells how many, if not one, and a letter: . not tested, t tested, - left out, o okram's place, X bad; 300t4oX are 305 cells", .pattern = "^(([2-9]|[1-9][0-9]{1,2})?[-.toX])*$", .max = 512) },
};

static const struct field picture_fields[] = {
    { "cell_bytes", THROUGH(event_picture, ram, ram_view, cell_bytes), MIN(1), DOC_IN("bytes", "of a cell") },
    { "nodes", BY(FIELD_LIST, write_cells), ROWS(cells_fields),
      DOC("at most 512 cells in all, counted across the gaps between the RAM of a node", .max = 64) },
};

/* --- the result ------------------------------------------------------------------------------- */

static const struct field untested_fields[] = {
    { "base", AT(event_untested, span.base), HEX, DOC("its first byte") },
    { "end", BY(FIELD_INTEGER, write_end), HEX, DOC("the byte after its last") },
    { FIELD(event_untested, why), DOC("why it was not tested") },
};

static const struct field interrupt_fields[] = {
    { FIELD(event_interrupt, vector), DOC("0-255") },
    { FIELD(event_interrupt, count), DOC("on all CPUs") },
    { FIELD(event_interrupt, what), DOC("spurious, as on sound machines, or not, and where it came from") },
};

static const struct field ecc_fields[] = {
    { FIELD(event_ecc, corrected), DOC("errors that were corrected") },
    { FIELD(event_ecc, uncorrected), DOC("errors that were not") },
    { FIELD(event_ecc, with_page), DOC("of both, those whose page is known and bad") },
};

static const struct field unseen_fields[] = {
    { FIELD(unseen, modules), DOC("that are not seen; 0: less than one is missing") },
    { FIELD(unseen, of), DOC("modules that are listed, by SMBIOS or by their SPDs") },
    { FIELD(unseen, at_least), DOC("their sizes differ: it may be more") },
    { FIELD(unseen, may_be_mirrored), DOC("half of the memory is missing, as if mirrored") },
    { FIELD(unseen, missing_bytes), DOC_IN("bytes", "more than firmware and graphics explain", .since = true) },
    { FIELD(unseen, installed_bytes), DOC_IN("bytes", "what the modules have", .since = true) },
    { "addresses", LIST(unseen, at, n_at, byte_element), IF_ANY,
      DOC("on the SMBus, of the modules that SMBIOS does not list, which these are among", .there = "if known") },
};

static const struct field excluded_fields[] = {
    { FIELD(excluded, reads), DOC("of each cell in completed tests, at least") },
    { FIELD(excluded, one_in), DOC("a fault of a cell that shows in more than 1 of this number of reads would have been seen") },
    { FIELD(excluded, per_hour), DECIMALS(6), DOC("errors an hour, at random times and anywhere: a higher rate would have been seen") },
};

static const struct field rate_fields[] = {
    { FIELD(error_rate, moved_bytes), DOC_IN("bytes", "read and written") },
    { FIELD(error_rate, errors), DOC("a page that is wrong in a sweep counts once in it, and so does each error that ECC reports") },
    { FIELD(error_rate, per_tb), DECIMALS(6), DOC("errors for 10^12 bytes moved") },
    { FIELD(error_rate, low), DECIMALS(6), DOC("of these: the lower limit; 0 without an error, where the upper one is one-sided") },
    { FIELD(error_rate, high), DECIMALS(6), DOC("the upper limit; both together with 95 % confidence") },
    { FIELD(error_rate, first_s), DECIMALS(6), OR_NULL, DOC_IN("s", "when the first error was seen; null: there is none, or with cycles=") },
};

static const struct field result_fields[] = {
    { "status", AT(event_result, verdict), WORDS(verdict_word, VERDICTS),
      DOC("pass: no bad page after a whole pass; fail: bad pages, or uncorrected errors whose pages are not known; corrected: no bad page, but ECC corrected errors of memory; stopped: no bad page, no whole pass; error: nothing could be tested, or the run could not go on", .word_means = verdict_sentence) },
    { FIELD(event_result, reason), WORDS(reason_word, REASONS), IF_ANY,
      DOC("internal-error: of okram itself; nothing-tested: there was no memory to test; own-memory: too much of the memory that okram itself needs is faulty or missing, or a CPU is faulty; cpu: a CPU has failed, by an exception that `kind` explains, or in checks of itself when the run could not go on", .there = "if the status is error, not after an exception that either may have caused", .word_means = reason_sentence) },
    { FIELD(event_result, complete),
      DOC("99 % or more of what range= and nodes= name was tested, not counting what firmware keeps and USB controllers write to, and there is neither `unseen` nor `hidden_pages`") },
    { FIELD(event_result, passes), DOC("whole passes") },
    { FIELD(event_result, skipped_tests), IF_ANY,
      DOC("that the key n ended early; a pass with one is not a whole pass", .there = "if any") },
    { FIELD(event_result, tested_bytes), DOC_IN("bytes", "RAM tested") },
    { FIELD(event_result, untested_bytes), DOC_IN("bytes", "RAM not tested") },
    { "untested", LIST(event_result, untested, n_untested, untested_fields),
      DOC("ranges not tested; also persistent and unaccepted memory, and windows for CXL memory and ranges of the SRAT without memory, which are not RAM and do not count") },
    { "unpaired", LIST(event_result, unpaired, n_unpaired, range_fields), IF_ANY,
      DOC("ranges tested, but never together with the rest", .formerly = "apart") },
    { "tests", LIST(event_result, tests, n_tests, text_element), IF_ANY, DOC("that ended", .there = "if stopped") },
    { "interrupts", LIST(event_result, interrupts, n_interrupts, interrupt_fields), IF_ANY,
      DOC("that okram did not ask for, and ignored") },
    { "encryption", BY(FIELD_TEXT, write_look), IF(event_result, looks_encrypted),
      DOC("faults have shown that memory is encrypted, though the CPU did not say so: then expected and found do not say which bits are faulty", .there = "if so", .one_of = "look") },
    { FIELD(event_result, bad_pages), DOC("of 4 KiB") },
    { FIELD(event_result, part_of_bytes), IF_ANY,
      DOC_IN("bytes", "RAM of which range=, nodes= or lowmem= selected tested_bytes", .there = "if it was less than 99 %") },
    { FIELD(event_result, hidden_pages), IF_ANY,
      DOC_IN("pages", "unusable in firmware's map, as after GRUB's badram or by the guard: not tested, in the badram line and in `pages`, not in bad_pages", .there = "if any") },
    { FIELD(event_result, hole_pages), IF_ANY,
      DOC_IN("pages", "by BIOS: [missing from the map](badram.md#memory-that-is-hidden-already) within RAM, as after GRUB's badram", .there = "if any") },
    { FIELD(event_result, seconds), DECIMALS(6), DOC_IN("s", "duration of the run") },
    { "ecc", OBJECT(event_result, ecc, ecc_fields), WHEN(is_no_panic),
      DOC("errors of memory that its ECC corrected or detected, by machine checks and by the chipset's parity signal; those that a search for their page provoked, too", .there = "not after a panic") },
    { "unseen", OBJECT(event_result, unseen, unseen_fields), IF(event_result, unseen.missing_bytes),
      DOC("[memory of modules that is not there](coverage.md#modules-that-are-not-seen)", .there = "if any") },
    { "excluded", OBJECT(event_result, excluded, excluded_fields), IF(event_result, excluded.reads),
      DOC("of a pass: [what it excludes](coverage.md#what-a-pass-excludes) in the memory tested, with 95 % confidence", .there = "if anything can be said") },
    { "stability", OBJECT(event_result, rate, rate_fields), IF(event_result, rate.moved_bytes),
      DOC("[how often memory fails](manual.md#almost-stable-settings) that is almost stable; with cycles=, in all starts. It says nothing where a page is always bad: a `retest` whose `failed` is its `tries`, 4 or more", .there = "with tests=stability") },
    { "warnings", LIST(event_result, warnings, n_warnings, text_element), IF_ANY, DOC("sentences, after the machine record") },
    { FIELD(event_result, error), IF_ANY, DOC("what happened, in lines", .there = "if the run could not go on") },
};

/* --- the table -------------------------------------------------------------------------------- */

#ifdef FIELD_DOCS
#define RECORD_DOC(sentence, ...) .means = sentence, ##__VA_ARGS__
#else
#define RECORD_DOC(...)
#endif

#define RECORD(name, of, saved_rank, ...)                                                          \
    {                                                                                              \
        .type = name, .fields = of, .n_fields = sizeof(of) / sizeof(of[0]),                        \
        .rank = SAVED_RANK_##saved_rank, ##__VA_ARGS__                                             \
    }

const struct record records[RECORDS] = {
    [RECORD_SAVED] = RECORD("saved", saved_head_fields, START,
      RECORD_DOC("The head of a report that was kept in UEFI variables, before its other lines.", .last_counts = true)),
    [RECORD_STATE] = RECORD("state", saved_state_fields, START,
      RECORD_DOC("The first record of a kept report, and of a file that the UEFI loader has written: how far the run was then. Without a status it did not finish.", .last_counts = true)),
    [EVENT_START] = RECORD("start", start_fields, START, RECORD_DOC("The first record.", .last_counts = true)),
    [EVENT_IDENTITY] = RECORD("identity", identity_fields, IDENTITY,
      RECORD_DOC("Which run of which machine; comes right after `start`, but not with identity=off. Two reports with one `run` are of the same run. Only UEFI gives addresses of network cards, of those whose driver it has started.", .last_counts = true)),
    [EVENT_MACHINE] = RECORD("machine", machine_fields, MACHINE, RECORD_DOC("What okram runs on.", .last_counts = true)),
    [EVENT_NODE] = RECORD("node", node_fields, MEASURED, RECORD_DOC("A NUMA node.")),
    [EVENT_MODULE] = RECORD("module", module_fields, TEST, .object = module_of, .grouped = true,
      RECORD_DOC("A memory module: what it says of itself (SPD), and firmware of its slot (SMBIOS type 17). Without an SPD, as with spd=off, there is only the latter. What is not known is null.")),
    [EVENT_CONTROLLER] = RECORD("controller", controller_fields, MEASURED,
      RECORD_DOC("The memory controllers by their registers, where public sources describe them; not in a virtual machine.", .last_counts = true)),
    [EVENT_TEMPERATURE] = RECORD("temperature", temperature_fields, MEASURED,
      RECORD_DOC("Temperatures of what has a sensor: at the start, when the first faults have come, at pauses, at intervals (10 s, or a twentieth of the run if that is longer), and before the result.")),
    [EVENT_SUPPORT] = RECORD("support", support_fields, MEASURED, .object = support_of,
      RECORD_DOC("What a bug report needs, with support=on or when the key s was pressed. Serial numbers of the machine are not in it.", .last_counts = true)),
    [EVENT_CACHE] = RECORD("cache", cache_fields, MEASURED, RECORD_DOC("A cache or memory, measured by one CPU.")),
    [EVENT_BANDWIDTH] = RECORD("bandwidth", bandwidth_fields, MEASURED, RECORD_DOC("Bandwidth from a node's CPUs to a node's memory.")),
    [EVENT_LATENCY] = RECORD("latency", latency_fields, MEASURED, RECORD_DOC("Latency from a node's CPU to a node's memory.")),
    [EVENT_CACHE_TO_CACHE] = RECORD("cache_to_cache", cache_to_cache_fields, MEASURED,
      RECORD_DOC("Latency of lines that are in another CPU's cache.")),
    [EVENT_CONTENTION] = RECORD("contention", contention_fields, MEASURED,
      RECORD_DOC("Bandwidth and latency while another node's CPUs make a load.")),
    [EVENT_REDUNDANCY] = RECORD("redundancy", redundancy_fields, MEASURED, RECORD_DOC("Bandwidth of writes that are kept redundantly.")),
    [EVENT_UNMEASURED] = RECORD("unmeasured", unmeasured_fields, MEASURED, RECORD_DOC("Figures that bandwidth= asks for and that are not there, and why.")),
    [EVENT_ROWS] = RECORD("rows", rows_fields, TEST,
      RECORD_DOC("Banks and rows of DRAM [as timing shows them](coverage.md#rows-by-timing), of each node, eight at most, before row hammer.")),
    [EVENT_TEST] = RECORD("test", test_fields, TEST, RECORD_DOC("A memory test has ended.")),
    [EVENT_FAULT] = RECORD("fault", fault_fields, FAULT, .grouped = true,
      RECORD_DOC("A wrong word of 8 bytes; only the first 1000 have a record.", .most = 1000)),
    [EVENT_EXTERNAL] = { .type = "external", .fields = fault_fields, .n_fields = EXTERNAL_FIELDS, .rank = SAVED_RANK_MEASURED,
      RECORD_DOC("[Memory that a device or firmware wrote to](coverage.md#memory-that-others-write-to) while it was tested: no fault, and not in the badram line. The first word that was changed of each line of 64 bytes, below 1 MiB of each page; the first 1000, at the end of a test's round.", .most = 1000, .formerly = "foreign") },
    [EVENT_GEOMETRY] = RECORD("geometry", geometry_fields, TEST, .object = geometry_of,
      RECORD_DOC("A module is not as its SPD states ([security.md](security.md#modules-that-lie)): at the start by the memory controllers, and after a pass by addresses that reach the same cells.", .last_counts = true)),
    [EVENT_ALIAS] = RECORD("alias", alias_fields, TEST,
      RECORD_DOC("Addresses that reach the same cells as others: one pair of lines as an example.")),
    [EVENT_MCE] = RECORD("mce", mce_fields, TEST, RECORD_DOC("A machine check.")),
    [EVENT_ECC_PAGE] = RECORD("ecc_page", ecc_page_fields, TEST,
      RECORD_DOC("The page of corrected errors of memory without an address was searched for.")),
    [EVENT_CPER] = RECORD("cper", cper_fields, TEST,
      RECORD_DOC("An error of memory that firmware reports (UEFI 2.10, N.2.5 and N.2.6): what it says of the place, as it counts.")),
    [EVENT_TRACE] = RECORD("trace", trace_fields, MEASURED,
      RECORD_DOC("With trace=: what okram does by itself, as it happens; not after the result. Calls of firmware are made between two polls: `t` is up to 20 ms late.")),
    [EVENT_RETEST] = RECORD("retest", retest_fields, FAULT, .grouped = true,
      RECORD_DOC("A bad page was tested again at the end of the run, not after a stop, except with tests=stability; the first 1000 by address. Whatever comes out, it stays bad.", .most = 1000)),
    [EVENT_KIND] = RECORD("kind", kind_fields, TEST,
      RECORD_DOC("What kind of fault it is, by what is known so far: between passes and at the end; the last record counts. Where memory is encrypted there are no bits and no channels.")),
    [EVENT_DIAGNOSIS] = RECORD("diagnosis", diagnosis_fields, DIAGNOSIS,
      RECORD_DOC("[Which module is bad](diagnosis.md), as far as that is known after this run, before its result: of a run that found faults, and of one that went on with diagnosis=. Not where firmware lists fewer than two modules in slots. Texts are for people, empty where there is nothing to say.", .last_counts = true)),
    [EVENT_CYCLES] = RECORD("cycles", cycles_fields, DIAGNOSIS,
      RECORD_DOC("With cycles=: [how many starts had errors](manual.md#several-starts), before the result.", .last_counts = true)),
    [EVENT_PAGES] = RECORD("pages", pages_fields, PAGES,
      RECORD_DOC("All bad pages exactly, at the end, before the last `badram`; several records in rising order, none if no page is bad.")),
    [EVENT_BADRAM] = RECORD("badram", badram_fields, BADRAM,
      RECORD_DOC("The line for GRUB so far; comes whenever it has changed, and the last record counts. People copy the line into a file that a shell reads: check its form before you show it, as `okram report` does.", .last_counts = true)),
    [EVENT_LINE] = RECORD("line", line_fields, LINE, RECORD_DOC("With lines=: a line for another bootloader or system.")),
    [EVENT_ADVICE] = RECORD("advice", advice_fields, TEST,
      RECORD_DOC("What to do next, right before the result; again after it if firmware refuses the list of bad pages for the guard that the first one names. The last one counts.", .last_counts = true)),
    [EVENT_PICTURE] = RECORD("picture", picture_fields, FAULT,
      RECORD_DOC("All RAM in cells of equal size, node after node, as it was at the end, before the result.")),
    [EVENT_RESULT] = RECORD("result", result_fields, RESULT,
      RECORD_DOC("The last record. By UEFI the report is kept in variables after it; whether that worked is in no record.", .last_counts = true)),
};

/* clang-format on */

void records_write(struct json *j, const struct event *e)
{
    const struct record *r = &records[e->type];

    fields_write(j, r->fields, r->n_fields, r->object ? r->object(e) : &e->start);
}
