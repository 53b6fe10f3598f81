# SPDX-License-Identifier: MIT
"""`tools/okram badram` on the command line."""

import json
import re
import subprocess

import pytest

from okramlib import ROOT
from tools.command import okram
from tools.map_samples import DMESG, IOMEM

ONE = "0x5000008\n"


def badram(*arguments, input=ONE):
    return okram("badram", *arguments, input=input)


@pytest.fixture
def iomem(tmp_path):
    path = tmp_path / "iomem"
    path.write_text(IOMEM)
    return str(path)


@pytest.mark.parametrize(
    "name, text",
    [
        ("grub", "badram=0x5000000,0xffffffffff000"),
        ("grub-default", 'GRUB_BADRAM="0x5000000,0xffffffffff000"'),
        ("cutmem", "cutmem 0x14000K 0x14004K"),
        ("memmap", "memmap=4K%0x5000000-1+5"),
        ("memmap-dollar", r"memmap=4K\\\$0x5000000"),
        (
            "windows",
            "bcdedit /set {badmemory} badmemorylist 0x5000\nbcdedit /set badmemoryaccess no",
        ),
        ("xen", "badpage=0x5000"),
        ("freebsd", 'vm.blacklist="0x5000000"'),
        ("refind", "badram_tag_mode 7\nbadram_tag_list 0x5000000:0x5000fff"),
        ("pages", "0x5000000"),
        ("ranges", "0x5000000-0x5001000"),
    ],
)
def test_every_line(name, text):
    ran = badram("--to", name)
    assert (ran.returncode, ran.stdout) == (0, text + "\n")
    assert f"okram: {name} (" in ran.stderr and "1 page (4 KiB) given up" in ran.stderr


def test_several_lines_and_all():
    ran = badram("--to", "pages,xen")
    assert ran.stdout == "badpage=0x5000\n0x5000000\n"
    assert len(badram("--to", "all").stdout.splitlines()) == 13


def test_a_line_is_input_too():
    line = badram(input="0x5000000-0x5004000\n").stdout
    assert badram("--ram", "0-1G", "--to", "ranges", input=line).stdout == "0x5000000-0x5004000\n"


def test_a_range_much_longer_than_ram():
    ran = badram("--ram", "1M-128M", "--to", "ranges", input="0-0x400000000000\n")
    assert ran.stdout == "0x100000-0x8000000\n"
    assert "17179836672 bad pages are not in RAM, the first at 0x0: skipped" in ran.stderr


def test_a_line_that_leaves_linux_no_room():
    pages = "".join(f"{page:#x}\n" for page in range(0x3F00000, 0x80000000, 0x3F00000))
    for line in ("grub", "grub-default", "cutmem", "memmap"):
        for ram, warns in (("0-4G", True), ("0-32M", False)):
            ran = badram("--ram", ram, "--to", line, input="0x1000000\n" + pages)
            warns = warns and line != "memmap"
            assert ("leaves no 64 MiB in one piece" in ran.stderr) == warns
    assert "no 64 MiB" not in badram("--to", "grub", input="0x3000000\n0x3f00000\n").stderr
    assert "no 64 MiB" in badram("--to", "grub", input=pages).stderr


def test_a_long_list_is_whole():
    pages = "".join(f"{page:#x}\n" for page in range(0x1000000, 0x3000000, 0x2000))
    assert badram("--to", "pages", input=pages).stdout == pages


def test_garbage_is_named_and_skipped():
    ran = badram(input="what\n0x5000000\n\n0xzz\n")
    assert ran.returncode == 0 and ran.stdout == "badram=0x5000000,0xffffffffff000\n"
    assert "line 1: 'what'" in ran.stderr and "line 4: '0xzz'" in ran.stderr
    assert "line 3" not in ran.stderr


