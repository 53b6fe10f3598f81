# SPDX-License-Identifier: MIT
"""Faulty cells where okram is loaded: the loaders pass them by, and the run finds them.

What a faulty cell can still ruin, because it is read or run before anything can have been checked:
firmware's own memory, GRUB's (by BIOS it unpacks itself from 1 MiB on, where later the module comes
to lie; the Multiboot2 information), the stub's pages of the image that GRUB loaded (STUB_PAGES:
three of them), and under UEFI okram.efi's own code and stack.
"""

import random
import re
import subprocess

import pytest

from okramlib import BUILD
from okramlib.machine import IMAGE, KERNEL
from okramlib.run import Watcher, run
from okramlib.units import PAGE
from system.efi_stick import fat_stick
from system.harness import TIMEOUT_S, check_found, follow, from_image
from system.watched_place import MEMORY, first_place

QUICK = "tests=quick bandwidth=off"

LOADED = 0x400000  # where GRUB puts the image: boot/kernel.ld
STUB_PAGES = {1, 2, 3}  # boot/multiboot2/stub.asm
STUB_WORK = PAGE  # its work area: the first sound one of bss

SEED = 20
PLACES = {"bios": 4, "uefi": 2}
PLACES_SLOW = 100


def copy():
    """The image as it is in memory, without bss."""
    return (BUILD / "okram.copy").read_bytes()


def copy_pages():
    return len(copy()) // PAGE


def memory_bytes():
    """Of the image, bss included: struct image_check says so."""
    return int.from_bytes(copy()[16:20], "little") * PAGE


def machine_with(*faults, uefi=False, **options):
    return from_image("small", **{"uefi": uefi, "cmdline": QUICK, **options}, faults=faults)


def visible(base, page, chance):
    """A cell of that page of the image, stuck at what the image does not have there."""
    byte, bit = chance.randrange(PAGE), chance.randrange(8)
    held = copy()[page * PAGE + byte] >> bit & 1
    return f"stuck{1 - held}@{base + page * PAGE + byte:#x}.{bit}"


def any_cell(base, page, chance):
    """A fault that a march finds, whatever is stored there."""
    kind = chance.choice(["stuck0", "stuck1", "rise", "fall"])
    return f"{kind}@{base + page * PAGE + chance.randrange(PAGE):#x}.{chance.randrange(8)}"


def address(fault):
    return int(re.search(r"0x[0-9a-f]+", fault)[0], 16)


def check_run(*faults, uefi=False, **options):
    machine = machine_with(*faults, uefi=uefi, **options)
    outcome = follow(machine)
    check_found(outcome, machine, [address(fault) for fault in faults])
    return outcome


class FindLoaded(Watcher):
    """Where copies of the image are when okram has refused to go on, and where GRUB is below."""

    def __init__(self, path, memory):
        self._path, self._memory = path, memory
        self._due = False
        self.copies = []
        self.grubs_end = 0

    def line(self, text):
        self._due |= "Nothing was tested." in text

    def tick(self, qemu):
        if not self._due:
            return
        qemu.qmp.command("pmemsave", val=0, size=self._memory, filename=str(self._path))
        memory, image = self._path.read_bytes(), copy()
        at = range(0, len(memory), PAGE)
        self.copies = [page for page in at if memory.startswith(image, page)]
        used = [page for page in range(0, LOADED, PAGE) if any(memory[page : page + PAGE])]
        self.grubs_end = used[-1] + PAGE
        qemu.qmp.command("quit")


def find_loaded(path, **options):
    finder = FindLoaded(path / "memory", MEMORY[False])
    machine = machine_with(cpu="qemu32", cmdline="exit=wait", **options)
    run(machine, finder, timeout=TIMEOUT_S)
    assert finder.copies[-1] == LOADED
    return finder


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """By BIOS, where GRUB puts the image and the module, and has its own memory."""
    return find_loaded(tmp_path_factory.mktemp("loading"))


def menu(path, text):
    """The image with another menu."""
    config, image = path / "grub.cfg", path / "menu.iso"
    config.write_text(text)
    change = ["-map", config, "/boot/grub/grub.cfg"]
    command = ["xorriso", "-indev", IMAGE, "-outdev", image, "-boot_image", "any", "replay"]
    subprocess.run([*map(str, command), *map(str, change)], check=True, capture_output=True)
    return image


def test_copy_that_shares_cells_with_the_kernel(loaded):
    """A page of the module is damaged as the kernel is copied: it is bad, and not written to."""
    page, okrams = loaded.copies[0] + 40 * PAGE, first_place().image[72]
    machine = machine_with(f"alias@{page:#x}>{okrams:#x}")
    check_found(follow(machine), machine, [page, okrams])


