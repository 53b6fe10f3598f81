// SPDX-License-Identifier: MIT
#include "tools/plugin/config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define FILE_PAGES 2
#define FILE_BYTES (FILE_PAGES * RAM_PAGE_SIZE)

static char backend[2][64];
static char config[64];
static struct cpu_faults cpus;

static void make_file(char *path, size_t size, const char *name)
{
    snprintf(path, 64, "/tmp/okram-%s-XXXXXX", name);
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
}

int group_set_up(void **state)
{
    make_file(backend[0], FILE_BYTES, "a");
    make_file(backend[1], FILE_BYTES, "b");
    make_file(config, 0, "config");
    return 0;
}

int group_tear_down(void **state)
{
    unlink(backend[0]);
    unlink(backend[1]);
    unlink(config);
    return 0;
}

/* The two files, their windows 64 KiB apart, and what text adds. */
static bool read_with(const char *text, struct ram *ram, struct faults *faults)
{
    FILE *out = fopen(config, "w");

    assert_non_null(out);
    fprintf(out, "file %s\nfile %s\n", backend[0], backend[1]);
    fprintf(out, "window 0x0 0x0 0x2000\nwindow 0x10000 0x2000 0x2000\n%s", text);
    fclose(out);
    *ram = (struct ram){ 0 };
    *faults = (struct faults){ 0 };
    cpus = (struct cpu_faults){ 0 };
    return config_read(config, ram, faults, &cpus);
}

static void release(struct ram *ram, struct faults *faults)
{
    free(faults->fault);
    free(faults->first);
    assert_int_equal(munmap(ram->bytes, RAM_RESERVED_BYTES), 0);
}

TEST(test_windows)
{
    static const struct {
        uint64_t address, offset;
        bool found;
    } rows[] = {
        { 0x0, 0x0, true },    { 0x1fff, 0x1fff, true },  { 0x2000, 0, false },
        { 0xffff, 0, false },  { 0x10000, 0x2000, true }, { 0x11fff, 0x3fff, true },
        { 0x12000, 0, false }, { UINT64_MAX, 0, false },
    };
    struct faults faults;
    struct ram ram;

    assert_true(read_with("", &ram, &faults));
    assert_int_equal(ram.size, 2 * FILE_BYTES);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t offset = 0;

        assert_int_equal(ram_find(&ram, rows[i].address, &offset), rows[i].found);
        assert_int_equal(offset, rows[i].offset);
    }
    release(&ram, &faults);
}

TEST(test_devices)
{
    static const struct {
        uint64_t vaddr;
        bool is_device;
    } rows[] = {
        { 0x7fffffff, false },  { 0x80000000, true },         { 0xffffffff, true },
        { 0x100000000, false }, { UINT64_MAX - 0xfff, true }, { UINT64_MAX, true },
        { 0, false },
    };
    struct faults faults;
    struct ram ram;

    assert_true(read_with("devices 0x80000000 0x80000000\ndevices 0xfffffffffffff000 0x1000\n",
                          &ram, &faults));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(ram_is_device(&ram, rows[i].vaddr), rows[i].is_device);
    release(&ram, &faults);

    assert_true(read_with("", &ram, &faults));
    assert_false(ram_is_device(&ram, 0x80000000));
    release(&ram, &faults);
}

TEST(test_memory_is_that_of_the_files)
{
    struct faults faults;
    struct ram ram;
    uint8_t byte = 0;
    FILE *in;

    assert_true(read_with("stuck1 0x2005 3\n", &ram, &faults));
    assert_true(faults_begin(&faults, 0));
    in = fopen(backend[1], "r");
    assert_non_null(in);
    assert_int_equal(fseek(in, 5, SEEK_SET), 0);
    assert_int_equal(fread(&byte, 1, 1, in), 1);
    assert_int_equal(byte, 1 << 3);
    fclose(in);
    release(&ram, &faults);
}

