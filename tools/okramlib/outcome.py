# SPDX-License-Identifier: MIT
"""A run's findings as tables and sentences: tests, bad pages, aliases, machine checks, result."""

from . import copied, records, settings
from .tables import Table, rate
from .units import PAGE, count, figure, format_moved, format_seconds, format_size

_ROWS_MAX = 20  # of bad pages, and of untested ranges

_ECC_PHRASES = {
    "on": ", ECC on",
    "off": ", ECC off",
    "unused": ", ECC off, although the modules have it",
    "unknown": "",
}


def machine(types):
    """The machine in a sentence; "" if the run did not get that far."""
    for found in types.get("machine", [])[-1:]:
        installed = found["installed_bytes"]
        return (
            f"{found['cpu']}, {count(found['cpus'], 'CPU')}, {count(found['nodes'], 'node')},"
            + (f" {format_size(installed)} installed," if installed else "")
            + f" {format_size(found['ram_bytes'])} RAM,"
            f" {format_size(found['testable_bytes'])} of it testable"
            + _ECC_PHRASES[found.get("memory_ecc", {}).get("state", "unknown")]
            + "".join(f", {name}" for name in found.get("memory_repair", []))
            + _side_cache(found.get("side_cache"))
        )
    return ""


def _side_cache(cache):
    return f", {format_size(cache['bytes'])} memory-side cache" if cache else ""


def identity(types):
    """Which machine and which run it is, as sentences."""
    for found in types.get("identity", [])[-1:]:
        named = [_made(found[part]) for part in ("system", "board")]
        words = [named[0], f"board {named[1]}" if named[1] else "", *_numbers(found)]
        if any(words):
            yield f"Machine: {', '.join(filter(None, words))}."
        begun = f", begun {found['date'].replace('T', ' ')}" if found["date"] else ""
        yield f"Run {found['run']}{begun}."


def _made(part):
    named = " ".join(part[name] for name in ("maker", "product", "version") if part[name])
    serial = f"serial number {part['serial']}" if part.get("serial") else ""
    return f"{named} ({serial})" if named and serial else named or serial


def _numbers(found):
    if found["uuid"]:
        yield f"UUID {found['uuid']}"
    for mac in found.get("macs", []):
        yield f"network card {mac}"


def booted(types):
    for start in types.get("start", [])[-1:]:
        return f"{start['boot'].upper()} by {start['loader']}"
    return ""


def kept(types):
    """Of a report that was kept: the machine's name and when the run started; "": unknown."""
    for state in types.get("state", [])[-1:]:
        started = f"started on {_date(state)}" if state["started"] else ""
        return ", ".join(filter(None, [state["board"], started]))
    return ""


def signature(types):
    """Of a report that was kept, as a sentence; "": it was not, or not as a whole."""
    for head in types.get("saved", [])[-1:]:
        if head.get("hmac"):
            return "Signed, not checked: the key is known only to the loader of that machine."
        return "Unsigned: anybody can have written this report."
    return ""


def unfinished(types):
    """How far a run was whose report has no result, as a sentence; "": it has one, or unknown."""
    heads, states = types.get("saved", []), types.get("state", [])
    if types.get("result") or not (heads or states):
        return ""
    is_done = bool(heads) and heads[-1]["state"] == "done"
    end = "ended, but its result is lost" if is_done else "did not finish"
    if not states:
        return f"okram started and {end}."
    state = states[-1]
    if "status" in state:  # the result itself had no room
        is_done, end = True, f"ended with the status {state['status']}"
    when = f" on {_date(state)}" if state["started"] else ""
    if state["test"]:
        end += f"; {state['test']} ran last" if is_done else f": test {state['test']}"
    return (
        f"okram started{when} and {end}, pass {state['pass']},"
        f" {format_size(state['tested_bytes'])} tested, CPU {state['cpu']},"
        f" {count(state['bad_pages'], 'bad page')}."
    )


def _date(state):
    return state["started"].replace("T", " ")


