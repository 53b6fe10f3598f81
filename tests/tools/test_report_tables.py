# SPDX-License-Identifier: MIT
"""The tables of a run: their contents, and that they fit a terminal."""

import io

import pytest
from rich.console import Console

from okramlib import csv_rows, measured, outcome, tables
from okramlib.report import print_report
from okramlib.units import GIB
from tools.sample_runs import make_run
from tools.samples import GOOD

WIDTH = 100


def types_of(records):
    return measured.by_type(records)


def printed(records):
    text = io.StringIO()
    print_report(Console(file=text, width=WIDTH, highlight=False), records)
    return text.getvalue()


def only(found):
    (table,) = found
    return table


def of_kind(run, kind):
    return [record for record in run if record["type"] == kind]


@pytest.mark.parametrize("nodes, speed", [(1, 1), (2, 1), (4, 1), (8, 1), (8, 3)])
def test_fits_a_terminal(nodes, speed):
    text = printed(make_run(nodes=nodes, speed=speed))
    assert max(len(line) for line in text.splitlines()) <= WIDTH
    assert "…" not in text, "a column was cut off"


def test_matrix_holds_every_pair():
    run = make_run(nodes=3)
    found = list(tables.bandwidth(types_of(run)))
    assert len(found) == 12  # 6 ops, for all CPUs and for one
    assert found[0].title == "read, MB/s (load only), all 8 CPUs of a node"
    assert found[6].title == "read, MB/s (load only), 1 CPU"
    of_pair = {
        (r["cpu_node"], r["mem_node"]): r["mb_s"]
        for r in of_kind(run, "bandwidth")
        if r["op"] == "triad" and r["threads"] == 8 and "order" not in r
    }
    triad = found[5]
    assert [row[0] for row in triad.rows] == ["0", "1", "2"]
    for cpu, row in enumerate(triad.rows):
        for memory, cell in enumerate(row[1:]):
            stats = of_pair[cpu, memory]
            assert cell == f"{stats['mean']:.0f} ±{tables.rate(stats['stddev'])}"


def test_matrix_with_a_gap_and_nodes_out_of_order():
    run = [r for r in of_kind(make_run(nodes=3), "bandwidth") if r["op"] == "read"]
    run = [r for r in run if r["cpu_node"] != 1 and r["threads"] == 8 and "order" not in r]
    run = [r for r in reversed(run) if (r["cpu_node"], r["mem_node"]) != (2, 0)]
    table = only(tables.bandwidth(types_of(run)))
    assert [row[0] for row in table.rows] == ["0", "2"]
    assert table.rows[1][1] == "-" and table.rows[1][2] != "-"


def test_one_cpu_a_node_is_shown_once():
    run = make_run(nodes=2, cpus_per_node=1)
    titles = [table.title for table in tables.bandwidth(types_of(run))]
    assert len(titles) == 6 and all("1 CPU" in title for title in titles)


def test_one_node_is_one_table_with_the_ops_below_each_other():
    table = only(tables.bandwidth(types_of(make_run(nodes=1))))
    assert [row[0] for row in table.rows[:6]] == list(tables._OP_BYTES)
    assert [row[2] for row in table.rows] == ["8"] * 6 + ["1"] * 6


def test_memory_stands_under_the_caches():
    run = make_run()
    table = only(tables.caches(types_of(run)))
    assert [row[0] for row in table.rows] == ["L1", "L2", "L3", "memory"]
    memory = of_kind(run, "cache")[3]
    assert table.rows[3][2] == f"{memory['mb_s']:.0f}"
    assert table.rows[3][6:8] == [f"{memory['ns']:.1f}", f"{memory['ns_stats']['stddev']:.2f}"]
    assert table.notes == ("Means of 20 runs.",)


