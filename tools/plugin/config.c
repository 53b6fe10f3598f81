// SPDX-License-Identifier: MIT
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
    const char *word;
    enum fault_kind kind;
} kinds[] = {
    { "stuck0", FAULT_STUCK0 },   { "stuck1", FAULT_STUCK1 },       { "rise", FAULT_RISE },
    { "fall", FAULT_FALL },       { "fade", FAULT_FADE },           { "invert", FAULT_COUPLE },
    { "set0", FAULT_COUPLE },     { "set1", FAULT_COUPLE },         { "alias", FAULT_ALIAS },
    { "ecc", FAULT_ECC },         { "lapse", FAULT_LAPSE },         { "chip", FAULT_CHIP },
    { "chip-read", FAULT_CHIP },  { "disturb", FAULT_DISTURB },     { "deceive", FAULT_DECEIVE },
    { "state", FAULT_STATE },     { "invert-write", FAULT_COUPLE }, { "invert-read", FAULT_COUPLE },
    { "leak", FAULT_LEAK },       { "couple", FAULT_COUPLE },       { "bridge", FAULT_BRIDGE },
    { "lost-beat", FAULT_BEATS }, { "shifted-beats", FAULT_BEATS }, { "misread", FAULT_MISREAD },
    { "one-cpu", FAULT_ONE_CPU }, { "all-cpus", FAULT_ALL_CPUS },
};

/* Couplings of which the word says all; those of "couple" follow it. */
static const struct {
    const char *word;
    enum fault_effect effect;
    uint8_t events;
} couplings[] = {
    { "invert", EFFECT_INVERT, EVENT_RISE | EVENT_FALL },
    { "set0", EFFECT_0, EVENT_RISE },
    { "set1", EFFECT_1, EVENT_RISE },
    { "invert-write", EFFECT_INVERT, EVENT_SAME },
    { "invert-read", EFFECT_INVERT, EVENT_LOAD },
};

/* After the aggressor and the victim: events, effect, and perhaps the third cell and its value. */
static bool read_coupling(const char *word, const char *numbers, struct fault *f)
{
    unsigned events, effect, value = 0;
    char more;
    int got = sscanf(numbers, "%" SCNi64 " %u %" SCNi64 " %u %u %u %" SCNi64 " %u %u %c",
                     &f->offset, &f->bit, &f->victim_offset, &f->victim_bit, &events, &effect,
                     &f->third_offset, &f->third_bit, &value, &more);

    for (size_t i = 0; i < sizeof(couplings) / sizeof(couplings[0]); i++) {
        if (strcmp(word, couplings[i].word) == 0) {
            f->events = couplings[i].events;
            f->effect = (uint8_t)couplings[i].effect;
            return got == 4;
        }
    }
    if ((got != 6 && got != 9) || !events || events > 15 || effect > EFFECT_INVERT || value > 1)
        return false;
    f->events = (uint8_t)events;
    f->effect = (uint8_t)effect;
    f->has_third = got == 9;
    f->value = value;
    return true;
}

/* The numbers of a line: false unless exactly those of its kind are there. */
static bool read_fault(const char *word, enum fault_kind kind, const char *numbers,
                       struct fault *ret_fault)
{
    struct fault f = { .kind = kind };
    unsigned holds[3];
    char more;
    int got;

