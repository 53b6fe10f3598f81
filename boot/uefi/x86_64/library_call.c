// SPDX-License-Identifier: MIT
/*
 * BearSSL, compiled for Linux, assumes what firmware does not guarantee: a stack guard at FS:0x28
 * (firmware's FS begins at 0, where it may have mapped nothing), and 128 bytes below the stack
 * pointer that no interrupt writes to (firmware's handlers use the interrupted stack; the psABI
 * calls them the red zone). So each call gets an FS of its own, with interrupts off. The linker
 * (--wrap, boot/uefi.mk) redirects all calls of hmac_sha256 to here. __stack_chk_fail is in
 * stack_guard.c.
 */
#include <stdint.h>

#include "lib/panic.h"
#include "lib/string.h"
#include "sign/hmac.h"

#define MSR_FS_BASE 0xc0000100u

static struct {
    uint8_t unused[0x28];
    uint64_t guard; /* gcc's -fstack-protector looks for it there */
} thread;

void __real_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES]);
void __wrap_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES]);
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);

static uint64_t read_msr(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static void write_msr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

void __wrap_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES])
{
    uint64_t flags, base;

    __asm__ volatile("pushfq\n\tpop %0\n\tcli" : "=r"(flags) : : "memory");
    base = read_msr(MSR_FS_BASE);
    thread.guard = __builtin_ia32_rdtsc() << 8; /* its lowest byte is 0: no string overruns it */
    write_msr(MSR_FS_BASE, (uintptr_t)&thread);
    __real_hmac_sha256(key, key_bytes, part, n, ret_mac);
    write_msr(MSR_FS_BASE, base);
    __asm__ volatile("push %0\n\tpopfq" : : "r"(flags) : "memory", "cc");
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    if (n > room)
        panic("a library is about to write %zu bytes where %zu are", n, room);
    return memcpy(to, from, n);
}