def test_caches_of_older_reports_have_no_spread():
    run = of_kind(make_run(), "cache")
    for cache in run:
        del cache["mb_s_stats"], cache["ns_stats"]
    del run[1]["ns"]
    table = only(tables.caches(types_of(run)))
    assert [row[3:6] + row[7:] for row in table.rows] == [[""] * 6] * 4
    assert table.rows[1][6] == "" and table.notes == ()


def test_one_run_has_no_deviation():
    types = types_of(make_run(nodes=2, runs=1))
    found = [table for make in tables.MEASUREMENTS for table in make(types)]
    for table in found:
        assert not any("±" in cell for row in table.rows for cell in row)
        for i, name in enumerate(table.columns):
            assert name != "std dev" or {row[i] for row in table.rows} == {""}


def test_latency_is_split_into_matrix_and_curve():
    matrix, curve = tables.latency(types_of(make_run(nodes=2)))
    assert "256 MiB" in matrix.title and len(matrix.rows) == 2
    cells = [cell for row in curve.rows for cell in row if cell]
    assert curve.columns == 2 * ("size", "ns", "std dev", "min", "max")
    assert cells.count("16 KiB") == 1 and len(cells) == 5 * 29
    assert float(curve.rows[0][1]) < 2 and float(curve.rows[-2][6]) > 80


def test_smaller_nodes_latency_is_shown_at_their_size():
    matrix = [r for r in of_kind(make_run(nodes=2), "latency") if r["size_bytes"] == 256 << 20]
    matrix = [r for r in matrix if "mix" not in r]
    for record in matrix:
        if record["mem_node"] == 1:
            record["size_bytes"] = 128 << 20
    assert set(measured.latency_matrix(matrix)) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    table = only(tables.latency(types_of(matrix)))
    assert "128 MiB to 256 MiB" in table.title


@pytest.mark.parametrize("runs", [1, 20])
def test_wide_matrices_have_each_deviation(runs):
    """Of eight nodes, below the means; where there is one run, there is none."""
    run = make_run(nodes=8, runs=runs)
    read = next(t for t in tables.bandwidth(types_of(run)) if t.title.startswith("read"))
    nodes = [str(node) for node in range(8)]
    if runs == 1:
        assert [row[0] for row in read.rows] == nodes
        return
    assert [row[0] for row in read.rows[::2]] == nodes
    assert all(cell.startswith("±") for row in read.rows[1::2] for cell in row[1:])
    stats = next(r["mb_s"] for r in run if r["type"] == "bandwidth" and r["op"] == "read")
    assert read.rows[0][1] == f"{stats['mean']:.0f}"


def test_scaling_has_speed_up_and_both_orders():
    run = make_run(nodes=2, cpus_per_node=4)
    triad, read = tables.scaling(types_of(run))
    assert [row[0] for row in triad.rows] == [str(n) for n in range(1, 9)]
    assert triad.columns[1] == "fill" and triad.columns[6] == "spread"
    assert triad.notes[-1] == "CPUs 1 to 4: cores; 5 to 8: siblings."
    row = {(r["order"], r["threads"]): r["mb_s"]["mean"] for r in run if "order" in r}
    run_read = [r for r in run if "order" in r and r["op"] == "read" and r["order"] == "spread"]
    first, last = run_read[0]["mb_s"]["mean"], run_read[-1]["mb_s"]["mean"]
    assert row and read.rows[-1][10] == f"{last / first:.2f}"


def test_scaling_of_efficiency_cores_alone():
    """A hybrid machine's: performance cores, then efficient ones, then those alone."""
    run = [r for r in make_run(nodes=1, cpus_per_node=4) if r.get("order")]
    for record in run:
        record["efficient_cores"], record["siblings"] = record["siblings"], 0
    alone = [
        r | {"order": "efficient", "cores": 0, "efficient_cores": r["threads"]}
        for r in run
        if r["threads"] <= 2
    ]
    triad = next(tables.scaling(types_of(run + alone)))
    assert triad.columns[1] == "fill" and triad.columns[6] == "efficient"
    assert [row[6] != "" for row in triad.rows] == [True, True, False, False]
    assert triad.notes[1] == (
        "fill: a node's CPUs before the next node's; efficient: efficiency cores alone."
    )
    assert triad.notes[2] == "CPUs 1 to 2: performance cores; 3 to 4: efficient cores."


