# SPDX-License-Identifier: MIT
"""CRC-32C (Castagnoli; RFC 3720, 12.1), as kernel/core/lib/crc32c.h has it."""

_POLYNOMIAL = 0x82F63B78


def _entry(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = [_entry(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF
