// SPDX-License-Identifier: MIT
/*
 * lib/string.c as the kernel has it. On the host the C library stands in for most of it, so the
 * file is compiled here once more as freestanding, under names of its own, and compared with the C
 * library.
 */
#include <stdlib.h>
#include <string.h>

#include "freestanding.h"

#define memcpy      okram_memcpy
#define memmove     okram_memmove
#define memset      okram_memset
#define memcmp      okram_memcmp
#define strlen      okram_strlen
#define strcmp      okram_strcmp
#define strncmp     okram_strncmp
#define strchr      okram_strchr
#define strstr      okram_strstr
#define string_copy okram_string_copy
#include "lib/string.c"
#include "tests/unit/unit.h"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strstr
#undef string_copy

static const char *const texts[] = { "",    "a",    "b",    "ab",    "abc",      "abd", "abcabd",
                                     "aab", "\xff", "\x7f", "aaaab", "abab abc", "ABC", "bc" };

#define N_TEXTS (sizeof(texts) / sizeof(texts[0]))

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

TEST(compares)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        for (size_t j = 0; j < N_TEXTS; j++) {
            const char *a = texts[i], *b = texts[j];
            size_t shorter = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

            assert_int_equal(sign(okram_strcmp(a, b)), sign(strcmp(a, b)));
            assert_int_equal(sign(okram_memcmp(a, b, shorter)), sign(memcmp(a, b, shorter)));
            for (size_t n = 0; n < 8; n++)
                assert_int_equal(sign(okram_strncmp(a, b, n)), sign(strncmp(a, b, n)));
        }
    }
    assert_int_equal(okram_memcmp("a\0b", "a\0b", 3), 0);
    assert_true(okram_memcmp("a\0b", "a\0c", 3) < 0);
}

TEST(finds)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        assert_int_equal(okram_strlen(texts[i]), strlen(texts[i]));
        for (int c = 0; c < 256; c++)
            assert_ptr_equal(okram_strchr(texts[i], c), strchr(texts[i], c));
        for (size_t j = 0; j < N_TEXTS; j++)
            assert_ptr_equal(okram_strstr(texts[i], texts[j]), strstr(texts[i], texts[j]));
    }
}

TEST(copies_and_fills)
{
    for (size_t n = 0; n < 70; n++) {
        uint8_t from[80], ours[80], theirs[80];

        for (size_t i = 0; i < sizeof(from); i++)
            from[i] = (uint8_t)(i * 7 + 1);
        memset(ours, 0xee, sizeof(ours));
        memset(theirs, 0xee, sizeof(theirs));
        assert_ptr_equal(okram_memcpy(ours + 3, from + 1, n), ours + 3);
        memcpy(theirs + 3, from + 1, n);
        assert_memory_equal(ours, theirs, sizeof(ours));
        assert_ptr_equal(okram_memset(ours + 5, 0x1a5, n), ours + 5);
        memset(theirs + 5, 0xa5, n);
        assert_memory_equal(ours, theirs, sizeof(ours));
    }
}

TEST(moves_within_itself)
{
    for (size_t from = 0; from < 12; from++) {
        for (size_t to = 0; to < 12; to++) {
            for (size_t n = 0; n <= 12; n++) {
                uint8_t ours[24], theirs[24];

                for (size_t i = 0; i < sizeof(ours); i++)
                    ours[i] = theirs[i] = (uint8_t)i;
                assert_ptr_equal(okram_memmove(ours + to, ours + from, n), ours + to);
                memmove(theirs + to, theirs + from, n);
                assert_memory_equal(ours, theirs, sizeof(ours));
            }
        }
    }
}

TEST(copies_strings)
{
    for (size_t size = 0; size < 8; size++) {
        char *to = malloc(size ? size : 1); /* ASan sees a write past it */

        *to = 'q';
        assert_int_equal(okram_string_copy(to, "abcd", size), 4);
        if (size == 0)
            assert_int_equal(*to, 'q');
        else if (size < 5)
            assert_int_equal(strlen(to), size - 1);
        else
            assert_string_equal(to, "abcd");
        assert_int_equal(strncmp(to, "abcd", size ? size - 1 : 0), 0);
        free(to);
    }
}