@pytest.mark.parametrize("line", ["5000000h", "0x5000 0x6000", "0x400000000000", "5000008"])
def test_what_may_be_a_bad_page_is_never_skipped_with_exit_code_0(line):
    ran = badram(input=f"{ONE}{line}\n")
    assert (ran.returncode, ran.stdout) == (5, "badram=0x5000000,0xffffffffff000\n")
    assert f"line 2: '{line}'" in ran.stderr or f"line 2: {line}" in ran.stderr
    assert "okram: 1 line that may name a bad page was not used" in ran.stderr
    assert badram("--json", input=f"{ONE}{line}\n").returncode == 5
    assert (
        badram("--check", "0x5000000,0xfffffffffe000", "-", input=f"{ONE}{line}\n").returncode == 5
    )
    assert (
        badram("--check", "0x6000000,0xfffffffffe000", "-", input=f"{ONE}{line}\n").returncode == 1
    )


def test_numbers_without_0x():
    line = "badram=0x5000000,0xffffffffff000\n"
    ran = badram(input="5000000\n")
    assert (ran.returncode, ran.stdout) == (0, line)
    assert "numbers without 0x are taken as hexadecimal" in ran.stderr
    ran = badram(input="83886080\n")
    assert (ran.returncode, ran.stdout) == (0, line)
    assert "numbers without 0x are taken as decimal" in ran.stderr
    ran = badram(input="5000008\n")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "'5000008' may be decimal or hexadecimal: --base says which" in ran.stderr
    assert badram("--base", "16", input="5000008\n").stdout == line
    assert "0x4c4000," in badram("--base", "10", input="5000008\n").stdout
    assert "taken" not in badram("--base", "10", input="5000008\n").stderr


ENCODINGS = ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]


def in_encoding(text, encoding):
    return (("\ufeff" if encoding == "utf-16-be" else "") + text).encode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_of_windows(encoding, tmp_path):
    path, map_ = tmp_path / "list", tmp_path / "map"
    path.write_bytes(in_encoding("0x5000000\r\n0x5001000\r\n", encoding))
    map_.write_bytes(in_encoding(IOMEM, encoding))
    ran = okram("badram", "--to", "pages", "--map", str(map_), str(path))
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (0, "0x5000000\n0x5001000\n", 1)


def test_standard_input_of_windows():
    text = in_encoding("0x5000000\r\n0x5001000\r\n", "utf-16")
    command = [ROOT / "tools/okram", "badram", "--to", "pages"]
    ran = subprocess.run(command, input=text, capture_output=True)
    assert (ran.returncode, ran.stdout) == (0, b"0x5000000\n0x5001000\n")


def test_much_garbage_is_counted():
    ran = badram(input="what\n" * 50 + ONE)
    assert ran.returncode == 0
    assert ran.stderr.count("'what'") == 20 and "and 30 lines more" in ran.stderr


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["--patterns", "0"], "--patterns 0: must be 1 or more"),
        (["--ranges", "0"], "--ranges 0: must be 1 or more"),
        (["--patterns", "x"], "--patterns x: not a number"),
        (["--to", "lilo"], "--to lilo: not a list of names"),
        (["--ram", "1G"], "--ram 1G: no START-END"),
        (["--ram", "2G-1G"], "END must be above BASE"),
        (["--ram", "0-1G", "--ram", "512M-2G"], "overlap"),
        (["--map", "/nowhere"], "/nowhere cannot be read"),
        (["--map", "/dev/null"], "has no memory map"),
        (["--ram", "0-1G", "--map", "/dev/null"], "use one of them"),
        (["/nowhere"], "/nowhere cannot be read"),
        (["--check", "0x1000"], "--check: a badram line is pairs"),
        (["--check", "yes,no"], "--check: 'yes' is not a number"),
        (["--check", "badram="], "--check: a badram line is pairs"),
    ],
)
def test_bad_arguments_get_one_sentence(arguments, why):
    ran = badram(*arguments)
    assert ran.returncode == 2 and ran.stdout == ""
    assert why in ran.stderr and len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["", "hello\n", "# nothing\n"])
def test_nothing_usable(text):
    ran = badram(input=text)
    assert ran.returncode == 2 and "no usable line" in ran.stderr


def test_holes_outside_ram_do_not_count(iomem):
    ran = badram("--map", iomem, "--to", "pages", input="0xa0000\n0x5000000\n0xfd000000\n")
    assert (ran.returncode, ran.stdout) == (5, "0x5000000\n")
    assert "2 bad pages are not in RAM, the first at 0xa0000: skipped" in ran.stderr
    ran = badram("--map", iomem, input="0xa0000\n")
    assert ran.returncode == 2 and "no bad page" in ran.stderr