TEST(test_every_kind)
{
    static const char text[] = "stuck0 1 0\nstuck1 0x2 7\nrise 3 1\nfall 4 1\nfade 5 2 1000\n"
                               "invert 6 1 0x3fff 7\nset0 7 1 8 1\nset1 9 1 8 2\nalias 0 0x1000\n"
                               "ecc 9 3 5\nchip 0x2000 5 300\nchip-read 0x3000 7 1\n"
                               "leak 0x1037 2 2000 0 1 1\n";
    struct faults faults;
    struct ram ram;

    assert_true(read_with(text, &ram, &faults));
    assert_int_equal(faults.n, 14); /* an alias is two */
    assert_int_equal(faults.fault[1].offset, 2);
    assert_int_equal(faults.fault[4].hold_ns, 1000);
    assert_int_equal(faults.fault[5].events, EVENT_RISE | EVENT_FALL);
    assert_int_equal(faults.fault[5].effect, EFFECT_INVERT);
    assert_int_equal(faults.fault[6].effect, EFFECT_0);
    assert_int_equal(faults.fault[7].effect, EFFECT_1);
    assert_int_equal(faults.fault[5].victim_offset, 0x3fff);
    assert_int_equal(faults.fault[5].victim_bit, 7);
    assert_int_equal(faults.fault[10].kind, FAULT_ECC);
    assert_int_equal(faults.fault[10].one_in, 5);
    assert_int_equal(faults.fault[11].kind, FAULT_CHIP);
    assert_int_equal(faults.fault[11].one_in, 300);
    assert_false(faults.fault[11].reads_right);
    assert_int_equal(faults.fault[12].bit, 7);
    assert_true(faults.fault[12].reads_right);
    assert_int_equal(faults.fault[13].kind, FAULT_LEAK);
    assert_int_equal(faults.fault[13].hold_ns, 2000);
    assert_false(faults.fault[13].left);
    assert_true(faults.fault[13].value);
    assert_true(faults.fault[13].right);
    release(&ram, &faults);
}

TEST(test_disturbances)
{
    static const char text[] = "disturb 1 0\ndeceive 2 1\nstate 3 1 0x3fff 7\n"
                               "invert-write 4 1 8 2\ninvert-read 5 1 8 3\nlapse 6 1 100 99\n";
    struct faults faults;
    struct ram ram;

    assert_true(read_with(text, &ram, &faults));
    assert_int_equal(faults.n, 7); /* state is two */
    assert_int_equal(faults.fault[6].every, 100);
    assert_int_equal(faults.fault[6].stores, 99);
    assert_int_equal(faults.fault[1].kind, FAULT_DECEIVE);
    assert_int_equal(faults.fault[3].kind, FAULT_STATE_VICTIM);
    assert_int_equal(faults.fault[3].offset, 0x3fff);
    assert_int_equal(faults.fault[3].bit, 7);
    assert_int_equal(faults.fault[3].victim_bit, 1);
    assert_int_equal(faults.fault[4].events, EVENT_SAME);
    assert_int_equal(faults.fault[5].events, EVENT_LOAD);
    release(&ram, &faults);
}

TEST(test_kinds_of_words_and_cpus)
{
    static const char text[] =
        "couple 1 0 2 7 2 1\ncouple 3 1 4 2 9 2 0x3fff 6 1\nbridge 0x1000 3 63\n"
        "lost-beat 0x2000 7 50\nshifted-beats 0x3000 1 1\nmisread 5 1 20\none-cpu 6 2 1\n"
        "all-cpus 7 3\n";
    struct faults faults;
    struct ram ram;

    assert_true(read_with(text, &ram, &faults));
    assert_int_equal(faults.n, 8);
    assert_int_equal(faults.fault[0].events, EVENT_FALL);
    assert_int_equal(faults.fault[0].effect, EFFECT_1);
    assert_false(faults.fault[0].has_third);
    assert_int_equal(faults.fault[1].events, EVENT_RISE | EVENT_LOAD);
    assert_int_equal(faults.fault[1].third_offset, 0x3fff);
    assert_int_equal(faults.fault[1].third_bit, 6);
    assert_true(faults.fault[1].has_third && faults.fault[1].value);
    assert_int_equal(faults.fault[2].other_line, 63);
    assert_false(faults.fault[3].shifts);
    assert_int_equal(faults.fault[3].one_in, 50);
    assert_true(faults.fault[4].shifts);
    assert_int_equal(faults.fault[5].one_in, 20);
    assert_int_equal(faults.fault[6].vcpu, 1);
    assert_int_equal(faults.fault[7].kind, FAULT_ALL_CPUS);
    release(&ram, &faults);
}

