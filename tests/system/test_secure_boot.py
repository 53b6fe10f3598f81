# SPDX-License-Identifier: MIT
"""Secure Boot: what is signed runs, by a key in firmware or by shim; nothing else does."""

import shutil

import pytest

from okramlib import BUILD, spec
from okramlib import stick as mtools
from okramlib.machine import IMAGE, OVMF32_VARS, OVMF_VARS
from okramlib.run import run
from okramlib.units import MIB
from system.guard_boot import (
    BS,
    CONVENTIONAL,
    FILE,
    GUARD,
    NV,
    RT,
    UNUSABLE,
    Hardware,
    boot,
    make_list,
    make_stick,
    make_store,
)
from system.harness import TIMEOUT_S, attach, follow, from_image
from system.secure_boot import (
    DENIED,
    SMRAM,
    Keys,
    Refused,
    enroll_db,
    make_key,
    microsoft,
    sign,
    sign_program,
    with_loader,
)
from system.sticks import on

MEMORY = 512 * MIB
PAGE = 0x5000  # a page number
SHORT = "tests=address bandwidth=off range=1M-8M"
SLOW_S = 8 * TIMEOUT_S


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return make_key(tmp_path_factory.mktemp("keys"), "owner")


@pytest.fixture(scope="module")
def signed(key, tmp_path_factory):
    return sign(key, tmp_path_factory.mktemp("signed"))


def discs(*images):
    """Tried one after the other."""
    return {"image": images[0], **further(*images[1:])}


def further(*images):
    extra = []
    for index, image in enumerate(images, 1):
        extra += attach("cd", path=image, index=index, bus=index + 1)
    return {"extra": extra}


def machine(**options):
    """Its firmware protects its variables: newer Debian's has Secure Boot only where it does."""
    return from_image("uefi-smm-128M-1cpu", **{"cmdline": SHORT, **options})


def refused(outcome):
    return sum(DENIED in line for line in outcome.lines)


def test_unsigned_is_refused_and_signed_runs(key, signed, tmp_path):
    store = enroll_db(OVMF_VARS, tmp_path / "vars.fd", key)
    options = {"cmdline": f"{SHORT} serial.port=0x2f8", **discs(IMAGE, signed)}
    outcome = follow(machine(vars=store, **options))
    assert refused(outcome) == 1 and outcome.last("start")["loader"] == "okram.efi"
    # Nobody signs options: they name no address.
    (said,) = [w for w in outcome.last("machine")["warnings"] if "serial.port" in w]
    assert "serial.port=0x2f8 is refused: Secure Boot is on" in said


@pytest.mark.slow
def test_32_bit_firmware(key, signed, tmp_path):
    store = enroll_db(OVMF32_VARS, tmp_path / "vars.fd", key)
    outcome = follow(machine(vars=store, uefi32=True, **discs(IMAGE, signed)), timeout=SLOW_S)
    assert refused(outcome) == 1


@pytest.mark.slow
def test_the_kernel_inside_is_signed(key, tmp_path):
    """One bit of either copy of the kernel is changed, in its last page."""
    signed = sign(key, tmp_path / "signed", "SHIM=none")
    store = enroll_db(OVMF_VARS, tmp_path / "vars.fd", key)
    kernel, content = (
        (BUILD / "okram.copy").read_bytes(),
        signed.with_name("okram.efi").read_bytes(),
    )
    at, changed = 0, []
    for copy in range(2):
        at = content.index(kernel, at + 1)
        damaged = bytearray(content)
        damaged[at + len(kernel) - 100] ^= 1
        changed.append(with_loader(signed, damaged, tmp_path / f"changed{copy}.iso"))
    outcome = follow(machine(vars=store, **discs(*changed, signed)), timeout=SLOW_S)
    assert refused(outcome) == 2


@pytest.mark.slow
def test_shim_with_an_enrolled_mok(key, signed, tmp_path):
    """Firmware knows shim by Microsoft's key, and shim knows the loader by the machine owner's."""
    store = microsoft(tmp_path / "vars.fd", [key])
    faults = spec.parse("stuck1@0x600040.4")
    options = {"vars": store, **on(copied(signed, tmp_path))}
    outcome = follow(machine(faults=faults, **options), timeout=SLOW_S)
    assert outcome.last("start")["loader"] == "okram.efi"
    assert outcome.last("badram")["bad_pages"] == 1
    said = outcome.last("result")["warnings"]
    assert sum("where GRUB ignores badram" in text for text in said) == 1


