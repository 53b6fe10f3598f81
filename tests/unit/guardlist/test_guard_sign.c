// SPDX-License-Identifier: MIT
#include "guardlist/guard_sign.h"

#include "samples.h"

static const uint8_t key[HMAC_BYTES] = { 3, 1, 4, 1, 5, 9 };
static const struct guard_run runs[] = { { 5, 1 }, { 0x12345, 3 }, { 0x4000000, 500 } };

static uint8_t bytes[400];

/* docs/guard.md, byte by byte. */
static void has_the_documented_hmac(void **state)
{
    size_t size = make_list(runs, 3, bytes, sizeof(bytes));
    uint8_t wanted[HMAC_BYTES];

    hmac_sha256(key, sizeof(key),
                (struct hmac_part[]){ { "okram guard list", 17 }, { bytes + 12, size - 12 } }, 2,
                wanted);
    guard_list_sign(bytes, key);
    assert_memory_equal(bytes + 96, wanted, sizeof(wanted));
}

static void a_signed_list_is_a_list(void **state)
{
    size_t size = make_list(runs, 3, bytes, sizeof(bytes));
    struct guard_list list = open_list(bytes, size);

    assert_false(guard_list_is_signed(&list, key));
    guard_list_sign(bytes, key);
    list = open_list(bytes, size);
    assert_true(guard_list_is_signed(&list, key));
    assert_null(guard_fingerprint_differs(&list.head.machine, &sample_machine));
    memset(bytes + size, 0xff, sizeof(bytes) - size); /* what follows does not count */
    list = open_list(bytes, sizeof(bytes));
    assert_true(guard_list_is_signed(&list, key));
}

static void another_key_signs_another_list(void **state)
{
    size_t size = make_list(runs, 3, bytes, sizeof(bytes));
    uint8_t other[HMAC_BYTES];
    struct guard_list list;

    guard_list_sign(bytes, key);
    list = open_list(bytes, size);
    for (size_t bit = 0; bit < 8 * sizeof(key); bit++) {
        memcpy(other, key, sizeof(other));
        other[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(guard_list_is_signed(&list, other));
    }
}

/* Whatever is changed, with a CRC that is right: it is not a list, or not signed. */
static void a_changed_list_is_not_signed(void **state)
{
    size_t size = make_list(runs, 3, bytes, sizeof(bytes));
    unsigned n_lists = 0;
    struct guard_list list;
    const char *why;

    guard_list_sign(bytes, key);
    for (size_t bit = 8 * 12; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        mend_crc(bytes, size);
        if (guard_list_open(bytes, size, &list, &why) == STATUS_OK) {
            assert_false(guard_list_is_signed(&list, key));
            n_lists++;
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_in_range(n_lists, 8 * (HMAC_BYTES + 48), 8 * size);
    mend_crc(bytes, size);
    list = open_list(bytes, size);
    assert_true(guard_list_is_signed(&list, key));
}

static void an_old_list_is_not_signed(void **state)
{
    struct guard_list list = open_list(bytes, make_old_list(runs, 3, bytes, sizeof(bytes)));

    assert_false(guard_list_is_signed(&list, key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_documented_hmac),
        cmocka_unit_test(a_signed_list_is_a_list),
        cmocka_unit_test(another_key_signs_another_list),
        cmocka_unit_test(a_changed_list_is_not_signed),
        cmocka_unit_test(an_old_list_is_not_signed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
