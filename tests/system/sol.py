# SPDX-License-Identifier: MIT
"""A management controller (ipmi_sim): serial over LAN, to which ipmitool or conserver listens, and
an event log that okram writes to by KCS. Packages are those of `tools/setup network`."""

import re
import shutil
import socket
import subprocess
import sys
import time

from okramlib import ROOT
from okramlib.qemu import END
from system.harness import attach, from_image

USER, PASSWORD = "admin", "secret"

_WAIT_S = 30
_LAN_CONF = """name "okram"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {lan}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  serial 15 127.0.0.1 {kcs} codec VM
  sol "tcp:127.0.0.1:{port}" 115200
  user 2 true "{user}" "{password}" admin 10 none md2 md5 straight
"""
_EMULATION = """mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02
sel_enable 0x20 {log_entries} 0x0a
mc_enable 0x20
"""


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Controller:
    """The management controller of one machine: its serial port is COM2, as on servers."""

    def __init__(self, directory, uefi):
        self.directory = directory
        self._port = free_port(socket.SOCK_STREAM)
        self.lan = free_port(socket.SOCK_DGRAM)
        self._kcs = free_port(socket.SOCK_STREAM)
        self._uefi = uefi

    @property
    def kcs(self):
        """QEMU's arguments for its KCS interface; reconnect: QEMU 7.2 falls over if it is there."""
        return attach("kcs", at=f"host=127.0.0.1,port={self._kcs}")

    def machine(self, cmdline, faults=()):
        options = f"serial=jsonl serial.port=com2 exit=qemu bandwidth=off {cmdline}"
        extra = attach("serial-tcp", port=self._port) + attach(
            "stopped"
        )  # it waits for the session
        return from_image(
            "sol",
            uefi=self._uefi,
            cmdline=options,
            serial=False,
            extra=extra,
            faults=list(faults),
        )

    def start(self, log_entries=100):
        """ipmi_sim; it connects to QEMU when a session begins."""
        ports = {"lan": self.lan, "kcs": self._kcs, "port": self._port}
        (self.directory / "lan.conf").write_text(
            _LAN_CONF.format(**ports, user=USER, password=PASSWORD)
        )
        (self.directory / "bmc.emu").write_text(_EMULATION.format(log_entries=log_entries))
        command = ["ipmi_sim", "-n", "-c", "lan.conf", "-f", "bmc.emu", "-s", "."]
        with open(self.directory / "ipmi_sim.log", "w") as log:
            self._sim = subprocess.Popen(command, cwd=self.directory, stdout=log, stderr=log)

    def stop(self):
        self._sim.terminate()
        self._sim.wait(_WAIT_S)

    def ipmitool(self, *words):
        login = ["-H", "127.0.0.1", "-p", str(self.lan), "-U", USER, "-P", PASSWORD]
        return ["ipmitool", "-I", "lanplus", *login, *words]

    def conserver(self, configuration, name):
        """conserver of `okram fleet init --bmc NAME`, with this controller's port."""
        text = configuration.read_text()
        login = f"-H 127.0.0.1 -p {self.lan} -U {USER} -P {PASSWORD}"
        text = re.sub(r"-H & -U admin -f \S+", login, text)
        configuration.write_text(text)
        command = ["conserver", "-C", str(configuration), "-M", "127.0.0.1"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def session(self, log):
        """ipmitool on a terminal of its own, whose output is the log."""
        command = " ".join(self.ipmitool("sol", "activate"))
        return subprocess.Popen(
            ["script", "-aqfec", command, str(log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )


def wait_for(path, text, seconds):
    end = time.monotonic() + seconds
    while text not in (path.read_text(errors="replace") if path.exists() else ""):
        assert time.monotonic() < end, path.read_text(errors="replace")[-2000:]
        time.sleep(0.1)


def run_to_the_end(qemu, seconds):
    """Until the machine has ended."""
    end = time.monotonic() + seconds
    while qemu.line(0.2) is not END:
        assert time.monotonic() < end


def report(log):
    """What `okram report` says of it."""
    command = [sys.executable, ROOT / "tools" / "okram", "report", log]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def are_missing():
    """Why these tests cannot be run; "": they can."""
    missing = [n for n in ("ipmi_sim", "ipmitool", "conserver", "script") if not shutil.which(n)]
    return f"no {', '.join(missing)}: tools/setup network installs them" if missing else ""
