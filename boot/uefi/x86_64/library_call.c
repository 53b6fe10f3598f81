// SPDX-License-Identifier: MIT
/*
 * Calls of libraries that were compiled for Linux, which assumes what firmware does not guarantee:
 * a stack guard at FS:0x28 (firmware's FS begins at 0, where it may have mapped nothing), and 128
 * bytes below the stack pointer that no interrupt writes to (firmware's handlers use the
 * interrupted stack; the psABI calls them the red zone). So each call gets an FS of its own, with
 * interrupts off: at most some milliseconds. The linker (--wrap, boot/uefi.mk) redirects all calls
 * to here.
 */
#include <stdint.h>

#include "sign/hmac.h"

#define MSR_FS_BASE 0xc0000100u

/* What was before the call. Calls do not nest. */
struct library_call {
    uint64_t flags, fs_base;
};

static struct {
    uint8_t unused[0x28];
    uint64_t guard; /* gcc's -fstack-protector looks for it there */
} thread;

void __real_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES]);
void __wrap_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES]);

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

static struct library_call begin_call(void)
{
    struct library_call call;

    __asm__ volatile("pushfq\n\tpop %0\n\tcli" : "=r"(call.flags) : : "memory");
    call.fs_base = read_msr(MSR_FS_BASE);
    thread.guard = __builtin_ia32_rdtsc() << 8; /* its lowest byte is 0: no string overruns it */
    write_msr(MSR_FS_BASE, (uintptr_t)&thread);
    return call;
}

static void end_call(struct library_call call)
{
    write_msr(MSR_FS_BASE, call.fs_base);
    __asm__ volatile("push %0\n\tpopfq" : : "r"(call.flags) : "memory", "cc");
}

void __wrap_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES])
{
    struct library_call call = begin_call();

    __real_hmac_sha256(key, key_bytes, part, n, ret_mac);
    end_call(call);
}
