# SPDX-License-Identifier: MIT
"""Netboot, test, restart, the report arrives, the machine's own disk: without a hand.

The servers are those of `okram fleet init`: dnsmasq, nginx and Debian 13's iPXE.
"""

import csv
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from okramlib import spec
from okramlib.units import MIB
from system import servers, uefi_vars
from system.harness import attach
from system.servers import OWN_DISK, Servers, boot

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(servers.are_missing()), reason=servers.are_missing()),
]

OPTIONS = "tests=mats+ bandwidth=off"
FAULT = "stuck0@0x5000123.4"
TIMEOUT_S = 600  # firmware asks a network that is cut for minutes


@pytest.fixture
def network(tmp_path):
    with Servers(tmp_path, OPTIONS) as made:
        yield made


@pytest.fixture
def tested(network, tmp_path):
    """(servers, store of a machine that was tested from the network)."""
    store = tmp_path / "vars.fd"
    lines = boot(network.machine(store, faults=spec.parse(FAULT)), TIMEOUT_S)
    assert any('"status":"fail"' in line for line in lines), "\n".join(lines[:90])
    assert OWN_DISK not in lines
    assert network.arrived() == []
    return network, store


def check_arrived(network, store, number=1):
    """One report, whose bytes are those in the variables and whose CRC is right."""
    _, jsonl = uefi_vars.read_report(store)
    head = uefi_vars.HEAD.match(uefi_vars.join(uefi_vars.own(store)))
    (path,) = (p for p in network.receive() if p.name.startswith(uuid_of(number)))
    assert path.name == f"{uuid_of(number)}-{head[3].decode()}.jsonl"
    assert path.read_bytes() == head[0] + jsonl.encode()
    return [json.loads(line) for line in jsonl.splitlines()]


def uuid_of(number):
    return servers.FIRST_UUID[:-4] + f"{number:04x}"


def test_the_loop(tested, tmp_path):
    network, store = tested
    lines = boot(network.machine(store), TIMEOUT_S)
    assert OWN_DISK in lines
    assert any("report has arrived: done" in line for line in lines), "\n".join(lines[:80])
    records = check_arrived(network, store)
    faults = {record["addr"] for record in records if record["type"] == "fault"}
    assert faults == {"0x5000120"}
    # It is not tested again.
    lines = boot(network.machine(store), TIMEOUT_S)
    assert OWN_DISK in lines and not any('"type":"start"' in line for line in lines)
    check_arrived(network, store)
    # It was sent twice, and is a file and in the log: one run.
    assert network.import_all(tmp_path / "data").returncode == 0
    ran = network.okram("report", tmp_path / "data")
    assert "1 machine, 1 run," in " ".join(ran.stdout.split())


@pytest.mark.parametrize("what", ["nginx", "the network"])
def test_nothing_is_lost(tested, what):
    """What was killed or cut between the test and the report comes at the next start."""
    network, store = tested
    network.kill("nginx") if what == "nginx" else network.link("down")
    assert OWN_DISK in boot(network.machine(store), TIMEOUT_S)
    assert network.arrived() == []
    network.start("nginx") if what == "nginx" else network.link("up")
    assert OWN_DISK in boot(network.machine(store), TIMEOUT_S)
    check_arrived(network, store)


def test_a_full_disk(tested):
    """What nginx could not write comes at the next start."""
    network, store = tested
    with network.full_disk():
        assert OWN_DISK in boot(network.machine(store), TIMEOUT_S)
        assert network.arrived() == []
    assert OWN_DISK in boot(network.machine(store), TIMEOUT_S)
    check_arrived(network, store)


def test_garbage_and_floods(tested, tmp_path):
    """What is not a report is refused or counted, and costs no memory; the report arrives."""
    network, store = tested
    report = f"/report/{uuid_of(1)}"
    assert network.request("GET", f"{report}/00?d=abcdef") == 200  # then it is in the log
    before = network.memory()
    assert network.request("GET", f"{report}/00?d=nohex") == 400
    assert network.request("GET", f"{report}/00") == 400
    assert network.request("GET", f"{report}/10?d=ab") == 404  # there are 16 parts
    assert network.request("GET", f"/report/../{uuid_of(1)}/00?d=ab") == 404
    assert network.request("GET", f"{report}/00?d={'ab' * 8000}") == 414
    flood = network.flood(f"{report}/07?d={'5a' * 1500}", 2000)
    assert set(flood) == {200, 429} and flood.count(200) >= 200
    time.sleep(21)  # the limit forgets ten a second
    assert network.request("PUT", "/reports/garbage.jsonl", os.urandom(500_000)) == 201
    assert network.request("PUT", "/reports/garbage.jsonl", b"again") == 201
    assert network.request("PUT", "/reports/x.jsonl%0A", b"x") == 404
    assert network.request("PUT", "/reports/flood.jsonl", b"x", size=100 * MIB) == 413
    assert network.request("PUT", "/reports/../nginx.conf", b"x") in (400, 403, 405)
    assert network.request("PUT", "/boot.ipxe", b"x") in (403, 405)
    assert network.memory() - before < 4 * MIB  # the list of senders has one
    assert not list((network.folder / "reports").iterdir())
    names = [path.name for path in (network.folder / "put").iterdir()]
    assert len(names) == 2 and all(name.startswith("garbage.") for name in names)

    assert OWN_DISK in boot(network.machine(store), TIMEOUT_S)
    check_arrived(network, store)
    ran = network.import_all(tmp_path / "data")
    assert ran.returncode == 2 and "/put/garbage." in ran.stderr
    ran = network.okram("report", tmp_path / "data")
    assert "1 machine, 1 run," in " ".join(ran.stdout.split())


