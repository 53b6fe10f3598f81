// SPDX-License-Identifier: MIT
#include "self/page_sum.h"

#include <stddef.h>

bool page_sum_vote(const uint32_t actual[2], const uint32_t kept[2], uint32_t *ret_sum)
{
    const uint32_t sum[] = { kept[0], kept[1], actual[0], actual[1] };
    const size_t n = sizeof(sum) / sizeof(sum[0]);
    unsigned most = 1;

    for (size_t i = 0; i < n; i++) {
        unsigned votes = 0;

        for (size_t k = 0; k < n; k++)
            votes += sum[k] == sum[i];
        if (votes > most) {
            most = votes;
            *ret_sum = sum[i];
        }
    }
    return most > 1;
}