TEST(test_rare)
{
    struct faults faults;
    struct ram ram;

    assert_true(
        read_with("rare cpu 0x1000 7 3 0x2000\nrare lanes 0x1000 8 4 0x3000\n", &ram, &faults));
    assert_int_equal(faults.n_rare, 2);
    assert_int_equal(faults.rare[0].when, RARE_CPU);
    assert_int_equal(faults.rare[1].when, RARE_LANES);
    assert_int_equal(faults.rare[1].one_in, 8);
    assert_int_equal(faults.rare[1].seed, 4);
    assert_true(faults_begin(&faults, 0));
    assert_false(faults.sees_loads);
    assert_true(faults_near(&faults, 0x38, 8));
    assert_false(faults_near(&faults, 0x30, 8));
    assert_false(faults_has_page(&faults, 0x1000));
    assert_true(faults_has_page(&faults, 0x2000));
    assert_true(faults_has_page(&faults, 0x3fff));
    release(&ram, &faults);
}

TEST(test_witness)
{
    struct faults faults;
    char text[128], counter[64];
    struct ram ram;
    uint64_t n = 0;
    FILE *in;

    make_file(counter, sizeof(n), "counter");
    snprintf(text, sizeof(text), "witness 0x2005 %s\n", counter);
    assert_true(read_with(text, &ram, &faults));
    assert_true(faults_begin(&faults, 0));
    faults_after_store(&faults, 0x2000, 8, 0);
    in = fopen(counter, "r");
    assert_non_null(in);
    assert_int_equal(fread(&n, sizeof(n), 1, in), 1);
    assert_int_equal(n, 1);
    fclose(in);
    unlink(counter);
    assert_int_equal(munmap(faults.fault[0].counter, sizeof(n)), 0);
    release(&ram, &faults);
}

TEST(test_bad_lines)
{
    static const char *const lines[] = {
        "stuck0",
        "stuck0 1",
        "stuck0 1 8",
        "stuck0 1 -1",
        "stuck0 1 256",
        "stuck0 1 1 1",
        "stuck0 0x4000 0",
        "invert 1 1 2",
        "set0 1 1 2 8",
        "set1 1 1 0x4000 0",
        "alias 0",
        "alias 0 0x4000",
        "fade 1 1",
        "leak 8 1 1 0 1",
        "leak 8 1 1 0 1 2",
        "leak 8 1 1 0 1 1 1",
        "leak 8 8 1 0 1 1",
        "leak 7 1 1 0 1 1",
        "leak 0x38 1 1 0 1 1",
        "ecc 1 1",
        "ecc 1 1 0",
        "ecc 1 8 1",
        "chip 0x1000 1",
        "chip 0x1000 1 0",
        "chip 0x1000 8 1",
        "chip 0x1008 1 1",
        "chip-read 0x4000 1 1",
        "chip-read 0x1000 1 1 1",
        "melt 1 1",
        "couple 1 1 2 1 1",
        "couple 1 1 2 1 0 1",
        "couple 1 1 2 1 16 1",
        "couple 1 1 2 1 1 3",
        "couple 1 1 2 1 1 1 3 1",
        "couple 1 1 2 1 1 1 3 8 1",
        "couple 1 1 2 1 1 1 3 1 2",
        "couple 1 1 2 1 1 1 0x4000 1 1",
        "bridge 0x1000 3",
        "bridge 0x1000 3 64",
        "bridge 0x1000 64 3",
        "bridge 0x1008 1 2",
        "lost-beat 0x1000 8 1",
        "lost-beat 0x1000 1 0",
        "shifted-beats 0x1001 1 1",
        "shifted-beats 0x1000 0 1",
        "misread 1 1 0",
        "one-cpu 1 1",
        "all-cpus 1 8",
        "disturb 1",
        "lapse 1 1 5",
        "lapse 1 1 5 5",
        "state 1 1 2",
        "rare always 0x1000 1 1",
        "rare always 0x1000 0 1 0",
        "rare never 0x1000 1 1 0",
        "rare always 0x1000 1 1 0x3001",
        "rare always 0x1000 1 1 0 0",
        "witness 1",
        "witness 1 /nowhere",
        "window 0 0 0x4001",
        "window 0 1",
        "file /nowhere",
        "window 0 0x4000 1",
        "devices 1",
        "devices 0 1\ndevices 0 1\ndevices 0 1\ndevices 0 1\ndevices 0 1",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct faults faults;
        struct ram ram;

        if (read_with(lines[i], &ram, &faults))
            fail_msg("taken: %s", lines[i]);
        assert_int_equal(ram.size, 2 * FILE_BYTES); /* what comes before it was taken */
        assert_int_equal(ram.n_windows, 2);
        release(&ram, &faults);
    }
}

