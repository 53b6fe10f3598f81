// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bootcfg/lines.h"
#include "log/page_index.h"
#include "message.h"
#include "options/number.h"
#include "options/values.h"

static uint64_t parse_number(const char *name, const char *text)
{
    uint64_t n;

    if (!number_parse(text, 0, UINT64_MAX, &n))
        fail("--%s %s: not a number", name, text);
    return n;
}

static uint64_t parse_limit(const char *name, const char *text)
{
    uint64_t n = parse_number(name, text);

    if (n == 0)
        fail("--%s 0: must be 1 or more", name);
    return n;
}

static struct span parse_span(const char *name, const char *text, uint64_t limit)
{
    const char *at = text;
    uint64_t base, top;

    if (!number_read_size(&at, &base) || *at++ != '-' || !number_read_size(&at, &top) || *at)
        fail("--%s %s: not of the form BASE-END", name, text);
    if (base >= top || top > limit)
        fail("--%s %s: END must be above BASE, and at most %" PRIu64 "T", name, text, limit >> 40);
    return (struct span){ .base = base, .size = top - base };
}

static void add_span(const char *name, const char *text, uint64_t limit, struct span *list,
                     size_t *n)
{
    if (*n == RAM_SPANS_MAX)
        fail("--%s: more than %d of them", name, RAM_SPANS_MAX);
    list[(*n)++] = parse_span(name, text, limit);
}

static enum firmware parse_firmware(const char *text)
{
    if (strcmp(text, "bios") == 0)
        return FIRMWARE_BIOS;
    if (strcmp(text, "uefi") == 0)
        return FIRMWARE_UEFI;
    fail("--firmware %s: it is bios or uefi", text);
}

static void parse_checked(const char *text, struct arguments *a)
{
    size_t room = 1;

    for (const char *c = text; *c; c++)
        room += *c == ',';
    free(a->checked);
    a->n_checked = 0;
    a->checked = allocate(room * sizeof(a->checked[0]));
    for (const char *at = text; a->n_checked == 0 || *at; a->n_checked++) {
        struct written *w = &a->checked[a->n_checked];

        if (!number_read(&at, &w->addr) || *at++ != ',' || !number_read(&at, &w->mask) ||
            (*at && *at++ != ','))
            fail("--check %s: not of the form ADDR,MASK[,ADDR,MASK...]", text);
    }
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->base > y->base) - (x->base < y->base);
}

void arguments_parse(int argc, char **argv, struct arguments *ret_arguments)
{
    static const struct option names[] = {
        { "patterns", required_argument, NULL, 'k' },
        { "ranges", required_argument, NULL, 'r' },
        { "to", required_argument, NULL, 't' },
        { "json", no_argument, NULL, 'j' },
        { "explain", no_argument, NULL, 'e' },
        { "no-input", no_argument, NULL, 'n' },
        { "ram", required_argument, NULL, 'm' },
        { "map-entries", required_argument, NULL, 'E' },
        { "map-top", required_argument, NULL, 'T' },
        { "firmware", required_argument, NULL, 'f' },
        { "entry", required_argument, NULL, 'y' },
        { "check", required_argument, NULL, 'c' },
        { 0 },
    };
    struct arguments *a = ret_arguments;
    int c;

    *a = (struct arguments){ .patterns = 64, .kinds = 1u << LINE_GRUB, .has_input = true };
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (c) {
        case 'k': a->patterns = parse_limit("patterns", optarg); break;
        case 'r': a->ranges = parse_limit("ranges", optarg); break;
        case 't':
            if (!value_parse_lines(optarg, &a->kinds))
                fail("--to %s: not a list of names that --help shows", optarg);
            break;
        case 'j': a->json = true; break;
        case 'e': a->explain = true; break;
        case 'n': a->has_input = false; break;
        case 'm': add_span("ram", optarg, RAM_TOP, a->ram, &a->n_ram); break;
        case 'E': a->map_entries = parse_number("map-entries", optarg); break;
        case 'T': a->map_top = parse_number("map-top", optarg); break;
        case 'f': a->firmware = parse_firmware(optarg); break;
        case 'y':
            add_span("entry", optarg, PAGES_MAX << PAGE_SHIFT, a->entry, &a->n_entries);
            break;
        case 'c': parse_checked(optarg, a); break;
        default: exit(2);
        }
    }
    if (optind < argc)
        fail("unknown argument: %s", argv[optind]);
    if (a->firmware == FIRMWARE_BIOS && !a->n_entries)
        fail("--firmware bios: needs --map: there GRUB depends on the memory map");
    a->ram_is_known = a->n_ram != 0;
    a->ranges_are_auto = !a->ranges;
    if (a->ranges_are_auto)
        a->ranges = lines_map_room(a->map_entries, a->firmware == FIRMWARE_BIOS);
    qsort(a->ram, a->n_ram, sizeof(a->ram[0]), compare_spans);
    qsort(a->entry, a->n_entries, sizeof(a->entry[0]), compare_spans);
}

void arguments_assume_ram(struct arguments *arguments, uint64_t top)
{
    uint64_t end = PAGE_SIZE;

    for (size_t i = 0; i < arguments->n_checked; i++) {
        if (arguments->checked[i].addr < RAM_TOP && arguments->checked[i].addr > top)
            top = arguments->checked[i].addr;
    }
    while (end <= top)
        end *= 2;
    if (end > ASSUMED_RAM_MAX)
        fail("0x%" PRIx64 " is above 4 TiB: say where RAM is, by --map or --ram", top);
    arguments->ram[0] = (struct span){ .base = 0, .size = end };
    arguments->n_ram = 1;
}