def test_a_map_without_the_pages_that_an_old_line_hides(tmp_path):
    """By BIOS the map has a gap there. A new line without them would protect nothing."""
    iomem = tmp_path / "iomem"
    iomem.write_text("00100000-04ffffff : System RAM\n05001000-7ffdefff : System RAM\n")
    ran = badram("--map", iomem, input="badram=0x6000000,0xffffffffff000\n0x5000000\n")
    assert (ran.returncode, ran.stdout) == (5, "badram=0x6000000,0xffffffffff000\n")
    assert "1 bad page is not in RAM, the first at 0x5000000: skipped" in ran.stderr


def test_the_maps_own_entries_count(tmp_path):
    """With 152 entries there is room for 4 ranges: nearest pages are joined."""
    map_ = "".join(
        f"BIOS-e820: [mem {base:#018x}-{base + 0xFFFFF:#018x}]"
        f" {'usable' if i % 2 else 'reserved'}\n"
        for i, base in enumerate(range(0x100000, 0x100000 * 153, 0x100000))
    )
    path = tmp_path / "dmesg"
    path.write_text(map_)
    pages = "".join(f"{0x200000 + 0x1000 * n * (n + 1):#x}\n" for n in range(8))
    made = json.loads(badram("--map", str(path), "--json", input=pages).stdout)
    assert made["ranges"] <= 4 and made["sacrificed_pages"] > made["bad_pages"] == 8
    ran = badram("--map", str(path), "--to", "cutmem", input=pages)
    assert len(ran.stdout.splitlines()) == 4
    assert "no good page is lost with memmap" in ran.stderr
    made = json.loads(badram("--map", str(path), "--ranges", "8", "--json", input=pages).stdout)
    assert made["ranges"] == made["sacrificed_pages"] == 8


def scattered(count, stride=0x10000):
    """Addresses of single pages between which no pattern is exact."""
    return "".join(f"{0x5000000 + n * stride + n % 7 * 0x1000:#x}\n" for n in range(count))


def test_by_bios_a_range_takes_one_entry_of_the_map(iomem):
    """GRUB leaves a gap: of 168 entries 9 are the machine's, by UEFI 8 are spare."""
    for firmware, room in ("bios", 159), ("uefi", 75):
        options = ("--map", iomem, "--firmware", firmware, "--to", "cutmem")
        exact = badram(*options, input=scattered(room))
        assert len(exact.stdout.splitlines()) == room and "no good pages lost" in exact.stderr
        joined = badram(*options, input=scattered(room + 1))
        assert len(joined.stdout.splitlines()) == room and "of them good" in joined.stderr


def pairs_of(line):
    words = line.removeprefix("badram=").removeprefix('GRUB_BADRAM="').rstrip('"').split(",")
    return list(zip(words[::2], words[1::2]))


@pytest.mark.parametrize("firmware", ["bios", "uefi"])
def test_no_line_is_too_long_for_grub(iomem, firmware):
    """GRUB stops at a word of more than 8190 characters, 8188 in quotes."""
    options = ("--map", iomem, "--firmware", firmware, "--ranges", "1000")
    for patterns, cut in ("255", False), ("256", True), ("600", True):
        ran = badram(
            *options, "--patterns", patterns, "--to", "grub,grub-default", input=scattered(600)
        )
        badram_line, default = ran.stdout.splitlines()
        assert len(pairs_of(badram_line)) <= 255 and pairs_of(default) == pairs_of(badram_line)
        assert len(badram_line.removeprefix("badram=")) <= 8188
        said = f"--patterns {patterns} is cut to 255: GRUB stops at a longer badram command"
        assert (said in ran.stderr) == cut


def test_check_of_a_line_that_is_too_long():
    pair = "0x5000000,0xffffffffff000"
    for n, is_too_long in (314, False), (315, True):  # of 26 characters, with the comma
        ran = badram("--check", ",".join([pair] * n))
        said = f"GRUB STOPS at a command of {26 * n - 1} characters, more than 8188"
        assert (said in ran.stdout) == is_too_long and ran.returncode == is_too_long


