// SPDX-License-Identifier: MIT
#include "boot/uefi/conf_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILES_MAX 4
#define BYTES_MAX 600

/* A directory on a FAT volume: a rename to a name that is there is refused. */
static struct {
    struct content {
        bool is_there;
        CHAR16 name[16];
        UINTN size;
        char bytes[BYTES_MAX];
    } file[FILES_MAX];
    UINTN room; /* bytes that can be written */
    bool read_only;
    bool flips_bits;     /* what is written is not what is read */
    unsigned calls;      /* that change something, so far */
    unsigned fails_at;   /* which of them fails, from 1; 0: none */
    unsigned fails_from; /* this and all later ones fail: the volume is gone */
    unsigned open;       /* handles */
} disk;

struct handle {
    EFI_FILE file;
    struct content *content;
    UINTN position;
};

static bool same_name(const CHAR16 *a, const CHAR16 *b)
{
    for (; *a && *a == *b; a++, b++) {
    }
    return *a == *b;
}

static struct content *find(const CHAR16 *name)
{
    for (int i = 0; i < FILES_MAX; i++) {
        if (disk.file[i].is_there && same_name(disk.file[i].name, name))
            return &disk.file[i];
    }
    return NULL;
}

static void set_name(struct content *c, const CHAR16 *name)
{
    UINTN n = 0;

    do {
        assert_true(n < 16);
        c->name[n] = name[n];
    } while (name[n++]);
}

static struct content *create(const CHAR16 *name)
{
    for (int i = 0; i < FILES_MAX; i++) {
        if (disk.file[i].is_there)
            continue;
        disk.file[i] = (struct content){ .is_there = true };
        set_name(&disk.file[i], name);
        return &disk.file[i];
    }
    fail();
    return NULL;
}

static bool breaks(void)
{
    disk.calls++;
    return disk.calls == disk.fails_at || (disk.fails_from && disk.calls >= disk.fails_from);
}

static EFI_STATUS EFIAPI close_file(EFI_FILE *file)
{
    disk.open--;
    free(file);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI delete_file(EFI_FILE *file)
{
    bool fails = breaks();

    if (!fails)
        ((struct handle *)file)->content->is_there = false;
    close_file(file);
    return fails ? EFI_WARN_DELETE_FAILURE : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file(EFI_FILE *file, UINTN *size, void *to)
{
    struct handle *h = (struct handle *)file;
    UINTN left = h->content->size - h->position;

    *size = *size < left ? *size : left;
    memcpy(to, h->content->bytes + h->position, *size);
    if (disk.flips_bits && *size)
        *(char *)to ^= 4;
    h->position += *size;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(EFI_FILE *file, UINTN *size, void *from)
{
    struct content *c = ((struct handle *)file)->content;
    UINTN n = *size < disk.room ? *size : disk.room;

    memcpy(c->bytes, from, n);
    c->size = n;
    if (n < *size) {
        *size = n;
        return EFI_VOLUME_FULL;
    }
    return breaks() ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE *file)
{
    return breaks() ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_info(EFI_FILE *file, EFI_GUID *type, UINTN *size, void *info)
{
    assert_true(*size >= SIZE_OF_EFI_FILE_INFO + sizeof(((struct handle *)file)->content->name));
    memset(info, 0, *size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_info(EFI_FILE *file, EFI_GUID *type, UINTN size, void *info)
{
    const EFI_FILE_INFO *i = info;

    assert_int_equal(i->Size, size);
    if (breaks())
        return EFI_DEVICE_ERROR;
    if (find(i->FileName))
        return EFI_ACCESS_DENIED;
    set_name(((struct handle *)file)->content, i->FileName);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE *directory, EFI_FILE **file, CHAR16 *name, UINT64 mode,
                                   UINT64 attributes)
{
    struct content *c = find(name);
    struct handle *h;

    if (mode & EFI_FILE_MODE_WRITE && disk.read_only)
        return EFI_WRITE_PROTECTED;
    if (!c && !(mode & EFI_FILE_MODE_CREATE))
        return EFI_NOT_FOUND;
    if (mode & EFI_FILE_MODE_CREATE && breaks())
        return EFI_DEVICE_ERROR;
    h = calloc(1, sizeof(*h));
    assert_non_null(h);
    h->content = c ? c : create(name);
    h->file = (EFI_FILE){ .Open = open_file,
                          .Close = close_file,
                          .Delete = delete_file,
                          .Read = read_file,
                          .Write = write_file,
                          .Flush = flush_file,
                          .GetInfo = get_info,
                          .SetInfo = set_info };
    disk.open++;
    *file = &h->file;
    return EFI_SUCCESS;
}

static EFI_FILE directory = { .Open = open_file };

static void put(const CHAR16 *name, const char *text)
{
    struct content *c = create(name);

    c->size = strlen(text);
    memcpy(c->bytes, text, c->size);
}

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
    char out[BYTES_MAX];
    UINTN n = 0;

    if (EFI_ERROR(conf_file_read(&directory, out, sizeof(out), &n)))
        return text == NULL;
    return text && n == strlen(text) && memcmp(out, text, n) == 0;
}

static EFI_STATUS replace(const char *text)
{
    EFI_STATUS status = conf_file_replace(&directory, text, strlen(text));

    assert_int_equal(disk.open, 0);
    return status;
}

static const char *const olds[] = { NULL, "", "tests=quick\n" };

static void replaces(void **state)
{
    char text[BYTES_MAX];

    memset(text, 'x', sizeof(text)); /* longer than what is compared at once */
    text[BYTES_MAX - 1] = 0;
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
static void takes_what_an_interrupted_replacement_left(void **state)
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
static void never_loses_the_file(void **state)
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
static void never_loses_the_last_copy(void **state)
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

static void names_the_reason(void **state)
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

static void reads_back_what_it_wrote(void **state)
{
    make_disk("old");
    disk.flips_bits = true;
    assert_int_equal(replace("new"), EFI_DEVICE_ERROR);
    disk.flips_bits = false;
    assert_true(reads("old"));
    assert_null(find(L"okram.new"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces),
        cmocka_unit_test(takes_what_an_interrupted_replacement_left),
        cmocka_unit_test(never_loses_the_file),
        cmocka_unit_test(never_loses_the_last_copy),
        cmocka_unit_test(names_the_reason),
        cmocka_unit_test(reads_back_what_it_wrote),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
