// SPDX-License-Identifier: MIT
/*
 * Host tool: makes a PE file of a UEFI program that was linked by efi.ld, for 64-bit or for 32-bit
 * firmware (Microsoft PE Format; UEFI 2.10, 2.1.1). With --driver it is a boot services driver,
 * else an application.
 *
 *   elf_to_pe [--driver] LINKED.elf SBAT.csv PROGRAM.efi
 *
 * SBAT.csv becomes the section .sbat, by which shim knows which generation of the program this is
 * (shim's SBAT.md). Shim takes all bytes of the section for text, so its size is exact.
 *
 * Each section begins in a page of its own, and none is both writable and executable, so that
 * firmware can protect them. All bytes of the file belong to the headers or to a section, so that a
 * signature covers them. Equal input gives equal bytes. Exits with 1 and a sentence when a file is
 * not what it should be.
 */
#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

/* Of the file header, the optional header, and the sections' flags. */
#define MACHINE_X64         0x8664
#define MACHINE_IA32        0x14c
#define EXECUTABLE          0x0002
#define LARGE_ADDRESS_AWARE 0x0020
#define ONLY_32_BIT         0x0100
#define MAGIC_PE32          0x10b
#define MAGIC_PE32_PLUS     0x20b
#define SUBSYSTEM_EFI       10
#define SUBSYSTEM_DRIVER    11
#define HIGH_ENTROPY_VA     0x0020
#define DYNAMIC_BASE        0x0040
#define NX_COMPAT           0x0100
#define DIRECTORIES         16
#define RELOCATIONS         5           /* which directory they are */
#define CODE                0x60000020u /* executable, readable */
#define CONSTANTS           0x40000040u /* readable */
#define VARIABLES           0xc0000040u /* readable, writable */
#define DISCARDABLE         0x42000040u /* readable */

/* Base relocations: the address of 32 or 64 bits at that place. */
#define HIGHLOW 3
#define DIR64   10

struct file_header {
    char signature[4];
    uint16_t machine, n_sections;
    uint32_t date, symbols, n_symbols;
    uint16_t optional_bytes, flags;
};
_Static_assert(sizeof(struct file_header) == 24, "PE Format, COFF File Header");

struct directory {
    uint32_t rva, bytes;
};

/* What both forms of the optional header begin with. */
struct optional_begin {
    uint16_t magic;
    uint8_t linker[2];
    uint32_t code_bytes, data_bytes, bss_bytes, entry, code_rva;
};
_Static_assert(sizeof(struct optional_begin) == 24, "PE Format, Optional Header");

/* What follows the image base. */
struct optional_middle {
    uint32_t section_alignment, file_alignment;
    uint16_t system[2], image[2], subsystem_version[2];
    uint32_t reserved, image_bytes, header_bytes, checksum;
    uint16_t subsystem, flags;
};
_Static_assert(sizeof(struct optional_middle) == 40, "PE Format, Optional Header");

struct section {
    char name[8];
    uint32_t bytes, rva, file_bytes, at, relocations, lines;
    uint16_t n_relocations, n_lines;
    uint32_t flags;
};
_Static_assert(sizeof(struct section) == 40, "PE Format, Section Table");

enum { TEXT, RODATA, DATA, SBAT, RELOC, N_SECTIONS };

static const struct {
    const char *name;
    uint32_t flags;
} kinds[N_SECTIONS] = {
    [TEXT] = { ".text", CODE },          [RODATA] = { ".rodata", CONSTANTS },
    [DATA] = { ".data", VARIABLES },     [SBAT] = { ".sbat", CONSTANTS },
    [RELOC] = { ".reloc", DISCARDABLE },
};

/* A section of the linked file, of either class. */
struct part {
    const char *name;
    uint64_t rva, bytes;
    uint32_t type;
    const uint8_t *content;
};

struct linked {
    const char *path;
    uint8_t *bytes;
    size_t size;
    bool is_64;
    uint64_t entry;
    size_t n_parts;
};

/* The program as it is in memory, from address 0 on. */
struct image {
    uint16_t subsystem;
    uint8_t *bytes;
    uint32_t size; /* without .sbat and the relocations */
    struct section section[N_SECTIONS];
};

struct text {
    uint8_t *bytes;
    size_t size;
};

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "elf_to_pe: %s: %s\n", path, why);
    exit(1);
}

static uint32_t align_up(uint64_t n)
{
    return (uint32_t)((n + PAGE - 1) & ~(uint64_t)(PAGE - 1));
}

