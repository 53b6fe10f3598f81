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

#include "kind/kind_names.h"
#include "tests/kinds/kinds_run.h"

struct matrix {
    uint32_t n[KINDS][KINDS]; /* of a kind, by the name that it got */
    uint32_t confident[KIND_CONFIDENCES], right[KIND_CONFIDENCES];
    uint32_t unseen[KINDS];
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
    printf("%u %s on %s: %s, %s: %s\n", n, kind_word(f->truth), f->map->name, kind_word(v->kind),
           kind_confidence_name(v->confidence), v->evidence);
}

static void try_fault(struct faulty *f, uint32_t n, const char *level, const char *shown,
                      struct matrix *m)
{
    struct kind_verdict v;

    if (!kinds_run(f, level, &v)) {
        m->unseen[f->truth]++;
        return;
    }
    m->n[f->truth][v.kind]++;
    m->confident[v.confidence]++;
    m->right[v.confidence] += v.kind == f->truth;
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
    fprintf(out, "\n\n| said to be | verdicts | right |\n|---|---|---|\n");
    for (enum kind_confidence c = KIND_CONFIDENCES; c-- > 0;)
        fprintf(out, "| %s | %u | %.3f |\n", kind_confidence_name(c), m->confident[c],
                m->confident[c] ? (double)m->right[c] / m->confident[c] : 0.0);
}

int main(int argc, char **argv)
{
    static struct faulty f;
    static struct matrix m;
    uint32_t n = (uint32_t)strtoul(option(argc, argv, "faults", "10000"), NULL, 0);
    uint64_t seed = strtoull(option(argc, argv, "seed", "1"), NULL, 0);
    const char *level = option(argc, argv, "level", "standard");
    const char *table = option(argc, argv, "table", NULL);

    for (uint32_t i = 0; i < n; i++) {
        faulty_make(&f, seed, i);
        try_fault(&f, i, level, option(argc, argv, "show", ""), &m);
    }
    put_table(stdout, &m);
    if (table) {
        FILE *out = fopen(table, "we");

        if (!out) {
            perror(table);
            return 2;
        }
        put_table(out, &m);
        fclose(out);
    }
    return 0;
}
