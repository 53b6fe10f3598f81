// SPDX-License-Identifier: MIT
/*
 * Calls of code that is not okram's: UEFI's runtime services. okram comes back from them in any
 * case: when the code returns, when it raises an exception, and when it takes too long. One call at
 * a time.
 *
 * Where the boot CPU did not run itself for a while, that counts as FIRMWARE_CALL_GAP_US at most
 * (lib/gap.h): while firmware's system management mode writes to flash, all CPUs stand still.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FIRMWARE_CALL_ARGUMENTS 5
#define FIRMWARE_CALL_GAP_US    1000000

struct firmware_call {
    uint64_t function; /* in the calling convention of UEFI (ms_abi) */
    uint64_t argument[FIRMWARE_CALL_ARGUMENTS];
    uint64_t cr3; /* while it runs; okram's own memory must be at its usual addresses */
    uint64_t interrupts;
};
_Static_assert(__builtin_offsetof(struct firmware_call, cr3) == 48, "arch/firmware_call.asm");
_Static_assert(__builtin_offsetof(struct firmware_call, interrupts) == 56,
               "arch/firmware_call.asm");

enum external_end {
    FIRMWARE_CALL_RETURNED,
    FIRMWARE_CALL_EXCEPTION,
    FIRMWARE_CALL_ABORTED, /* it took too long */
};

/*
 * With interrupts off before and after. The state of x87, SSE and AVX stays as it was. On the boot
 * CPU timer interrupts watch the call, and abort it after limit_us; on another CPU the boot CPU has
 * to watch it. ret_value is written if the code returned. Until an aborted call has ended, others
 * are not made: FIRMWARE_CALL_ABORTED.
 */
enum external_end firmware_call(struct firmware_call *call, uint64_t limit_us, uint64_t *ret_value);

/* On the boot CPU, repeatedly: aborts another CPU's call that takes too long, by NMI. */
void firmware_call_watch(void);

/*
 * In the handler of VECTOR_DEADLINE, on the CPU that it came to: whether the call there has to be
 * aborted. If not, the interrupt comes again.
 */
bool firmware_call_is_late(void);

/* The exception that ended the last call that one ended. */
struct external_exception {
    uint64_t vector, rip, address; /* address: CR2 */
};
struct external_exception firmware_call_exception(void);

/* Whether a CPU is in a call. */
struct percpu;
bool firmware_call_is_of(const struct percpu *cpu);

/* For handlers of exceptions, NMIs and VECTOR_DEADLINE: whether the calling CPU is in a call. */
bool firmware_call_is_here(void);

/* Ends the call on this CPU because of an exception. */
_Noreturn void firmware_call_raise(struct external_exception exception);

/* Whether an NMI is firmware_call_watch's. */
bool firmware_call_takes_nmi(void);

/* Ends the call on this CPU: goes back to where it was made. arch/firmware_call.asm. */
_Noreturn void firmware_call_resume(enum external_end end);
