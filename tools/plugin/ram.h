// SPDX-License-Identifier: MIT
/*
 * The guest's RAM for the plugin: one run of bytes, made of the files that QEMU uses as its
 * memory backends. An offset counts bytes of RAM from 0 over all files in their order; a window
 * is the plugin address (qemu_plugin_hwaddr_phys_addr) of a part of it. Ranges of the guest's
 * devices are virtual addresses, since QEMU cannot always be asked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RAM_WINDOWS_MAX 128
#define RAM_DEVICES_MAX 4
#define RAM_PAGE_SIZE   UINT64_C(4096)

/* Address space set aside by the first file, so that others map right after it. */
#define RAM_RESERVED_BYTES (UINT64_C(4) << 40)

struct ram_window {
    uint64_t address; /* plugin address */
    uint64_t offset;
    uint64_t size;
};

/* A range of virtual addresses that the guest uses for devices only. */
struct ram_devices {
    uint64_t address;
    uint64_t size;
};

struct ram {
    uint8_t *bytes;
    uint64_t size;
    struct ram_window window[RAM_WINDOWS_MAX];
    unsigned n_windows;
    struct ram_devices devices[RAM_DEVICES_MAX];
    unsigned n_devices;
};

/* Maps the whole file after what is mapped already. False with errno set. */
bool ram_add_file(struct ram *ram, const char *path);

/* False when there are too many windows, or one lies outside the files mapped so far. */
bool ram_add_window(struct ram *ram, struct ram_window window);

/* False when there are too many such ranges. */
bool ram_add_devices(struct ram *ram, struct ram_devices devices);

/* The offset of a plugin address; false when it is not guest RAM. */
bool ram_find(const struct ram *ram, uint64_t address, uint64_t *ret_offset);

/* Whether a virtual address lies in one of the ranges of devices. */
bool ram_is_device(const struct ram *ram, uint64_t vaddr);
