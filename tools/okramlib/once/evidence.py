# SPDX-License-Identifier: MIT
"""Signs of faulty memory that Linux keeps: panics and machine checks in pstore, uncorrected errors
that EDAC counts, and those in the kernel's log of this start and the one before."""

import json
import re
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

PSTORE = Path("/var/lib/systemd/pstore")  # where systemd-pstore moves what it finds
_BYTES_MAX = 64 << 10
_FILES_MAX = _LINES_MAX = 256

# fs/pstore/platform.c; okram's own report begins with its name.
_PANIC = re.compile(rb"Panic#\d+ Part\d+")
# arch/x86/kernel/cpu/mce/core.c: MCi_STATUS at the end, whose bit 61 says uncorrected (Intel SDM,
# volume 3B, "IA32_MCi_STATUS MSRS"; AMD APM, volume 2, "MCA Status Register").
_MACHINE_CHECK = re.compile(r"Machine Check(?: Exception)?: [0-9a-f]+ Bank (\d+): ([0-9a-f]{16})\b")
_UNCORRECTED = 1 << 61
_EDAC = re.compile(r"EDAC MC\d+: \d+ UE ")  # drivers/edac/edac_mc.c
_STARTS = {"0": "this start", "-1": "the start before"}  # as journalctl counts


@dataclass(frozen=True)
class Sign:
    key: str  # the same sign has the same one at each start
    text: str  # half a sentence


def all_signs(sysfs):
    return [*_in_pstore(sysfs), *_in_edac(sysfs), *_in_logs()]


def _in_pstore(sysfs):
    for folder in (sysfs / "fs" / "pstore", PSTORE):
        for path in sorted(folder.rglob("*"))[-_FILES_MAX:]:
            kind = path.name.partition("-")[0]
            if kind not in ("dmesg", "mce") or not path.is_file():
                continue
            try:
                with path.open("rb") as file:
                    content = file.read(_BYTES_MAX)
            except OSError:
                continue
            key = f"{path.name} {zlib.crc32(content):08x}"
            if kind == "mce":
                yield Sign(key, f"a machine check ({path})")
            elif _PANIC.match(content):
                yield Sign(key, f"a panic of the kernel ({path})")


def _in_edac(sysfs):
    boot = _this_boot()
    for path in sorted(sysfs.glob("devices/system/edac/mc/mc*/ue_count")):
        try:
            n = int(path.read_text())
        except (OSError, ValueError):
            continue
        if n > 0:
            name = path.parent.name
            yield Sign(f"{boot} {name} {n}", f"{n} uncorrected errors of memory (EDAC, {name})")


def _in_logs():
    for start, words in _STARTS.items():
        found = {}
        for boot, message in _kernel_log(start):
            if text := _said(message):
                found[f"{boot} {message}"] = f"{text} in the log of {words}"
            if len(found) == _LINES_MAX:
                break
        yield from (Sign(key, text) for key, text in found.items())


def _said(message):
    """ "": it is of something else."""
    if _EDAC.search(message):
        return "an uncorrected error of memory (EDAC)"
    check = _MACHINE_CHECK.search(message)
    if check and int(check[2], 16) & _UNCORRECTED:
        return f"an uncorrected machine check, bank {int(check[1])},"
    return ""


def _kernel_log(start):
    """(which start, message) of each line from warnings on. None where no journal is kept."""
    command = ["journalctl", "--quiet", "--no-pager", "--dmesg", f"--boot={start}"]
    command += ["--priority=warning", "--output=json", "--output-fields=MESSAGE"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in ran.stdout.splitlines():
        try:
            record = json.loads(line)
            boot, message = record["_BOOT_ID"], record["MESSAGE"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(boot, str) and isinstance(message, str):
            yield boot, message


def _this_boot():
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    except OSError:
        return ""
