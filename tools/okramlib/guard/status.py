# SPDX-License-Identifier: MIT
"""What the guard has done at this boot, and whether Linux leaves the bad pages alone."""

import json
from dataclasses import asdict, dataclass, field

from .. import EXIT_BAD_PAGES, EXIT_PASS, Trouble
from ..efivars import Variables
from ..units import PAGE, count, format_size
from . import LIST, MASKED, SBAT_LEVEL, SHIM_VENDOR, STATUS, VENDOR, lists, ways
from . import esp as esps
from .here import Here, runs_in
from .images import Image

_BYTES_MAX = 4096  # of OkramGuardStatus
_TEXTS = ("version", "state", "source", "why", "made")
_COUNTS = ("pages", "masked", "held", "reserved", "outside", "between", "microseconds")
_COUNT_END = 1 << 64
_NAMED_MAX = 8
_LOOKED_AT_MAX = 1 << 18  # pages of Linux's RAM, one by one: 1 GiB
_STATES = {
    "masked": "the guard has masked bad pages.",
    "none": "the guard has found no list.",
    "stale": "the guard has refused its list: it is of another machine or of other modules.",
    "invalid": "the guard has refused its list: it is damaged.",
    "stopped": "the guard has used its list in part, or not at all.",
}


@dataclass
class Found:
    """What `--json` prints, by these names."""

    installed: str | None = None  # the way
    guard: dict | None = None  # the record of OkramGuardStatus
    listed: int | None = None  # pages; None: the list cannot be read from Linux
    masked: int = 0
    unusable: int | None = None  # of the masked ones, by firmware's map as Linux was given it
    kept_aside: int = 0  # in RAM that Linux uses, but handed to nobody
    in_use: list = field(default_factory=list)  # addresses of bad pages that Linux may use
    unknown: list = field(default_factory=list)  # the same, where it may keep them aside
    shim_revoked: bool | None = None  # it would switch the machine off under Secure Boot
    not_looked_at: int = 0  # bad pages in RAM that Linux uses, after the first _LOOKED_AT_MAX

    @property
    def is_good(self):
        state = (self.guard or {}).get("state")
        left = self.in_use or self.unknown or self.not_looked_at
        return state == "masked" and not left and not self.shim_revoked


def read_record(variables):
    """The record of OkramGuardStatus. {}: it is damaged; None: the guard has not run."""
    data = variables.data(STATUS, VENDOR)
    if data is None:
        return None
    try:
        record = json.loads(data[:_BYTES_MAX].decode().rstrip("\0\n"))
    except (ValueError, RecursionError):
        return {}
    return record if _is_valid(record) else {}


def _is_valid(record):
    """The fields that are used are as docs/guard-forms.md says; any may be missing."""
    if not isinstance(record, dict) or record.get("type") != "guard":
        return False
    patrol = {} if record.get("patrol") is None else record["patrol"]
    return (
        isinstance(patrol, dict)
        and all(isinstance(record.get(name), str | None) for name in _TEXTS)
        and isinstance(patrol.get("next"), str | None)
        and all(map(_is_count, [record.get(name) for name in _COUNTS]))
        and all(map(_is_count, [patrol.get(name) for name in ("bytes", "faults")]))
    )


def _is_count(value):
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value is None or (is_whole and 0 <= value < _COUNT_END)


def look(arguments):
    here = Here(arguments.sys, arguments.proc)
    variables = Variables(arguments.efivars)
    former = ways.read_backup(variables)
    found = Found(installed=former.way if former else None, guard=_record(variables))
    masked = _list(variables.data(MASKED, VENDOR), f"the variable {MASKED}")
    listed = _listed(arguments, variables, former)
    found.listed = listed.n_pages if listed else None
    found.masked = masked.n_pages if masked else 0
    found.shim_revoked = _is_shim_revoked(arguments, variables, former)
    unusable = here.unusable()
    if masked and unusable is not None:
        found.unusable = sum(n for _, n in runs_in(masked.runs, unusable))
    runs = [run for each in (masked, listed) if each for run in each.runs]
    _sort_pages(runs_in(runs, here.ram_in_use()), here, found)
    return found


def report(found):
    """Sentences, one a line."""
    way = ways.BY_NAME.get(found.installed)
    yield f"installed: {way.driver}, started by {way.why}." if way else "not installed."
    if found.shim_revoked:
        yield (
            "Its shim is older than this machine accepts: with Secure Boot on, the next start"
            " switches the machine off. Update the package shim-signed and install the guard again,"
            " or remove it."
        )
    yield from _about_guard(found)
    if found.unusable is not None:
        yield f"firmware's memory map has {found.unusable} of {found.masked} pages as unusable."
    if found.kept_aside:
        yield f"Linux keeps {count(found.kept_aside, 'bad page')} aside, in RAM that it uses."
    if found.in_use:
        yield f"Linux may use {count(len(found.in_use), 'bad page')}: {_some(found.in_use)}"
    if found.unknown:
        n = count(len(found.unknown), "bad page")
        yield (
            f"{n} in RAM that Linux uses; whether it keeps them aside it does not say:"
            f" {_some(found.unknown)}"
        )
    if found.not_looked_at:
        yield (
            f"{count(found.not_looked_at, 'bad page')} more in RAM that Linux uses: they were not"
            " looked at, because there are too many."
        )
    is_any_left = found.in_use or found.unknown or found.not_looked_at
    if not is_any_left and (found.masked or found.listed):
        yield "Linux uses no bad page of the list."