    switch (kind) {
    case FAULT_ALIAS:
        got = sscanf(numbers, "%" SCNi64 " %" SCNi64 " %c", &f.offset, &f.victim_offset, &more);
        if (got != 2)
            return false;
        break;
    case FAULT_COUPLE:
        if (!read_coupling(word, numbers, &f))
            return false;
        break;
    case FAULT_STATE:
        got = sscanf(numbers, "%" SCNi64 " %u %" SCNi64 " %u %c", &f.offset, &f.bit,
                     &f.victim_offset, &f.victim_bit, &more);
        if (got != 4)
            return false;
        break;
    case FAULT_BRIDGE:
    case FAULT_ONE_CPU:
        got = sscanf(numbers, "%" SCNi64 " %u %u %c", &f.offset, &f.bit,
                     kind == FAULT_BRIDGE ? &f.other_line : &f.vcpu, &more);
        if (got != 3)
            return false;
        break;
    case FAULT_CHIP:
    case FAULT_BEATS:
    case FAULT_MISREAD:
        got = sscanf(numbers, "%" SCNi64 " %u %" SCNi64 " %c", &f.offset, &f.bit, &f.one_in, &more);
        if (got != 3)
            return false;
        break;
    case FAULT_FADE:
        got =
            sscanf(numbers, "%" SCNi64 " %u %" SCNi64 " %c", &f.offset, &f.bit, &f.hold_ns, &more);
        if (got != 3)
            return false;
        break;
    case FAULT_LEAK:
        if (sscanf(numbers, "%" SCNi64 " %u %" SCNi64 " %u %u %u %c", &f.offset, &f.bit, &f.hold_ns,
                   &holds[0], &holds[1], &holds[2], &more) != 6 ||
            holds[0] > 1 || holds[1] > 1 || holds[2] > 1)
            return false;
        f.left = holds[0];
        f.value = holds[1];
        f.right = holds[2];
        break;
    case FAULT_ECC:
        got = sscanf(numbers, "%" SCNi64 " %u %" SCNi64 " %c", &f.offset, &f.bit, &f.one_in, &more);
        if (got != 3 || f.one_in == 0)
            return false;
        break;
    case FAULT_LAPSE:
        got = sscanf(numbers, "%" SCNi64 " %u %u %u %c", &f.offset, &f.bit, &f.every, &f.stores,
                     &more);
        if (got != 4 || f.stores >= f.every)
            return false;
        break;
    default:
        if (sscanf(numbers, "%" SCNi64 " %u %c", &f.offset, &f.bit, &more) != 2)
            return false;
        break;
    }
    *ret_fault = f;
    return true;
}

static bool add_fault(const char *word, const char *numbers, const struct ram *ram,
                      struct faults *faults)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct fault fault;

        if (strcmp(word, kinds[i].word) == 0) {
            faults->bytes = ram->bytes;
            faults->size = ram->size;
            if (!read_fault(word, kinds[i].kind, numbers, &fault))
                return false;
            fault.reads_right = strcmp(word, "chip-read") == 0;
            fault.shifts = strcmp(word, "shifted-beats") == 0;
            return faults_add(faults, fault);
        }
    }
    return false;
}

/* The map's name, and all numbers of struct faults_dram: spec.py has their order. */
static bool read_dram(const char *text, struct faults_dram *ret_dram)
{
    struct faults_dram d = { 0 };
    struct dram_fault *f = &d.where;
    uint32_t *field = f->at.field;
    char map[32], more;
    unsigned any_column, value;

    if (sscanf(text, "%31s %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %" SCNu64 " %c", map,
               &f->fields, &field[DRAM_CHANNEL], &field[DRAM_DIMM], &field[DRAM_SUBCHANNEL],
               &field[DRAM_RANK], &field[DRAM_GROUP], &field[DRAM_BANK], &f->first_row, &f->n_rows,
               &any_column, &f->at.column, &f->pin, &f->n_pins, &f->beat, &f->one_in, &value,
               &f->seed, &more) != 18)
        return false;
    f->map = dram_map_find(map);
    f->any_column = any_column;
    d.value = value;
    if (!f->map || !f->one_in || !f->n_pins || f->n_pins > f->map->bus_bits ||
        f->pin > f->map->bus_bits - f->n_pins || value > FAULTS_MIXED)
        return false;
    *ret_dram = d;
    return true;
}

/* By strtoull: scanf's %i stops at the greatest signed number. */
static bool read_devices(const char *numbers, struct ram_devices *ret_devices)
{
    char *after_address, *after_size;

    ret_devices->address = strtoull(numbers, &after_address, 0);
    ret_devices->size = strtoull(after_address, &after_size, 0);
    return after_size != after_address && *after_size == '\0';
}

