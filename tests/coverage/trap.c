// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "tests/coverage/trap.h"

#include <asm/prctl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/panic.h"
#include "tests/coverage/code.h"

/* The registers' places in a signal's context, in the order of their numbers in machine code. */
static const int places[] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static struct line *guarded, *view;
static uint32_t n_lines;
static struct cache *cache; /* NULL: nothing is watched */

/* A store that the code has begun: what it writes is in the view when the next thing happens. */
static struct {
    const struct instruction *instruction; /* NULL: none */
    uint32_t line, offset;
} begun;

static void end_store(void)
{
    const struct instruction *i = begun.instruction;
    const char *from = (const char *)&view[begun.line] + begun.offset;

    if (!i)
        return;
    begun.instruction = NULL;
    if (i->kind == CODE_STREAM)
        cache_stream(cache, begun.line, begun.offset, i->size, from);
    else
        cache_store(cache, begun.line, begun.offset, i->size, from);
}

static uintptr_t register_value(const greg_t *registers, uint8_t number)
{
    return number == CODE_NO_REGISTER ? 0 : (uintptr_t)registers[places[number]];
}

static void prefetch(const struct instruction *i, const greg_t *registers)
{
    uintptr_t at = register_value(registers, i->base) +
                   register_value(registers, i->index) * i->scale + (uintptr_t)i->displacement;
    uintptr_t line = (at - (uintptr_t)guarded) / sizeof(struct line);

    if (at >= (uintptr_t)guarded && line < n_lines)
        cache_prefetch(cache, (uint32_t)line);
}

/* HLT stands in the instruction's place. */
static void do_in_place(const struct instruction *i, greg_t *registers)
{
    if (cache && i->kind == CODE_PREFETCH)
        prefetch(i, registers);
    if (cache && i->kind == CODE_LFENCE)
        cache_fence(cache, FENCE_LOADS);
    if (cache && i->kind == CODE_SFENCE)
        cache_fence(cache, FENCE_STORES);
    if (cache && i->kind == CODE_MFENCE)
        cache_fence(cache, FENCE_ALL);
    registers[REG_RIP] += i->length;
}

static void do_in_view(struct instruction *i, uintptr_t at, greg_t *registers)
{
    uintptr_t rip = (uintptr_t)registers[REG_RIP];
    uintptr_t line = (at - (uintptr_t)guarded) / sizeof(struct line);
    uint32_t offset = at % sizeof(struct line);

    if (!cache || at < (uintptr_t)guarded || line >= n_lines || i->kind == CODE_UNKNOWN ||
        (i->kind != CODE_FLUSH && offset + i->size > sizeof(struct line)))
        panic("coverage: code at 0x%lx accesses 0x%lx in a way that has no model", rip, at);
    if (i->kind == CODE_LOAD)
        view[line] = *cache_load(cache, (uint32_t)line);
    if (i->kind == CODE_FLUSH)
        cache_flush(cache, (uint32_t)line);
    if (i->kind == CODE_STORE || i->kind == CODE_STREAM) {
        begun.instruction = i;
        begun.line = (uint32_t)line;
        begun.offset = offset;
    }
    registers[REG_RIP] = (greg_t)code_stand_in(rip, i);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct instruction *i = code_at((uintptr_t)registers[REG_RIP]);

    if (!i)
        panic("coverage: signal %d at 0x%llx, address %p", signal, registers[REG_RIP],
              info->si_addr);
    end_store();
    switch (i->kind) {
    case CODE_PREFETCH:
    case CODE_LFENCE:
    case CODE_SFENCE:
    case CODE_MFENCE: do_in_place(i, registers); break;
    default: do_in_view(i, (uintptr_t)info->si_addr, registers);
    }
}

void trap_install(uint32_t max_lines)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    size_t size = max_lines * sizeof(struct line);

    guarded = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT(guarded != MAP_FAILED);
    n_lines = max_lines;
    view = guarded + n_lines;
    ASSERT(mprotect(view, size, PROT_READ | PROT_WRITE) == 0);
    ASSERT(syscall(SYS_arch_prctl, ARCH_SET_GS, size) == 0);
    ASSERT(sigaction(SIGSEGV, &action, NULL) == 0);
}

struct line *trap_memory(void)
{
    return guarded;
}

void trap_begin(struct cache *of)
{
    cache = of;
}

void trap_end(void)
{
    end_store();
    cache = NULL;
}
