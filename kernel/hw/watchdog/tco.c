// SPDX-License-Identifier: MIT
/*
 * The watchdog of Intel's chipsets, the TCO timer. Its registers are I/O ports, which configuration
 * space names: since ICH6 that of the LPC bridge, 96 bytes above the ACPI registers at PMBASE (ICH9
 * datasheet, 316972); since the 100 series that of the SMBus controller, at TCOBASE (100 Series PCH
 * datasheet, volume 2, 332691). It counts down twice: the first time it tells firmware, the second
 * time it resets the machine, unless NO_REBOOT is set: in the chipset's memory (GCS; Bay Trail:
 * PMC_CFG), since the 300 series in TCO1_CNT. One count is 0.6 s, on Bay Trail, Braswell and Avoton
 * 1 s, as Linux knows them (drivers/watchdog/iTCO_wdt.c).
 */
#include "watchdog/kinds.h"

#include <stddef.h>

#include "device/pci.h"
#include "io/ports.h"
#include "lib/minmax.h"

#define VENDOR_INTEL 0x8086u
#define CLASS_LPC    0x0601u /* class and subclass */
#define CLASS_SMBUS  0x0c05u

/* Of the LPC bridge. */
#define ACPI_BASE     0x40
#define ACPI_CONTROL  0x44 /* of Atom: the base of its registers of power management */
#define RCBA          0xf0
#define ACPI_PORTS    UINT32_C(0xff80)
#define ACPI_IO       (1u << 0)
#define ACPI_ATOM_ON  (1u << 1)
#define ACPI_ON       (1u << 7)
#define RCBA_ON       (1u << 0)
#define RCBA_ADDRESS  UINT32_C(0xffffc000)
#define RCBA_GCS      0x3410
#define GCS_NO_REBOOT (1u << 5)
#define PMC_ADDRESS   UINT32_C(0xfffffe00)
#define PMC_CONFIG    0x08
#define PMC_NO_REBOOT (1u << 4)
#define TCO_AT        0x60

/* Of the SMBus controller. */
#define TCO_BASE    0x50
#define TCO_CONTROL 0x54
#define TCO_PORTS   UINT32_C(0xffe0)
#define TCO_ON      (1u << 8)

/* Registers of the timer. */
#define RELOAD        0x00 /* the current count */
#define STATUS_1      0x04
#define STATUS_2      0x06
#define CONTROL_1     0x08
#define TIMER         0x12 /* from where it counts */
#define COUNT         0x3ffu
#define TIMEOUT       (1u << 3) /* it has counted down once */
#define NO_REBOOT     (1u << 0)
#define NMI_NOW       (1u << 8) /* writing 1 clears it */
#define HALT          (1u << 11)
#define SECOND_TIME   (1u << 1) /* of STATUS_2: it has counted down twice */
#define RESTARTED     (1u << 2) /* and that has reset the machine */
#define NOTHING       0xffffu
#define TICKS_MIN     4u
#define TENTHS_A_TICK 6u

struct tco {
    uint16_t ports; /* 0: none */
    bool counts_seconds;
    bool no_reboot;
    volatile uint32_t *gate; /* the register with NO_REBOOT; NULL: CONTROL_1, or it is unknown */
    uint32_t gate_bit;       /* 0: in CONTROL_1 */
};

struct search {
    watchdog_map *map;
    struct tco tco;
};

/* Atoms whose timer counts seconds: Bay Trail, Avoton, Braswell. */
static bool is_atom(uint32_t device)
{
    return device == 0x0f1c || (device >= 0x1f38 && device <= 0x1f3b) || device == 0x229c;
}

/* NO_REBOOT is a bit of a register in memory; where that cannot be read, it counts as clear. */
static void set_gate(struct search *s, uint32_t phys, uint32_t bit)
{
    s->tco.gate = phys ? s->map(phys, sizeof(*s->tco.gate)) : NULL;
    s->tco.gate_bit = bit;
    s->tco.no_reboot = s->tco.gate && *s->tco.gate & bit;
}

static void look_at_atom(struct search *s, struct pci_function f, uint32_t base)
{
    uint32_t pmc = pci_read(f, ACPI_CONTROL) & PMC_ADDRESS;

    if (!(base & ACPI_ATOM_ON))
        return;
    s->tco = (struct tco){
        .ports = (uint16_t)((base & ACPI_PORTS) + TCO_AT),
        .counts_seconds = true,
    };
    set_gate(s, pmc ? pmc + PMC_CONFIG : 0, PMC_NO_REBOOT);
}

static void look_at_lpc(struct search *s, struct pci_function f, uint32_t device)
{
    uint32_t base = pci_read(f, ACPI_BASE), rcba = pci_read(f, RCBA);

    if (base == UINT32_MAX || !(base & ACPI_PORTS))
        return;
    if (is_atom(device)) {
        look_at_atom(s, f, base);
    } else if (base & ACPI_IO && pci_read(f, ACPI_CONTROL) & ACPI_ON) {
        s->tco = (struct tco){ .ports = (uint16_t)((base & ACPI_PORTS) + TCO_AT) };
        set_gate(s, rcba & RCBA_ON ? (rcba & RCBA_ADDRESS) + RCBA_GCS : 0, GCS_NO_REBOOT);
    }
}

