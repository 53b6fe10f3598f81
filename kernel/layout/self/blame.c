// SPDX-License-Identifier: MIT
#include "self/blame.h"

#include "arch/image.h"
#include "lib/panic.h"
#include "self/self_check.h"

#define VECTOR_MACHINE_CHECK 18

static struct cpu_failure first; /* with the code intact */
static uint32_t first_cpu;
static bool has_first;

static bool is_in_text(uint64_t rip)
{
    return rip >= (uint64_t)image_start && rip < (uint64_t)image_text_end;
}

const char *diagnose_exception(uint32_t cpu, const struct cpu_failure *f)
{
    if (f->vector == VECTOR_MACHINE_CHECK)
        return "reported by the hardware";
    if (!is_in_text(f->rip))
        return "outside of okram's code";
    if (!self_check_repair((const void *)f->rip))
        return "where okram's code had changed in memory";
    if (has_first && first.vector == f->vector && first.rip == f->rip)
        panic("internal error: the same exception on cpu %u and cpu %u: %lu at rip 0x%lx, cr2 "
              "0x%lx",
              first_cpu, cpu, (unsigned long)f->vector, (unsigned long)f->rip,
              (unsigned long)f->address);
    if (!has_first) {
        first = *f;
        first_cpu = cpu;
        has_first = true;
    }
    return "where okram's code is intact: an internal error, or a faulty CPU";
}

bool blame_has_internal_error(void)
{
    return has_first;
}
