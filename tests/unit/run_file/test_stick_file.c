// SPDX-License-Identifier: MIT
/* What is written into the files on the stick, when, and what is never written. */
#include "run_file/stick_file.h"

#include <stdio.h>

#include "tests/unit/unit.h"

#include "played_disk.h"

static struct played_disk *p;

static int begin(void **state)
{
    p = played_begin(512);
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
    return stick_find(&p->disk, PLAYED_KERNEL, files);
}

static struct stick_file choose(uint64_t *run)
{
    struct stick_file files[STICK_FILES];

    return stick_choose(files, find(files), run);
}

static enum stick_result save(const struct stick_file *file, uint64_t run,
                              const struct saved_state *state, const char *records,
                              struct stick_written *written)
{
    const struct stick_report report = { run, state, records, strlen(records) };

    return stick_write(&p->disk, PLAYED_KERNEL, file, &report, written);
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

/* Each makes of the first file one that is not okram's to write. */
static void rename_it(void)
{
    p->folder[1] = 'x';
}
static void rename_only_the_short_name(void)
{
    p->folder[32] = 'X';
}
static void lengthen_the_name(void)
{
    p->folder[0] = 0x42;
}
static void protect(void)
{
    p->folder[32 + 11] |= 1;
}
static void make_it_a_folder(void)
{
    p->folder[32 + 11] = 0x10;
}
static void shorten(void)
{
    put32(p->folder + 32 + 28, STICK_FILE_BYTES - 1);
}
static void delete (void)
{
    p->folder[0] = p->folder[32] = 0xe5;
}
static void end_it_early(void)
{
    played_set_fat(p, PLAYED_FILES + 100, 0x0fffffff);
}
static void scatter(void)
{
    played_set_fat(p, PLAYED_FILES + 100, 40000);
}
static void go_on_after_the_end(void)
{
    played_set_fat(p, PLAYED_FILES + 511, 40000);
}
static void free_a_cluster(void)
{
    played_set_fat(p, PLAYED_FILES + 200, 0);
}
static void mark_a_cluster_bad(void)
{
    played_set_fat(p, PLAYED_FILES + 200, 0x0ffffff7);
}
static void begin_elsewhere(void)
{
    put16(p->folder + 32 + 26, 3);
}
static void begin_nowhere(void)
{
    put32(p->folder + 32 + 26, 0);
}
static void begin_after_the_end(void)
{
    put16(p->folder + 32 + 20, 5);
}
static void edit(void)
{
    p->file[1][0] = '!';
}
static void take_another_kernel(void)
{
    stick_mark(1, 1, 0, (char *)p->file[1]);
}

/* All of it, mark and chain, but elsewhere: a copy, as by a person who kept a report. */
static void copy(void)
{
    uint32_t clusters = STICK_FILE_BYTES / 512;

    memcpy(played_cluster(p, 30000), p->file[1], STICK_FILE_BYTES);
    for (uint32_t i = 0; i < clusters; i++)
        played_set_fat(p, 30000 + i, i + 1 < clusters ? 30001 + i : 0x0fffffff);
    put16(p->folder + 32 + 26, 30000);
}

TEST(files_that_are_not_written, begin, end)
{
    static void (*const change[])(void) = {
        rename_it,
        rename_only_the_short_name,
        lengthen_the_name,
        protect,
        make_it_a_folder,
        shorten,
        delete,
        end_it_early,
        scatter,
        go_on_after_the_end,
        free_a_cluster,
        mark_a_cluster_bad,
        begin_elsewhere,
        begin_nowhere,
        begin_after_the_end,
        edit,
        take_another_kernel,
        copy,
    };

    for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
        struct stick_file files[STICK_FILES];
        uint64_t run;

        if (i) {
            end(state);
            begin(state);
        }
        assert_int_equal(find(files), STICK_FILES);
        change[i]();
        if (find(files) != STICK_FILES - 1)
            fail_msg("change %zu", i);
        assert_int_equal(stick_choose(files, STICK_FILES - 1, &run).n, 2);
    }
}

TEST(another_kernels_stick, begin, end)
{
    struct stick_file files[STICK_FILES];

    assert_int_equal(stick_find(&p->disk, PLAYED_KERNEL + 1, files), 0);
    assert_int_equal(p->writes, 0);
}

TEST(blocks_of_4_kib, begin, end)
{
    struct stick_written written = { .n = 0 };
    uint64_t run;
    struct stick_file file;

    end(state);
    p = played_begin(4096);
    file = choose(&run);
    assert_int_equal(file.n, 1);
    assert_int_equal(save(&file, run, &passed, "{}\n", &written), STICK_WRITTEN);
    assert_int_equal(save(&file, run, &failed, "{}\n{}\n", &written), STICK_WRITTEN);
    assert_true(shows(1, "{}\n{}\n") && shows(1, "\"status\":\"fail\""));
    assert_int_equal(p->file[1][STICK_STATE_AT - 1], '.');
    assert_int_equal(p->file[1][STICK_END_AT], '.');
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