def test_scaling_without_one_cpu_has_no_speed_up():
    run = [r for r in make_run(nodes=1) if r.get("order") and r["threads"] > 1]
    assert {row[5] for row in next(tables.scaling(types_of(run))).rows} == {""}


def test_contention_has_every_number_or_matrices_of_changes():
    run = make_run(nodes=2)
    table = only(tables.contention(types_of(run)))
    assert len(table.rows) == 2 * 3 * 3 * 3
    first = of_kind(run, "contention")[0]
    assert table.rows[0][2:5] == ["reads of 1 on 0", "8+8", "read, MB/s"]
    assert table.rows[1][4] == "write, MB/s" and table.rows[1][7].startswith("+6")
    added = first["read_time_percent"]
    assert table.rows[0][7] == f"{added['mean']:+.1f} % ±{added['stddev']:.1f}"
    assert table.rows[2][4] == "latency, ns" and table.rows[2][7].startswith("+70.1 % ±")
    found = list(tables.contention(types_of(make_run(nodes=8))))
    assert len(found) == 3 * 3 and all(len(table.rows) == 8 for table in found)
    assert found[0].rows[0][1] == "-" and float(found[0].rows[0][2]) > 50


def test_contention_of_an_older_report():
    """Reads alone, of the memory that both nodes read."""
    record = {"t": 1, **next(r for r in GOOD if r["type"] == "contention")}
    (read, latency) = only(tables.contention(types_of([record]))).rows
    assert read[2] == "reads of 1 on 1" and read[7] == "+49.9 %"
    assert latency[4:] == ["latency, ns", "80.0", "90.0", ""]
    record |= {"slowdown_percent": None}
    assert only(tables.contention(types_of([record]))).rows[0][7] == ""


def test_cost_of_redundancy():
    table = only(tables.redundancy(types_of(make_run(nodes=1))))
    assert [(row[0], row[-1]) for row in table.rows] == [
        ("plain", ""),
        ("mirror", "-56.0 %"),
        ("parity", "-21.5 %"),
    ]


def test_a_run_without_bandwidth():
    text = printed(make_run(bandwidth=False))
    assert "address" in text and "bad pages found" in text
    assert "triad" not in text and "Caches" not in text


def test_names_in_brackets_are_no_markup():
    run = make_run(bandwidth=False)
    for record in of_kind(run, "test"):
        record["test"] = "[/red]odd[blink]"
    assert "[/red]odd[blink]" in printed(run)


def test_warnings_of_start_and_end():
    run = make_run(bandwidth=False)
    run[-1] = {**run[-1], "warnings": ["node 1 is slow"]}
    assert measured.warnings(types_of(run)) == [run[1]["warnings"][0], "node 1 is slow"]
    assert "warning: node 1 is slow" in printed(run)


@pytest.mark.parametrize(
    "numbers, text", [([], "none"), ([3], "3"), ([0, 1, 2, 5, 7, 6], "0-2,5-7"), ([9, 0], "0,9")]
)
def test_node_list(numbers, text):
    assert tables.node_list(numbers) == text


def test_every_bad_page_is_counted():
    fault = {"t": 1, **next(r for r in GOOD if r["type"] == "fault")}
    faults = [{**fault, "addr": f"{page << 12:#x}"} for page in range(21)]
    assert only(outcome.bad_pages(types_of(faults[:20]))).notes == ()
    assert only(outcome.bad_pages(types_of(faults))).notes == ("… and 1 page more.",)


