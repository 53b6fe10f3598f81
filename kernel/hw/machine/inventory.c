// SPDX-License-Identifier: MIT
#include "machine/inventory.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/tsc.h"
#include "controller/controllers.h"
#include "device/cpu_sensor.h"
#include "device/pci.h"
#include "event/notices.h"
#include "heat/heat.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/tables.h"
#include "smbus/eeprom.h"
#include "smbus/smbus.h"
#include "spd/module_lines.h"

#define CPUID_THERMAL  6
#define VENDOR_INTEL   0x8086
#define VENDOR_AMD     0x1002 /* of graphics */
#define CLASS_DISPLAY  0x03
#define CLASS_HOST     0x0600
#define SMBIOS_DDR4    0x1a /* DSP0134, table 78 */
#define POLL_US        250000
#define POLL_TAKE_US   1000 /* a bus in use is left for the next time */
#define FAILURES_MAX   3
#define HUB_PAGE_BYTES 128 /* what a hub shows whose page stays */

static struct {
    struct inventory inventory;
    struct smbus smbus;
    struct eeprom eeprom[EEPROMS];
    struct module_spd spd[MODULE_SPDS_MAX];
    struct sensor sensor[MODULE_SPDS_MAX]; /* of the module with the same number */
    struct sensor_watch watch[MODULE_SPDS_MAX];
    unsigned failures[MODULE_SPDS_MAX];
    size_t n_spds;
    struct cpu_sensor cpu;
    struct sensor_watch cpu_watch;
    struct heat_times times;
    size_t next; /* sensor to be read: n_spds is the processor's */
    uint64_t next_poll;
    char bus[40];
} state;

/*
 * Boards on which others found that using the SMBus does harm: Linux's i2c-piix4 refuses them.
 * IBM's early ThinkPads have EEPROMs that lose their content.
 */
