# SPDX-License-Identifier: MIT
"""A run over serial over LAN: what ipmitool and conserver keep of it is a report."""

import socket
import subprocess
import sys
import time

import pytest

from okramlib import EXIT_LINES_LOST, EXIT_PASS, ROOT, reading, spec
from okramlib.qemu import Qemu
from system import sol

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(sol.are_missing()), reason=sol.are_missing()),
]

FAULT = "stuck0@0x2000123.4"
LINE = "badram=0x2000000,0xffffffffff000"
START_S, RUN_S = 30, 240
OPENED = "[SOL Session operational"


@pytest.fixture(params=[False, True], ids=["bios", "uefi"])
def controller(request, tmp_path):
    return sol.Controller(tmp_path, request.param)


def check(log, code):
    ran = sol.report(log)
    assert ran.returncode == code, ran.stderr
    assert ran.stdout.splitlines()[-1] == LINE
    return ran.stderr


def end(session):
    session.stdin.write(b"\r~.")
    session.stdin.flush()
    session.wait(START_S)


def test_ipmitool(controller, tmp_path):
    log = tmp_path / "console.log"
    with Qemu(controller.machine("tests=quick", spec.parse(FAULT))) as qemu:
        controller.start()
        session = controller.session(log)
        sol.wait_for(log, OPENED, START_S)
        qemu.qmp.command("cont")
        sol.run_to_the_end(qemu, RUN_S)
        end(session)
        controller.stop()
    assert "not okram's" in check(log, EXIT_PASS)
    found = reading.read(log)
    assert found.lost == [] and found.records[0]["type"] == "start"


def test_a_session_that_is_lost(controller, tmp_path):
    """Its ipmitool is killed within the run, and another one begins."""
    log = tmp_path / "console.log"
    with Qemu(controller.machine("tests=quick passes=0 time=70s", spec.parse(FAULT))) as qemu:
        controller.start()
        session = controller.session(log)
        sol.wait_for(log, OPENED, START_S)
        qemu.qmp.command("cont")
        sol.wait_for(log, '"type":"machine"', RUN_S)
        session.kill()
        session.wait(START_S)
        subprocess.run(controller.ipmitool("sol", "deactivate"), capture_output=True)
        session = controller.session(log)
        end_s = time.monotonic() + START_S
        while log.read_text(errors="replace").count(OPENED) < 2:
            assert time.monotonic() < end_s
            time.sleep(0.1)
        sol.run_to_the_end(qemu, RUN_S)
        end(session)
        controller.stop()
    assert "a session began again" in check(log, EXIT_LINES_LOST)


def test_conserver(controller, tmp_path):
    words = ["init", tmp_path / "server", "--bmc", "bmc-7"]
    words += ["--console", sol.free_port(socket.SOCK_STREAM)]
    command = [sys.executable, ROOT / "tools" / "okram", "fleet", *words]
    subprocess.run([str(word) for word in command], check=True)
    log = tmp_path / "server" / "consoles" / "bmc-7.log"
    with Qemu(controller.machine("tests=quick", spec.parse(FAULT))) as qemu:
        controller.start()
        conserver = controller.conserver(tmp_path / "server" / "conserver.cf", "bmc-7")
        sol.wait_for(log, OPENED, START_S)
        qemu.qmp.command("cont")
        sol.run_to_the_end(qemu, RUN_S)
        sol.wait_for(log, '"type":"result"', START_S)
        time.sleep(1)
        conserver.terminate()
        conserver.wait(START_S)
        controller.stop()
    assert "not okram's" in check(log, EXIT_PASS)
