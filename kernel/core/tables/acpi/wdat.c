// SPDX-License-Identifier: MIT
#include "acpi/wdat.h"

struct wdat_table {
    struct acpi_header header;
    uint32_t header_bytes;
    uint16_t pci_segment;
    uint8_t pci_bus, pci_device, pci_function;
    uint8_t reserved1[3];
    uint32_t period_ms;
    uint32_t max_count, min_count;
    uint8_t flags;
    uint8_t reserved2[3];
    uint32_t n_entries;
} __attribute__((packed));
_Static_assert(sizeof(struct wdat_table) == 68, "WDAT 1.0");

struct entry {
    uint8_t action;
    uint8_t instruction;
    uint16_t reserved;
    struct acpi_register reg;
    uint32_t value, mask;
} __attribute__((packed));
_Static_assert(sizeof(struct entry) == 24, "WDAT 1.0");

#define FLAG_ENABLED (1u << 0)
#define PRESERVE     0x80u
#define NO_PCI       0xffu /* in each part of a PCI address: it is not a PCI device */

#define ACCESS_SIZE_MAX 3 /* 32 bits */

/* Actions by their number in the table. */
enum {
    QUERY_COUNTDOWN = 4,
    QUERY_RUNNING = 8,
    SET_STOPPED = 11,
};

static bool is_pci(const struct wdat_table *t)
{
    return (t->pci_segment & 0xff) != NO_PCI || t->pci_bus != NO_PCI || t->pci_device != NO_PCI ||
           t->pci_function != NO_PCI;
}

/* WDAT_ACTIONS: one that okram does not do. */
static enum wdat_action action_of(uint8_t number)
{
    switch (number) {
    case QUERY_COUNTDOWN: return WDAT_COUNTDOWN;
    case QUERY_RUNNING: return WDAT_IS_RUNNING;
    case SET_STOPPED: return WDAT_STOP;
    default: return WDAT_ACTIONS;
    }
}

/* 0: impossible. Accesses are of 8, 16 or 32 bits; without a size the width says it. */
static unsigned access_bytes(const struct acpi_register *r)
{
    unsigned bits = r->bit_width;

    if (r->access_size > ACCESS_SIZE_MAX)
        return 0;
    if (r->access_size)
        bits = 4u << r->access_size;
    if (bits != 8 && bits != 16 && bits != 32)
        return 0;
    return r->bit_offset < bits ? bits / 8 : 0;
}

static bool is_there(const struct acpi_register *r, unsigned bytes)
{
    uint64_t end = r->space == ACPI_SPACE_IO ? UINT64_C(0x10000) : UINT64_MAX;

    return (r->space == ACPI_SPACE_IO || r->space == ACPI_SPACE_MEMORY) && r->address &&
           r->address <= end - bytes;
}

/* NULL, or what is wrong with it. */
static const char *read_entry(const struct entry *e, struct wdat_step *ret)
{
    *ret = (struct wdat_step){
        .instruction = e->instruction & (PRESERVE - 1u),
        .preserve = e->instruction & PRESERVE,
        .reg = e->reg,
        .bytes = access_bytes(&e->reg),
        .value = e->value,
        .mask = e->mask,
    };
    if (!ret->bytes)
        return "an impossible access size";
    if (!is_there(&ret->reg, ret->bytes))
        return "a register at an impossible address";
    if (ret->instruction > WDAT_WRITE_VALUE)
        return "an unknown instruction";
    return NULL;
}

static const char *add_entry(const struct entry *e, struct wdat *wdat)
{
    enum wdat_action action = action_of(e->action);
    struct wdat_step step;
    const char *wrong;

    if (action == WDAT_ACTIONS)
        return NULL;
    wrong = read_entry(e, &step);
    if (wrong)
        return wrong;
    if (wdat->action[action].n == WDAT_STEPS_MAX)
        return "too many instructions for one action";
    wdat->action[action].step[wdat->action[action].n++] = step;
    return NULL;
}

/* What an action is for must be among its instructions: else it does nothing that okram wants. */
static bool has_step(const struct wdat *wdat, enum wdat_action action,
                     enum wdat_instruction instruction)
{
    for (size_t i = 0; i < wdat->action[action].n; i++) {
        if (wdat->action[action].step[i].instruction == instruction)
            return true;
    }
    return false;
}

static const char *check(const struct wdat *wdat)
{
    if (!has_step(wdat, WDAT_IS_RUNNING, WDAT_READ_VALUE))
        return "no instruction that reads whether it is running";
    if (wdat->action[WDAT_COUNTDOWN].n && !has_step(wdat, WDAT_COUNTDOWN, WDAT_READ_COUNTDOWN))
        return "no instruction that reads the countdown";
    if (!has_step(wdat, WDAT_STOP, WDAT_WRITE_VALUE))
        return "no instruction that stops it";
    return NULL;
}

static const char *read_all(const struct wdat_table *t, struct wdat *wdat)
{
    const struct entry *e = (const void *)(t + 1);
    const char *wrong;

    if (t->n_entries > (t->header.length - sizeof(*t)) / sizeof(*e))
        return "more instructions than it has room for";
    if (!t->period_ms || t->min_count > t->max_count)
        return "an impossible period or count";
    wdat->period_ms = t->period_ms;
    for (uint32_t i = 0; i < t->n_entries; i++) {
        wrong = add_entry(&e[i], wdat);
        if (wrong)
            return wrong;
    }
    return check(wdat);
}

enum status wdat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct wdat *ret_wdat)
{
    const struct wdat_table *t = (const void *)table;
    struct wdat wdat = { 0 };
    const char *wrong;

    if (!acpi_table_holds(table, sizeof(*t), "WDAT", warnings))
        return STATUS_INVALID;
    if (!(t->flags & FLAG_ENABLED) || is_pci(t))
        return STATUS_NOT_FOUND;
    wrong = read_all(t, &wdat);
    if (wrong) {
        warn_print(warnings, "WDAT: %s; the watchdog that it describes is left as it is", wrong);
        return STATUS_INVALID;
    }
    *ret_wdat = wdat;
    return STATUS_OK;
}

uint32_t wdat_value(const struct wdat_step *step, uint32_t content)
{
    return content >> step->reg.bit_offset & step->mask;
}

uint32_t wdat_written(const struct wdat_step *step, uint32_t old)
{
    uint32_t kept = step->preserve ? old & ~(step->mask << step->reg.bit_offset) : 0;

    return kept | (step->value & step->mask) << step->reg.bit_offset;
}