static const struct {
    enum smbus_kind kind;
    const char *maker, *product;
} harmed[] = {
    { SMBUS_PIIX4, "IBM", "" },
    { SMBUS_PIIX4, "SAPPHIRE Inc.", "PC-AM2RD790" },
    { SMBUS_PIIX4, "DFI Inc.", "LP UT 790FX" },
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_by(const struct smbios_maker *m, const char *maker, const char *product)
{
    return begins(m->maker, maker) && begins(m->product, product);
}

static bool does_harm(enum smbus_kind kind)
{
    for (size_t i = 0; i < sizeof(harmed) / sizeof(harmed[0]); i++) {
        if (kind == harmed[i].kind &&
            (is_by(&board.names.board, harmed[i].maker, harmed[i].product) ||
             is_by(&board.names.system, harmed[i].maker, harmed[i].product)))
            return true;
    }
    return false;
}

static void say_bus(const char *what)
{
    fmt_print(state.bus, sizeof(state.bus), "%s at 0x%x: %s", smbus_kind_name(state.smbus.kind),
              state.smbus.ports, what);
    state.inventory.bus = state.bus;
}

/* False: there is none that can be used. */
static bool find_bus(void)
{
    enum status found = smbus_find(tables_map_registers, &state.smbus);

    state.inventory.bus = "";
    if (found == STATUS_NOT_FOUND)
        return false;
    if (found != STATUS_OK) {
        say_bus("off");
        return false;
    }
    if (does_harm(state.smbus.kind)) {
        say_bus("left alone");
        notice("the SMBus is left alone: using it may do harm on boards of this kind");
        return false;
    }
    say_bus("used");
    return true;
}

/* By firmware's word, of all modules. */
static bool are_ddr4(void)
{
    const struct smbios_memory *m = board.slots;
    bool is_ddr4 = false;

    for (uint32_t i = 0; m && i < m->n_slot; i++) {
        if (m->slot[i].is_populated && m->slot[i].memory_type != SMBIOS_DDR4)
            return false;
        is_ddr4 = is_ddr4 || m->slot[i].is_populated;
    }
    return is_ddr4;
}

static void keep_spd(const struct eeprom *e)
{
    struct module_spd *kept = &state.spd[state.n_spds];
    struct spd spd;

    if (!e->n || spd_read(e->byte, e->n, &spd) == STATUS_NOT_FOUND || !spd_type_name(spd.type)[0])
        return; /* nothing, or another device that has an address of modules */
    *kept =
        (struct module_spd){ .address = e->address, .spd = spd, .byte = e->byte, .n_bytes = e->n };
    state.n_spds++;
}

static void warn_of_bus(enum smbus_outcome outcome)
{
    say_bus(outcome == SMBUS_HUNG ? "hangs" : "in use");
    notice("the SMBus is %s; it is left alone, and what modules say of themselves is not known%s",
           smbus_outcome_text(outcome), state.n_spds ? " of all" : "");
}

/* Hubs whose page stays in one warning: firmware blocks them all. */
static void warn_of_parts(void)
{
    unsigned blocked = 0;

    for (size_t i = 0; i < EEPROMS; i++) {
        const struct eeprom *e = &state.eeprom[i];

        if (!e->is_there || e->outcome == SMBUS_DONE)
            continue;
        if (e->outcome == SMBUS_BLOCKED)
            blocked++;
        else
            notice("SPD at SMBus address 0x%x: %u of its bytes can be read: the bus is %s",
                   e->address, e->n, smbus_outcome_text(e->outcome));
    }
    if (blocked)
        notice("%u DDR5 module%s cannot be read completely: the bus is %s; at most the first %u "
               "bytes of 1024 are known, without size, maker and serial number",
               blocked, fmt_plural(blocked), smbus_outcome_text(SMBUS_BLOCKED), HUB_PAGE_BYTES);
}

static void read_spds(void)
{
    enum smbus_outcome outcome = eeproms_read(&state.smbus, are_ddr4(), state.eeprom);

    for (size_t i = 0; i < EEPROMS; i++)
        keep_spd(&state.eeprom[i]);
    if (outcome != SMBUS_DONE)
        warn_of_bus(outcome);
    else
        warn_of_parts();
}

/* A sensor, with what it has said. */
struct sensed {
    const char *whose; /* "of DIMM_A1" */
    struct sensor_watch *watch;
    struct temperature *temperature;
};

static void say_doubt(const struct sensed *s, enum sensor_doubt before)
{
    const struct sensor_watch *w = s->watch;
    char after[24] = "";

    if (w->doubt == before)
        return;
    switch (w->doubt) {
    case SENSOR_SILENT:
        notice("the temperature sensor %s does not answer any more: it does not count", s->whose);
        break;
    case SENSOR_JUMPS:
        if (w->has_read)
            fmt_print(after, sizeof(after), " after %d C", temperature_degrees(w->mc));
        notice("the temperature sensor %s says %d C%s, which cannot be true: it does not count "
               "any more",
               s->whose, temperature_degrees(w->odd_mc), after);
        break;
    case SENSOR_UNCHANGED:
        notice("the temperature sensor %s says %d C all the time, whatever the traffic: it does "
               "not count",
               s->whose, temperature_degrees(w->mc));
        break;
    default: notice("the temperature sensor %s counts again", s->whose); break;
    }
}

/* mc: NULL: it has not answered. */
static void note_temperature(const struct sensed *s, const int32_t *mc, bool is_given_up)
{
    struct temperature *t = s->temperature;
    enum sensor_doubt before = s->watch->doubt;

    if (!mc)
        sensor_miss(s->watch, state.times.now_us, is_given_up);
    else if (sensor_take(s->watch, *mc, &state.times))
        *t = (struct temperature){ .is_known = true,
                                   .start_mc = t->is_known ? t->start_mc : *mc,
                                   .now_mc = *mc,
                                   .highest_mc =
                                       t->is_known && t->highest_mc > *mc ? t->highest_mc : *mc };
    else if (s->watch->doubt == SENSOR_JUMPS && !t->is_known)
        *t = (struct temperature){ .is_known = true, .is_empty = true };
    t->doubt = s->watch->doubt;
    if (t->is_known)
        say_doubt(s, before);
}

static void read_cpu(void)
{
    const struct sensed cpu = { "of the CPU", &state.cpu_watch, &state.inventory.cpu };
    int32_t mc;

    if (state.cpu.kind != CPU_SENSOR_NONE)
        note_temperature(&cpu, cpu_sensor_read(&state.cpu, &mc) ? &mc : NULL, false);
}

static void note_module(size_t i, const int32_t *mc)
{
    struct module *module = &state.inventory.modules.module[i];
    char place[SMBIOS_NAME_SIZE], whose[SMBIOS_NAME_SIZE + 8];
    const struct sensed of = { whose, &state.watch[i], &module->temperature };

    fmt_print(whose, sizeof(whose), "%s%s", module->slot ? "of " : "", module_place(module, place));
    note_temperature(&of, mc, !state.sensor[i].address);
}

static void read_module(size_t i, uint64_t take_us)
{
    enum smbus_outcome outcome;
    int32_t mc;

    if (!state.sensor[i].address)
        return;
    outcome = smbus_take(&state.smbus, take_us);
    if (outcome == SMBUS_DONE) {
        outcome = sensor_read(&state.smbus, &state.sensor[i], &mc);
        smbus_give(&state.smbus);
        state.failures[i] = outcome == SMBUS_DONE ? 0 : state.failures[i] + 1;
        if (outcome == SMBUS_HUNG)
            warn_of_bus(outcome);
    }
    if (state.failures[i] == FAILURES_MAX || outcome == SMBUS_HUNG)
        state.sensor[i].address = 0;
    note_module(i, outcome == SMBUS_DONE ? &mc : NULL);
}

/* Those of DDR5 that the bus did not let read are known by their place all the same. */
static const struct eeprom *eeprom_of(const struct module_spd *spd)
{
    return &state.eeprom[spd->address - EEPROM_FIRST];
}

static void find_sensors(void)
{
    if (!state.n_spds || smbus_take(&state.smbus, SMBUS_TAKE_US) != SMBUS_DONE)
        return;
    for (size_t i = 0; i < state.n_spds; i++)
        sensor_find(&state.smbus, eeprom_of(&state.spd[i]), &state.spd[i].spd, &state.sensor[i]);
    smbus_give(&state.smbus);
}

static void find_cpu_sensor(void)
{
    struct cpu_sensor_source source = {
        .cpu = cpu_model_read(cpuid_call, NULL),
        .brand = machine.cpu.brand,
        .is_virtual = machine.cpu.hypervisor,
        .thermal = cpuid(0, 0).eax >= CPUID_THERMAL ? cpuid(CPUID_THERMAL, 0).eax : 0,
        .read_msr = msr_read,
    };

    state.cpu = cpu_sensor_find(&source);
    state.inventory.cpu_max_mc = state.cpu_watch.cpu_max_mc = state.cpu.max_mc;
}

/* It has answered, but nothing that can be true yet. */
static bool is_odd(const struct sensor_watch *w)
{
    return w->n_odd && w->n_odd < SENSOR_ODD_MAX;
}

static bool is_any_odd(void)
{
    bool is = is_odd(&state.cpu_watch);

    for (size_t i = 0; i < state.n_spds; i++)
        is = is || is_odd(&state.watch[i]);
    return is;
}

/* Whether a sensor counts is known before limits of heat are set. */
static void read_temperatures(void)
{
    for (unsigned n = 0; n < SENSOR_ODD_MAX && (!n || is_any_odd()); n++) {
        if (n)
            tsc_wait_us(POLL_US);
        for (size_t i = 0; i < state.n_spds; i++) {
            if (!n || is_odd(&state.watch[i]))
                read_module(i, SMBUS_TAKE_US);
        }
        read_cpu();
    }
}

static void look_for_graphics(void *ctx, struct pci_function f)
{
    uint32_t vendor = pci_read(f, PCI_ID) & 0xffff;

    if (pci_read(f, PCI_CLASS) >> 24 == CLASS_DISPLAY &&
        (vendor == VENDOR_INTEL || vendor == VENDOR_AMD))
        *(bool *)ctx = true;
}

/* A hypervisor's bridge has no such registers, whatever its name. */
static void read_dram_top(struct dram_top *ret_top)
{
    struct pci_function bridge = pci_function_at(0, 0, 0);
    uint32_t word[DRAM_TOP_WORDS];

    if (machine.cpu.hypervisor || (pci_read(bridge, PCI_ID) & 0xffff) != VENDOR_INTEL ||
        pci_read(bridge, PCI_CLASS) >> 16 != CLASS_HOST)
        return;
    for (unsigned i = 0; i < DRAM_TOP_WORDS; i++)
        word[i] = pci_read(bridge, (uint8_t)(DRAM_TOP_FIRST + 4 * i));
    dram_top_decode(word, ret_top);
}

/* SMBIOS, SPDs and the memory map, each of which may have more than the others. */
static void compare(void)
{
    struct unseen_facts facts = {
        .slots = board.slots,
        .modules = &state.inventory.modules,
        .map = &machine.map,
    };

    read_dram_top(&facts.top);
    pci_for_each(look_for_graphics, &facts.has_graphics);
    board.unseen = unseen_find(&facts);
}

void inventory_read(bool reads_spd)
{
    memset(&state, 0, sizeof(state));
    state.inventory.bus = "";
    if (reads_spd && find_bus())
        read_spds();
    modules_make(board.slots, state.spd, state.n_spds, &state.inventory.modules);
    modules_set_running(&state.inventory.modules, &controllers_get()->decoded);
    modules_check(&state.inventory.modules, &notices);
    compare();
    find_sensors();
    find_cpu_sensor();
    read_temperatures();
}

const struct inventory *inventory_get(void)
{
    return &state.inventory;
}

void inventory_poll(const struct heat_times *times)
{
    if (tsc_now() < state.next_poll)
        return;
    state.times = *times;
    state.next_poll = tsc_now() + tsc_from_us(POLL_US);
    if (state.next < state.n_spds)
        read_module(state.next, POLL_TAKE_US);
    else
        read_cpu();
    state.next = state.next < state.n_spds ? state.next + 1 : 0;
}