TEST(test_no_file)
{
    struct faults faults = { 0 };
    struct ram ram = { 0 };

    assert_false(config_read("/nowhere", &ram, &faults, &cpus));
}

TEST(reads_places_in_dram)
{
    struct ram ram;
    struct faults faults;

    assert_true(
        read_with("dram skylake 63 1 0 0 0 2 3 77 1 1 0 24 8 4294967295 4 2 78\n", &ram, &faults));
    assert_int_equal(faults.n_dram, 1);
    assert_string_equal(faults.dram[0].where.map->name, "skylake");
    assert_int_equal(faults.dram[0].where.at.field[DRAM_BANK], 3);
    assert_int_equal(faults.dram[0].where.first_row, 77);
    assert_true(faults.dram[0].where.any_column);
    assert_int_equal(faults.dram[0].where.beat, DRAM_BEAT_ALL);
    assert_int_equal(faults.dram[0].where.one_in, 4);
    assert_int_equal(faults.dram[0].value, FAULTS_MIXED);
    release(&ram, &faults);
}

TEST(refuses_other_places_in_dram)
{
    static const char *const bad[] = {
        "dram pentium 63 0 0 0 0 0 0 0 1 1 0 0 8 0 1 1 0\n",      /* no such map */
        "dram zen4 63 0 0 0 0 0 0 0 1 1 0 28 8 0 1 1 0\n",        /* pins 28-35 of 32 */
        "dram skylake 63 0 0 0 0 0 0 0 1 1 0 0 0 0 1 1 0\n",      /* no pin */
        "dram skylake 63 0 0 0 0 0 0 0 1 1 0 0 8 0 0 1 0\n",      /* one in none */
        "dram skylake 63 0 0 0 0 0 0 0 1 1 0 0 8 0 1 3 0\n",      /* no such value */
        "dram skylake 63 0 0 0 0 0 0 0 1 1 0 0 8 0 1 1\n",        /* too few */
        "dram skylake 63 0 0 0 0 0 0 0 1 1 0 0 8 0 1 1 0 more\n", /* too many */
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct ram ram;
        struct faults faults;

        assert_false(read_with(bad[i], &ram, &faults));
        release(&ram, &faults);
    }
}

TEST(test_cpus)
{
    struct faults faults;
    struct ram ram;

    assert_true(read_with("cpu-load 3 1000\ncpu-cache 0 7\n", &ram, &faults));
    assert_int_equal(cpus.n, 2);
    assert_int_equal(cpus.fault[0].kind, CPU_LOAD);
    assert_int_equal(cpus.fault[0].vcpu, 3);
    assert_int_equal(cpus.fault[0].one_in, 1000);
    assert_int_equal(cpus.fault[1].kind, CPU_CACHE);
    release(&ram, &faults);
    assert_false(read_with("cpu-load 3 0\n", &ram, &faults));
    assert_false(read_with("cpu-load 3\n", &ram, &faults));
    assert_false(read_with("cpu-fan 3 1\n", &ram, &faults));
    assert_false(read_with("cpu-load 0 1\ncpu-load 1 1\ncpu-load 2 1\ncpu-load 3 1\ncpu-load 4 1\n",
                           &ram, &faults));
}