def test_errors_that_firmware_reports():
    place = {"node": 1, "card": 0, "module": 3, "row": 131071, "part": "DIMM_A4"}
    known = {"addr": "0x9040", "count": 12, "page": "0x9000", "error": "single-bit ECC"}
    reports = [
        {"t": 1, "type": "cper", "source": 7, "severity": "corrected", **place, **known},
        {"t": 2, "type": "cper", "source": 0, "severity": "fatal", "addr": None},
    ]
    where = "node 1, card 0, module 3, row 131071, DIMM_A4"
    assert only(outcome.reported(types_of(reports))).rows == [
        ["7", "corrected", "single-bit ECC", "0x9040", where, "12", "0x9000"],
        ["0", "fatal", "", "", "", "1", ""],
    ]
    assert "Errors of memory that firmware reports" in printed([*GOOD, *reports])


def test_how_often_a_page_was_bad_again():
    fault = {"t": 1, **next(r for r in GOOD if r["type"] == "fault")}
    for tries, failed, says in (
        (8, 8, "always"),
        (8, 3, "3 of 8 times"),
        (8, 0, "not again in 8 times"),
        (0, 0, "not tested again"),
    ):
        again = {"t": 2, "type": "retest", "page": "0x1000", "tries": tries, "failed": failed}
        assert says in only(outcome.bad_pages(types_of([fault, again]))).rows[0]
    assert "" in only(outcome.bad_pages(types_of([fault]))).rows[0]
    assert only(outcome.bad_pages(types_of([again]))).rows == [
        ["0x1000", "", "0", "0x0", "not tested again", ""]
    ]


def test_what_kind_of_fault():
    row = next(record for record in GOOD if record["type"] == "kind")
    (kind,) = outcome.fault_kind(types_of([{"t": 1, **row}]))
    assert kind == ("Kind of fault, sure: 1 to 4 rows (word lines) (128 lines).")
    unclear = {**row, "kind": "unclear", "confidence": "possible", "evidence": "9 lines"}
    (kind,) = outcome.fault_kind(types_of([{"t": 1, **unclear}]))
    assert kind == "Kind of fault: not clear (9 lines)."
    cause = {
        "cause_percent": 99,
        "cause_cpu": 3,
        "cause_core": 1,
        "cause_evidence": "all 14 faults",
    }
    for word, says in (
        ("cpu", "CPU 3 (core 1)"),
        ("both", "memory and CPU 3 (core 1)"),
        ("memory", "memory, no CPU"),
    ):
        _, at = outcome.fault_kind(types_of([{"t": 1, **row, "cause": word, **cause}]))
        assert at == f"At fault, 99 %: {says} (all 14 faults)."
    _, at = outcome.fault_kind(types_of([{"t": 1, **row, "cause": "open", **cause}]))
    assert at == "At fault: memory or CPU 3 (core 1): undecided (all 14 faults)."
    lane = {"bit": 24, "bits": 8, "bus_bits": 64, "chip": "byte lane 3 of 8 (bits 24-31)"}
    _, chip = outcome.fault_kind(types_of([{"t": 1, **row, **lane}]))
    assert chip == (
        "Which chip: byte lane 3 of 8 (bits 24-31); on a usual module of eight chips, seen from"
        " the front: 0 1 2 [3] | 4 5 6 7."
    )
    lane = {**row, **lane, "bus_bits": 32, "chip": "byte lane 3 of 4"}
    assert list(outcome.fault_kind(types_of([lane])))[1] == "Which chip: byte lane 3 of 4."
    assert list(outcome.fault_kind(types_of([]))) == []


def test_which_module():
    first = next(record for record in GOOD if record["type"] == "diagnosis")
    assert list(outcome.diagnosis(types_of([{"t": 1, **first}]))) == [
        "The search for the bad module begins like this: Switch the machine off, take out the"
        " module in DIMM_B1. Then start okram again.",
        "Options for that start: tests=mats+ passes=8 diagnosis=4c0a-13xy-5",
    ]
    end = {"runs": 5, "next": "", "end": "module", "found": "One.", "reasons": "Why.", "words": ""}
    assert list(outcome.diagnosis(types_of([{"t": 1, **first, **end}]))) == [
        "Which module, by 5 runs: One. Why."
    ]
    assert list(outcome.diagnosis(types_of([]))) == []


