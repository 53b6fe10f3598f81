// SPDX-License-Identifier: MIT
#include "boot/uefi/file.h"

#include "fake_disk.h"

#define TEXT_MAX 600

static const struct file_names names = { L"okram.conf", L"okram.new", L"okram.old" };

static void make_disk(const char *conf)
{
    memset(&disk, 0, sizeof(disk));
    disk.room = BYTES_MAX;
    put(L"readme", "x");
    if (conf)
        put(L"okram.conf", conf);
}

static bool reads(const char *text)
{
    char out[TEXT_MAX];
    UINTN n = sizeof(out);

    if (EFI_ERROR(file_read_kept(&directory, &names, out, &n)))
        return text == NULL;
    return text && n == strlen(text) && memcmp(out, text, n) == 0;
}

static EFI_STATUS replace(const char *text)
{
    EFI_STATUS status = file_replace(&directory, &names, text, strlen(text));

    assert_int_equal(disk.open, 0);
    return status;
}

static const char *const olds[] = { NULL, "", "tests=quick\n" };

TEST(replaces)
{
    char text[TEXT_MAX];

    memset(text, 'x', sizeof(text)); /* longer than what is compared at once */
    text[TEXT_MAX - 1] = 0;
    for (int i = 0; i < 3; i++) {
        make_disk(olds[i]);
        assert_true(reads(olds[i]));
        assert_int_equal(replace(text), EFI_SUCCESS);
        assert_true(reads(text));
        assert_non_null(find(L"okram.conf"));
        assert_null(find(L"okram.new"));
        assert_null(find(L"okram.old"));
    }
}

/* As after a power cut. */
TEST(takes_what_an_interrupted_replacement_left)
{
    make_disk(NULL);
    put(L"okram.old", "old");
    put(L"okram.new", "half");
    assert_true(reads("old"));
    assert_int_equal(replace("new"), EFI_SUCCESS);
    assert_true(reads("new"));
    assert_null(find(L"okram.old"));

    make_disk("new");
    put(L"okram.old", "old");
    assert_true(reads("new"));
    assert_int_equal(replace("newer"), EFI_SUCCESS);
    assert_true(reads("newer"));
}

/* Whichever call fails, once or from then on: the old content is there, or the new. */
TEST(never_loses_the_file)
{
    for (int gone = 0; gone < 2; gone++) {
        for (int i = 0; i < 3; i++) {
            for (unsigned n = 1;; n++) {
                EFI_STATUS status;

                make_disk(olds[i]);
                disk.fails_at = gone ? 0 : n;
                disk.fails_from = gone ? n : 0;
                status = replace("passes=2\n");
                if (disk.calls < n)
                    break;
                if (EFI_ERROR(status))
                    assert_true(reads(olds[i]) || reads("passes=2\n"));
                else
                    assert_true(reads("passes=2\n"));
                if (EFI_ERROR(status) && !gone) {
                    assert_true(reads(olds[i]));
                    assert_int_equal(find(L"okram.conf") != NULL, olds[i] != NULL);
                }
            }
        }
    }
}

/* The same where okram.old is all there is. */
TEST(never_loses_the_last_copy)
{
    for (int gone = 0; gone < 2; gone++) {
        for (unsigned n = 1;; n++) {
            make_disk(NULL);
            put(L"okram.old", "old");
            disk.fails_at = gone ? 0 : n;
            disk.fails_from = gone ? n : 0;
            replace("new");
            if (disk.calls < n)
                break;
            assert_true(reads("old") || reads("new"));
        }
    }
}

TEST(names_the_reason)
{
    make_disk("old");
    disk.read_only = true;
    assert_int_equal(replace("new"), EFI_WRITE_PROTECTED);
    assert_true(reads("old"));

    make_disk("old");
    disk.room = 2;
    assert_int_equal(replace("new"), EFI_VOLUME_FULL);
    assert_true(reads("old"));
    assert_null(find(L"okram.new"));
}

TEST(reads_back_what_it_wrote)
{
    make_disk("old");
    disk.flips_bits = true;
    assert_int_equal(replace("new"), EFI_DEVICE_ERROR);
    disk.flips_bits = false;
    assert_true(reads("old"));
    assert_null(find(L"okram.new"));
}