def sacrificed(ran):
    return int(re.search(r"(\d+) pages? \(", ran.stderr.splitlines()[-1])[1])


def test_a_newer_grub_by_uefi_gives_up_fewer(iomem):
    """As the image says: only where it is true, and by how much."""
    spares = re.compile(
        r"okram: the badram line joins bad pages to at most (\d+) ranges, as GRUB up to 2.06 needs;"
        r" by UEFI GRUB 2.12 takes more: with --ranges 500 the line gives up (\d+) fewer good pages"
    )
    cases = [
        (scattered(200), ["--patterns", "255"], True),
        (scattered(75), ["--patterns", "255"], False),  # all have room
        (scattered(200), ["--patterns", "255", "--ranges", "60"], False),  # asked for
        (scattered(200), ["--patterns", "255", "--firmware", "bios"], False),
    ]
    for pages, options, is_said in cases:
        ran = badram("--map", iomem, *options, input=pages)
        found = spares.match(ran.stderr)
        assert bool(found) == is_said, (options, ran.stderr)
        if found:
            more = badram("--map", iomem, *options, "--ranges", "500", input=pages)
            assert found[1] == "75" and sacrificed(ran) - sacrificed(more) == int(found[2]) > 0


def test_a_report_brings_its_own_map():
    node = {"t": 1, "type": "node", "node": 0, "cpus": [0], "ram_bytes": 1}
    node["spans"] = [["0x100000", "0x200000"]]
    ran = badram("--to", "pages", input=json.dumps(node) + "\n0x5000000\n0x100000\n")
    assert ran.stdout == "0x100000\n" and "not in RAM" in ran.stderr


def test_json():
    made = json.loads(badram("--json").stdout)
    assert made == {
        "bad_pages": 1,
        "patterns": [["0x5000000", "0xffffffffff000"]],
        "sacrificed_pages": 1,
        "ranges": 1,
        "line": "badram=0x5000000,0xffffffffff000",
    }
    lines = json.loads(badram("--json", "--to", "windows,memmap-dollar").stdout)["lines"]
    assert [line["name"] for line in lines] == ["memmap-dollar", "windows"]
    assert lines[0]["text"] == r"memmap=4K\\\$0x5000000"
    assert lines[1]["text"].splitlines()[1] == "bcdedit /set badmemoryaccess no"
    assert all(line["place"] and line["note"] for line in lines)


def test_explain(iomem):
    pages = "0x5000000\n0x5002000\n0x5001000\n0x123456000\n"
    output = badram("--map", iomem, "--explain", "--patterns", "2", input=pages).stdout.splitlines()
    assert output == [
        "0x5000000,0xfffffffffc000: address bits 12-13 free;"
        " 4 pages (16 KiB) in 1 range, 3 bad and 1 good",
        "0x123456000,0xffffffffff000: no address bit free;"
        " 1 page (4 KiB) in 1 range, 1 bad and 0 good",
        "all: 5 pages (20 KiB) in 2 ranges, 4 bad and 1 good;"
        " the memory map has room for 75 ranges; 0.0005 % of RAM is sacrificed",
        "badram=0x5000000,0xfffffffffc000,0x123456000,0xffffffffff000",
    ]


@pytest.mark.parametrize(
    "line, exit_code, texts",
    [
        ("badram=0x5000000,0xffffffffff000", 0, ["1 page (4 KiB) of RAM in 1 range"]),
        # memtest86+: nothing at or above the address is left to find for GRUB
        ("0x5000000,0xfffffffffffff000", 1, ["HANGS", "\nbadram=0x5000000,0xffffffffff000\n"]),
        ('GRUB_BADRAM="0x5000008,0xfffffffffffffff8"', 1, ["HANGS", "bits 0-11 are ignored"]),
        ("0x5000000,0xfffff000", 0, ["mask of 32 bits", "2 pages (8 KiB) of RAM in 2 ranges"]),
        ("0x100000000,0xfffffffffffff000", 0, ["1 page"]),  # where the map's last entry begins
        ("0xfffff000,0xfffffffffffff000", 1, ["HANGS", "covers no RAM"]),  # one page below
        ("0x5000000,0x0", 1, ["HANGS: the mask fixes no bit"]),
        ("0xa0000,0xffffffffff000", 0, ["0 pages (0 B) of RAM; it covers no RAM"]),
        ("0x10000005000000,0xfffffffffff000", 0, ["it covers no RAM"]),
        ("0x0,0x1000", 1, ["Linux LOSES the rest", "has room for 75"]),
    ],
)
def test_check(line, exit_code, texts, iomem):
    ran = badram("--map", iomem, "--check", line)
    for text in texts:
        assert text in ran.stdout
    assert ("HANGS" in ran.stdout) == ("HANGS" in "".join(texts))
    assert ran.returncode == exit_code and ran.stderr == ""


