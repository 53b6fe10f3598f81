// SPDX-License-Identifier: MIT
#include "boot/uefi/last_report/last_report.c" /* the files, which it writes */

#include "fake_disk.h"

#include "saved/samples.h"

#define NAME L"2026-11-22-1314-QEMU-Standard-PC-Q35-ICH9-2009"

static struct saved_report report;
static struct report_content content;
static char name[REPORT_NAME_MAX];

static void begin(void)
{
    static struct sample sample;
    static char text[REPORT_FILES][400];

    memset(&disk, 0, sizeof(disk));
    disk.room = BYTES_MAX;
    disk.free_space = 6 * 512; /* one for each file, four for the directory */
    sample_started(&sample);
    saved_read(&sample.variables, &report);
    for (unsigned i = 0; i < REPORT_FILES; i++) {
        content.file[i] = fmt_buffer_make(text[i], sizeof(text[i]));
        fmt_append(&content.file[i], "file %u %0*d", i, 100 + 100 * (int)i, 0);
    }
}

static EFI_STATUS write(void)
{
    EFI_STATUS status = report_files_write(&directory, &report, &content, name);

    assert_int_equal(disk.open, 0);
    return status;
}

static bool is_written(const CHAR16 *path, unsigned file)
{
    const struct content *c = find(path);

    return c && c->size == content.file[file].length &&
           memcmp(c->bytes, content.file[file].text, c->size) == 0;
}

static bool has_both(void)
{
    return is_written(NAME L".jsonl", 0) && is_written(NAME L".html", 1);
}

static unsigned n_files(void)
{
    unsigned n = 0;

    for (int i = 0; i < FILES_MAX; i++)
        n += disk.file[i].is_there && !same_name(disk.file[i].name, L"okram");
    return n;
}

TEST(writes_both)
{
    begin();
    assert_int_equal(write(), EFI_SUCCESS);
    assert_true(has_both());
    assert_string_equal(name, "2026-11-22-1314-QEMU-Standard-PC-Q35-ICH9-2009");

    /* Once more, as after a power cut before the variables were deleted. */
    assert_int_equal(write(), EFI_SUCCESS);
    assert_int_equal(n_files(), 2);

    /* Or before the last file was written. */
    find(NAME L".html")->is_there = false;
    assert_int_equal(write(), EFI_SUCCESS);
    assert_true(has_both());
    assert_int_equal(n_files(), 2);
}

TEST(overwrites_nothing)
{
    static const CHAR16 *const taken[] = { NAME L".jsonl", NAME L".html" };

    for (int i = 0; i < 2; i++) {
        begin();
        put(taken[i], "somebody's");
        put(NAME L"-2.html", "somebody's");
        assert_int_equal(write(), EFI_SUCCESS);
        assert_string_equal(name, "2026-11-22-1314-QEMU-Standard-PC-Q35-ICH9-2009-3");
        assert_true(is_written(NAME L"-3.jsonl", 0) && is_written(NAME L"-3.html", 1));
        assert_memory_equal(find(taken[i])->bytes, "somebody's", 10);
        assert_int_equal(n_files(), 4);
    }
}

/* Whichever call fails, once or from then on. */
TEST(is_whole_or_an_error)
{
    for (int gone = 0; gone < 2; gone++) {
        for (unsigned n = 1;; n++) {
            EFI_STATUS status;

            begin();
            put(NAME L"-2.html", "somebody's");
            disk.fails_at = gone ? 0 : n;
            disk.fails_from = gone ? n : 0;
            status = write();
            if (disk.calls < n)
                break;
            assert_memory_equal(find(NAME L"-2.html")->bytes, "somebody's", 10);
            assert_true(EFI_ERROR(status));
            if (!gone)
                assert_int_equal(n_files(), 1);
            /* At the next try all is well. */
            disk.fails_at = disk.fails_from = 0;
            assert_int_equal(write(), EFI_SUCCESS);
        }
        assert_true(has_both());
    }
}

TEST(names_the_reason)
{
    begin();
    disk.read_only = true;
    assert_int_equal(write(), EFI_WRITE_PROTECTED);

    begin();
    disk.room = 150; /* for the first file */
    assert_int_equal(write(), EFI_VOLUME_FULL);
    assert_int_equal(n_files(), 0);

    begin();
    disk.free_space--;
    assert_int_equal(write(), EFI_VOLUME_FULL);
    assert_int_equal(disk.calls, 0);

    begin(); /* what is there needs no room */
    assert_int_equal(write(), EFI_SUCCESS);
    disk.free_space = 0;
    assert_int_equal(write(), EFI_SUCCESS);
    find(NAME L".html")->is_there = false;
    assert_int_equal(write(), EFI_VOLUME_FULL);
    assert_true(is_written(NAME L".jsonl", 0));
    assert_int_equal(n_files(), 1);

    begin();
    disk.flips_bits = true;
    assert_int_equal(write(), EFI_DEVICE_ERROR);
    assert_int_equal(n_files(), 0);

    begin();
    content.file[REPORT_HTML].cut = true;
    assert_int_equal(write(), EFI_BUFFER_TOO_SMALL);
    assert_int_equal(n_files(), 0);
}