@pytest.fixture(scope="module")
def padded(tmp_path_factory):
    """A module before the copy fills the memory that GRUB itself has run in, at least once."""
    text = "multiboot2 /boot/okram.elf\nmodule2 /boot/okram.elf padding\n"
    return menu(tmp_path_factory.mktemp("padded"), f"{text}module2 /boot/okram.copy\nboot\n")


@pytest.fixture(scope="module")
def module(tmp_path_factory, loaded, padded):
    """Where the copy is, after the padding."""
    (*_, module, _) = find_loaded(tmp_path_factory.mktemp("module"), image=padded).copies
    assert loaded.grubs_end <= module
    return module


@pytest.fixture(scope="module")
def place(loaded):
    """Behind the module: the pages where the stub puts the kernel, but for GRUB's."""
    placed = first_place().image[0]
    assert loaded.copies[0] + len(copy()) <= placed
    pages = range(placed, placed + memory_bytes(), PAGE)
    return [page for page in pages if page >= loaded.grubs_end]


@pytest.fixture(scope="module")
def uefi_place():
    return first_place(uefi=True).image[0]


def kernel_at(outcome):
    """What okram.efi says, on a console that is the serial port, too."""
    return int(re.search(r"the kernel is at 0x([0-9A-Fa-f]+)", "\n".join(outcome.lines))[1], 16)


def seeded_pages(pages, count, *name):
    """As many of the pages, spread over them."""
    chance = random.Random(f"{SEED} {name}")
    pages = sorted(pages)
    step = len(pages) / count
    return [pages[int(i * step + chance.random() * step)] for i in range(count)]


def by_count(count, quick=None):
    """quick: how many of the first are not slow; None: none is for its index."""
    slow = range(count)[quick:] if quick else ()
    marked = [pytest.param(i, marks=[pytest.mark.slow] * (i in slow)) for i in range(count)]
    return pytest.mark.parametrize("index", marked)


def check_loaded_image(index, count):
    pages = set(range(copy_pages())) - STUB_PAGES
    page = seeded_pages(pages, count, "bios")[index]
    check_run(visible(LOADED, page, random.Random(index)))


@by_count(PLACES["bios"])
def test_faulty_cell_in_the_image_that_grub_loaded(index):
    check_loaded_image(index, PLACES["bios"])


@pytest.mark.slow
@by_count(PLACES_SLOW)
def test_many_faulty_cells_in_the_image_that_grub_loaded(index):
    check_loaded_image(index, PLACES_SLOW)


