// SPDX-License-Identifier: MIT
/*
 * guardlist: the list of bad pages for the guard and the other forms that are kept in UEFI
 * variables, by the code of the kernel and of the loader. It works for `okram guard`, `okram
 * report` and `okram test`.
 *
 * guardlist make --made SECONDS [machine]: ranges of bad pages on standard input, BASE-END with
 * END exclusive, one a line, ascending; the list on standard output.
 * guardlist show [machine] [--free BASE-END,...]: the list on standard input, one JSON object on
 * standard output. Of a machine with that free memory also whether the guard would refuse the list,
 * and how many of its pages would stay in use, so that a system can start.
 * guardlist backup: the data of OkramGuardBackup on standard input, the same line on standard
 * output, with all its fields, no others, and no blanks.
 *
 * guardlist saved: the report in UEFI variables, see saved.h.
 * guardlist options: options for a load option, see words.h.
 *
 * The machine: --ram-bytes N --smbios-entry FILE --smbios-structures FILE. Exit status: 0; 1 when
 * what was read is not valid, and {"invalid":"why"} is written; 2 with a message when nothing could
 * be done.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "badram/pattern.h"
#include "boot/uefi/guard_install/backup.h"
#include "file.h"
#include "firmware/smbios.h"
#include "guardlist/guard_choose.h"
#include "guardlist/guard_list.h"
#include "guardlist/guard_options.h"
#include "lib/json.h"
#include "lib/minmax.h"
#include "options/number.h"
#include "saved.h"
#include "tools/badram/message.h"
#include "words.h"

struct arguments {
    const char *entry, *structures, *free;
    uint64_t ram_bytes, made;
    bool has_machine;
};

static uint64_t parse_number(const char *name, const char *text)
{
    uint64_t n;

    if (!number_parse(text, 0, INT64_MAX, &n))
        fail("--%s %s: not a number", name, text);
    return n;
}

static struct arguments parse_arguments(int argc, char **argv)
{
    static const struct option names[] = {
        { "free", required_argument, NULL, 'f' },
        { "made", required_argument, NULL, 'm' },
        { "ram-bytes", required_argument, NULL, 'r' },
        { "smbios-entry", required_argument, NULL, 'e' },
        { "smbios-structures", required_argument, NULL, 's' },
        { 0 },
    };
    struct arguments a = { 0 };
    int c;

    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (c) {
        case 'f': a.free = optarg; break;
        case 'm': a.made = parse_number("made", optarg); break;
        case 'r':
            a.ram_bytes = parse_number("ram-bytes", optarg);
            a.has_machine = true;
            break;
        case 'e': a.entry = optarg; break;
        case 's': a.structures = optarg; break;
        default: exit(2);
        }
    }
    if (optind < argc)
        fail("unknown argument: %s", argv[optind]);
    return a;
}

/* Where no structures are: the entry point is handed out there, whatever its own address. */
#define ENTRY_ADDRESS UINT64_C(1)

/* No entry point is asked for by more; a shorter list holds no structure of use. */
#define ENTRY_BYTES_MAX 31u

struct tables {
    struct file entry, structures;
};

/* Linux cuts the list after its last structure, the entry point may count more. */
static const void *map_structures(const struct file *structures, size_t length)
{
    uint8_t *bytes = allocate(length); /* used until the program ends */
    size_t n = structures->size < length ? structures->size : length;

    memcpy(bytes, structures->bytes, n);
    memset(bytes + n, 0, length - n);
    return bytes;
}

static const void *map(void *ctx, uint64_t phys, size_t length)
{
    const struct tables *t = ctx;

    if (phys == ENTRY_ADDRESS)
        return length <= t->entry.size ? t->entry.bytes : NULL;
    return length > ENTRY_BYTES_MAX ? map_structures(&t->structures, length) : NULL;
}

static void warn(void *ctx, const char *text)
{
    message("%s", text);
}

/* The machine that a running Linux shows in the files of /sys/firmware/dmi/tables. */
static struct guard_fingerprint read_machine(const struct arguments *a)
{
    static const struct warnings warnings = { .warn = warn };
    struct tables tables;
    struct phys_reader reader = { .map = map, .ctx = &tables };
    struct smbios smbios;
    struct guard_fingerprint machine;
    bool is_there = false;

    if (a->entry && a->structures) {
        tables = (struct tables){ file_read(a->entry), file_read(a->structures) };
        is_there = smbios_open(&reader, ENTRY_ADDRESS, &warnings, &smbios) == STATUS_OK;
    }
    guard_fingerprint_read(is_there ? &smbios : NULL, a->ram_bytes, &machine);
    return machine;
}

/* BASE-END. END need not end a page: the page that holds the last byte is bad. */
static struct guard_run parse_range(const char *line, size_t number)
{
    const char *at = line;
    uint64_t base, end, first;

    if (!number_read(&at, &base) || *at++ != '-' || !number_read(&at, &end) || *at != '\0' ||
        base >= end || end > GUARD_LIST_PAGES << PAGE_SHIFT)
        fail("standard input, line %zu: '%s' is not a range of bad pages", number, line);
    first = base >> PAGE_SHIFT;
    return (struct guard_run){ first, ((end - 1) >> PAGE_SHIFT) + 1 - first };
}

static void add_input(struct guard_writer *writer)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t least = 0;

    for (size_t number = 1; getline(&line, &room, stdin) >= 0; number++) {
        struct guard_run run;

        line[strcspn(line, "\n")] = '\0';
        run = parse_range(line, number);
        if (run.first < least)
            fail("standard input, line %zu: the ranges do not ascend", number);
        least = run.first;
        guard_writer_add(writer, run);
    }
    free(line);
}

