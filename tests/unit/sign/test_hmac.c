// SPDX-License-Identifier: MIT
/* The vectors of RFC 4231, 4.2 to 4.8, for SHA-256. */
#include "sign/hmac.h"

#include "sign/secret.h"
#include "tests/unit/unit.h"

#define BLOCK_MAX 131

static uint8_t key[BLOCK_MAX], data[256];

struct vector {
    const char *key, *data; /* NULL: key_byte, data_byte, n times */
    size_t key_bytes, n;
    uint8_t key_byte, data_byte;
    const char *mac;
    size_t mac_bytes;
};

static const struct vector vectors[] = {
    { NULL, "Hi There", 20, 8, 0x0b, 0,
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7", 32 },
    { "Jefe", "what do ya want for nothing?", 4, 28, 0, 0,
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", 32 },
    { NULL, NULL, 20, 50, 0xaa, 0xdd,
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe", 32 },
    { "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17"
      "\x18\x19",
      NULL, 25, 50, 0, 0xcd, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
      32 },
    { NULL, "Test With Truncation", 20, 20, 0x0c, 0, "a3b6167473100ee06e0c796c2955552b", 16 },
    { NULL, "Test Using Larger Than Block-Size Key - Hash Key First", 131, 54, 0xaa, 0,
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54", 32 },
    { NULL,
      "This is a test using a larger than block-size key and a larger than block-size data. The "
      "key needs to be hashed before being used by the HMAC algorithm.",
      131, 152, 0xaa, 0, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2", 32 },
};

static void fill(uint8_t *out, const char *text, uint8_t byte, size_t n)
{
    if (text)
        memcpy(out, text, n);
    else
        memset(out, byte, n);
}

static void to_bytes(const char *hex, uint8_t *out)
{
    for (size_t i = 0; hex[2 * i]; i++) {
        unsigned value = 0;

        for (size_t k = 0; k < 2; k++) {
            char c = hex[2 * i + k];

            value = value << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        out[i] = (uint8_t)value;
    }
}

/* However the data are cut. */
TEST(has_the_published_values)
{
    for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
        const struct vector *test = &vectors[v];
        uint8_t wanted[HMAC_BYTES], mac[HMAC_BYTES];

        fill(key, test->key, test->key_byte, test->key_bytes);
        fill(data, test->data, test->data_byte, test->n);
        to_bytes(test->mac, wanted);
        for (size_t cut = 0; cut <= test->n; cut++) {
            const struct hmac_part part[] = { { data, cut }, { data + cut, test->n - cut } };

            hmac_sha256(key, test->key_bytes, part, 2, mac);
            assert_memory_equal(mac, wanted, test->mac_bytes);
        }
    }
}

TEST(equal_is_all_bytes)
{
    uint8_t a[HMAC_BYTES] = { 1, 2, 3 }, b[HMAC_BYTES] = { 1, 2, 3 };

    assert_true(hmac_equals(a, b));
    for (size_t bit = 0; bit < 8 * HMAC_BYTES; bit++) {
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(hmac_equals(a, b));
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

TEST(wiped_is_zero)
{
    uint8_t bytes[40];

    memset(bytes, 7, sizeof(bytes));
    secret_wipe(bytes + 1, 38);
    for (size_t i = 0; i < sizeof(bytes); i++)
        assert_int_equal(bytes[i], i == 0 || i == 39 ? 7 : 0);
}

/* HMAC-SHA-256 with the key "okram run" and a NUL, by Python's hmac. */
TEST(the_first_half_of_an_hmac)
{
    char id[RUN_ID_SIZE];

    run_id_make("", 0, id);
    assert_string_equal(id, "847046054f7a96112185b00bee7c22e5");
    run_id_make("abc", 3, id);
    assert_string_equal(id, "acf9380882d56efe37769594cc01cf07");
}

/* A bit more or less anywhere is another run. */
TEST(every_bit_counts)
{
    char first[RUN_ID_SIZE], other[RUN_ID_SIZE];
    uint8_t bytes[64] = { 0 };

    run_id_make(bytes, sizeof(bytes), first);
    for (unsigned bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        run_id_make(bytes, sizeof(bytes), other);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(strlen(other), 32);
        assert_string_not_equal(first, other);
    }
}
