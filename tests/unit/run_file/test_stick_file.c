// SPDX-License-Identifier: MIT
/* What is written into the files on the stick, when, and what is never written. */
#include "run_file/stick_file.h"

#include "tests/unit/unit.h"

#include "played_disk.h"

static struct played_disk *p;
static struct stick_file next;

static int begin(void **state)
{
    p = played_begin(1);
    return 0;
}

static int end(void **state)
{
    played_end(p);
    return 0;
}

static const struct saved_state passed = {
    .seconds = 90, .board = "Maker Product", .test = "mats+", .pass = 1, .verdict = VERDICT_PASS
};
static const struct saved_state failed = {
    .seconds = 7, .board = "Maker Product", .faults = 3, .bad_pages = 2, .verdict = VERDICT_FAIL
};

static size_t find(struct stick_file files[STICK_FILES])
{
    return stick_find(&p->disk, PLAYED_KERNEL, files, &next);
}

static struct stick_file choose(uint64_t *run)
{
    struct stick_file files[STICK_FILES];

    *run = 0;
    return stick_choose(files, find(files), "", run);
}

static enum stick_result save(const struct stick_file *file, uint64_t run,
                              const struct saved_state *state, const char *records,
                              struct stick_written *written)
{
    const struct stick_report report = { run, state, records, strlen(records) };

    return stick_write(&p->disk, file, &report, written);
}