static bool add_rare(const char *text, const struct ram *ram, struct faults *faults)
{
    struct rare r = { 0 };
    char word[16], more;

    if (sscanf(text, "%15s %" SCNi64 " %" SCNu64 " %" SCNu64 " %" SCNi64 " %c", word, &r.size,
               &r.one_in, &r.seed, &r.offset, &more) != 5 ||
        !r.one_in)
        return false;
    while (r.when < RARE_WHENS && strcmp(rare_word(r.when), word) != 0)
        r.when++;
    faults->bytes = ram->bytes;
    faults->size = ram->size;
    return r.when < RARE_WHENS && faults_add_rare(faults, &r);
}

/* An offset and a file, which gets the number of stores: an integer of 8 bytes. */
static bool add_witness(const char *text, const struct ram *ram, struct faults *faults)
{
    struct fault fault = { .kind = FAULT_WITNESS };
    char path[4096];
    int fd;

    if (sscanf(text, "%" SCNi64 " %4095[^\n]", &fault.offset, path) != 2)
        return false;
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    fault.counter = mmap(NULL, sizeof(*fault.counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    faults->bytes = ram->bytes;
    faults->size = ram->size;
    return fault.counter != MAP_FAILED && faults_add(faults, fault);
}

static bool add_cpu(const char *word, const char *numbers, struct cpu_faults *cpus)
{
    static const char *const words[] = {
        [CPU_LOAD] = "cpu-load",
        [CPU_STORE] = "cpu-store",
        [CPU_VECTOR] = "cpu-vector",
        [CPU_CACHE] = "cpu-cache",
    };
    struct cpu_fault *f = &cpus->fault[cpus->n % CPU_FAULTS_MAX];
    char more;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i]) != 0)
            continue;
        f->kind = (enum cpu_fault_kind)i;
        if (cpus->n == CPU_FAULTS_MAX ||
            sscanf(numbers, "%u %" SCNu64 " %c", &f->vcpu, &f->one_in, &more) != 2 || !f->one_in)
            return false;
        cpu_fault_begin(f);
        cpus->n++;
        return true;
    }
    return false;
}

static bool add_line(char *line, struct ram *ram, struct faults *faults, struct cpu_faults *cpus)
{
    char *rest = strchr(line, ' ');

    if (rest == NULL)
        return false;
    *rest++ = '\0';
    if (strcmp(line, "file") == 0)
        return ram_add_file(ram, rest);
    if (strcmp(line, "window") == 0) {
        struct ram_window w;

        return sscanf(rest, "%" SCNi64 " %" SCNi64 " %" SCNi64, &w.address, &w.offset, &w.size) ==
                   3 &&
               ram_add_window(ram, w);
    }
    if (strcmp(line, "devices") == 0) {
        struct ram_devices d;

        return read_devices(rest, &d) && ram_add_devices(ram, d);
    }
    if (strncmp(line, "cpu-", 4) == 0)
        return add_cpu(line, rest, cpus);
    if (strcmp(line, "witness") == 0)
        return add_witness(rest, ram, faults);
    if (strcmp(line, "rare") == 0)
        return add_rare(rest, ram, faults);
    if (strcmp(line, "dram") == 0) {
        struct faults_dram d;

        faults->bytes = ram->bytes;
        faults->size = ram->size;
        return read_dram(rest, &d) && faults_add_dram(faults, &d);
    }
    return add_fault(line, rest, ram, faults);
}

bool config_read(const char *path, struct ram *ram, struct faults *faults, struct cpu_faults *cpus)
{
    FILE *in = fopen(path, "re");
    char line[4352];
    bool good = true;

    if (in == NULL) {
        fprintf(stderr, "okram plugin: %s: %s\n", path, strerror(errno));
        return false;
    }
    for (unsigned number = 1; good && fgets(line, sizeof(line), in) != NULL; number++) {
        line[strcspn(line, "\n")] = '\0';
        good = add_line(line, ram, faults, cpus);
        if (!good)
            fprintf(stderr, "okram plugin: %s: line %u is malformed: %s\n", path, number, line);
    }
    fclose(in);
    return good;
}