def print_status(arguments):
    found = look(arguments)
    if arguments.json:
        print(json.dumps(asdict(found)))
    else:
        print("\n".join(report(found)))
    return EXIT_PASS if found.is_good else EXIT_BAD_PAGES


def _about_guard(found):
    guard = found.guard
    if not guard:
        yield "the guard has not run at this boot."
        if found.installed == "driver":
            yield (
                "If this machine was restarted since the installation, its firmware ignores"
                " Driver####: remove the guard, and install it by another way."
            )
        return
    state = guard.get("state")
    yield _STATES.get(state, f"the guard reports the state {state!r}.")
    if guard.get("why"):
        yield f"its reason: {guard['why']}"
    if state != "masked":
        return
    words = [f"{guard.get('masked')} of {guard.get('pages')} listed pages masked"]
    if guard.get("held"):
        words.append(f"{guard['held']} held by firmware ({guard.get('reserved')} reserved for"
                     " Linux)")  # fmt: skip
    if found.listed is None and (guard.get("held") or 0) > (guard.get("reserved") or 0):
        words.append("which of these Linux uses is unknown, because it does not see the list")
    if guard.get("between"):
        words.append(f"{guard['between']} good pages between them masked, too")
    if guard.get("room"):
        words.append(f"{guard['room']} left in use, because a system needs the memory to start")
    if guard.get("beyond"):
        words.append(f"{guard['beyond']} left in use, because they are too scattered")
    if guard.get("outside"):
        words.append(f"{guard['outside']} not RAM")
    yield f"{', '.join(words)}; list: {guard.get('source')}, made {guard.get('made') or '?'}."
    yield from _about_rest(guard)
    patrol = guard.get("patrol")
    if isinstance(patrol, dict):
        yield (
            f"patrol: {_size(patrol)} tested at this boot,"
            f" {patrol.get('faults')} faults, next at {patrol.get('next')}."
        )


def _about_rest(guard):
    """The same sentence as the guard's (kernel/core/formats/guardlist/ram_use.c)."""
    masked, pages, outside, kept, reserved = (
        guard.get(name) or 0 for name in ("masked", "pages", "outside", "kept", "reserved")
    )
    rest = pages - outside - masked
    if rest <= 0:
        return
    if rest == kept:
        systems = "Firmware still uses"
    else:
        systems = "Windows still uses" if rest <= kept + reserved else "Windows and Linux still use"
    if not masked:
        which = "it" if rest == 1 else "them"
    else:
        which = "the other" if rest == 1 else f"the other {rest}"
    yield f"{systems} {which}: replace the module."


def _record(variables):
    found = read_record(variables)
    if found == {}:
        raise Trouble(f"the variable {STATUS} is damaged.")
    return found


def _listed(arguments, variables, former):
    data = variables.data(LIST, VENDOR)
    if data is not None:
        return _list(data, f"the variable {LIST}")
    name = former.list_file if former else None
    try:
        data = esps.find(arguments, former.partition).read(name) if name else None
    except Trouble:
        return None
    return _list(data, name)


def _is_shim_revoked(arguments, variables, former):
    """None: it is not started by shim, or one of the two cannot be read."""
    level = variables.data(SBAT_LEVEL, SHIM_VENDOR)
    way = ways.BY_NAME[former.way] if former else None
    if not way or not way.shim or level is None:
        return None
    try:
        data = esps.find(arguments, former.partition).read(way.started)
        return Image(way.started, data or b"").revoked_by(level) is not None
    except Trouble:
        return None


def _list(data, name):
    if data is None:
        return None
    try:
        return lists.read(data)
    except lists.Invalid as why:
        raise Trouble(f"{name} is not a valid list: {why}.") from None


def _sort_pages(runs, here, found):
    n_looked_at = 0
    for first, n in runs:
        some = min(n, _LOOKED_AT_MAX - n_looked_at)
        n_looked_at += some
        found.not_looked_at += n - some
        for page, is_kept_aside in enumerate(here.kept_aside(first, some), first):
            match is_kept_aside:
                case True:
                    found.kept_aside += 1
                case False:
                    found.in_use.append(f"{page * PAGE:#x}")
                case None:
                    found.unknown.append(f"{page * PAGE:#x}")


def _some(addresses):
    more = len(addresses) - _NAMED_MAX
    return ", ".join(addresses[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def _size(patrol):
    n = patrol.get("bytes")
    return format_size(n) if isinstance(n, int) else "?"
