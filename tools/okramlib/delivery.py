# SPDX-License-Identifier: MIT
"""The report in UEFI variables, on its way to a server or into a folder."""

import contextlib
import json
import os
import re
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from . import Trouble, atomic

TIMEOUT_S = 20
WAITS_S = (2, 10, 30)  # before each further try
ARRIVED = (200, 201, 204)  # HTTP: it has it

_DMI_UUID = Path("/sys/class/dmi/id/product_uuid")  # only root can read it
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NO_UUIDS = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Packet:
    """A report as it is sent and kept: JSON lines, the head first."""

    name: str  # of a file
    data: bytes


def packet(kept, machine=""):
    """The Packet of a saved.Saved. The machine is what the report calls it, else `machine`."""
    data = kept.data or f"{json.dumps(kept.head)}\n{kept.jsonl}".encode()
    crc = kept.head["crc32c"].removeprefix("0x")
    damaged = "" if kept.data else "-damaged"
    return Packet(f"{_named(kept.jsonl) or machine or _UNKNOWN}-{crc}{damaged}.jsonl", data)


def this_machine():
    """The UUID that this machine's firmware gives it (SMBIOS); "": none, or it is not told."""
    with contextlib.suppress(OSError):
        return _uuid(_DMI_UUID.read_text().strip().lower())
    return ""


def deliver(report, url, folder):
    """Sends the report to the URL, unless the folder has it; then puts it there. Each may be None.
    Trouble if it could not be done."""
    if folder and folder.joinpath(report.name).exists():
        put(report, folder)  # Trouble if that file is another report
        return
    if url:
        send(report, url)
    if folder:
        put(report, folder)


def put(report, folder):
    """Writes the file as a whole; one that is there stays. Trouble if it is not this report."""
    path = folder / report.name
    try:
        if path.exists():
            if path.read_bytes() != report.data:
                raise Trouble(f"{path} exists and is another report; it is not overwritten.")
            return
        with atomic.file(path, place=_place) as file:
            file.write(report.data)
    except OSError as error:
        raise Trouble(f"{path} cannot be written: {error.strerror}.") from None


def _place(fresh, path):
    """A file that has the name already stays."""
    try:
        os.link(fresh, path)  # fails where rename() would overwrite
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise
        os.replace(fresh, path)
    else:
        fresh.unlink()


def check_url(url):
    """Trouble if no report can be sent there."""
    try:
        parts = urllib.parse.urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or not url.isascii() or not url.isprintable() or " " in url:
        raise Trouble(f"{url} is not a URL of http or https.")
    if parts.username is not None:
        raise Trouble(f"a user's name in {parts.scheme}://…@{parts.hostname} is not supported.")


def send(report, url, waits=WAITS_S):
    """By HTTP PUT; to a URL with a slash at its end the report's name is added. Trouble if no
    server says that it has it."""
    target = url + report.name if url.endswith("/") else url
    for wait in (*waits, None):
        try:
            return _put(target, report.data)
        except _Refused as why:
            raise Trouble(f"{target}: {why}. The report is still in the machine.") from None
        except (OSError, HTTPException) as error:
            why = _reason(error)
            if wait is None or _is_untrusted(error):
                break
        print(f"okram: {target}: {why}; the next try is in {wait} s", file=sys.stderr, flush=True)
        time.sleep(wait)
    tries = f", in {len(waits) + 1} tries" if wait is None else ""
    raise Trouble(f"{target}: {why}{tries}. The report is still in the machine.")


class _Refused(Exception):
    """The server's answer will not change: why."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """What a server sends elsewhere is refused: it was to be sent here."""

    def redirect_request(self, *_):
        return None


def _put(target, data):
    request = urllib.request.Request(target, data, method="PUT")
    request.add_header("Content-Type", "application/jsonl")
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            code = answer.status
    except urllib.error.HTTPError as error:
        code = error.code
        error.close()
    if code in ARRIVED:
        return
    if code in (408, 425, 429) or code >= 500:
        raise OSError(0, f"the server answers {code}")
    raise _Refused(f"the server answers {code}")


def _is_untrusted(error):
    """By a certificate that will be no better in a minute, as one is whose time has not come: after
    a start, the clock may still be wrong (X509_V_ERR_CERT_NOT_YET_VALID and _HAS_EXPIRED)."""
    error = getattr(error, "reason", error)
    return isinstance(error, ssl.SSLCertVerificationError) and error.verify_code not in (9, 10)


def _reason(error):
    error = getattr(error, "reason", error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, TimeoutError):
        return f"no answer in {TIMEOUT_S} s"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _named(jsonl):
    """The machine's UUID by the report's record `identity`, or ""."""
    for line in jsonl.splitlines():
        if '"identity"' in line:
            with contextlib.suppress(ValueError, AttributeError, TypeError):
                record = json.loads(line)
                if record.get("type") == "identity":
                    return _uuid(record.get("uuid") or "")
    return ""


def _uuid(text):
    return text if _UUID.fullmatch(text) and text not in _NO_UUIDS else ""
