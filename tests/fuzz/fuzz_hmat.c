// SPDX-License-Identifier: MIT
/* An HMAT, and all that okram could ask it for. */
#include "acpi/hmat.h"

#include "fuzz.h"

#define DOMAINS 8u

static struct hmat hmat;

static void check_domain(uint32_t domain)
{
    uint64_t largest = hmat_side_cache_bytes(&hmat, domain);
    size_t of_its_size = 0;

    for (size_t i = 0; i < hmat.n_caches; i++) {
        CHECK(hmat.cache[i].size_bytes > 0);
        if (hmat.cache[i].domain == domain) {
            CHECK(hmat.cache[i].size_bytes <= largest);
            of_its_size += hmat.cache[i].size_bytes == largest;
        }
    }
    CHECK((largest == 0) == (of_its_size == 0));
}

FUZZ_TABLE(table, warnings, counted)
{
    hmat = (struct hmat){ 0 };
    if (hmat_read(table, warnings, &hmat) == STATUS_OK) {
        CHECK(hmat.n_caches <= HMAT_CACHES_MAX);
        CHECK(counted->n <= 4);
    } else {
        CHECK(counted->n == 1);
    }
    for (uint32_t domain = 0; domain < DOMAINS; domain++)
        check_domain(domain);
    check_domain(UINT32_MAX);
}
