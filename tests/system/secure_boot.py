# SPDX-License-Identifier: MIT
"""Secure Boot: keys, variable stores in which they are enrolled, and sticks with signed loaders."""

import itertools
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pefile
from virt.firmware.efi import efivar, guids, ucs16
from virt.firmware.varstore import edk2
from virt.peutils import pesign

from okramlib import ROOT
from okramlib import stick as mtools
from okramlib.machine import OVMF_VARS
from okramlib.run import Watcher
from okramlib.units import MIB

MICROSOFT_VARS = OVMF_VARS.with_name("OVMF_VARS_4M.ms.fd")  # their keys, and Secure Boot is on
SMRAM = 16 * MIB  # TSEG, which firmware with SMM keeps: no RAM in the memory map
DENIED = "Access Denied"  # firmware's word
_BEFORE_KEYS_S = 10
_BETWEEN_KEYS_S = 4
_OWNER = guids.OvmfEnrollDefaultKeys


@dataclass(frozen=True)
class Key:
    key: Path
    cert: Path  # both PEM
    der: Path  # the certificate, as firmware and MokManager read it


def make_key(folder, name):
    made = Key(*(folder / f"{name}.{ending}" for ending in ("key", "crt", "cer")))
    for command in (
        ["req", "-new", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "3650"]
        + ["-subj", f"/CN={name}/", "-keyout", made.key, "-out", made.cert],
        ["x509", "-in", made.cert, "-outform", "DER", "-out", made.der],
    ):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    return made


def sign(key, folder, *options):
    """The image with signed programs, by the command that the docs give."""
    command = ["make", "-s", "sign", f"KEY={key.key}", f"CERT={key.cert}", f"SIGNED={folder}"]
    subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True)
    return folder / "okram.iso"


def sign_program(key, source, target):
    command = ["sbsign", "--key", key.key, "--cert", key.cert, "--output", target, source]
    subprocess.run(command, check=True, capture_output=True)


def enroll_db(template, path, key):
    """A store with the key in db, as owner of the platform, and Secure Boot on."""
    store = edk2.Edk2VarStore(str(template))
    listed = store.get_varlist()
    for name in "PK", "KEK", "db":
        listed.add_cert(name, _OWNER, str(key.cert), name == "PK")
    listed.enable_secureboot()
    store.write_varstore(str(path), listed)
    return path


def microsoft(path, moks=(), variables=()):
    """A PC's store: Microsoft's keys in db; MOKs enrolled; more of shim's variables by name."""
    store = edk2.Edk2VarStore(str(MICROSOFT_VARS))
    listed = store.get_varlist()
    for key in moks:
        listed.add_cert("MokList", _OWNER, str(key.cert))
    for name, attributes, data in variables:
        listed[name] = efivar.EfiVar(
            ucs16.from_string(name), guid=guids.parse_str(guids.Shim), attr=attributes, data=data
        )
    store.write_varstore(str(path), listed)
    return path


def enroll_hash(store, program):
    """As MokManager does it: the program's hash is in the list of the machine's owner."""
    changed = edk2.Edk2VarStore(str(store))
    listed = changed.get_varlist()
    pe = pefile.PE(str(program), fast_load=True)
    listed.add_hash("MokList", _OWNER, pesign.pe_authenticode_hash(pe).hex())
    changed.write_varstore(str(store), listed)


def with_loader(image, loader, path, name="BOOTX64.EFI"):
    """A copy of the image with these bytes as its loader."""
    shutil.copyfile(image, path)
    command = ["mcopy", "-o", "-i", mtools.drive(path), "-", f"::/EFI/BOOT/{name}"]
    subprocess.run(command, input=loader, check=True)
    return path


class Keys(Watcher):
    """Presses them, one after the other, once firmware has started shim."""

    def __init__(self, keys):
        self._keys = iter(keys)
        self._due = None

    def line(self, text):
        if "BdsDxe: starting" in text:
            self._due = time.monotonic() + _BEFORE_KEYS_S

    def tick(self, qemu):
        if self._due and time.monotonic() >= self._due and (key := next(self._keys, None)):
            qemu.press(key)
            self._due = time.monotonic() + _BETWEEN_KEYS_S


class Refused(Keys):
    """Confirms what shim and MokManager show until firmware starts the next medium."""

    def __init__(self):
        super().__init__(itertools.repeat("ret"))
        self._starts = 0

    @property
    def ended(self):
        return self._starts > 1

    def line(self, text):
        super().line(text)
        self._starts += "BdsDxe: starting" in text

    def tick(self, qemu):
        if self.ended:
            qemu.qmp.command("quit")
        else:
            super().tick(qemu)