def tests(types):
    results = types.get("result", [])
    tested = results[-1]["tested_bytes"] if results else 0
    rows, notes = [], []
    for test in types.get("test", []):
        swept, seconds = test["swept_bytes"], test["seconds"]
        rows.append(
            [
                str(test["pass"]),
                test["test"],
                format_seconds(seconds),
                f"{swept / tested:.0f}" if tested else "",
                format_size(swept),
                rate(swept / 1e6 / seconds) if seconds > 0 else "",
                str(test.get("seed", "")),
                str(test["faults"]),
            ]
        )
        if test.get("note"):
            notes.append(f"{test['test']}: {test['note']}")
    if rows:
        columns = ("pass", "<test", "time", "sweeps", "swept", "MB/s", "seed", "faults")
        yield Table("Tests", columns, rows, tuple(dict.fromkeys(notes)))


def is_encrypted(types):
    """Whether the memory was, by the CPU's word or by the look of the faults."""
    machines, results = types.get("machine", []), types.get("result", [])
    return any(m.get("encryption") == "tme" for m in machines) or any(
        r.get("encryption") for r in results
    )


def bad_pages(types):
    pages = {}
    retests = {int(one["page"], 16): _retest(one) for one in types.get("retest", [])}
    hides_bits = is_encrypted(types)
    for fault in types.get("fault", []):
        page = int(fault["addr"], 16) // PAGE * PAGE
        pages.setdefault(page, []).append(fault)
    for page in retests:
        pages.setdefault(page, [])  # bad by a machine check, or its faults are not recorded
    rows = []
    for page, there in sorted(pages.items())[:_ROWS_MAX]:
        bits = 0
        for fault in there:
            bits |= int(fault["expected"], 16) ^ int(fault["found"], 16)
        names = ", ".join(dict.fromkeys(fault["test"] for fault in there))
        node, again = str(there[0]["node"]) if there else "", retests.get(page, "")
        shown = "" if hides_bits else f"{bits:#x}"
        rows.append([f"{page:#x}", node, str(len(there)), shown, again, names])
    notes = ()
    if hides_bits:
        notes = ("Bits: not shown, memory is encrypted.",)
    if len(pages) > _ROWS_MAX:
        notes += (f"… and {count(len(pages) - _ROWS_MAX, 'page')} more.",)
    if rows:
        columns = ("page", "node", "faults", "<bits", "<tested again", "<tests")
        yield Table("Bad pages, of the faults recorded", columns, rows, notes)


def _retest(one):
    """How often a page was bad again at the end of the run."""
    tries, failed = one["tries"], one["failed"]
    if not tries:
        return "not tested again"
    if not failed:
        return f"not again in {count(tries, 'time')}"
    return "always" if failed == tries else f"{failed} of {tries} times"


def external(types):
    pages = {}
    for change in types.get("external", []):
        page = int(change["addr"], 16) // PAGE * PAGE
        pages.setdefault(page, []).append(change)
    rows = []
    for page, there in sorted(pages.items())[:_ROWS_MAX]:
        names = ", ".join(dict.fromkeys(change["test"] for change in there))
        rows.append([f"{page:#x}", str(len(there)), f"{there[0].get('t', 0):.1f} s", names])
    notes = ("By a device or by firmware, which may write anywhere below 1 MiB: no faults.",)
    if len(pages) > _ROWS_MAX:
        notes += (f"… and {count(len(pages) - _ROWS_MAX, 'page')} more.",)
    if rows:
        columns = ("page", "changes", "first seen", "<tests")
        yield Table("Pages that others wrote to", columns, rows, notes)


def aliases(types):
    # The last of each: it may have grown.
    last = {alias["diff"]: alias for alias in types.get("alias", [])}
    rows = [
        [str(a["pages"]), a["addr"], a["partner"], a["diff"] or "various", a["test"]]
        for a in last.values()
    ]
    if rows:
        title = "Aliases: addresses that reach the same cells"
        yield Table(title, ("pages", "<such as", "<and", "<address bits", "<test"), rows)