/* Appends n bytes; NULL: zeros. */
static void append(struct text *t, const void *bytes, size_t n)
{
    t->bytes = realloc(t->bytes, t->size + n + 1);
    if (!t->bytes)
        fail("memory", "there is too little");
    if (bytes)
        memcpy(t->bytes + t->size, bytes, n);
    else
        memset(t->bytes + t->size, 0, n);
    t->size += n;
}

/* With a 0 behind them. */
static struct text read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct text t = { NULL, 0 };
    long size;

    if (!stream || fseek(stream, 0, SEEK_END) || (size = ftell(stream)) < 0)
        fail(path, "cannot be read");
    rewind(stream);
    append(&t, NULL, (size_t)size);
    if (fread(t.bytes, 1, t.size, stream) != t.size)
        fail(path, "cannot be read");
    fclose(stream);
    t.bytes[t.size] = 0;
    return t;
}

static struct linked read_linked(const char *path)
{
    struct text file = read_file(path);
    struct linked l = { .path = path, .bytes = file.bytes, .size = file.size };

    if (l.size < sizeof(Elf64_Ehdr) || memcmp(l.bytes, ELFMAG, SELFMAG) != 0)
        fail(path, "is no ELF file");
    l.is_64 = l.bytes[EI_CLASS] == ELFCLASS64;
    if (l.is_64) {
        const Elf64_Ehdr *head = (const void *)l.bytes;

        l.entry = head->e_entry;
        l.n_parts = head->e_shnum;
        if (head->e_shoff + l.n_parts * sizeof(Elf64_Shdr) > l.size)
            fail(path, "is cut off");
    } else {
        const Elf32_Ehdr *head = (const void *)l.bytes;

        l.entry = head->e_entry;
        l.n_parts = head->e_shnum;
        if (head->e_shoff + l.n_parts * sizeof(Elf32_Shdr) > l.size)
            fail(path, "is cut off");
    }
    return l;
}

static struct part part_at(const struct linked *l, size_t i)
{
    uint64_t names, name, at;
    struct part p;

    if (l->is_64) {
        const Elf64_Ehdr *head = (const void *)l->bytes;
        const Elf64_Shdr *s = (const void *)(l->bytes + head->e_shoff);

        p = (struct part){ NULL, s[i].sh_addr, s[i].sh_size, s[i].sh_type, NULL };
        names = s[head->e_shstrndx].sh_offset;
        name = s[i].sh_name;
        at = s[i].sh_offset;
    } else {
        const Elf32_Ehdr *head = (const void *)l->bytes;
        const Elf32_Shdr *s = (const void *)(l->bytes + head->e_shoff);

        p = (struct part){ NULL, s[i].sh_addr, s[i].sh_size, s[i].sh_type, NULL };
        names = s[head->e_shstrndx].sh_offset;
        name = s[i].sh_name;
        at = s[i].sh_offset;
    }
    if (names + name >= l->size || (p.type != SHT_NOBITS && at + p.bytes > l->size))
        fail(l->path, "is cut off");
    p.name = (const char *)l->bytes + names + name;
    p.content = l->bytes + at;
    return p;
}

/* Of no bytes where there is none. */
static struct part part_named(const struct linked *l, const char *name)
{
    for (size_t i = 0; i < l->n_parts; i++) {
        struct part p = part_at(l, i);

        if (strcmp(p.name, name) == 0)
            return p;
    }
    return (struct part){ .name = name, .type = SHT_NOBITS };
}

/* Component, generation, vendor, package, version and URL, and no byte that is no text. */
static bool is_sbat_line(const char *line, size_t bytes)
{
    enum { GENERATION = 1, FIELDS = 6 };
    size_t field = 0, field_bytes = 0;

    for (size_t i = 0; i < bytes; i++) {
        if (line[i] == ',' && field_bytes) {
            field++;
            field_bytes = 0;
        } else if (line[i] == ',' || !isprint((unsigned char)line[i]) ||
                   (field == GENERATION && !isdigit((unsigned char)line[i]))) {
            return false;
        } else {
            field_bytes++;
        }
    }
    return field == FIELDS - 1 && field_bytes;
}

static struct text read_sbat(const char *path)
{
    struct text t = read_file(path);
    const char *line = (const char *)t.bytes, *end = line + t.size;
    size_t n = 0;

    if (strncmp(line, "sbat,1,", strlen("sbat,1,")) != 0)
        fail(path, "does not begin with the version of SBAT: sbat,1,...");
    for (; line < end; n++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));

        if (!next || !is_sbat_line(line, (size_t)(next - line)))
            fail(path, "a line is not of six fields with commas between them, the second a number");
        line = next + 1;
    }
    if (n < 2)
        fail(path, "names no component");
    return t;
}

