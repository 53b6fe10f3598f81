# SPDX-License-Identifier: MIT
"""UEFI variables from a file of OVMF and from a directory like efivarfs."""

import random
import struct
import uuid
from pathlib import Path

import pytest
from virt.firmware.efi.efivar import EfiVar
from virt.firmware.varstore.edk2 import Edk2VarStore

from okramlib import Trouble, saved, varstore
from okramlib.machine import OVMF_VARS
from tools.command import okram
from tools.saved_samples import unfinished, variable, whole_report

OTHER_VENDOR = uuid.UUID("12345678-9abc-def0-0123-456789abcdef")
STATE_AT = 2  # of a variable's state byte, from its beginning
HEADER_BYTES = 60


def put(path, variables):
    """By an independent tool, into OVMF's empty store."""
    store = Edk2VarStore(str(OVMF_VARS))
    listed = [*store.get_varlist().values()]
    listed += [
        EfiVar(v.name, guid=str(v.vendor), attr=v.attributes, data=v.data) for v in variables
    ]
    content = b"".join(map(store.bytes_var, listed)).ljust(store.end - store.start, b"\xff")
    path.write_bytes(store.filedata[: store.start] + content + store.filedata[store.end :])
    return path


@pytest.fixture
def store(tmp_path):
    return put(tmp_path / "vars.fd", whole_report())


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "efivars"
    path.mkdir()
    for v in [*whole_report(), variable("Boot0001", b"disk")]:
        file = path / f"{v.name}-{v.vendor}"
        file.write_bytes(struct.pack("<I", v.attributes) + v.data)
    return path


def by_name(variables):
    return sorted(variables, key=lambda v: (v.name, str(v.vendor)))


def test_both_hold_the_same(store, directory):
    expected = by_name(whole_report())
    assert by_name(varstore.read(store, "Okram")) == expected
    assert by_name(varstore.read(directory, "Okram")) == expected


def test_ovmf_as_it_is_delivered():
    assert varstore.read(OVMF_VARS, "Okram") == []


def test_same_name_of_another_vendor(tmp_path):
    twins = [variable("OkramReport00", b"1"), variable("OkramReport00", b"2", vendor=OTHER_VENDOR)]
    path = put(tmp_path / "vars.fd", twins)
    assert by_name(varstore.read(path, "Okram")) == by_name(twins)


def set_state(path, data, state):
    """Of the variable with that data."""
    content = bytearray(path.read_bytes())
    at = content.rindex(b"\xaa\x55", 0, content.index(data))
    assert content[at + STATE_AT] == 0x3F
    content[at + STATE_AT] = state
    path.write_bytes(content)


@pytest.mark.parametrize(
    "states, found",
    [
        ({"old": 0x3F, "new": 0x7F}, "old"),  # cut off while the new one was written
        ({"old": 0x3E, "new": 0x7F}, "old"),
        ({"old": 0x3E, "new": 0x3F}, "new"),  # cut off before the old one was deleted
        ({"old": 0x3C, "new": 0x3F}, "new"),
        ({"old": 0x3C, "new": 0x3C}, None),
    ],
)
def test_an_update_that_was_cut_off(tmp_path, states, found):
    path = put(tmp_path / "vars.fd", [variable("OkramReport00", n.encode()) for n in states])
    for name, state in states.items():
        if state != 0x3F:
            set_state(path, name.encode(), state)
    assert [v.data.decode() for v in varstore.read(path, "Okram")] == [found] * bool(found)


@pytest.mark.parametrize("written", [3, 36, 39, 40, 43, 44, 60])
def test_a_header_that_was_cut_off(tmp_path, written):
    """What firmware adds at a later boot, after a header that is half written, is found. EDK2
    writes its state last."""
    path = put(tmp_path / "vars.fd", [variable("Half", b""), variable("OkramReport00", b"later")])
    content = bytearray(path.read_bytes())
    at = content.rindex(b"\xaa\x55", 0, content.index("Half".encode("utf-16-le")))
    end = content.index(b"\xaa\x55", at + 1)
    content[at + STATE_AT] = 0xFF
    content[at + written : at + HEADER_BYTES] = b"\xff" * (HEADER_BYTES - written)
    del content[at + HEADER_BYTES : end]
    path.write_bytes(content)
    assert [v.data for v in varstore.read(path, "Okram")] == [b"later"]