/* As a browser takes it from the page: up to the element's end. */
static const char *records_of(unsigned n)
{
    static char text[STICK_END_AT - STICK_STATE_AT + 1];
    char *to;

    memcpy(text, p->file[n] + STICK_STATE_AT, sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    to = strstr(text, "</pre>");
    if (to)
        *to = 0;
    return text;
}

static bool shows(unsigned n, const char *text)
{
    return strstr(records_of(n), text) != NULL;
}

TEST(a_run_after_the_other, begin, end)
{
    for (unsigned i = 1; i <= 2 * STICK_FILES + 1; i++) {
        struct stick_written written = { .n = 0 };
        char record[32];
        uint64_t run;
        struct stick_file file = choose(&run);

        assert_int_equal(run, i);
        assert_int_equal(file.n, (i - 1) % STICK_FILES + 1);
        snprintf(record, sizeof(record), "{\"number\":%u}\n", i);
        assert_int_equal(save(&file, run, &passed, record, &written), STICK_WRITTEN);
        assert_true(shows(file.n, record));
        assert_true(shows(file.n, "\"status\":\"pass\""));
    }
    assert_false(shows(1, "{\"number\":5}"));
    assert_true(shows(2, "{\"number\":6}"));
}

static const char *next_start(void)
{
    static char text[STICK_NEXT_BYTES - STICK_MARK_BYTES + 1];

    memcpy(text, p->file[STICK_NEXT] + STICK_MARK_BYTES, sizeof(text) - 1);
    return text;
}

static enum stick_result write_next(const char *options)
{
    struct stick_file files[STICK_FILES];

    find(files);
    return next.n ? stick_write_next(&p->disk, &next, options, "start 2 of 3") : STICK_FAILED;
}

TEST(the_next_start, begin, end)
{
    static const char begun[] = "set tests='march={any(w0);up(r0)} cycles=3'\n"
                                "set chosen='start 2 of 3'\n ";

    assert_int_equal(p->file[STICK_NEXT][0], '#');
    assert_int_equal(p->file[STICK_NEXT][STICK_MARK_BYTES - 1], '\n');
    assert_int_equal(write_next("march={any(w0);up(r0)} cycles=3"), STICK_WRITTEN);
    assert_memory_equal(next_start(), begun, sizeof(begun) - 1);
    assert_int_equal(next_start()[STICK_NEXT_BYTES - STICK_MARK_BYTES - 1], '\n');
    assert_int_equal(p->writes, 1);
    assert_int_equal(write_next("march={any(w0);up(r0)} cycles=3"), STICK_WRITTEN);
    assert_int_equal(p->writes, 1); /* it is there */
    assert_int_equal(write_next(""), STICK_WRITTEN);
    assert_int_equal(strspn(next_start(), " \n"), STICK_NEXT_BYTES - STICK_MARK_BYTES);
    p->forgets = true;
    assert_int_equal(write_next("tests=quick"), STICK_FAILED);
    p->forgets = false;
    p->file[STICK_NEXT][20]++;
    assert_int_equal(write_next("tests=quick"), STICK_FAILED);
}

TEST(options_that_no_next_start_can_have, begin, end)
{
    static const char *const options[] = { "it's", "tests=\xe4", "tests=\n", NULL };
    char long_one[STICK_NEXT_BYTES];

    memset(long_one, 'x', sizeof(long_one));
    long_one[DISK_BLOCK - sizeof("set tests=''\nset chosen='start 2 of 3'\n") + 2] = 0;
    assert_int_equal(write_next(long_one), STICK_TOO_LONG);
    long_one[strlen(long_one) - 1] = 0;
    assert_int_equal(write_next(long_one), STICK_WRITTEN);
    for (size_t i = 0; options[i]; i++)
        assert_int_equal(write_next(options[i]), STICK_TOO_LONG);
}

TEST(clusters_of_any_size, begin, end)
{
    static const struct {
        uint32_t blocks;
        uint8_t said; /* in the boot sector */
        size_t n_files;
    } cases[] = { { 2, 2, STICK_FILES }, { 8, 8, STICK_FILES }, { 128, 128, STICK_FILES },
                  { 2, 3, 0 },           { 2, 0, 0 },           { 2, 129, 0 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct stick_file files[STICK_FILES];

        end(state);
        p = played_begin(cases[i].blocks);
        p->boot[13] = cases[i].said;
        assert_int_equal(find(files), cases[i].n_files);
    }
}

TEST(after_the_last_number)
{
    static const uint64_t last[] = { UINT32_MAX - 1, UINT32_MAX };

    for (unsigned i = 0; i < 2; i++) {
        const struct stick_file file = { .n = 1, .run = last[i] };
        uint64_t run = 0;

        assert_int_equal(stick_choose(&file, 1, "", &run).n, 1);
        assert_int_equal(run, i ? 1 : UINT32_MAX);
    }
}

/* Nothing but the place of the report in that file is ever written. */
TEST(the_rest_of_the_disk_stays, begin, end)
{
    uint8_t *before = malloc(p->n);
    struct stick_written written = { .n = 0 };
    uint64_t run;
    struct stick_file file = choose(&run);
    size_t from = (size_t)(p->file[file.n] - p->bytes) + STICK_STATE_AT;
    size_t to = (size_t)(p->file[file.n] - p->bytes) + STICK_END_AT;

    memcpy(before, p->bytes, p->n);
    assert_int_equal(save(&file, run, &passed, "{}\n", &written), STICK_WRITTEN);
    assert_int_equal(save(&file, run, &failed, "{}\n{}\n", &written), STICK_WRITTEN);
    assert_memory_equal(before, p->bytes, from);
    assert_memory_equal(before + to, p->bytes + to, p->n - to);
    free(before);
}

TEST(what_has_come_since_alone, begin, end)
{
    static char records[10000];
    struct stick_written written = { .n = 0 };
    uint64_t run;
    struct stick_file file = choose(&run);

    memset(records, 'x', 9000);
    assert_int_equal(save(&file, run, &passed, records, &written), STICK_WRITTEN);
    assert_int_equal(p->writes, 2 + STICK_RECORDS_BYTES / DISK_DATA_MAX);
    p->writes = 0;
    memset(records, 'x', 9999);
    assert_int_equal(save(&file, run, &passed, records, &written), STICK_WRITTEN);
    assert_int_equal(p->writes, 2); /* the state, and the third page */
    assert_true(shows(file.n, records));
}

/* Of an old report and a new one, at each sector: the old one whole, or the new one's state. */
TEST(a_cut_at_each_sector, begin, end)
{
    static const char old[] = "{\"old\":1}\n{\"old\":2}\n", new[] = "{\"new\":1}\n";
    struct stick_file file;
    uint64_t run;
    unsigned whole = 0, cut = 0;

    for (unsigned i = 0; i < STICK_FILES; i++) {
        struct stick_written written = { .n = 0 };

        file = choose(&run);
        save(&file, run, &passed, old, &written);
    }
    file = choose(&run);
    for (unsigned sectors = 0;; sectors++) {
        struct stick_written written = { .n = 0 };
        enum stick_result result;
        bool is_old, is_new;

        p->sectors_written = 0;
        p->sectors_max = sectors;
        result = save(&file, run, &failed, new, &written);
        is_old = shows(1, old) && shows(1, "\"status\":\"pass\"");
        is_new = shows(1, "\"status\":\"fail\"") && shows(1, "\"bad_pages\":2") && !shows(1, "old");
        assert_true(is_old != is_new);
        whole += is_old;
        cut += is_new;
        if (result == STICK_WRITTEN)
            break;
        assert_int_equal(result, STICK_FAILED);
    }
    assert_true(shows(1, new));
    assert_int_equal(whole, 1); /* before the first sector */
    assert_int_equal(cut, 2 + STICK_RECORDS_BYTES / 512);
}

/* The verdict comes before the last records. */
TEST(a_cut_at_the_end_of_a_run, begin, end)
{
    struct stick_written written = { .n = 0 };
    uint64_t run;
    struct stick_file file = choose(&run);

    save(&file, run, &passed, "{\"a\":1}\n", &written);
    p->sectors_max = p->sectors_written + 1;
    assert_int_equal(save(&file, run, &failed, "{\"a\":1}\n{\"b\":2}\n", &written), STICK_FAILED);
    assert_true(shows(file.n, "\"status\":\"fail\"") && shows(file.n, "{\"a\":1}"));
    p->sectors_max = UINT32_MAX;
    assert_int_equal(save(&file, run, &failed, "{\"a\":1}\n{\"b\":2}\n", &written), STICK_WRITTEN);
    assert_true(shows(file.n, "{\"b\":2}"));
}

/* The stick is pulled and comes back, or another comes, which has reports of other machines. */
TEST(a_stick_that_comes_in_the_run, begin, end)
{
    static const char *const dates[] = { "2026-11-28T04:40:45", "2026-11-28T04:40:46", "" };

    for (size_t i = 0; i < 3; i++) {
        struct saved_state mine = passed;
        struct stick_written written = { .n = 0 };
        struct stick_file files[STICK_FILES], file;
        uint64_t run;

        end(state);
        begin(state);
        file = choose(&run);
        assert_true(run == 1 && file.n == 1);
        strcpy(mine.started, dates[i]);
        p->sectors_max = 1 + 100 * i; /* in the middle of the first write */
        assert_int_equal(save(&file, run, &mine, "{}\n", &written), STICK_FAILED);
        p->sectors_max = UINT32_MAX;
        file = stick_choose(files, find(files), dates[i], &run);
        assert_true(run == 1 && file.n == 1);
        file = stick_choose(files, find(files), "2026-11-28T04:40:47", &run);
        assert_true(run == 2 && file.n == 2);
        assert_int_equal(save(&file, run, &failed, "{}\n", &written), STICK_WRITTEN);
        assert_true(shows(2, "\"status\":\"fail\"") && shows(1, "\"status\":\"pass\""));
    }
}

TEST(what_is_no_longer_there_is_not_written, begin, end)
{
    for (unsigned i = 0; i < 2; i++) {
        struct stick_written written = { .n = 0 };
        uint64_t run;
        struct stick_file file = choose(&run);

        if (i)
            assert_int_equal(save(&file, run, &passed, "{}\n", &written), STICK_WRITTEN);
        p->writes = 0;
        p->file[file.n][100] ^= 1;
        assert_int_equal(save(&file, run, &failed, "{}\n{}\n", &written), STICK_NOT_MARKED);
        assert_int_equal(p->writes, 0);
        p->file[file.n][100] ^= 1;
    }
}

TEST(flash_that_forgets, begin, end)
{
    struct stick_written written = { .n = 0 };
    uint64_t run;
    struct stick_file file = choose(&run);

    p->forgets = true;
    assert_int_equal(save(&file, run, &passed, "{}\n", &written), STICK_FAILED);
    assert_false(written.has_begun);
}

/* One write that went elsewhere is the last. */
TEST(a_write_that_goes_elsewhere, begin, end)
{
    struct stick_written written = { .n = 0 };
    uint64_t run;
    struct stick_file file = choose(&run);

    p->misses = 1;
    assert_int_equal(save(&file, run, &passed, "{}\n", &written), STICK_FAILED);
    assert_int_equal(p->writes, 1);
}

/* Both sides of each limit. */
TEST(volumes, begin, end)
{
    static const struct {
        uint32_t at, bytes, value;
        bool is_good;
    } changes[] = {
        { 11, 2, 1024, false },
        { 13, 1, 0, false },
        { 14, 2, 0, false },
        { 16, 1, 0, false },
        { 16, 1, 3, false },
        { 17, 2, 1, false },
        { 22, 2, 1, false },
        { 40, 1, 0x80, false },
        { 40, 1, 0x7f, true },
        { 44, 4, 1, false },
        { 44, 4, 2, true },
        { 44, 4, PLAYED_CLUSTERS + 1, true },
        { 44, 4, PLAYED_CLUSTERS + 2, false },
        { 510, 1, 0, false },
    };

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct fat_partition partition;
        struct fat_volume volume;
        uint8_t was[4];

        memcpy(was, p->boot + changes[i].at, changes[i].bytes);
        memcpy(p->boot + changes[i].at, &changes[i].value, changes[i].bytes);
        assert_int_equal(fat_find_partition(&p->disk, 0, &partition), STATUS_OK);
        assert_int_equal(fat_open(&p->disk, partition, &volume) == STATUS_OK, changes[i].is_good);
        memcpy(p->boot + changes[i].at, was, changes[i].bytes);
    }
}

/* All of it, mark and chain, but elsewhere: a copy, as by a person who kept a report. */
static void copy(void)
{
    uint32_t clusters = STICK_FILE_BYTES / DISK_BLOCK;

    memcpy(played_cluster(p, 30000), p->file[1], STICK_FILE_BYTES);
    for (uint32_t i = 0; i < clusters; i++)
        played_set_fat(p, 30000 + i, i + 1 < clusters ? 30001 + i : 0x0fffffff);
    put16(p->folder + 26, 30000);
}

/* Each makes of the first file one that is not okram's to write. */
TEST(files_that_are_not_written, begin, end)
{
    enum area { ENTRY, FAT, CONTENT };
    static const struct {
        enum area area;
        uint32_t at, value; /* 32 bits */
    } changes[] = {
        { ENTRY, 0, 0x4e5552 },                  /* renamed */
        { ENTRY, 0, 0x4e55e5 },                  /* deleted */
        { ENTRY, 8, 0x214d5448 },                /* read-only */
        { ENTRY, 8, 0x104d5448 },                /* a folder */
        { ENTRY, 28, STICK_FILE_BYTES - 1 },     /* shorter */
        { ENTRY, 26, 3 },                        /* elsewhere, */
        { ENTRY, 26, 0 },                        /* nowhere, */
        { ENTRY, 18, 5 << 16 },                  /* after the end */
        { FAT, PLAYED_FILES + 100, 0x0fffffff }, /* ends early */
        { FAT, PLAYED_FILES + 100, 40000 },      /* scattered */
        { FAT, PLAYED_FILES + 511, 40000 },      /* goes on */
        { FAT, PLAYED_FILES + 200, 0 },          /* a free cluster, */
        { FAT, PLAYED_FILES + 200, 0x0ffffff7 }, /* a bad one */
        { CONTENT, 0, 0 },                       /* another mark */
    };
    static const size_t n = sizeof(changes) / sizeof(changes[0]);

    for (size_t i = 0; i <= n; i++) {
        struct stick_file files[STICK_FILES];
        uint64_t run = 0;

        if (i) {
            end(state);
            begin(state);
        }
        assert_int_equal(find(files), STICK_FILES);
        if (i == n)
            copy();
        else if (changes[i].area == FAT)
            played_set_fat(p, changes[i].at, changes[i].value);
        else
            put32((changes[i].area == ENTRY ? p->folder : p->file[1]) + changes[i].at,
                  changes[i].value);
        if (find(files) != STICK_FILES - 1)
            fail_msg("change %zu", i);
        assert_int_equal(stick_choose(files, STICK_FILES - 1, "", &run).n, 2);
    }
}

TEST(another_kernels_stick, begin, end)
{
    struct stick_file files[STICK_FILES];

    assert_int_equal(stick_find(&p->disk, PLAYED_KERNEL + 1, files, &next), 0);
    assert_int_equal(p->writes, 0);
}

/* The state is one sector, whatever the machine is called, and cannot end its element. */
TEST(names_of_machines, begin, end)
{
    static const char *const boards[] = {
        "<b>&", "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"",
        "an ordinary name that has all of the sixty-three chars.."
    };

    for (size_t i = 0; i < 3; i++) {
        struct stick_written written = { .n = 0 };
        struct saved_state s = { .seconds = UINT32_MAX,
                                 .started = "2026-11-28T04:40:45",
                                 .written = "2026-11-28T04:40:45",
                                 .test = "moving-inversions-64bit",
                                 .pass = UINT32_MAX,
                                 .cpu = 99999,
                                 .cpus = 99999,
                                 .tested_bytes = UINT64_MAX,
                                 .swept_bytes = UINT64_MAX,
                                 .ram_bytes = UINT64_MAX,
                                 .faults = UINT64_MAX,
                                 .bad_pages = UINT64_MAX,
                                 .verdict = VERDICT_CORRECTED };
        uint64_t run;
        struct stick_file file = choose(&run);

        strcpy(s.board, boards[i]);
        assert_int_equal(save(&file, run, &s, "{}\n", &written), STICK_WRITTEN);
        assert_true(shows(file.n, "\"status\":\"corrected\""));
        assert_true(shows(file.n, "{}\n"));
    }
}

TEST(text_that_would_end_its_element, begin, end)
{
    char to[64];
    size_t n = stick_escape(to, 0, sizeof(to), "a</pre>&b", 9);

    assert_int_equal(n, 9 + 2 * 5);
    assert_memory_equal(to, "a\\u003c/pre>\\u0026b", n);
    assert_int_equal(stick_escape(to, 60, sizeof(to), "abcdefgh", 8), sizeof(to));
}