static struct image load(const struct linked *l, uint16_t subsystem)
{
    struct part bss = part_named(l, ".bss");
    struct image image = { .subsystem = subsystem, .size = PAGE };

    for (int i = TEXT; i <= DATA; i++) {
        struct part p = part_named(l, kinds[i].name);
        struct section *s = &image.section[i];

        if (!p.bytes || p.rva != image.size)
            fail(l->path, "its sections do not follow each other as boot/pe/efi.ld has them");
        if (i == DATA && bss.bytes)
            p.bytes = bss.rva + bss.bytes - p.rva;
        *s = (struct section){ .bytes = (uint32_t)p.bytes, .rva = (uint32_t)p.rva };
        image.size = align_up(p.rva + p.bytes);
    }
    image.bytes = calloc(1, image.size);
    if (!image.bytes)
        fail("memory", "there is too little");
    for (int i = TEXT; i <= DATA; i++) {
        struct part p = part_named(l, kinds[i].name);

        memcpy(image.bytes + p.rva, p.content, p.bytes);
        image.section[i].file_bytes = align_up(p.bytes);
    }
    return image;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Writes the addend of each of the 64-bit file's relocations to its place. */
static size_t relocate_64(const struct linked *l, const struct image *image, uint32_t *at)
{
    struct part p = part_named(l, ".rela.dyn");
    size_t n = p.bytes / sizeof(Elf64_Rela);

    for (size_t i = 0; i < n; i++) {
        Elf64_Rela r;

        memcpy(&r, p.content + i * sizeof(r), sizeof(r));
        if (ELF64_R_TYPE(r.r_info) != R_X86_64_RELATIVE ||
            r.r_offset + sizeof(uint64_t) > image->size)
            fail(l->path, "it has a relocation that is not of its own address");
        memcpy(image->bytes + r.r_offset, &r.r_addend, sizeof(uint64_t));
        at[i] = (uint32_t)r.r_offset;
    }
    return n;
}

/* The 32-bit file's addends are in their places. */
static size_t relocate_32(const struct linked *l, const struct image *image, uint32_t *at)
{
    struct part p = part_named(l, ".rel.dyn");
    size_t n = p.bytes / sizeof(Elf32_Rel);

    for (size_t i = 0; i < n; i++) {
        Elf32_Rel r;

        memcpy(&r, p.content + i * sizeof(r), sizeof(r));
        if (ELF32_R_TYPE(r.r_info) != R_386_RELATIVE ||
            (uint64_t)r.r_offset + sizeof(uint32_t) > image->size)
            fail(l->path, "it has a relocation that is not of its own address");
        at[i] = r.r_offset;
    }
    return n;
}

/* A block for each page, with a word for each place in it. */
static struct text make_relocations(const struct linked *l, const struct image *image)
{
    uint32_t *at = calloc(l->size / sizeof(Elf32_Rel) + 1, sizeof(*at));
    uint16_t type = l->is_64 ? DIR64 : HIGHLOW;
    struct text t = { NULL, 0 };
    size_t n;