def machine_checks(types):
    rows = [
        [
            str(check["cpu"]),
            str(check["bank"]),
            check["status"],
            check["addr"] or "",
            "yes" if check["corrected"] else "no",
            str(check.get("count", 1)),
            check.get("channel", ""),
        ]
        for check in types.get("mce", [])
    ]
    if rows:
        columns = ("CPU", "bank", "status", "<address", "<corrected", "errors", "<channel")
        yield Table("Machine checks", columns, rows)


def ecc_pages(types):
    rows = [
        [
            search["page"] or "",
            search["result"],
            search.get("channel", f"bank {search['bank']}"),
            format_size(search["searched_bytes"]),
            str(search["tries"]),
        ]
        for search in types.get("ecc_page", [])
    ]
    if rows:
        columns = ("page", "<result", "<of", "searched", "tries")
        yield Table("Searches for pages with corrected errors", columns, rows)


_PLACE = ("node", "card", "module", "rank", "device", "bank", "row", "column")


def place(report):
    """Of an error that firmware reports: what it says of the place, in words."""
    words = [f"{name} {report[name]}" for name in _PLACE if name in report]
    return words + [report["part"]] if report.get("part") else words


def reported(types):
    """Errors of memory by firmware."""
    rows = []
    for report in types.get("cper", []):
        rows.append(
            [
                str(report["source"]),
                report["severity"],
                report.get("error", ""),
                report["addr"] or "",
                ", ".join(place(report)),
                str(report.get("count", 1)),
                report.get("page", ""),
            ]
        )
    if rows:
        columns = ("source", "<severity", "<error", "<address", "<place", "errors", "<bad page")
        yield Table("Errors of memory that firmware reports", columns, rows)


def untested(types):
    for result in types.get("result", [])[-1:]:
        rows = []
        for part in result["untested"][:_ROWS_MAX]:
            size = max(0, int(part["end"], 16) - int(part["base"], 16))
            rows.append([format_size(size), part["base"], part["end"], part["why"]])
        more = len(result["untested"]) - _ROWS_MAX
        if rows:
            notes = (f"… and {count(more, 'range')} more.",) if more > 0 else ()
            yield Table("Not tested", ("size", "<from", "<to", "<reason"), rows, notes)


def unpaired(types):
    for result in types.get("result", [])[-1:]:
        rows = []
        for part in result.get("unpaired", [])[:_ROWS_MAX]:
            size = max(0, int(part["end"], 16) - int(part["base"], 16))
            rows.append([format_size(size), part["base"], part["end"]])
        more = len(result.get("unpaired", [])) - _ROWS_MAX
        if rows:
            notes = (f"… and {count(more, 'range')} more.",) if more > 0 else ()
            title = "Tested, but never together with other memory"
            yield Table(title, ("size", "<from", "<to"), rows, notes)


def interrupts(types):
    for result in types.get("result", [])[-1:]:
        came = result.get("interrupts", [])
        rows = [[str(one["vector"]), str(one["count"]), one["what"]] for one in came]
        if rows:
            title = "Interrupts that okram did not ask for, and ignored"
            yield Table(title, ("vector", "number", "<what"), rows)


INCOMPLETE = "no bad page found, but less than 99 % of the selected RAM was tested,"


def kind(result):
    """The status; "incomplete" for a whole pass over less than 99 %, or with unseen modules."""
    is_partial = result["status"] == "pass" and not result["complete"]
    return "incomplete" if is_partial else result["status"]


def headline(types):
    """What counts more than the run's verdict: of a search for the bad module ("NEXT STEP"), or
    that a CPU or another start failed; "": nothing."""
    if any(result["status"] != "error" for result in types.get("result", [])[-1:]):
        for found in types.get("diagnosis", [])[-1:]:
            if found["begun"]:
                return found.get("headline", "")
        for found in types.get("advice", [])[-1:]:
            return found.get("headline", "")
    return ""