/* Before the 100 series, these registers are 0 or all ones. */
static void look_at_smbus(struct search *s, struct pci_function f)
{
    uint32_t base = pci_read(f, TCO_BASE), control = pci_read(f, TCO_CONTROL);

    if (base == UINT32_MAX || control == UINT32_MAX || !(control & TCO_ON) || !(base & TCO_PORTS))
        return;
    s->tco = (struct tco){ .ports = (uint16_t)(base & TCO_PORTS) };
    s->tco.no_reboot = io_in16(s->tco.ports + CONTROL_1) & NO_REBOOT;
}

static void look_at(void *ctx, struct pci_function f)
{
    struct search *s = ctx;
    uint32_t id = pci_read(f, PCI_ID), class = pci_read(f, PCI_CLASS) >> 16;

    if (s->tco.ports || (id & 0xffff) != VENDOR_INTEL)
        return;
    if (class == CLASS_LPC)
        look_at_lpc(s, f, id >> 16);
    else if (class == CLASS_SMBUS)
        look_at_smbus(s, f);
}

static uint32_t seconds_left(const struct tco *tco, uint32_t count)
{
    uint32_t ticks = count;

    if (!(io_in16(tco->ports + STATUS_1) & TIMEOUT))
        ticks += io_in16(tco->ports + TIMER) & COUNT;
    return tco->counts_seconds ? ticks : ticks * TENTHS_A_TICK / 10;
}

struct watchdog_found tco_stop(watchdog_map *map)
{
    struct watchdog_found found = { .has_time = true, .effect = "reset the machine" };
    struct search s = { .map = map };
    uint16_t control;
    uint32_t count;

    pci_for_each(look_at, &s);
    if (!s.tco.ports || s.tco.no_reboot)
        return found;
    control = io_in16(s.tco.ports + CONTROL_1);
    if (control == NOTHING || control & HALT)
        return found;
    count = io_in16(s.tco.ports + RELOAD) & COUNT;
    found.seconds_left = seconds_left(&s.tco, count);
    io_out16(s.tco.ports + CONTROL_1, (uint16_t)((control & ~NMI_NOW) | HALT));
    if (count) /* else it was never started: QEMU's */
        found.state = io_in16(s.tco.ports + CONTROL_1) & HALT ? WATCHDOG_STOPPED : WATCHDOG_RUNS;
    return found;
}

/* False: the machine is wired, or set by firmware, so that the timer cannot reset it. */
static bool let_it_reset(const struct tco *tco)
{
    uint16_t control = io_in16(tco->ports + CONTROL_1);

    if (control == NOTHING || (tco->gate_bit && !tco->gate))
        return false;
    if (tco->gate) {
        *tco->gate &= ~tco->gate_bit;
        return !(*tco->gate & tco->gate_bit);
    }
    io_out16(tco->ports + CONTROL_1, (uint16_t)(control & ~(NMI_NOW | NO_REBOOT)));
    return !(io_in16(tco->ports + CONTROL_1) & NO_REBOOT);
}

static void set_halt(uint16_t ports, unsigned halt)
{
    uint16_t control = io_in16(ports + CONTROL_1);

    io_out16(ports + CONTROL_1, (uint16_t)((control & ~(NMI_NOW | HALT)) | halt));
}

/* It has to count down twice again. */
static void feed(const struct watchdog_timer *timer)
{
    io_out16(timer->ports + RELOAD, 1);
    io_out16(timer->ports + STATUS_1, TIMEOUT);
}

static void halt(const struct watchdog_timer *timer)
{
    set_halt(timer->ports, HALT);
}

bool tco_start(watchdog_map *map, uint32_t seconds, struct watchdog_timer *ret_timer)
{
    struct search s = { .map = map };
    struct watchdog_timer timer = { .feed = feed, .stop = halt };
    uint32_t half = seconds / 2, ticks;

    pci_for_each(look_at, &s);
    if (!s.tco.ports || !let_it_reset(&s.tco))
        return false;
    timer.ports = s.tco.ports;
    ticks = s.tco.counts_seconds ? half : half * 10 / TENTHS_A_TICK;
    ticks = (uint32_t)max_u64(TICKS_MIN, min_u64(ticks, COUNT));
    halt(&timer);
    io_out16(timer.ports + TIMER, (uint16_t)ticks);
    io_out16(timer.ports + STATUS_2, SECOND_TIME | RESTARTED);
    feed(&timer);
    set_halt(timer.ports, 0);
    if (!(io_in16(timer.ports + RELOAD) & COUNT))
        return false;
    *ret_timer = timer;
    return true;
}
