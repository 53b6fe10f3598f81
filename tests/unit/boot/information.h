// SPDX-License-Identifier: MIT
/* What tests of Multiboot2 tags share: boot information that is written tag by tag, and read. */
#pragma once

#include "boot/multiboot2/tags.h"
#include "tests/unit/unit.h"

static struct {
    _Alignas(8) uint8_t bytes[65536];
    size_t size;
} b;

static struct boot_info info;
static uint8_t *copy; /* what info's addresses point into */

static inline void put(const void *bytes, size_t n)
{
    assert_true(b.size + n <= sizeof(b.bytes));
    if (n)
        memcpy(b.bytes + b.size, bytes, n);
    b.size += n;
}

static inline void put32(uint32_t x)
{
    put(&x, 4);
}

static inline void begin(void)
{
    memset(&b, 0, sizeof(b));
    b.size = 8;
}

/* A tag with its padding. size: what it says of itself, its head included. */
static inline void add_sized(uint32_t type, uint32_t size, const void *content, size_t n)
{
    b.size = (b.size + 7) & ~(size_t)7;
    put32(type);
    put32(size);
    put(content, n);
}

static inline void add(uint32_t type, const void *content, size_t n)
{
    add_sized(type, (uint32_t)(8 + n), content, n);
}

static inline void end(void)
{
    add(0, NULL, 0);
}

/* Reads the first `size` bytes, from a heap block of that size. */
static inline enum status read_cut(size_t size)
{
    free(copy);
    copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, b.bytes, size);
    memset(&info, 0, sizeof(info));
    return multiboot2_read(copy, size, &info);
}

static inline enum status read_all(void)
{
    end();
    return read_cut(b.size);
}

struct framebuffer {
    uint64_t base;
    uint32_t pitch, width, height;
    uint8_t bits_per_pixel, type;
    uint16_t reserved;
    uint8_t fields[6]; /* position and size of red, green and blue */
} __attribute__((packed));

static const struct framebuffer text = { 0xb8000, 160, 80, 25, 16, 2, 0, { 0 } };
static const struct framebuffer rgb = {
    .base = 0xfd000000,
    .pitch = 4352,
    .width = 1080,
    .height = 600,
    .bits_per_pixel = 32,
    .type = 1,
    .fields = { 16, 8, 8, 8, 0, 8 },
};
#define TEXT_BYTES 24 /* GRUB's tag ends before the fields */

static const uint8_t rsdp_1[20] = "RSD PTR ", rsdp_2[36] = "RSD PTR 2";

int group_tear_down(void **state)
{
    free(copy);
    return 0;
}
