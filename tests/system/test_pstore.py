# SPDX-License-Identifier: MIT
"""A stock Linux shows a report in the layout of its pstore, without any tool of okram's."""

import shutil

import pytest
from virt.firmware.efi.efivar import EfiVar
from virt.firmware.varstore.edk2 import Edk2VarStore

from okramlib.machine import OVMF_VARS
from system.linux.guest import has_pstore, pstore

# As Linux's drivers/firmware/efi/efi-pstore.c has them.
PSTORE_GUID = "cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0"
ATTRIBUTES = 7
RECORD_MAX = 1024
WHEN = 1_790_000_000


def dump(part, text, count=1, when=WHEN):
    name = f"dump-type0-{part}-{count}-{when}-D"
    return EfiVar(name, guid=PSTORE_GUID, attr=ATTRIBUTES, data=text)


def record(part, count=1, when=WHEN):
    return (when * 100 + part) * 1000 + count


@pytest.fixture
def store(tmp_path):
    return shutil.copyfile(OVMF_VARS, tmp_path / "vars.fd")


def put(store, *variables):
    edk2 = Edk2VarStore(str(store))
    listed = edk2.get_varlist()
    listed.update({str(variable.name): variable for variable in variables})
    edk2.write_varstore(str(store), listed)


def dumps(store):
    listed = Edk2VarStore(str(store)).get_varlist().values()
    return [str(variable.name) for variable in listed if str(variable.guid) == PSTORE_GUID]


@pytest.mark.slow
@pytest.mark.skipif(not has_pstore(), reason="no efi-pstore module for this kernel")
def test_linux_shows_the_parts_of_a_dump(store, tmp_path):
    texts = {1: b"the end\n".rjust(RECORD_MAX, b"x"), 2: b"okram#1 Part2\nthe begin\n"}
    put(store, *(dump(part, text) for part, text in texts.items()))
    assert len(dumps(store)) == len(texts)
    assert pstore(store, tmp_path) == {record(part): text for part, text in texts.items()}
    assert dumps(store) == []