def test_of_two_lines_to_check_the_last_counts():
    three, one = (
        ",".join(f"0x{page}000,0xffffffffff000" for page in (1, 2, 3)),
        "0x5000,0xfffffffffffff",
    )
    ran = subprocess.run(
        [ROOT / "build/badram", "--no-input", "--check", three, "--check", one],
        capture_output=True,
        text=True,
    )
    assert "0x5000," in ran.stdout and "0x1000," not in ran.stdout
    assert ran.stderr == ""


def test_check_against_bad_pages(iomem):
    line = "0x5000000,0xfffffffffe000"
    ran = badram("--map", iomem, "--check", line, "-", input="0x5000000\n")
    assert ran.returncode == 0
    assert "of 1 bad page 1 covered; good pages lost: 1 page (4 KiB)" in ran.stdout
    ran = badram("--map", iomem, "--check", line, "-", input="0x5000000\n0x6000000\n0x5001000\n")
    assert ran.returncode == 1
    assert "of 3 bad pages 2 covered, 1 NOT, the first at 0x6000000" in ran.stdout
    assert "good pages lost: 0 pages" in ran.stdout


ACROSS = "0x12345000\n0x112345000\n"  # both sides of 4 GiB
ACROSS_PAIR = "0x12345000,0xffffefffff000"


def test_bios_needs_a_pair_for_each_piece(iomem):
    ran = badram("--map", iomem, "--patterns", "1", input=ACROSS)
    assert ran.stdout == f"badram={ACROSS_PAIR}\n"
    assert "GRUB on BIOS would leave 1 of the bad pages in use" in ran.stderr
    ran = badram("--map", iomem, "--firmware", "uefi", "--patterns", "1", input=ACROSS)
    assert ran.stdout == f"badram={ACROSS_PAIR}\n" and "BIOS" not in ran.stderr
    ran = badram("--map", iomem, "--firmware", "bios", "--patterns", "2", input=ACROSS)
    assert ran.stdout == f"badram={ACROSS_PAIR},{ACROSS_PAIR}\n" and "BIOS" not in ran.stderr
    options = ("--map", iomem, "--firmware", "bios", "--patterns", "1", "--json")
    made = json.loads(badram(*options, input=ACROSS).stdout)
    assert len(made["patterns"]) == 1 and made["sacrificed_pages"] > 2


def test_a_report_names_its_firmware(iomem):
    start = {"t": 0, "type": "start", "version": "1", "boot": "bios", "loader": "x", "cmdline": ""}
    report = json.dumps(start) + "\n" + ACROSS
    assert badram("--map", iomem, input=report).stdout.count(ACROSS_PAIR) == 2
    output = badram("--map", iomem, "--firmware", "uefi", input=report).stdout
    assert output.count(ACROSS_PAIR) == 1


def test_bios_needs_a_map():
    ran = badram("--firmware", "bios")
    assert ran.returncode == 2 and ran.stdout == "" and "needs --map" in ran.stderr
    assert badram("--ram", "0-1G", "--firmware", "bios").returncode == 2
    assert badram("--firmware", "uefi").returncode == 0


def test_explain_tells_a_repeated_pair_once(iomem):
    output = badram("--map", iomem, "--firmware", "bios", "--explain", input=ACROSS).stdout
    lines = output.splitlines()
    assert len(lines) == 3 and "written 2 times" in lines[0]
    assert lines[1].startswith("all: 2 pages (8 KiB) in 2 ranges, 2 bad and 0 good;")
    assert lines[2] == f"badram={ACROSS_PAIR},{ACROSS_PAIR}"