def copied(image, folder):
    """A stick that can be written to."""
    return shutil.copyfile(image, folder / "stick.img")


# What packaging/stick.txt says: OK; any key; Enroll hash or key from disk; the stick; the first
# file; Continue; Yes; Reboot.
def enroll(downs):
    return ["ret", "ret", *["down"] * downs, *["ret"] * 3, *["down", "ret"] * 2, "ret"]


@pytest.mark.slow
@pytest.mark.parametrize("by", ["hash", "key"])
def test_enrolled_by_a_person_in_mok_manager(request, by, tmp_path):
    """From the start that shim refuses to the next; a changed loader is refused again."""
    image, downs = (IMAGE, 2) if by == "hash" else (request.getfixturevalue("signed"), 1)
    store = microsoft(tmp_path / "vars.fd")
    stick = copied(image, tmp_path)
    options = {"vars": store, **on(stick)}
    outcome = run(machine(**options), Keys(enroll(downs)), timeout=SLOW_S)
    assert "the machine was reset" in outcome.trouble and outcome.records == []
    assert follow(machine(**options), timeout=SLOW_S).last("result")["status"] == "pass"
    content = bytearray(mtools.content(stick, "::/EFI/BOOT/grubx64.efi"))
    content[len(content) // 2] ^= 1
    with_loader(image, content, stick, "grubx64.efi")
    refuse(machine(**options, **further(IMAGE)))


def refuse(machine):
    watcher = Refused()
    outcome = run(machine, watcher, timeout=SLOW_S)
    shown = " ".join(outcome.lines)
    assert watcher.ended and outcome.records == []
    assert "Security Violation" in shown and "okram 0" not in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moks", "sbat"),
    [(0, None), (1, b"sbat,1,2099010100\nokram,2\n")],
    ids=["no MOK", "revoked by SBAT"],
)
def test_shim_refuses(key, signed, tmp_path, moks, sbat):
    variables = [("SbatLevel", 3, sbat)] if sbat else []
    store = microsoft(tmp_path / "vars.fd", [key] * moks, variables)
    refuse(machine(vars=store, **on(copied(signed, tmp_path)), **further(IMAGE)))


def guarded(key, signed, tmp_path, *, guard_signed=True, attributes=NV | BS, in_file=False):
    """A machine with the guard as Driver0000 and a list of one page; what is seen of it."""
    program = tmp_path / "show.efi"
    sign_program(key, BUILD / "efi" / "show_guard.efi", program)
    content = make_list([(PAGE, 1)], Hardware(module_bytes=MEMORY, ram_bytes=MEMORY - SMRAM))
    files = [(GUARD, signed.with_name("okram-guard.efi").read_bytes())] if guard_signed else []
    files += [(FILE, content)] if in_file else []
    variables = [] if in_file else [("OkramGuard", attributes, content)]
    template = enroll_db(OVMF_VARS, tmp_path / "enrolled.fd", key)
    store = make_store(tmp_path / "vars.fd", variables, template=template)
    stick = make_stick(tmp_path / "stick.img", files, program)
    return boot(machine(image=stick, vars=store, on="uefi-smm-stick-512M-1cpu", cmdline=""))


@pytest.mark.slow
def test_a_signed_guard_masks(key, signed, tmp_path):
    seen = guarded(key, signed, tmp_path)
    assert seen.status["state"] == "masked" and seen.masked == {PAGE}
    assert PAGE in seen.of_type(UNUSABLE)


@pytest.mark.slow
def test_an_unsigned_guard_does_not_start(key, signed, tmp_path):
    """And the machine boots all the same."""
    seen = guarded(key, signed, tmp_path, guard_signed=False)
    assert seen.status is None and PAGE in seen.of_type(CONVENTIONAL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "state"),
    [({"attributes": NV | BS | RT}, "invalid"), ({"in_file": True}, "none")],
    ids=["written by a system", "file"],
)
def test_a_list_that_an_attacker_could_write(key, signed, tmp_path, options, state):
    seen = guarded(key, signed, tmp_path, **options)
    assert seen.status["state"] == state and seen.status["masked"] == 0
    assert PAGE in seen.of_type(CONVENTIONAL) and not seen.of_type(UNUSABLE)
