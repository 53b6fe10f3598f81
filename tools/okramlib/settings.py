# SPDX-License-Identifier: MIT
"""Runs of different settings side by side: errors for what was moved, and starts with errors.

A run's name is what its memory runs at. Each other run is compared with the first, exactly.
"""

from .tables import Table
from .ttest import part_p, rate_p, rate_ratio

SPEED_SLACK = 40  # MT/s: the same speed is written as 2666 and as 2667 (spd/running.c)
LETTERS = "abcdefgh"

RATE_NOTE = (
    "A page that is wrong in a sweep is one error, and so is each error that ECC reports. Each rate"
    " has a 95 % interval, which is exact for errors at random times. Beside a: the rate as a"
    " multiple of a's (95 % interval), and the exact p-value; below 0.01 the rates differ."
)
STARTS_NOTE = (
    "95 %: exact interval of the share of starts with errors. p: Fisher's exact test; below 0.01"
    " the shares differ."
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
    yield from _rates(list(zip(labels, map(_rate, runs), strict=True)))
    yield from _starts(
        [(label, _last(of, "cycles")) for label, of in zip(labels, runs, strict=True)]
    )


def _label(i, runs, names):
    setting = name(runs[i])
    is_one = sum(name(other) == setting for other in runs) == 1 and setting != "?"
    return LETTERS[i], setting if is_one else f"{names[i]}: {setting}"


def _last(types, kind):
    return types[kind][-1] if types.get(kind) else None


def _rate(types):
    return (_last(types, "result") or {}).get("stability")


def _rates(found):
    known = [rate for _, rate in found if rate]
    if len(known) < 2:
        return
    rows = [
        [
            label[0],
            str(rate["errors"]),
            f"{rate['moved_bytes'] / 1e12:.3g}",
            f"{rate['per_tb']:.3g}",
            f"{rate['low']:.3g} to {rate['high']:.3g}",
            _beside(known[0], rate) if rate is not known[0] else "",
            label[1],
        ]
        for label, rate in found
        if rate
    ]
    columns = ("<", "errors", "TB moved", "per TB", "<95 %", "<beside a", "<memory at")
    yield Table("Errors by settings", columns, rows, (RATE_NOTE,))


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


def _starts(found):
    known = [one for _, one in found if one]
    if len(known) < 2:
        return
    first = known[0]
    rows = [
        [
            label[0],
            f"{one['starts']}{' cold' if one.get('cold') else ''}",
            str(one["with_errors"]),
            f"{100 * one['low']:.1f} to {100 * one['high']:.1f} %",
            str(one["lost"]),
            "" if one is first else f"p = {_parts_p(first, one):.2g}",
            label[1],
        ]
        for label, one in found
        if one
    ]
    columns = ("<", "starts", "with errors", "<95 %", "no result", "<beside a", "<memory at")
    yield Table("Starts by settings", columns, rows, (STARTS_NOTE,))


def _parts_p(a, b):
    return part_p(a["with_errors"], a["starts"], b["with_errors"], b["starts"])
