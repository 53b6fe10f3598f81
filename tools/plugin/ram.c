// SPDX-License-Identifier: MIT
#include "ram.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool reserve(struct ram *ram)
{
    void *at = mmap(NULL, RAM_RESERVED_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return false;
    ram->bytes = at;
    return true;
}

static bool map_behind(struct ram *ram, int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return false;

    uint64_t size = (uint64_t)st.st_size;

    if (size == 0 || size % RAM_PAGE_SIZE != 0 || size > RAM_RESERVED_BYTES - ram->size) {
        errno = EINVAL;
        return false;
    }
    if (mmap(ram->bytes + ram->size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
        MAP_FAILED)
        return false;
    ram->size += size;
    return true;
}

bool ram_add_file(struct ram *ram, const char *path)
{
    if (ram->bytes == NULL && !reserve(ram))
        return false;

    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return false;

    bool mapped = map_behind(ram, fd);
    int why = errno;

    close(fd);
    errno = why;
    return mapped;
}

bool ram_add_window(struct ram *ram, struct ram_window window)
{
    if (ram->n_windows == RAM_WINDOWS_MAX || window.size > ram->size ||
        window.offset > ram->size - window.size)
        return false;
    ram->window[ram->n_windows++] = window;
    return true;
}

bool ram_add_devices(struct ram *ram, struct ram_devices devices)
{
    if (ram->n_devices == RAM_DEVICES_MAX)
        return false;
    ram->devices[ram->n_devices++] = devices;
    return true;
}

bool ram_find(const struct ram *ram, uint64_t address, uint64_t *ret_offset)
{
    for (unsigned i = 0; i < ram->n_windows; i++) {
        const struct ram_window *w = &ram->window[i];

        if (address - w->address < w->size) {
            *ret_offset = w->offset + (address - w->address);
            return true;
        }
    }
    return false;
}

bool ram_is_device(const struct ram *ram, uint64_t vaddr)
{
    for (unsigned i = 0; i < ram->n_devices; i++) {
        if (vaddr - ram->devices[i].address < ram->devices[i].size)
            return true;
    }
    return false;
}
