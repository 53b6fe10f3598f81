# SPDX-License-Identifier: MIT
"""Runs of different settings side by side: errors for what was moved, and starts with errors.

A run's name is what its memory runs at. Each other run is compared, exactly, with the first of
those that have the number.
"""

from .tables import Table
from .ttest import part_p, rate_p, rate_ratio
from .units import figure, format_moved, format_seconds

SPEED_SLACK = 40  # MT/s: the same speed is written as 2666 and as 2667 (spd/running.c)
LETTERS = "abcdefgh"

ALWAYS_TRIES = 4  # as kernel/run/testing/retest.c

RATE_NOTE = (
    "A page that is wrong in a sweep is one error, and so is each error that ECC reports. Each rate"
    " has a 95 % interval, which is exact for errors at random times; with no error its limit is"
    " one-sided. Beside {0}: the rate as a multiple of {0}'s (95 % interval), and the exact"
    " p-value; below 0.01 the rates differ."
)
NO_RATE = "a page was bad each time that it was tested again"
NO_RATE_NOTE = f"No rate: {NO_RATE}. Such errors are not at random times."
STARTS_NOTE = (
    "95 %: exact limits of the share of starts with errors, one-sided if it is none or all. p:"
    " Fisher's exact test; below 0.01 the shares differ."
)


def name(types):
    """What memory runs at: "DDR5 5600 MT/s 46-45-45-90 2T XMP 1.25 V"; "?": no module says that."""
    found = dict.fromkeys(filter(None, map(_module, types.get("module", []))))
    return ", ".join(found) or "?"


def _module(module):
    at = module.get("running") or {}
    speed = at.get("mt_s") or module.get("configured_mt_s")
    if not speed and not at:
        return ""
    words = [module.get("kind"), f"{speed} MT/s" if speed else None]
    if at:
        words.append("-".join(str(at[clocks] or "?") for clocks in ("cl", "rcd", "rp", "ras")))
    if at.get("command_rate"):
        words.append(f"{at['command_rate']}T")
    words.append(_profile(module, speed, at.get("cl")))
    if module.get("configured_mv"):
        words.append(f"{module['configured_mv'] / 1000:.4g} V")
    return " ".join(filter(None, words))


def _profile(module, speed, cl):
    """Which of the SPD's figures these are; None: not known."""
    setting = module.get("setting")
    if setting in ("jedec", "below-profile"):
        return "JEDEC"
    for one in module.get("profiles", ()):
        clocks = (one.get("timings") or {}).get("cl")
        is_near = speed and abs(speed - one["mt_s"]) <= SPEED_SLACK
        if is_near and not (cl and clocks and not clocks <= cl <= clocks + 1):
            return one["kind"].upper()
    return "overclock" if setting else None


def tables(runs, names):
    """runs: types of records of two or more. Nothing where fewer than two have such numbers."""
    labels = [_label(i, runs, names) for i in range(len(runs))]
    yield from _rates(list(zip(labels, runs, strict=True)))
    yield from _starts(
        [(label, _last(of, "cycles")) for label, of in zip(labels, runs, strict=True)]
    )


def _label(i, runs, names):
    setting = name(runs[i])
    is_one = sum(name(other) == setting for other in runs) == 1 and setting != "?"
    return LETTERS[i], setting if is_one else f"{names[i]}: {setting}"


def _last(types, kind):
    return types[kind][-1] if types.get(kind) else None


def rate(types):
    """How often memory failed that is almost stable; None: that was not the question."""
    return (_last(types, "result") or {}).get("stability")


def is_always_bad(types):
    """Whether a page is: then its errors are not at random times, and the rate says nothing."""
    return any(
        one["tries"] >= ALWAYS_TRIES and one["failed"] == one["tries"]
        for one in types.get("retest", [])
    )


def _rates(found):
    known = [(label, rate(types), is_always_bad(types)) for label, types in found if rate(types)]
    if len(known) < 2:
        return
    (letter, _), first, _ = next((one for one in known if not one[2]), known[0])
    rows = [
        [
            label[0],
            str(one["errors"]),
            format_moved(one["moved_bytes"] / 1e12),
            first_after(one),
            *(["", "no rate", ""] if is_bad else _figures(one, first)),
            label[1],
        ]
        for label, one, is_bad in known
    ]
    columns = ("<", "errors", "moved", "first after", "per TB", "<95 %", f"<beside {letter}")
    notes = (NO_RATE_NOTE,) if any(is_bad for *_, is_bad in known) else ()
    yield Table(
        "Errors by settings", (*columns, "<memory at"), rows, (RATE_NOTE.format(letter), *notes)
    )


def first_after(rate):
    """When the first error came; "": there is none, or several starts count."""
    return "" if rate.get("first_s") is None else format_seconds(rate["first_s"])


def _figures(one, first):
    limits = f"{figure(one['low'])} to {figure(one['high'])}"
    return [
        figure(one["per_tb"]) if one["errors"] else "0",
        limits if one["errors"] else f"at most {figure(one['high'])}",
        _beside(first, one) if one is not first else "",
    ]


def _beside(a, b):
    first, other = ((r["errors"], r["moved_bytes"]) for r in (a, b))
    if not first[0] + other[0]:
        return "no errors in either"
    low, high = rate_ratio(*first, *other)
    if high == float("inf"):
        times = f"{low:.3g} times or more"
    else:
        times = f"{low:.3g} to {high:.3g} times" if low else f"at most {high:.3g} times"
    return f"{times}, p = {rate_p(*first, *other):.2g}"


def share(cycles):
    """The limits of the part of starts with errors, with 95 % confidence."""
    if cycles["starts"] and not cycles["with_errors"]:
        return f"at most {100 * cycles['high']:.1f} %"
    if cycles["starts"] and cycles["with_errors"] == cycles["starts"]:
        return f"at least {100 * cycles['low']:.1f} %"
    return f"{100 * cycles['low']:.1f} to {100 * cycles['high']:.1f} %"


def _starts(found):
    known = [(label, one) for label, one in found if one]
    if len(known) < 2:
        return
    (letter, _), first = known[0]
    rows = [
        [
            label[0],
            f"{one['starts']}{' cold' if one.get('cold') else ''}",
            str(one["with_errors"]),
            share(one),
            str(one["lost"]),
            "" if one is first else f"p = {_parts_p(first, one):.2g}",
            label[1],
        ]
        for label, one in known
    ]
    columns = ("<", "starts", "with errors", "<95 %", "no result", f"<beside {letter}")
    yield Table("Starts by settings", (*columns, "<memory at"), rows, (STARTS_NOTE,))


def _parts_p(a, b):
    return part_p(a["with_errors"], a["starts"], b["with_errors"], b["starts"])