static int make(const struct arguments *a)
{
    uint8_t *bytes = allocate(GUARD_LIST_MAX);
    struct guard_writer writer = guard_writer_begin(bytes, GUARD_LIST_MAX);
    const struct guard_fingerprint machine = read_machine(a);
    size_t size;

    add_input(&writer);
    size = guard_writer_end(&writer, &machine, (int64_t)a->made);
    if (!size)
        fail("the bad pages are too scattered for a list of %u bytes", GUARD_LIST_MAX);
    if (fwrite(bytes, 1, size, stdout) != size)
        fail("standard output cannot be written");
    free(bytes);
    return 0;
}

static void print_runs(const struct guard_list *list)
{
    struct guard_reader reader = guard_list_read(list);
    struct guard_run run;
    const char *comma = "";

    for (putchar('['); guard_reader_next(&reader, &run); comma = ",")
        printf("%s[%" PRIu64 ",%" PRIu64 "]", comma, run.first, run.n);
    putchar(']');
}

static void print_text(const char *name, const char *text)
{
    char field[256];
    struct fmt_buffer out = fmt_buffer_make(field, sizeof(field));
    struct json json = { .out = &out, .first = true };

    json_text(&json, name, text);
    fputs(field, stdout);
}

/* BASE-END,... in whole pages, as pieces that the caller frees. */
static struct guard_ram_use parse_free(const char *text)
{
    struct guard_ram_use pieces = { .piece = allocate((strlen(text) + 1) * sizeof(*pieces.piece)) };
    uint64_t base, end;
    const char *at = text;

    do {
        if (!number_read(&at, &base) || *at++ != '-' || !number_read(&at, &end) || base > end)
            fail("--free %s: not ranges", text);
        base = (base + PAGE_SIZE - 1) >> PAGE_SHIFT;
        end >>= PAGE_SHIFT;
        if (base < end)
            pieces.piece[pieces.n++] = (struct guard_piece){ base, end - base, GUARD_FREE };
    } while (*at++ == ',');
    guard_ram_use_sort(&pieces);
    return pieces;
}

/* How many pages are in both. */
static uint64_t pages_in_both(const struct guard_list *first, const struct guard_list *second)
{
    struct guard_reader a = guard_list_read(first), b = guard_list_read(second);
    struct guard_run run_a, run_b;
    bool has_both = guard_reader_next(&a, &run_a) && guard_reader_next(&b, &run_b);
    uint64_t n = 0;

    while (has_both) {
        uint64_t end_a = run_a.first + run_a.n, end_b = run_b.first + run_b.n;
        uint64_t from = max_u64(run_a.first, run_b.first), to = min_u64(end_a, end_b);

        n += to > from ? to - from : 0;
        has_both = end_a < end_b ? guard_reader_next(&a, &run_a) : guard_reader_next(&b, &run_b);
    }
    return n;
}

/* What the guard would do by default: the memory that firmware holds later is not known. */
static void print_choice(const struct guard_list *list, const char *free_ranges)
{
    const struct guard_options options = guard_options_default();
    struct guard_ram_use pieces = parse_free(free_ranges);
    void *buffer = allocate(guard_choose_bytes(list));
    struct guard_choice choice;

    if (guard_choose(list, &pieces, &options.limits, buffer, &choice) != STATUS_OK)
        fail("the list is too long");
    printf(",\"left\":%" PRIu64 ",\"refused\":%s",
           list->head.n_pages - pages_in_both(list, &choice.list),
           guard_takes_too_much(&choice.list, &pieces) ? "true" : "false");
    free(buffer);
    free(pieces.piece);
}

static int say_invalid(const char *why)
{
    putchar('{');
    print_text("invalid", why);
    puts("}");
    return 1;
}

static int show_backup(void)
{
    struct file file = file_read_stream(stdin, "standard input");
    char line[BACKUP_MAX];
    struct backup backup;
    const char *why;

    file.bytes[file.size] = 0; /* it is shorter than its room */
    if (!backup_read((const char *)file.bytes, &backup, &why))
        return say_invalid(why);
    if (!backup_write(&backup, line, sizeof(line)))
        return say_invalid("it is too long");
    fputs(line, stdout);
    free(file.bytes);
    return 0;
}

static int show(const struct arguments *a)
{
    struct file file = file_read_stream(stdin, "standard input");
    struct guard_fingerprint here;
    struct guard_list list;
    const char *why;

    if (guard_list_open(file.bytes, file.size, &list, &why) != STATUS_OK)
        return say_invalid(why);
    printf("{\"pages\":%" PRIu64 ",\"bytes\":%" PRIu32 ",\"made\":%" PRId64, list.head.n_pages,
           list.head.bytes, list.head.made);
    if (a->has_machine) {
        here = read_machine(a);
        putchar(',');
        print_text("differs", guard_fingerprint_differs(&list.head.machine, &here));
    }
    if (a->free)
        print_choice(&list, a->free);
    printf(",\"runs\":");
    print_runs(&list);
    puts("}");
    free(file.bytes);
    return 0;
}

int main(int argc, char **argv)
{
    const char *action = argc > 1 ? argv[1] : "";
    struct arguments a;
    int status;

    if (argc < 2)
        fail("the first argument is make, show, backup, saved or options");
    a = parse_arguments(argc - 1, argv + 1);
    if (strcmp(action, "make") == 0)
        status = make(&a);
    else if (strcmp(action, "show") == 0)
        status = show(&a);
    else if (strcmp(action, "backup") == 0)
        status = show_backup();
    else if (strcmp(action, "saved") == 0)
        status = saved_show();
    else if (strcmp(action, "options") == 0)
        status = words_show();
    else
        fail("the first argument is make, show, backup, saved or options");
    return fflush(stdout) || ferror(stdout) ? 2 : status;
}
