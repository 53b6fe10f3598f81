// SPDX-License-Identifier: MIT
/* The modules of tests/data/spd.py, and changes of their bytes. */
#pragma once

#include "spd/spd.h"
#include "tests/unit/unit.h"

struct image {
    uint8_t byte[SPD_BYTES_MAX];
    size_t n;
};

static inline struct image image_load(const char *name)
{
    struct image image = { .n = 0 };
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "tests/data/rebuilt/%s.spd", name);
    f = fopen(path, "rb");
    assert_non_null(f);
    image.n = fread(image.byte, 1, sizeof(image.byte), f);
    fclose(f);
    return image;
}

/* CRC-16/XMODEM, by its definition: the remainder of the bits, followed by 16 zeros. */
static inline void image_seal(struct image *image, size_t first, size_t n, size_t at)
{
    uint32_t rest = 0;

    for (size_t i = 0; i < 8 * (n + 2); i++) {
        unsigned bit = i < 8 * n ? image->byte[first + i / 8] >> (7 - i % 8) & 1 : 0;

        rest = rest << 1 | bit;
        if (rest & 0x10000)
            rest ^= 0x11021;
    }
    image->byte[at] = (uint8_t)rest;
    image->byte[at + 1] = (uint8_t)(rest >> 8);
}

/* From a heap block of exactly n bytes, so that ASan sees a read past its end. */
static inline enum status image_read_part(const struct image *image, size_t n, struct spd *ret_spd)
{
    uint8_t *bytes = malloc(n ? n : 1);
    enum status status;

    memcpy(bytes, image->byte, n);
    status = spd_read(bytes, n, ret_spd);
    free(bytes);
    return status;
}

static inline struct spd image_read(const struct image *image)
{
    struct spd spd;

    assert_int_equal(image_read_part(image, image->n, &spd), STATUS_OK);
    return spd;
}

/* All of them, and no others. */
#define assert_problems(spd, ...)                                                                  \
    do {                                                                                           \
        static const int problems_[] = { __VA_ARGS__ };                                            \
        uint32_t bits_ = 0;                                                                        \
                                                                                                   \
        for (size_t i_ = 0; i_ < sizeof(problems_) / sizeof(problems_[0]); i_++)                   \
            bits_ |= UINT32_C(1) << problems_[i_];                                                 \
        assert_int_equal((spd)->problems, bits_);                                                  \
    } while (0)