def test_what_a_pass_excludes():
    good = next(record for record in GOOD if record["type"] == "result")
    found = {"reads": 96, "one_in": 32, "per_hour": 7.176}
    said = outcome.excluded(types_of([{"t": 1, **good, "excluded": found}]))
    assert "more than one of 32 reads" in said and "more than 7.2 an hour" in said
    assert outcome.excluded(types_of([{"t": 1, **good}])) == ""


@pytest.mark.parametrize(
    ("errors", "says"),
    [
        (3, "3 errors in 1.20 TB: 2.50 per TB (0.516 to 7.31, 95 %), the first after 1:35."),
        (0, "no error in 1.20 TB: fewer than 1 in 137 GB (95 %, one-sided)."),
    ],
)
def test_how_often_memory_failed(errors, says):
    rate = {"errors": errors, "per_tb": errors / 1.2, "low": 0.516, "high": 7.306, "first_s": 95}
    good = next(record for record in GOOD if record["type"] == "result")
    run = types_of([{"t": 1, **good, "stability": {"moved_bytes": 12 * 10**11, **rate}}])
    assert outcome.stability(run) == f"Stability: {says}"
    assert outcome.stability(types_of([{"t": 1, **good}])) == ""


def test_how_often_memory_failed_in_all_starts():
    """By one start the first error's time is not known."""
    rate = {"errors": 5, "per_tb": 5.0, "low": 1.623, "high": 11.668, "first_s": None}
    good = next(record for record in GOOD if record["type"] == "result")
    run = types_of([{"t": 1, **good, "stability": {"moved_bytes": 10**12, **rate}}])
    assert outcome.stability(run).endswith("5 errors in 1.00 TB: 5.00 per TB (1.62 to 11.7, 95 %).")


def test_how_many_starts_had_errors():
    found = {"starts": 18, "with_errors": 3, "low": 0.032, "high": 0.379, "wanted": 20}
    found |= {"lost": 2, "late": 1, "dropped": 0}
    assert outcome.starts({"cycles": [found]}) == (
        "By start: errors in 3 of 18 starts (3.2 to 37.9 % of all starts), 20 wanted;"
        " without a result: 2; late: 1; with other memory: 0."
    )
    none = outcome.starts({"cycles": [found | {"with_errors": 0, "low": 0, "high": 0.1533}]})
    assert "errors in 0 of 18 starts (at most 15.3 % of all starts)" in none
    every = outcome.starts({"cycles": [found | {"with_errors": 18, "low": 0.8467, "high": 1}]})
    assert "errors in 18 of 18 starts (at least 84.7 % of all starts)" in every
    assert outcome.starts({}) == ""


