# SPDX-License-Identifier: MIT
"""`okram fleet receive`: the log of what iPXE has sent becomes files, each report once."""

import io

import pytest

from okramlib.fleet import arrivals, init
from tools.command import okram
from tools.saved_samples import RUN, STATE, lines_of, part_line, unfinished, whole_report
from tools.test_delivery import CRC, MACHINE, packet

ONE, TWO = "6f6b7261-0000-4a4d-9e15-000000000001", "52-54-00-12-34-56"
PARTS = [variable.data for variable in whole_report()]
OLDER = [variable.data for variable in whole_report(lines_of({**STATE, "pass": 1}, *RUN))]


def sent(machine=ONE, parts=PARTS, **changes):
    return [part_line(machine, number, data, **changes) for number, data in enumerate(parts)]


def read(lines):
    found = arrivals.Arrivals()
    return list(arrivals.read(io.StringIO("".join(lines)), found)), found


def test_a_report():
    (arrival,), found = read(sent())
    assert (arrival.machine, arrival.at) == (ONE, "2026-11-26T01:12:00+00:00")
    assert arrival.report == packet(machine=ONE)
    assert (found.n_lines, found.n_bad, found.unfinished) == (len(PARTS), 0, {})


LOGS = {
    "at each start": (sent() * 3, 1, set()),
    "two machines at a time": ([x for pair in zip(sent(), sent(TWO)) for x in pair], 2, set()),
    "two machines of one UUID": (
        [x for pair in zip(sent(), sent(parts=PARTS, **{"from": "192.0.2.8"})) for x in pair],
        1,
        set(),
    ),
    "tried again after a part": (sent()[:2] + sent(), 1, set()),
    "a part twice": (sent()[:2] + sent()[1:], 1, set()),
    "an older report after it": (sent(parts=[*OLDER, *PARTS[1:]]), 1, set()),
    "another test": (sent(parts=OLDER) + sent(), 2, set()),
    "a run that did not finish": (sent(parts=[unfinished().data]), 1, set()),
    "not all parts": (sent()[:-1], 0, {ONE}),
    "the first part is missing": (sent()[1:], 0, {ONE}),
    "one part is missing": (sent()[:1] + sent()[2:], 0, {ONE}),
    "then whole": (sent()[:-1] + sent(TWO) + sent(), 2, set()),
    "then not whole": (sent() + sent(parts=OLDER)[:0] + sent()[:1], 1, {ONE}),
    "a wrong bit": (sent(parts=[PARTS[0][:-1] + b"~", *PARTS[1:]]), 0, {ONE}),
    "of two reports": (sent(parts=[PARTS[0], *OLDER[1:], *PARTS[2:]]), 0, {ONE}),
    "not okram's": (sent(parts=[b"hello"]), 0, {ONE}),
}


@pytest.mark.parametrize("lines, n, unfinished", LOGS.values(), ids=LOGS)
def test_logs(lines, n, unfinished):
    came, found = read(lines)
    assert len(came) == n and set(found.unfinished) == unfinished and found.n_bad == 0


BAD = [
    "\n",
    "hello\n",
    "[1]\n",
    "[" * 3000 + "\n",
    part_line(ONE, 0, b"x", okram=2),
    part_line(ONE, 0, b""),
    part_line(ONE, 0, b"x" * 1025),
    part_line(ONE, 0, b"x", data="0"),
    part_line(ONE, 0, b"x", data="0G"),
    part_line(ONE, 0, b"x", data=None),
    part_line(ONE, 16, b"x"),
    part_line("../../etc/passwd", 0, b"x"),
    part_line("a" * 65, 0, b"x"),
    part_line(ONE, 0, b"x", **{"from": "\x1b[2J"}),
    part_line(ONE, 0, b"x", at="now"),
    part_line(ONE, 0, b"x")[:40] + "\n",
]


@pytest.mark.parametrize("bad", BAD)
def test_bad_lines(bad):
    came, found = read([*sent()[:1], bad, *sent()[1:]])
    assert len(came) == 1 and (found.n_bad, found.first_bad) == (1, 2)


@pytest.mark.parametrize("limit", [{"_SENDERS_MAX": 50}, {"_BYTES_MAX": 50 * len(PARTS[0])}])
def test_made_up_names_push_out_each_other(monkeypatch, limit):
    """Not the report that comes among them."""
    for name, value in limit.items():
        monkeypatch.setattr(arrivals, name, value)
    flood = [part_line(f"flood-{n}", 0, PARTS[0]) for n in range(600)]
    ours = sent()
    step = 40
    for number, line in enumerate(ours):
        flood.insert(300 + step * number, line)
    came, found = read(flood)
    assert [arrival.machine for arrival in came] == [ONE]
    assert found.n_dropped == 600 - len(found.unfinished) >= 549 and ONE not in found.unfinished


def test_what_is_left_of_many():
    log = arrivals.Log()
    for n in range(20_000):
        log.take(part_line(f"flood-{n}", 0, b"x"))
    assert [data for _, _, data in log.left()] == [b"x"] * 20_000


def test_a_log_of_one_long_line():
    came, found = read(["x" * 100_000, "\n", *sent()])
    assert len(came) == 1 and found.n_bad > 10


def test_the_command(tmp_path):
    log, to = tmp_path / "arrived.log", tmp_path / "reports"
    to.mkdir()
    of_two = lines_of(STATE, RUN[-1])
    parts = [one.data for one in whole_report(of_two)]
    log.write_text("".join(["bad\n", *sent(), *sent(TWO, parts), *sent("third")[:1]]))
    ran = okram("fleet", "receive", str(log), "--to", str(to))
    assert ran.returncode == 0 and ran.stdout == f"2 new in {to}, 0 were there.\n"
    assert "1 of" in ran.stderr and "the last report of third (2026-" in ran.stderr
    assert {p.name for p in to.iterdir()} == {f"{MACHINE}-{CRC}.jsonl", packet(of_two, TWO).name}
    assert packet(of_two, TWO).name.startswith(TWO)
    assert (to / f"{MACHINE}-{CRC}.jsonl").read_bytes() == packet().data
    ran = okram("fleet", "receive", str(log), str(log), "--to", str(to))
    assert ran.returncode == 0 and ran.stdout == f"0 new in {to}, 4 were there.\n"

    (to / f"{MACHINE}-{CRC}.jsonl").write_text("another")
    ran = okram("fleet", "receive", str(log), "--to", str(to))
    assert ran.returncode == 2 and "it is not overwritten" in ran.stderr
    assert ran.stdout == f"0 new in {to}, 1 were there.\n"


@pytest.mark.parametrize("log, to", [("/nowhere", "/tmp"), ("/dev/null", "/nowhere")])
def test_bad_calls(log, to):
    ran = okram("fleet", "receive", log, "--to", to)
    assert ran.returncode == 2 and "/nowhere" in ran.stderr and ran.stdout == ""


def test_the_format_is_that_of_nginx():
    text = (init.TEMPLATES / "nginx.conf.j2").read_text()
    for name in arrivals.FORM:
        assert text.count(f'"{name}":"$') == 1