# Every 8th of 32 pages, and the page after it: each cuts the other.
COLUMN = "0x5000000,0xfffffffe7000"
OTHER = "0x5001000,0xfffffffe7000"


@pytest.mark.parametrize(
    "pairs, left",
    [
        ([ACROSS_PAIR], "0x112345000"),
        ([ACROSS_PAIR] * 2, None),
        ([COLUMN], None),
        ([COLUMN, OTHER], "0x5009000"),
        ([COLUMN, *[OTHER] * 3], "0x5019000"),
        ([COLUMN, *[OTHER] * 4], None),
        ([OTHER, *[COLUMN] * 4], None),
        ([COLUMN, OTHER, COLUMN, OTHER, OTHER], "0x5019000"),  # COLUMN needs no second turn
        # a block of two pages, the first of which is gone before
        (["0x5000000,0xffffffffff000", "0x5000000,0xfffffffffe000"], "0x5001000"),
        (["0x5000000,0xfffffffffe000", "0x5000000,0xffffffffff000"], None),
    ],
)
def test_check_simulates_grub_on_bios(pairs, left, iomem):
    line = ",".join(pairs)
    ran = badram("--map", iomem, "--firmware", "bios", "--check", line)
    assert ran.returncode == (1 if left else 0) and ran.stderr == ""
    assert ("GRUB on BIOS leaves" in ran.stdout) == bool(left)
    assert not left or f"of it in use, the first at {left}" in ran.stdout
    ran = badram("--map", iomem, "--check", line)
    assert ran.returncode == 0
    assert ("on BIOS GRUB would leave some of it in use" in ran.stdout) == bool(left)
    assert "BIOS" not in badram("--map", iomem, "--firmware", "uefi", "--check", line).stdout


def test_check_against_bad_pages_on_bios(iomem):
    options = ["--map", iomem, "--firmware", "bios", "--check"]
    ran = badram(*options, ACROSS_PAIR, "-", input=ACROSS)
    assert ran.returncode == 1
    assert "of 2 bad pages 2 covered, 1 of them left in use by GRUB" in ran.stdout
    ran = badram(*options, f"{ACROSS_PAIR},{ACROSS_PAIR}", "-", input=ACROSS)
    assert ran.returncode == 0 and "left in use" not in ran.stdout


@pytest.mark.parametrize("firmware", [[], ["--firmware", "uefi"], ["--firmware", "bios"]])
def test_a_block_that_begins_in_no_entry(firmware, tmp_path):
    path = tmp_path / "iomem"
    path.write_text("00000000-00002fff : System RAM\n00005000-0000ffff : System RAM\n")
    options = ["--map", str(path), *firmware]
    ran = badram(*options, "--check", "0x4000,0xfffffffffc000")
    assert ran.returncode == 1
    assert "3 pages (12 KiB) of it in use, the first at 0x5000" in ran.stdout
    assert badram(*options, "--check", "0x0,0xfffffffff0000").returncode == 0
    if firmware == ["--firmware", "bios"]:
        pages = "0x5000\n0x6000\n0x7000\n"
        line = badram(*options, input=pages).stdout.strip()
        ran = badram(*options, "--check", line, "-", input=pages)
        assert ran.returncode == 0 and "of 3 bad pages 3 covered;" in ran.stdout


def test_a_line_that_is_too_much_for_grub(iomem):
    """Every other page of 1 GiB."""
    ran = badram("--map", iomem, "--firmware", "bios", "--check", "0x40001000,0xfffffc0001000")
    assert ran.returncode == 1 and "too many blocks" in ran.stdout


def test_check_without_a_map():
    ran = badram("--check", "0x5000000,0xfffffffffffff000")
    assert ran.returncode == 1
    assert "HANGS" in ran.stdout and "without --map all addresses count" in ran.stdout


def test_dmesg_is_a_map(tmp_path):
    path = tmp_path / "dmesg"
    path.write_text(DMESG)
    ran = badram("--map", str(path), "--to", "pages", input="0x90000000\n0x5000000\n")
    assert ran.stdout == "0x5000000\n"
