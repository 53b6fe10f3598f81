// SPDX-License-Identifier: MIT
#include "library_call.h"

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

struct library_call library_call_begin(void)
{
    struct library_call call;

    __asm__ volatile("pushfq\n\tpop %0\n\tcli" : "=r"(call.flags) : : "memory");
    call.fs_base = read_msr(MSR_FS_BASE);
    thread.guard = __builtin_ia32_rdtsc() << 8; /* its lowest byte is 0: no string overruns it */
    write_msr(MSR_FS_BASE, (uintptr_t)&thread);
    return call;
}

void library_call_end(struct library_call call)
{
    write_msr(MSR_FS_BASE, call.fs_base);
    __asm__ volatile("push %0\n\tpopfq" : : "r"(call.flags) : "memory", "cc");
}

void __wrap_hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                        uint8_t ret_mac[HMAC_BYTES])
{
    struct library_call call = library_call_begin();

    __real_hmac_sha256(key, key_bytes, part, n, ret_mac);
    library_call_end(call);
}