    if (!at)
        fail("memory", "there is too little");
    n = l->is_64 ? relocate_64(l, image, at) : relocate_32(l, image, at);
    if (!n)
        fail(l->path, "it has no relocations");
    qsort(at, n, sizeof(*at), compare);
    for (size_t i = 0, end; i < n; i = end) {
        struct directory head = { at[i] & -PAGE, sizeof(head) };

        for (end = i; end < n && (at[end] & -PAGE) == head.rva; end++)
            ;
        head.bytes += (uint32_t)((end - i + (end - i) % 2) * sizeof(uint16_t));
        append(&t, &head, sizeof(head));
        for (; i < end; i++) {
            uint16_t word = (uint16_t)(type << 12 | at[i] % PAGE);

            append(&t, &word, sizeof(word));
        }
        append(&t, NULL, t.size % sizeof(uint32_t));
    }
    free(at);
    return t;
}

static void append_optional(struct text *t, const struct linked *l, const struct image *image)
{
    const struct section *s = image->section;
    const struct optional_begin begin = {
        .magic = l->is_64 ? MAGIC_PE32_PLUS : MAGIC_PE32,
        .code_bytes = s[TEXT].file_bytes,
        .data_bytes =
            s[RODATA].file_bytes + s[DATA].file_bytes + s[SBAT].file_bytes + s[RELOC].file_bytes,
        .entry = (uint32_t)l->entry,
        .code_rva = s[TEXT].rva,
    };
    const struct optional_middle middle = {
        .section_alignment = PAGE,
        .file_alignment = PAGE,
        .image_bytes = s[RELOC].rva + align_up(s[RELOC].bytes),
        .header_bytes = PAGE,
        .subsystem = image->subsystem,
        .flags = NX_COMPAT | DYNAMIC_BASE | (l->is_64 ? HIGH_ENTROPY_VA : 0),
    };
    const uint32_t n_directories = DIRECTORIES;
    const struct directory directory[DIRECTORIES] = {
        [RELOCATIONS] = { s[RELOC].rva, s[RELOC].bytes },
    };
    size_t word = l->is_64 ? sizeof(uint64_t) : sizeof(uint32_t);

    append(t, &begin, sizeof(begin));
    if (!l->is_64)
        append(t, &s[RODATA].rva, sizeof(uint32_t)); /* where data begin: PE32 alone has this */
    append(t, NULL, word);                           /* the image base */
    append(t, &middle, sizeof(middle));
    append(t, NULL, 4 * word); /* sizes of stack and heap */
    append(t, NULL, sizeof(uint32_t));
    append(t, &n_directories, sizeof(n_directories));
    append(t, directory, sizeof(directory));
}

static void append_headers(struct text *t, const struct linked *l, const struct image *image)
{
    enum { DOS_BYTES = 64, PE_AT = 60 };
    const uint32_t pe_at = DOS_BYTES;
    struct text optional = { NULL, 0 };
    struct file_header head = {
        .signature = "PE",
        .machine = l->is_64 ? MACHINE_X64 : MACHINE_IA32,
        .n_sections = N_SECTIONS,
        .flags = EXECUTABLE | (l->is_64 ? LARGE_ADDRESS_AWARE : ONLY_32_BIT),
    };

    append_optional(&optional, l, image);
    head.optional_bytes = (uint16_t)optional.size;
    append(t, "MZ", 2);
    append(t, NULL, PE_AT - t->size);
    append(t, &pe_at, sizeof(pe_at));
    append(t, &head, sizeof(head));
    append(t, optional.bytes, optional.size);
    append(t, image->section, sizeof(image->section));
    append(t, NULL, PAGE - t->size);
    free(optional.bytes);
}

/* These sections follow the linked ones, in the order of their numbers. */
static void add_section(struct image *image, int number, size_t bytes)
{
    const struct section *before = &image->section[number - 1];

    image->section[number] = (struct section){
        .bytes = (uint32_t)bytes,
        .rva = before->rva + align_up(before->bytes),
        .file_bytes = align_up(bytes),
    };
}

static void place(struct image *image)
{
    uint32_t at = PAGE;

    for (int i = 0; i < N_SECTIONS; i++) {
        struct section *s = &image->section[i];

        memcpy(s->name, kinds[i].name, strlen(kinds[i].name));
        s->flags = kinds[i].flags;
        s->at = at;
        at += s->file_bytes;
    }
}

static void append_padded(struct text *out, const struct text *t)
{
    append(out, t->bytes, t->size);
    append(out, NULL, align_up(t->size) - t->size);
}

int main(int argc, char **argv)
{
    bool is_driver = argc == 5 && strcmp(argv[1], "--driver") == 0;
    char **path = argv + argc - 3;
    struct text sbat, relocations, out = { NULL, 0 };
    struct linked linked;
    struct image image;
    FILE *stream;

    if (argc != 4 && !is_driver)
        fail("use", "elf_to_pe [--driver] LINKED.elf SBAT.csv PROGRAM.efi");
    linked = read_linked(path[0]);
    sbat = read_sbat(path[1]);
    image = load(&linked, is_driver ? SUBSYSTEM_DRIVER : SUBSYSTEM_EFI);
    relocations = make_relocations(&linked, &image);
    add_section(&image, SBAT, sbat.size);
    add_section(&image, RELOC, relocations.size);
    place(&image);
    append_headers(&out, &linked, &image);
    for (int i = TEXT; i <= DATA; i++)
        append(&out, image.bytes + image.section[i].rva, image.section[i].file_bytes);
    append_padded(&out, &sbat);
    append_padded(&out, &relocations);

    stream = fopen(path[2], "wb");
    if (!stream || fwrite(out.bytes, 1, out.size, stream) != out.size || fclose(stream))
        fail(path[2], "cannot be written");
    free(out.bytes);
    free(relocations.bytes);
    free(sbat.bytes);
    free(image.bytes);
    free(linked.bytes);
    return 0;
}
