# SPDX-License-Identifier: MIT
"""What is measured into a TPM, as a verifier reads it: the event log, held against PCR 12."""

import hashlib
import subprocess

import pytest

from okramlib import BUILD
from okramlib.units import MIB
from system import tpm
from system.efi_stick import efi_stick
from system.guard_boot import Hardware, make_list, make_signed, make_stick, make_store
from system.harness import from_image

MEMORY = 256 * MIB
CONF = "bandwidth=off passes=2\n"
OPTIONS = "menu=0 tests=mats+"
HERE = Hardware(module_bytes=MEMORY, ram_bytes=MEMORY)


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def check(events, pcr, expected):
    """[(name in the log, what was hashed, text in the log)], and nothing else."""
    assert [(e.type, e.text, e.sha256) for e in events] == [
        (tpm.EV_IPL, name + text, sha256(hashed)) for name, hashed, text in expected
    ]
    assert tpm.replayed(events) == pcr != bytes(32)


def test_options_are_measured(tmp_path):
    """Each from where it comes, before ExitBootServices."""
    stick = efi_stick(tmp_path / "stick.img", "show_log")
    conf = tmp_path / "okram.conf"
    conf.write_text(CONF)
    subprocess.run(["mcopy", "-i", stick, conf, "::/okram.conf"], check=True)
    with tpm.tpm(tmp_path) as arguments:
        machine = from_image("uefi-stick-256M", image=stick, cmdline=OPTIONS, extra=arguments)
        events, pcr = tpm.shown(machine)
    qemu = next(e.text.partition(": ")[2] for e in events if e.text.startswith("okram_qemu: "))
    assert OPTIONS in qemu
    expected = [("okram_conf: ", CONF, CONF), ("okram_cmdline: ", "", "")]
    check(events, pcr, [*expected, ("okram_qemu: ", qemu, qemu)])


def by_the_guard(path, variables, **settings):
    """What the guard measures with these variables: events, and PCR 12."""
    with tpm.tpm(path) as arguments:
        machine = from_image(
            "uefi-stick-256M",
            image=make_stick(path / "stick.img", program=BUILD / "efi/show_log.efi"),
            vars=make_store(path / "vars.fd", variables, **settings),
            extra=arguments,
        )
        return tpm.shown(machine)


@pytest.mark.parametrize("has_list", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_guards_list_is_measured(tmp_path, has_list):
    """And the options of its Driver####."""
    listed = make_signed([(0x3000, 1), (0x3100, 2)], HERE)
    variables = [("OkramGuard", 3, listed)] if has_list else []
    events, pcr = by_the_guard(tmp_path, variables, options="quiet=on")
    expected = [("okram_guard_list", listed, "")] if has_list else []
    check(events, pcr, [*expected, ("okram_guard_options: ", "quiet=on", "quiet=on")])


@pytest.mark.slow
def test_a_list_that_is_not_used_is_not_measured(tmp_path):
    listed = make_list([(0x3000, 1)], Hardware(module_bytes=4, ram_bytes=MEMORY))
    events, pcr = by_the_guard(tmp_path, [("OkramGuard", 3, listed)])
    check(events, pcr, [("okram_guard_options: ", "", "")])