def test_nginx_is_killed_between_two_parts(tested):
    """iPXE tries again: the report arrives at the same start."""
    network, store = tested
    killed = []

    def kill_once(lines):
        if not killed and len(network.arrived()) >= 2:
            network.kill("nginx")
            killed.append(len(lines))
        elif len(killed) == 1 and any("did not arrive, try 1" in line for line in lines):
            network.start("nginx")
            killed.append(len(lines))

    lines = boot(network.machine(store), TIMEOUT_S, kill_once)
    assert OWN_DISK in lines and len(killed) == 2
    check_arrived(network, store)


def test_a_run_that_did_not_finish(network, tmp_path):
    """Its machine starts from its own disk, and what it has of the run arrives."""
    store = tmp_path / "vars.fd"
    machine = network.machine(store)
    with pytest.raises(InterruptedError):

        def cut_power(lines):
            if any('"type":"machine"' in line for line in lines) and uefi_vars.own(store):
                raise InterruptedError

        boot(machine, TIMEOUT_S, cut_power)
    lines = boot(machine, TIMEOUT_S)
    assert OWN_DISK in lines and any("has arrived: unfinished" in line for line in lines)
    check_arrived(network, store)


def test_an_order(tested):
    """A file of one machine has it tested again."""
    network, store = tested
    order = network.folder / "www" / "machine" / f"{uuid_of(1)}.ipxe"
    order.write_text("#!ipxe\nset order test\n")
    lines = boot(network.machine(store), TIMEOUT_S)
    assert any('"status":"pass"' in line for line in lines) and OWN_DISK not in lines
    order.write_text("#!ipxe\nset order local\n")
    assert OWN_DISK in boot(network.machine(store), TIMEOUT_S)
    assert network.arrived() == []


def test_next_to_another_dhcp_server(tmp_path):
    """That one gives the addresses, dnsmasq of `okram fleet init --proxy` what to start."""
    with Servers(tmp_path, OPTIONS, proxy=True) as network:
        store = tmp_path / "vars.fd"
        lines = boot(network.machine(store, faults=spec.parse(FAULT)), TIMEOUT_S)
        assert any('"status":"fail"' in line for line in lines), "\n".join(lines[:90])
        lines = boot(network.machine(store), TIMEOUT_S)
        assert OWN_DISK in lines
        check_arrived(network, store)
        assert "10.9.8.1" in (network.folder / "tmp" / "leases").read_text()


def part_of(number):
    return f"PART-{number:02}"


def module_of(number):
    """The machine's only module, as its SMBIOS has it."""
    named = f"loc_pfx=DIMM_A,manufacturer=Maker,part={part_of(number)},serial={number:08X}"
    return attach("smbios-text", text=f"type=17,{named}")


def test_twenty_machines(tmp_path):
    """Two at a time, one bad module each: `okram fleet report` names them all."""
    started = time.monotonic()
    with Servers(tmp_path, OPTIONS, taps=2) as network:

        def life(number, tap):
            store = tmp_path / f"{number}.fd"
            settings = {"number": number, "tap": tap, "more": module_of(number)}
            fault = spec.parse(f"stuck0@{0x5000123 + 0x1000 * number:#x}.4")
            boot(network.machine(store, faults=fault, **settings), TIMEOUT_S)
            assert OWN_DISK in boot(network.machine(store, **settings), TIMEOUT_S)

        def lives(tap):
            for number in range(tap + 1, 21, 2):
                life(number, tap)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lives, (0, 1)))
        assert network.import_all(tmp_path / "data").returncode == 0
        network.okram("report", tmp_path / "data", "--csv", tmp_path / "csv")
        print(f"20 machines: {(time.monotonic() - started) / 60:.1f} minutes")
        for number in range(1, 21):
            check_arrived(network, tmp_path / f"{number}.fd", number)
    with (tmp_path / "csv" / "bad_machines.csv").open() as file:
        rows = {row["machine"]: row for row in csv.DictReader(file)}
    assert set(rows) == {uuid_of(number) for number in range(1, 21)}
    for number in range(1, 21):
        row = rows[uuid_of(number)]
        assert row["line"] == f"badram={0x5000000 + 0x1000 * number:#x},0xffffffffff000"
        assert part_of(number) in row["modules"] and row["bad_pages"] == "1"