def test_how_a_run_ended():
    good = next(record for record in GOOD if record["type"] == "result")
    part = {**good, "status": "pass", "complete": False}
    assert "less than 99 %" in outcome.verdict(part) and outcome.kind(part) == "incomplete"
    assert outcome.verdict({**part, "complete": True}) == "no bad page found"
    unseen = {"modules": 1, "of": 4, "at_least": False, "may_be_mirrored": False}
    hidden = {**part, "unseen": unseen}
    assert outcome.verdict(hidden) == "no bad page found, but 1 of 4 modules is not seen,"
    unseen = {"modules": 2, "of": 4, "at_least": False, "may_be_mirrored": True}
    assert "2 of 4 modules are not seen, or memory is mirrored" in printed(
        [*(r for r in GOOD if r != good), {**part, "unseen": unseen}]
    )
    half = {"missing_bytes": 8 * GIB, "installed_bytes": 16 * GIB, "addresses": ["0x51"]}
    named = {**part, "unseen": unseen | half | {"modules": 1, "may_be_mirrored": False}}
    assert "1 of 4 modules is not seen: that at SMBus address 0x51," in outcome.verdict(named)
    among = half | {"modules": 1, "may_be_mirrored": False, "addresses": ["0x51", "0x53"]}
    named = {**part, "unseen": unseen | among}
    assert "1 of 4 modules is not seen, of those at SMBus addresses 0x51 and 0x53," in (
        outcome.verdict(named)
    )
    named = {**part, "unseen": unseen | half | {"modules": 0}}
    said = "no bad page found, but 8 GiB of the 16 GiB that the modules have is missing,"
    assert outcome.verdict(named) == said
    taken = outcome.verdict({**part, "hidden_pages": 2})
    assert taken == "no bad page found, but 2 pages were hidden before okram started,"
    both = {**part, "hidden_pages": 1, "tested_bytes": 32 << 20, "part_of_bytes": 255 << 20}
    said = "no bad page found in the part tested, 32 MiB of 255 MiB, but 1 page was hidden before"
    assert outcome.verdict(both).startswith(said)
    small = {**part, "complete": True, "tested_bytes": 32 << 20, "part_of_bytes": 255 << 20}
    assert outcome.kind(small) == "pass" and outcome.verdict(small) == (
        "no bad page found in the part tested, 32 MiB of 255 MiB,"
    )
    stopped = {**good, "status": "stopped", "tests": ["address", "march-c-"]}
    assert outcome.verdict(stopped).startswith("stopped before a whole pass")
    assert "1 B tested by address, march-c-," in outcome.ending(stopped)
    for end in (part, stopped):
        assert outcome.verdict(end) in printed([*(r for r in GOOD if r != good), end])


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({"reason": "internal-error"}, "internal error"),
        ({"reason": "nothing-tested"}, "no memory could be tested"),
        ({"reason": "own-memory"}, "that okram itself needs is faulty"),
        ({"tested_bytes": 0}, "no memory could be tested"),
        ({"tested_bytes": 4096}, "internal error"),
    ],
)
def test_what_an_error_was(found, says):
    """Older reports have no reason."""
    good = next(record for record in GOOD if record["type"] == "result")
    end = {**good, "status": "error", **found}
    assert says in outcome.verdict(end)


def test_what_was_never_together_with_the_rest():
    good = next(record for record in GOOD if record["type"] == "result")
    assert not list(outcome.unpaired(types_of([good])))
    run = [{**good, "unpaired": [{"base": "0x100000", "end": "0x300000"}]}]
    assert only(outcome.unpaired(types_of(run))).rows == [["2 MiB", "0x100000", "0x300000"]]


def test_interrupts_that_were_not_asked_for():
    good = next(record for record in GOOD if record["type"] == "result")
    assert not list(outcome.interrupts(types_of([good])))
    run = [{**good, "interrupts": [{"vector": 39, "count": 2, "what": "spurious, of an 8259"}]}]
    assert only(outcome.interrupts(types_of(run))).rows == [["39", "2", "spurious, of an 8259"]]
    assert "spurious, of an 8259" in printed(run)


@pytest.mark.parametrize(
    "state, said",
    [
        ("on", ", ECC on"),
        ("off", ", ECC off"),
        ("unused", ", ECC off, although the modules have it"),
        ("unknown", " of it testable"),
        (None, " of it testable"),
    ],
)
def test_ecc_of_the_machine(state, said):
    machine = next(record for record in GOOD if record["type"] == "machine")
    machine = {**machine, "t": 0.1}
    if state:
        machine["memory_ecc"] = {"state": state, "by": None}
    assert outcome.machine(types_of([machine])).endswith(said)
    assert said in " ".join(printed([machine]).split())


def test_repairs_of_the_machine():
    machine = next(record for record in GOOD if record["type"] == "machine")
    machine = {**machine, "t": 0.1, "memory_repair": ["in-band ECC", "on-die ECC"]}
    assert outcome.machine(types_of([machine])).endswith(", in-band ECC, on-die ECC")