def check_uefi_place(place, index, count):
    """Text, data, bss with the early tables, the stack and boot_info; the memory map's buffer."""
    page = seeded_pages(range(memory_bytes() // PAGE + UEFI_BEHIND), count, "uefi")[index]
    outcome = check_run(any_cell(place, page, random.Random(index)), uefi=True)
    assert f"faulty memory in the block at 0x{place:X}" in "\n".join(outcome.lines)
    assert not place <= kernel_at(outcome) <= place + page * PAGE


UEFI_BEHIND = 3  # pages after the image: of the memory map's buffer


@by_count(PLACES["uefi"])
def test_faulty_cell_where_okram_efi_puts_the_kernel(uefi_place, index):
    check_uefi_place(uefi_place, index, PLACES["uefi"])


@pytest.mark.slow
@by_count(PLACES_SLOW)
def test_many_faulty_cells_where_okram_efi_puts_the_kernel(uefi_place, index):
    check_uefi_place(uefi_place, index, PLACES_SLOW)


@by_count(6, quick=2)
def test_faulty_cell_where_the_stub_puts_the_kernel(place, index):
    """Text, data, and bss with the early page tables and the boot stack."""
    check_run(any_cell(seeded_pages(place, 6, "placed")[index], 0, random.Random(index)))


def test_several_places_are_bad(place):
    """Each one that the stub tries has its faulty cells, one has three."""
    at = place[0]
    faulty_cells = [at + 0x10, at + 0x6008, at + 0x10000, place[-1] + 0xB000]
    check_run(*(f"stuck1@{faulty_cell:#x}.2" for faulty_cell in faulty_cells))


@pytest.mark.slow
def test_several_places_are_bad_uefi(uefi_place):
    faulty_cells = [uefi_place + 0x3010, uefi_place + 0x9008, uefi_place - 0x7FF8]
    check_run(*(f"stuck1@{faulty_cell:#x}.2" for faulty_cell in faulty_cells), uefi=True)


def test_faulty_cell_where_the_stub_would_work():
    """The first pages of bss: it looks for a sound place for its stack."""
    bss = LOADED + len(copy())
    check_run(f"stuck0@{bss + 0x10:#x}.0", f"stuck1@{bss + STUB_WORK + 0xFFF:#x}.7")


def test_faulty_cell_in_the_copy(module, padded):
    check_run(visible(module, 30, random.Random(SEED)), image=padded)


def test_faulty_cells_in_both_copies(module, padded):
    """The table of checksums among them: each page is taken from where it is sound."""
    first = [visible(LOADED, page, random.Random(SEED)) for page in (0, 5, 40)]
    others = [visible(module, page, random.Random(SEED)) for page in (30, 41)]
    check_run(*first, *others, image=padded)


@pytest.fixture(scope="module")
def without_copy(tmp_path_factory):
    return menu(tmp_path_factory.mktemp("menu"), "multiboot2 /boot/okram.elf\nboot\n")


def test_without_a_copy(without_copy):
    assert follow(machine_with(image=without_copy)).exit_code == 0


def check_refusal(outcome, page_address):
    assert outcome.qemu_exit == 5 and outcome.exit_code == 2 and outcome.records == []
    said = " ".join(outcome.lines)
    assert f"The page of okram at 0x{page_address:08x} is damaged" in said
    assert "Nothing was tested." in said


def beyond_the_stub(page):
    """A visible cell of the page; the stub, which has to say so, ends in page 3's first half."""
    for seed in range(SEED, SEED + 100):
        faulty_cell = visible(LOADED, page, random.Random(seed))
        if page != 3 or address(faulty_cell) % PAGE >= PAGE // 2:
            return faulty_cell
    raise AssertionError("no such cell")


@pytest.mark.parametrize("page", [0, 3, 50])
def test_damaged_without_a_copy(without_copy, page):
    """Named, and not run."""
    outcome = run(machine_with(beyond_the_stub(page), image=without_copy), timeout=TIMEOUT_S)
    check_refusal(outcome, LOADED + page * PAGE)


def with_damaged(name, original, page, path):
    """The image with this file damaged, in that page of the kernel."""
    content = bytearray(original.read_bytes())
    content[content.index(copy()[page * PAGE : (page + 1) * PAGE]) + 100] ^= 4
    damaged, image = path / "damaged", path / "damaged.iso"
    damaged.write_bytes(content)
    command = ["xorriso", "-indev", IMAGE, "-outdev", image, "-boot_image", "any", "replay"]
    change = ["-map", damaged, f"/boot/{name}"]
    subprocess.run([*map(str, command), *map(str, change)], check=True, capture_output=True)
    return image


def test_same_page_damaged_in_both_copies(tmp_path):
    """In the one by a faulty cell, in the other in the file."""
    image = with_damaged("okram.copy", BUILD / "okram.copy", 33, tmp_path)
    faulty_cell = visible(LOADED, 33, random.Random(SEED))
    outcome = run(machine_with(faulty_cell, image=image), timeout=TIMEOUT_S)
    check_refusal(outcome, LOADED + 33 * PAGE)


def test_damaged_file_is_no_faulty_cell(tmp_path):
    """The image on the disk is damaged, memory is sound: no page is called bad."""
    image = with_damaged("okram.elf", BUILD / "stripped.elf", 20, tmp_path)
    assert follow(machine_with(image=image)).exit_code == 0


_GRUB_MODULES = ["fat", "part_msdos", "search", "normal", "configfile", "multiboot2", "boot"]


@pytest.mark.parametrize(
    "module", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["copy", "no copy"]
)
def test_grub_for_uefi(tmp_path, module):
    """GRUB on UEFI starts okram.elf, not okram.efi."""
    line = "module2 /okram.copy\n" if module else ""
    (tmp_path / "grub.cfg").write_text(
        f"search --set=root --file /okram.elf\nmultiboot2 /okram.elf patterns=7\n{line}boot\n"
    )
    grub, image = tmp_path / "grub.efi", tmp_path / "stick.img"
    command = ["grub-mkimage", "-O", "x86_64-efi", "-o", grub, "-c", tmp_path / "grub.cfg"]
    subprocess.run([str(word) for word in [*command, "-p", "/", *_GRUB_MODULES]], check=True)
    files = {"okram.elf": BUILD / "stripped.elf", "okram.copy": BUILD / "okram.copy"}
    fat_stick(image, grub, files)
    outcome = follow(machine_with(uefi=True, usb=True, image=image))
    start = outcome.last("start")
    assert start["boot"] == "uefi" and "GRUB" in start["loader"]
    assert start["cmdline"].split()[0] == "patterns=7" and outcome.exit_code == 0


def test_what_stops_grub_is_found_without_it():
    """By BIOS GRUB keeps its table of symbols at the end of memory: a cell that is faulty in the
    address of a function, here on QEMU's pc, sends GRUB astray before okram's first instruction."""
    at, bit = 0x2FDF008, 3  # it holds 0xdbfa or another address
    machine = from_image("pc-48M", kernel=KERNEL, faults=f"stuck0@{at:#x}.{bit}", cmdline=QUICK)
    check_found(follow(machine), machine, [at])