def verdict(result, faults=None):
    """faults: how many there were; None: not known."""
    if result["status"] == "fail" and not result["bad_pages"]:
        return "uncorrected errors of memory, whose pages are not known"
    if result["status"] == "fail" and faults == 0 and ecc_errors(result):
        return ecc_errors(result)
    if kind(result) == "incomplete" and result.get("unseen"):
        return f"no bad page found, but {_unseen(result['unseen'])},"
    where = ""
    if whole := result.get("part_of_bytes"):
        tested = format_size(result["tested_bytes"])
        where = f" in the part tested, {tested} of {format_size(whole)},"
    if kind(result) == "incomplete" and (hidden := result.get("hidden_pages")):
        were = "page was" if hidden == 1 else "pages were"
        return f"no bad page found{where or ','} but {hidden} {were} hidden before okram started,"
    if kind(result) == "pass" and where:
        return f"no bad page found{where}"
    if result["status"] == "error" and result.get("reason", result["tested_bytes"]):
        return records.words("result", "reason")[result.get("reason", "internal-error")]
    if kind(result) == "incomplete":
        return INCOMPLETE
    return records.words("result", "status")[result["status"]]


def ecc_errors(result):
    """As kernel/core/faults/log/ecc_count.c says it; "": there were none."""
    ecc = result.get("ecc", {})
    good, bad = ecc.get("corrected", 0), ecc.get("uncorrected", 0)
    if not good and not bad:
        return ""
    text = f"ECC corrected {count(good, 'error')}" if good else "ECC"
    text += f", and could not correct {bad}" if good and bad else ""
    text += "" if good else f" could not correct {count(bad, 'error')}"
    pages = count(result["bad_pages"], "page")
    if ecc["with_page"] and ecc["with_page"] < good + bad:
        return f"{text} ({ecc['with_page']} of them in {pages})"
    return f"{text} in {pages}" if ecc["with_page"] else text


def faults(types):
    """How many all tests have found."""
    return sum(test["faults"] for test in types.get("test", []))


def _unseen(unseen):
    """Memory that modules have by SMBIOS or by their SPDs, but that is not there."""
    if not unseen["modules"]:
        missing, installed = format_size(unseen["missing_bytes"]), unseen["installed_bytes"]
        return f"{missing} of the {format_size(installed)} that the modules have is missing"
    least = "at least " if unseen["at_least"] else ""
    verb = "is" if unseen["modules"] == 1 else "are"
    mirror = ", or memory is mirrored" if unseen["may_be_mirrored"] else ""
    seen = f"{least}{unseen['modules']} of {count(unseen['of'], 'module')} {verb} not seen"
    return f"{seen}{_at(unseen)}{mirror}"


def _at(unseen):
    at = unseen.get("addresses", [])
    if not at:
        return ""
    if len(at) == 1:
        return f": that at SMBus address {at[0]}"
    which = ": those" if len(at) == unseen["modules"] else ", of those"
    return f"{which} at SMBus addresses {', '.join(at[:-1])} and {at[-1]}"


def fault_kind(types):
    """What kind of fault it is, and in which chip, as sentences."""
    for found in types.get("kind", [])[-1:]:
        kind = records.words("kind", "kind")[found["kind"]]
        sure = "" if found["kind"] == "unclear" else f", {found['confidence']}"
        yield f"Kind of fault{sure}: {kind} ({found['evidence']})."
        if found.get("cause"):
            cpu = f"CPU {found['cause_cpu']} (core {found['cause_core']})"
            at = {"cpu": cpu, "both": f"memory and {cpu}"}.get(found["cause"], "memory, no CPU")
            said = f"At fault, {found['cause_percent']} %: {at}"
            if found["cause"] == "open":
                said = f"At fault: memory or {cpu}: undecided"
            yield f"{said} ({found['cause_evidence']})."
        if found.get("chip"):
            yield f"Which chip: {found['chip']}{_picture(found)}."
        if found.get("channels"):
            yield f"Channels: {found['channels']}."


def advice(types):
    """What to do next; "" if the run did not say."""
    for found in types.get("advice", [])[-1:]:
        return found["text"]
    return ""


def diagnosis(types):
    """Which module is bad, or what to do to find it, as sentences."""
    for found in types.get("diagnosis", [])[-1:]:
        runs = f"by {count(found['runs'], 'run')}"
        if found["end"]:
            yield f"Which module, {runs}: {found['found']} {found['reasons']}"
        else:
            if not found["begun"]:  # else it is the advice
                yield f"The search for the bad module begins like this: {found['next']}"
            yield f"Options for that start: {found['words']}"