def test_damaged_files_end_with_what_is_whole(store, tmp_path):
    """Whatever is cut off or changed, each variable that is read is one of those written, or its
    checksum is wrong."""
    chance, content = random.Random(5), store.read_bytes()
    whole, n_whole = saved.decode(whole_report()), 0
    end = content.rindex("OkramReport".encode("utf-16-le")) + saved.VARIABLE_MAX
    broken = tmp_path / "broken.fd"
    for _ in range(300):
        damaged = bytearray(content[: chance.randrange(1, 2 * end)])
        for _ in range(chance.randrange(3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        broken.write_bytes(damaged)
        try:
            found = saved.decode(varstore.read(broken, "Okram"))
        except Trouble as trouble:
            assert "holds no UEFI variables" in str(trouble)
            continue
        is_state = found.jsonl.startswith('{"t":600,"type":"state"') and found.problems
        assert found.jsonl in ("", whole.jsonl) or (is_state and found.jsonl.count("\n") == 1)
        n_whole += found == whole
    assert 0 < n_whole < 300


def test_report_command(store, directory):
    for path in (store, directory):
        ran = okram("report", "--efivars", str(path))
        assert ran.returncode == 0
        assert "QEMU, 2 CPUs" in ran.stdout
        assert "Example Board 9, started on 2026-11-22 13:14:34" in ran.stdout.splitlines()
        assert ran.stdout.splitlines()[-1] == "badram=0x1000,0xffffffffff000"
        assert ran.stderr == ""


def test_report_command_names_what_it_does_not_believe(directory):
    (directory / f"OkramReport02-{saved.VENDOR}").write_bytes(b"\7\0\0\0other\0")
    ran = okram("report", "--efivars", str(directory))
    assert ran.returncode == 2
    assert "ended, but its result is lost; march-c- ran last" in " ".join(ran.stdout.split())
    lines = ran.stderr.splitlines()
    assert "okram: the report in the variables: OkramReport06 is missing" in lines


def test_report_command_names_a_head_that_is_damaged(directory):
    file = directory / f"OkramReport00-{saved.VENDOR}"
    file.write_bytes(file.read_bytes().replace(b'"done"', b'"gone"'))
    ran = okram("report", "--efivars", str(directory))
    assert ran.returncode == 2 and ran.stdout == ""
    named, trouble = ran.stderr.splitlines()
    assert "the report in the variables: a value in its head is missing or invalid" in named
    assert "holds no report of okram" in trouble


def test_report_command_of_a_run_that_did_not_finish(tmp_path):
    path = put(tmp_path / "vars.fd", [unfinished()])
    ran = okram("report", "--efivars", str(path))
    assert ran.returncode == 2
    words = " ".join(ran.stdout.split())
    assert "did not finish: test march-c-, pass 2, 3 GiB tested, CPU 3, 2 bad pages." in words
    page = okram("report", "--html", "--efivars", str(path))
    assert page.returncode == 2 and '"test": "march-c-"' in page.stdout


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["/nowhere"], "/nowhere cannot be read: No such file"),
        ([str(OVMF_VARS)], "holds no report of okram"),
        (["/dev/null"], "holds no UEFI variables"),
        ([str(OVMF_VARS), "--compare", "a", "b"], "--efivars takes the place of"),
    ],
)
def test_bad_calls(arguments, why):
    ran = okram("report", "--efivars", *arguments)
    assert ran.returncode == 2 and ran.stdout == ""
    assert why in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_the_variables_are_never_overwritten(store):
    before = store.read_bytes()
    ran = okram("report", "--efivars", str(store), "--csv", str(store))
    assert ran.returncode == 2 and "not overwritten" in ran.stderr
    assert store.read_bytes() == before


def test_not_started_by_uefi(monkeypatch):
    monkeypatch.setattr(varstore, "EFIVARS", Path("/nowhere/efivars"))
    with pytest.raises(Trouble, match="not started by UEFI"):
        varstore.read(varstore.EFIVARS, "Okram")


def test_a_directory_of_other_files(tmp_path):
    """A variable that was deleted is an empty file for a while."""
    (tmp_path / f"OkramReport00-{saved.VENDOR}").write_bytes(b"")
    assert varstore.read(tmp_path, "Okram") == []
    (tmp_path / "Okram.txt").write_bytes(b"hello")
    with pytest.raises(Trouble, match=r"Okram.txt is not a UEFI variable"):
        varstore.read(tmp_path, "Okram")