def test_side_cache_of_the_machine():
    machine = next(record for record in GOOD if record["type"] == "machine")
    machine = {**machine, "t": 0.1, "side_cache": {"bytes": 8 << 20, "by": "cpu"}}
    assert outcome.machine(types_of([machine])).endswith(", 8 MiB memory-side cache")


def bits_of(records):
    (table,) = outcome.bad_pages(types_of(records))
    return [row[3] for row in table.rows], table.notes


@pytest.mark.parametrize(
    "where, says", [("machine", "tme"), ("machine", "sme"), ("machine", "off"), ("result", "look")]
)
def test_no_bits_of_encrypted_memory(where, says):
    records = [{**r, "encryption": says} if r["type"] == where else r for r in GOOD]
    hidden = says in ("tme", "look")
    bits, notes = bits_of(records)
    assert bits == ([""] if hidden else bits_of(GOOD)[0])
    assert notes == (("Bits: not shown, memory is encrypted.",) if hidden else ())


def test_modules_and_temperatures():
    other = next(r for r in GOOD if r["type"] == "module")
    unknown = dict.fromkeys(other) | {"t": 2, "type": "module", "profiles": [], "problems": []}
    run = [*GOOD, {"t": 2, **unknown, "address": "0x51"}]
    table = only(tables.modules(types_of(run)))
    assert table.rows == [
        [
            *("DIMM_A1", "DDR4 UDIMM", "8 GiB", "Corsair CMK16GX4M2B3200C16", "00000001"),
            *("2019-W12", "3200", "2666 (19-19-19-43)", "XMP 3200"),
        ],
        ["0x51", "", "", "", "", "", "", "", ""],
    ]
    assert table.notes == ("DIMM_A1: the CRC of type, size and speed is wrong.",)
    assert only(tables.temperatures(types_of(run))).rows == [
        ["start", "CPU", "45.0", "45.0"],
        ["start", "0x50", "38.2", "38.2"],
    ]
    assert only(tables.temperatures(types_of(run))).notes == ()
    text = printed(run)
    assert "Memory modules" in text and "Temperatures, degrees Celsius" in text


def test_a_temperature_of_which_nothing_is_true():
    lies = {"start": None, "now": None, "highest": None, "doubt": "jumps"}
    run = [r | {"cpu": lies} if r["type"] == "temperature" else r for r in GOOD]
    assert ["start", "CPU", "? (jumps)", "?"] in only(tables.temperatures(types_of(run))).rows
    rows = csv_rows.temperatures(only(types_of(run)["temperature"]))
    assert [row["name"] for row in rows] == ["0x50", "0x50"]


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({}, "Traffic pauses above: 95 °C of a module. 4 pauses, 1:01 in all."),
        (
            {"module_max": None, "pauses": 1},
            "Traffic pauses above: no limit. 1 pause, 1:01 in all.",
        ),
        (
            {"cpu_max": 99.5, "governs": "time"},
            "Traffic pauses above: 95 °C of a module, 99.5 °C of the CPU. 4 pauses, 1:01 in all."
            " The modules' sensors have failed: pauses are timed.",
        ),
    ],
)
def test_doubts_and_pauses_of_heat(more, note):
    def at(when, **degrees):
        module = {"address": "0x50", "slot": "DIMM_A1", "start": 40, "highest": 97.0, **degrees}
        limits = {"module_max": 95.0, "cpu_max": None, "governs": "module", "pauses": 4}
        return {"t": 1, "type": "temperature", "when": when, "cpu": None, "modules": [module],
                "mb_s": 1.0, "faults": 0, "paused_s": 61.5, **limits, **more}  # fmt: skip

    run = [at("start", now=40.0, doubt=None), at("end", now=40.8, doubt="jumps")]
    table = only(tables.temperatures(types_of(run)))
    assert table.rows == [
        ["start", "DIMM_A1", "40.0", "97.0"],
        ["end", "DIMM_A1", "? (jumps)", "97.0"],
    ]
    assert table.notes == (note,)
    assert note.split(".")[0] in printed([*GOOD, *run])


