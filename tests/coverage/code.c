// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "tests/coverage/code.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/panic.h"

#define HLT          0xf4
#define GS_PREFIX    0x65
#define JMP_REL32    0xe9
#define STAND_IN_MAX 32 /* bytes: a prefix, at most 15 for the instruction, 5 for the jump */

/* What the linker makes of the section: its begin and end. */
extern uint8_t code_begin[] __asm__("__start_okram_text");
extern uint8_t code_end[] __asm__("__stop_okram_text");

static struct instruction *instructions; /* by their offset */
static uint8_t *stand_ins, *stand_ins_end;

static const struct {
    ZydisMnemonic mnemonic;
    enum code_kind kind;
} special[] = {
    { ZYDIS_MNEMONIC_MOVNTI, CODE_STREAM },        { ZYDIS_MNEMONIC_MOVNTDQ, CODE_STREAM },
    { ZYDIS_MNEMONIC_MOVNTPS, CODE_STREAM },       { ZYDIS_MNEMONIC_MOVNTPD, CODE_STREAM },
    { ZYDIS_MNEMONIC_VMOVNTDQ, CODE_STREAM },      { ZYDIS_MNEMONIC_VMOVNTPS, CODE_STREAM },
    { ZYDIS_MNEMONIC_VMOVNTPD, CODE_STREAM },      { ZYDIS_MNEMONIC_CLFLUSH, CODE_FLUSH },
    { ZYDIS_MNEMONIC_CLFLUSHOPT, CODE_FLUSH },     { ZYDIS_MNEMONIC_PREFETCHT0, CODE_PREFETCH },
    { ZYDIS_MNEMONIC_PREFETCHT1, CODE_PREFETCH },  { ZYDIS_MNEMONIC_PREFETCHT2, CODE_PREFETCH },
    { ZYDIS_MNEMONIC_PREFETCHNTA, CODE_PREFETCH }, { ZYDIS_MNEMONIC_LFENCE, CODE_LFENCE },
    { ZYDIS_MNEMONIC_SFENCE, CODE_SFENCE },        { ZYDIS_MNEMONIC_MFENCE, CODE_MFENCE },
    { ZYDIS_MNEMONIC_CLWB, CODE_UNKNOWN },         { ZYDIS_MNEMONIC_NOP, CODE_OTHER },
};

static const ZydisDecodedOperand *memory_operand(const ZydisDecodedInstruction *i,
                                                 const ZydisDecodedOperand *operand,
                                                 unsigned *ret_n)
{
    const ZydisDecodedOperand *found = NULL;

    *ret_n = 0;
    for (unsigned k = 0; k < i->operand_count; k++) {
        if (operand[k].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operand[k].mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
            found = &operand[k];
            ++*ret_n;
        }
    }
    return found;
}

static enum code_kind kind_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *memory,
                              unsigned n_memory)
{
    bool reads, writes, masked;

    for (size_t k = 0; k < sizeof(special) / sizeof(special[0]); k++) {
        if (special[k].mnemonic == i->mnemonic)
            return special[k].kind;
    }
    if (!memory)
        return CODE_OTHER;
    reads = memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    writes = memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    masked = i->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED;
    if (n_memory > 1 || reads == writes || masked || (i->attributes & ZYDIS_ATTRIB_HAS_SEGMENT))
        return CODE_UNKNOWN;
    return reads ? CODE_LOAD : CODE_STORE;
}

static uint8_t register_number(ZydisRegister r)
{
    return r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15 ? (uint8_t)(r - ZYDIS_REGISTER_RAX)
                                                              : CODE_NO_REGISTER;
}

static struct instruction decode(const ZydisDecoder *decoder, const uint8_t *at)
{
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    const ZydisDecodedOperand *memory;
    struct instruction result;
    unsigned n_memory;

    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, at, (size_t)(code_end - at), &i, operand)))
        panic("coverage: no instruction at offset 0x%zx of the code", (size_t)(at - code_begin));
    memory = memory_operand(&i, operand, &n_memory);
    result = (struct instruction){
        .kind = kind_of(&i, memory, n_memory),
        .length = i.length,
        .base = CODE_NO_REGISTER,
        .index = CODE_NO_REGISTER,
    };
    if (memory) {
        result.size = (uint8_t)(memory->size / 8);
        result.base = register_number(memory->mem.base);
        result.index = register_number(memory->mem.index);
        result.scale = memory->mem.scale;
        result.displacement = memory->mem.disp.has_displacement ? memory->mem.disp.value : 0;
    }
    return result;
}

static bool faults_nowhere(enum code_kind kind)
{
    return kind == CODE_PREFETCH || kind == CODE_LFENCE || kind == CODE_SFENCE ||
           kind == CODE_MFENCE;
}

static void make_writable(void)
{
    uintptr_t begin = (uintptr_t)code_begin & -UINT64_C(4096);

    ASSERT(mprotect((void *)begin, (uintptr_t)code_end - begin,
                    PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

void code_prepare(void)
{
    size_t size = (size_t)(code_end - code_begin), room = STAND_IN_MAX * size / 2;
    ZydisDecoder decoder;

    ASSERT(
        ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
    instructions = calloc(size, sizeof(*instructions));
    /* In the low 2 GiB, like the code, so that jumps reach. */
    stand_ins = mmap(NULL, room, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    ASSERT(instructions && stand_ins != MAP_FAILED);
    stand_ins_end = stand_ins + room;
    make_writable();
    for (uint8_t *at = code_begin; at < code_end;) {
        struct instruction *i = &instructions[at - code_begin];

        *i = decode(&decoder, at);
        if (faults_nowhere(i->kind))
            *at = HLT;
        at += i->length;
    }
}

struct instruction *code_at(uintptr_t rip)
{
    uintptr_t offset = rip - (uintptr_t)code_begin;

    if (offset >= (uintptr_t)(code_end - code_begin) || !instructions[offset].length)
        return NULL;
    return &instructions[offset];
}

void *code_stand_in(uintptr_t rip, struct instruction *i)
{
    uint8_t *p = stand_ins;
    int32_t jump;

    if (i->stand_in)
        return i->stand_in;
    ASSERT(stand_ins_end - stand_ins >= STAND_IN_MAX);
    stand_ins += STAND_IN_MAX;
    i->stand_in = p;
    *p++ = GS_PREFIX;
    memcpy(p, (const void *)rip, i->length);
    p += i->length;
    jump = (int32_t)(rip + i->length - ((uintptr_t)p + 5));
    *p++ = JMP_REL32;
    memcpy(p, &jump, sizeof(jump));
    return i->stand_in;
}
