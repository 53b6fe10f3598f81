# SPDX-License-Identifier: MIT
"""Which machine a report is of.

The UUID of SMBIOS is the machine's name where it has one of its own. Boards are sold whose maker
left a template's UUID in all of them; such a UUID names no machine. Without one, a UUID in the
report's URL or file name is taken, then the modules with their serial numbers; a report that has
none of these is a machine by itself.
"""

import hashlib
import re

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

# The first is the template of AMI's firmware, found in boards of many makers.
_OF_MANY = {
    "03000200-0400-0500-0006-000700080009",
    "12345678-1234-5678-90ab-cddeefaabbcc",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
}


def usable(uuid):
    """The UUID in lower case if it can name one machine, else ""."""
    found = UUID.fullmatch(uuid or "")
    return "" if not found or uuid.lower() in _OF_MANY else uuid.lower()


def in_path(path):
    """The last UUID in a path, which then is of the machine; ""."""
    found = UUID.findall(path)
    return usable(found[-1]) if found else ""


def name(types, from_path, key):
    """(machine, how it is known: uuid, path, modules, run)"""
    identity = (types.get("identity") or [{}])[-1]
    if uuid := usable(identity.get("uuid")):
        return uuid, "uuid"
    if from_path:
        return from_path, "path"
    serials = sorted(
        f"{module['part']} {module['serial']}"
        for module in types.get("module", [])
        if module["serial"]
    )
    if serials:
        return f"modules {digest(*serials)[:12]}", "modules"
    return f"run {key[:12]}", "run"


def model(types):
    """The machine's maker and product, or its board's; "": unknown."""
    identity = (types.get("identity") or [{}])[-1]
    for part in ("system", "board"):
        words = [(identity.get(part) or {}).get(name) for name in ("maker", "product")]
        if any(words):
            return " ".join(filter(None, words))
    return (types.get("state") or [{"board": ""}])[-1]["board"]


def digest(*texts):
    """32 hexadecimal digits of the texts; ("ab", "c") has others than ("a", "bc")."""
    joined = "".join(f"{len(text)}:{text}" for text in texts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]