@pytest.mark.parametrize(
    "running, shown",
    [
        ({"mt_s": 3200, "command_rate": 2}, "3200 (16-18-18-36 2T)"),
        ({"mt_s": 3200, "command_rate": None}, "3200 (16-18-18-36)"),
        ({"mt_s": None, "command_rate": 1}, "3000 (16-18-18-36 1T)"),  # firmware knows it
    ],
)
def test_modules_as_they_run(running, shown):
    module = next(r for r in GOOD if r["type"] == "module")
    timings = {"cl": 16, "rcd": 18, "rp": 18, "ras": 36, "gear": None} | running
    made = {**module, "configured_mt_s": 3000, "running": timings, "setting": "overclock"}
    table = only(tables.modules(types_of([{"t": 2, **made}])))
    assert table.rows[0][6] == shown
    assert table.notes[0].startswith("DIMM_A1: an overclock")


IDENTITY = next({"t": 1, **record} for record in GOOD if record["type"] == "identity")


@pytest.mark.parametrize(
    "more, sentences",
    [
        (
            {},
            (
                "Machine: ACME X1, board ACME B1 3, UUID 00112233-4455-6677-8899-aabbccddeeff.",
                "Run 0123456789abcdef0123456789abcdef, begun 2026-11-24 13:14:34.",
            ),
        ),
        (
            {
                "date": None,
                "uuid": None,
                "system": {"maker": None, "product": None, "version": None, "serial": "<S1>"},
                "board": {"maker": None, "product": None, "version": None, "serial": None},
                "macs": ["52:54:00:12:34:56"],
            },
            (
                "Machine: serial number <S1>, network card 52:54:00:12:34:56.",
                "Run 0123456789abcdef0123456789abcdef.",
            ),
        ),
        (
            {
                "uuid": None,
                "system": {"maker": None, "product": None, "version": None},
                "board": {"maker": None, "product": None, "version": None},
            },
            ("Run 0123456789abcdef0123456789abcdef, begun 2026-11-24 13:14:34.",),
        ),
    ],
)
def test_which_machine_and_which_run(more, sentences):
    assert tuple(outcome.identity({"identity": [IDENTITY | more]})) == sentences


def test_errors_of_ecc():
    result = next(record for record in GOOD if record["type"] == "result")
    ecc = {"corrected": 43, "uncorrected": 0, "with_page": 43}
    for key, value, words in (
        ("with_page", 43, "ECC corrected 43 errors in 1 page"),
        ("with_page", 3, "ECC corrected 43 errors (3 of them in 1 page)"),
        ("uncorrected", 2, "ECC corrected 43 errors, and could not correct 2"),
        ("corrected", 0, ""),
    ):
        assert outcome.ecc_errors({**result, "ecc": {**ecc, key: value}}).startswith(words)


def test_what_was_not_measured_and_how_the_rest_was():
    types = types_of(make_run(nodes=1))
    assert not list(tables.unmeasured(types))
    how = {"isa": "avx2", "prefetch": "partly off", "in_caches": True}
    types["cache"][0] |= how
    types["cache"][1]["mb_s_stats"] = {
        "runs": 3,
        "mean": 1,
        "min": 1,
        "max": 1,
        "stddev": 0,
        "left_out": 2,
    }
    types["unmeasured"] = [{"type": "unmeasured", "what": "all", "cpu_node": 3, "why": "no CPU"}]
    assert only(tables.unmeasured(types)).rows == [
        ["all", "3", "", "no CPU"],
        ["cache, mb_s", "", "", "2 runs left out: a time stamp counter went back"],
    ]
    title = only(tables.caches(types)).title
    assert title.endswith(", one CPU, avx2, prefetchers partly off, partly in caches")
