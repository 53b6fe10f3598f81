# SPDX-License-Identifier: MIT
import pytest

from okramlib.units import count, format_seconds, format_size, parse_size


@pytest.mark.parametrize(
    "text, size",
    [("0", 0), ("09", 9), ("512M", 512 << 20), ("2g", 2 << 30), ("1T", 1 << 40), ("0x1K", 1024)],
)
def test_parse_size(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "M", "1.5G", "-1", "0x", "12Q", "1 2", "1MM"])
def test_parse_size_refuses(text):
    with pytest.raises(ValueError, match="is not a number"):
        parse_size(text)


@pytest.mark.parametrize(
    "size, text",
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (512 << 20, "512 MiB"),
        (3 << 29, "1.5 GiB"),
        (3 << 40, "3 TiB"),
    ],
)
def test_format_size(size, text):
    assert format_size(size) == text


@pytest.mark.parametrize(
    "seconds, text",
    [(0, "0.0 s"), (9.94, "9.9 s"), (10, "10 s"), (59.9, "59 s"), (60, "1:00"), (3599, "59:59"),
     (3600, "1:00:00"), (86400, "24:00:00")],
)  # fmt: skip
def test_format_seconds(seconds, text):
    assert format_seconds(seconds) == text


def test_count():
    assert [count(n, "page") for n in (0, 1, 2)] == ["0 pages", "1 page", "2 pages"]
    assert count(2, "pass", "passes") == "2 passes"