def board_slots(types):
    """Slots that what was fitted has shown, as the option for later runs on this board."""
    for found in types.get("controller", [])[-1:]:
        places = {(one["channel"], one["dimm"]): one["name"] for one in found.get("slots", [])}
        if places:
            channels = range(max(channel for channel, _ in places) + 1)
            names = ",".join("+".join(places.get((c, d), "-") for d in (0, 1)) for c in channels)
            yield f"Shown of this board's slots, for later runs: slot.order={names}"


def _picture(found):
    """Where that is on a usual module of eight chips; "" where it is not one of eight."""
    if found.get("bus_bits") != 64 or found["bits"] > 8:
        return ""
    lanes = [f"[{i}]" if i == found["bit"] // 8 else str(i) for i in range(8)]
    place = f"{' '.join(lanes[:4])} | {' '.join(lanes[4:])}"
    return f"; on a usual module of eight chips, seen from the front: {place}"


def excluded(types):
    """What a pass excludes, as a sentence; "" if nothing can be said."""
    for result in types.get("result", [])[-1:]:
        if found := result.get("excluded"):
            return (
                f"Excluded (95 %): for each cell, a fault that shows in more than one of"
                f" {count(found['one_in'], 'read')}; errors at random times, more than"
                f" {found['per_hour']:.2g} an hour."
            )
    return ""


def stability(types):
    """How often memory failed, as a sentence; "" if that was not the question."""
    found = settings.rate(types)
    if not found:
        return ""
    at = f" at {settings.name(types)}" if settings.name(types) != "?" else ""
    errors = count(found["errors"], "error") if found["errors"] else "no error"
    text = f"Stability{at}: {errors} in {format_moved(found['moved_bytes'] / 1e12)}"
    if settings.is_always_bad(types):
        return f"{text}, but no rate: {settings.NO_RATE}."
    if not found["errors"]:
        return f"{text}: fewer than 1 in {format_moved(1 / found['high'])} (95 %, one-sided)."
    per_tb, low, high = (figure(found[name]) for name in ("per_tb", "low", "high"))
    after = settings.first_after(found)
    first = f", the first after {after}" if after else ""
    return f"{text}: {per_tb} per TB ({low} to {high}, 95 %){first}."


def starts(types):
    """How many starts had errors, as a sentence; "" without cycles=."""
    for found in types.get("cycles", [])[-1:]:
        return (
            f"By start: errors in {found['with_errors']} of {count(found['starts'], 'start')}"
            f" ({settings.share(found)} of all starts), {found['wanted']} wanted;"
            f" without a result: {found['lost']}; late: {found['late']};"
            f" with other memory: {found['dropped']}."
        )
    return ""


def ending(result):
    by = f" by {', '.join(result['tests'])}" if result.get("tests") else ""
    return (
        f"after {count(result['passes'], 'pass', 'passes')},"
        f" {format_seconds(max(0, result['seconds']))};"
        f" {format_size(result['tested_bytes'])} tested{by},"
        f" {format_size(result['untested_bytes'])} not tested"
    )


def cost(types):
    """The cost of the badram line, in a sentence; "" when no page is bad."""
    if not badram_line(types):
        return ""
    badram = types["badram"][-1]
    return (
        f"{count(badram['bad_pages'], 'bad page')};"
        f" the line sacrifices {count(badram['sacrificed_pages'], 'page')}"
        f" with {count(len(badram['patterns']), 'pattern')}"
        f" in {count(badram['ranges'], 'range')}:"
    )


def badram_line(types):
    """The badram line; "" when no page is bad, or it cannot be believed."""
    return copied.badram(types["badram"][-1])[0] if types.get("badram") else ""


def badram_problem(types):
    """Why there is no line though pages are bad, as a sentence; "": there is one, or no need."""
    return copied.badram(types["badram"][-1])[1] if types.get("badram") else ""


FINDINGS = (
    tests,
    bad_pages,
    external,
    aliases,
    machine_checks,
    ecc_pages,
    reported,
    untested,
    unpaired,
    interrupts,
)
