// SPDX-License-Identifier: MIT
/*
 * kinds_bench [faults=10000] [seed=1] [level=standard] [table=FILE] [show=KIND]: which kinds okram
 * names for faults of known kinds.
 *
 * The table is for docs/kinds.md. show=row prints each fault of that kind which got another name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kind/kind.h"
#include "tests/kinds/kinds_run.h"

#define ROWS_MAX    4
#define LAYOUTS_MAX 8

struct matrix {
    uint32_t n[KINDS][KINDS]; /* of a kind, by the name that it got */
    uint32_t unseen[KINDS];
};

/* Of some of the faults. */
struct count {
    uint32_t n, right, confident[KIND_CONFIDENCES], confident_right[KIND_CONFIDENCES];
};

struct counts {
    struct matrix matrix;
    struct count all, layout[LAYOUTS_MAX], rows[ROWS_MAX + 1]; /* rows: by how many they are */
};

static const char *option(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    }
    return otherwise;
}

static void show(const struct faulty *f, uint32_t n, const struct kind_verdict *v)
{
    printf("%u %s on %s, %s: %s, %s: %s\n", n, kind_word(f->truth), f->map->name, f->layout->name,
           kind_word(v->kind), kind_confidence_name(v->confidence), v->evidence);
}

static void add(struct count *c, const struct faulty *f, const struct kind_verdict *v)
{
    bool is_right = v->kind == f->truth;

    c->n++;
    c->right += is_right;
    c->confident[v->confidence]++;
    c->confident_right[v->confidence] += is_right;
}

static void try_fault(struct faulty *f, uint32_t n, const char *level, const char *shown,
                      struct counts *c)
{
    struct kind_verdict v;

    if (!kinds_run(f, level, &v)) {
        c->matrix.unseen[f->truth]++;
        return;
    }
    c->matrix.n[f->truth][v.kind]++;
    add(&c->all, f, &v);
    add(&c->layout[f->layout - faulty_layouts], f, &v);
    if (f->n_rows)
        add(&c->rows[f->n_rows], f, &v);
    if (v.kind != f->truth && strcmp(kind_word(f->truth), shown) == 0)
        show(f, n, &v);
}

static uint32_t row_sum(const struct matrix *m, enum kind truth)
{
    uint32_t sum = 0;

    for (enum kind k = 0; k < KINDS; k++)
        sum += m->n[truth][k];
    return sum;
}

static void put_share(FILE *out, uint32_t n, uint32_t of)
{
    if (n)
        fprintf(out, " %.3f |", (double)n / of);
    else
        fprintf(out, " |");
}

static void put_table(FILE *out, const struct matrix *m)
{
    fprintf(out, "| a fault of | seen |");
    for (enum kind k = KIND_UNCLEAR; k < KINDS; k++)
        fprintf(out, " %s |", kind_word(k));
    fprintf(out, "\n|---|---|");
    for (enum kind k = KIND_UNCLEAR; k < KINDS; k++)
        fprintf(out, "---|");
    for (enum kind t = KIND_CELL; t < KINDS; t++) {
        uint32_t sum = row_sum(m, t);

        fprintf(out, "\n| %s | %u of %u |", kind_word(t), sum, sum + m->unseen[t]);
        for (enum kind k = KIND_UNCLEAR; k < KINDS; k++)
            put_share(out, m->n[t][k], sum ? sum : 1);
    }
    fprintf(out, "\n");
}

static double share(uint32_t n, uint32_t of)
{
    return of ? (double)n / of : 0.0;
}

static void put_confidence(FILE *out, const struct count *c)
{
    fprintf(out, "\n| said to be | verdicts | right |\n|---|---|---|\n");
    for (enum kind_confidence k = KIND_CONFIDENCES; k-- > 0;)
        fprintf(out, "| %s | %u | %.3f |\n", kind_confidence_name(k), c->confident[k],
                share(c->confident_right[k], c->confident[k]));
}

static void put_count(FILE *out, const char *name, const struct count *c)
{
    fprintf(out, "| %s | %u | %.3f | %u | %.3f |\n", name, c->n, share(c->right, c->n),
            c->confident[KIND_SURE], share(c->confident_right[KIND_SURE], c->confident[KIND_SURE]));
}

static void put_parts(FILE *out, const struct counts *c)
{
    static const char *const rows[ROWS_MAX + 1] = {
        [1] = "one row", [2] = "two rows", [4] = "four rows"
    };

    fprintf(out, "\n| of these | verdicts | right | sure | right |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < faulty_n_layouts; i++)
        put_count(out, faulty_layouts[i].name, &c->layout[i]);
    for (size_t i = 0; i <= ROWS_MAX; i++) {
        if (rows[i])
            put_count(out, rows[i], &c->rows[i]);
    }
}

static void put_all(FILE *out, const struct counts *c)
{
    put_table(out, &c->matrix);
    put_confidence(out, &c->all);
    put_parts(out, c);
}

int main(int argc, char **argv)
{
    static struct faulty f;
    static struct counts c;
    uint32_t n = (uint32_t)strtoul(option(argc, argv, "faults", "10000"), NULL, 0);
    uint64_t seed = strtoull(option(argc, argv, "seed", "1"), NULL, 0);
    const char *level = option(argc, argv, "level", "standard");
    const char *table = option(argc, argv, "table", NULL);

    for (uint32_t i = 0; i < n; i++) {
        faulty_make(&f, seed, i);
        try_fault(&f, i, level, option(argc, argv, "show", ""), &c);
    }
    put_all(stdout, &c);
    if (table) {
        FILE *out = fopen(table, "we");

        if (!out) {
            perror(table);
            return 2;
        }
        put_all(out, &c);
        fclose(out);
    }
    return 0;
}
