# SPDX-License-Identifier: MIT
"""What a run came to, in numbers and one word, of a run that has not ended, too; and its clock."""

import contextlib
from datetime import datetime, timedelta

from . import outcome

UNFINISHED = "unfinished"
STATUSES = ("pass", "incomplete", "fail", "corrected", "stopped", "error", UNFINISHED)
_CONTRADICTED = ("pass", "incomplete", "corrected", "stopped")  # by a bad page

_DATE = "%Y-%m-%dT%H:%M:%S"
_EPOCH = datetime(1970, 1, 1)


def last(types, kind):
    """The last record of that type, or None."""
    return types[kind][-1] if types.get(kind) else None


def status(types):
    """One of STATUSES. Whatever a report says of itself, one with bad pages is not a pass, and a
    pass of a part is incomplete. Of a report whose result had no room, or was not written any more,
    the state has the verdict."""
    result = last(types, "result")
    state = last(types, "state") or {}
    if not result and "status" not in state:
        return UNFINISHED
    result = result or {"complete": False} | state
    kind = outcome.kind(result)
    if kind == "pass" and result.get("part_of_bytes"):
        kind = "incomplete"
    return "fail" if kind in _CONTRADICTED and bad_pages(types) else kind


def bad_pages(types):
    """Pages of 4 KiB that the run found; None: unknown. The line covers hidden ones, too."""
    found = [last(types, kind)["bad_pages"] for kind in ("result", "state") if types.get(kind)]
    if types.get("badram"):
        found.append(max(0, last(types, "badram")["bad_pages"] - hidden_pages(types)))
    return max(found) if found else None


def hidden_pages(types):
    """Pages that were hidden before okram started, for example by GRUB's badram."""
    return (last(types, "result") or {}).get("hidden_pages", 0)


def tested_bytes(types):
    return _of(types, "tested_bytes", ("result", "state"))


def passes(types):
    """Whole ones; None: unknown."""
    if result := last(types, "result"):
        return result["passes"]
    state = last(types, "state")
    return max(0, state["pass"] - 1) if state else None


def faults(types):
    """As many as are known: of a report that was kept, lines may be missing."""
    known = [sum(test["faults"] for test in types.get("test", [])), len(types.get("fault", []))]
    return max(known + [state["faults"] for state in types.get("state", [])[-1:]])


def faulty_modules(types):
    """The `module` records of the modules that faults are in, as measured by the memory
    controller's registers; []: unknown, or all have faults, which then are no module's own."""
    kind = last(types, "kind") or {}
    found = kind.get("modules", [])
    if len(found) == kind.get("modules_fitted", 0) > 1:
        return []
    places = {(m["slot"], m["bank"]) for m in found}
    modules = [m for m in types.get("module", []) if m["slot"] and (m["slot"], m["bank"]) in places]
    return modules if len(modules) == len(found) else []


def _of(types, name, kinds):
    found = [last(types, kind)[name] for kind in kinds if types.get(kind)]
    return max(found) if found else None


def started(types):
    """When the kernel was entered, by the machine's clock, whose zone is unknown; None: it has
    none, or the report was not kept in the machine."""
    state = last(types, "state")
    with contextlib.suppress(TypeError, ValueError):
        return datetime.strptime(state["started"], _DATE)
    return None


def date(start, seconds):
    """A time of the run as a date-time of RFC 3339; without a start, from 1970 on. A clock whose
    zone is unknown is taken for one of UTC."""
    try:
        at = (start or _EPOCH) + timedelta(seconds=seconds)
    except OverflowError:
        at = datetime.max
    return at.isoformat(timespec="microseconds") + "Z"
