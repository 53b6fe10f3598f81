# SPDX-License-Identifier: MIT
"""A network of its own with the servers of `okram fleet init`, and machines that start from it.

The network is a namespace of Linux with a bridge, which only root can make. Packages are those
of `tools/setup network`, and iPXE is Debian 13's, of `make loaders`.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from okramlib import BUILD, ROOT
from okramlib.machine import QEMU, Machine
from okramlib.qemu import END, Qemu
from okramlib.units import MIB
from system import guard_boot

ADDRESS = "10.9.8.1"
OWN_DISK = "guard end"  # what the program on it prints
FIRST_UUID = "6f6b7261-0000-4a4d-9e15-000000000000"

_BRIDGE = "br0"
_WAIT_S = 20
# PXE over IPv4 alone: each other way waits for a minute.
_NO_IPV6 = ["-fw_cfg", "name=opt/org.tianocore/IPv6PXESupport,string=no"]


class Servers:
    """nginx and dnsmasq of a folder that `okram fleet init` has made."""

    def __init__(self, directory, options="", taps=1):
        self.folder = directory / "server"
        self._options = options
        self._name = f"okram-{os.getpid()}"
        self._n_taps = taps
        self._running = {}
        self.qemu = directory / "qemu"
        self.disk = directory / "disk.img"

    def __enter__(self):
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self._running):
            self.stop(name)
        subprocess.run(["ip", "netns", "del", self._name], capture_output=True)

    def start(self, name):
        commands = {  # as root: others may not read a test's folder
            "nginx": ["nginx", "-p", self.folder, "-c", "nginx.conf"]
            + ["-g", "daemon off; user root;"],
            "dnsmasq": ["dnsmasq", "--keep-in-foreground", "--user=root", "--group=root"]
            + [f"--conf-file={self.folder}/dnsmasq.conf"],
        }
        self._running[name] = subprocess.Popen(self._inside(*commands[name]))
        deadline = time.monotonic() + _WAIT_S
        while not (self.folder / "tmp" / f"{name}.pid").exists():
            assert self._running[name].poll() is None and time.monotonic() < deadline
            time.sleep(0.05)

    def stop(self, name):
        process = self._running.pop(name)
        process.terminate()
        process.wait(_WAIT_S)

    def kill(self, name):
        """As a power cut does."""
        process = self._running.pop(name)
        subprocess.run(["pkill", "-9", "-P", str(process.pid)])
        process.kill()
        process.wait(_WAIT_S)
        (self.folder / "tmp" / f"{name}.pid").unlink(missing_ok=True)

    def link(self, state, tap=0):
        """The network's cable: up or down."""
        self._run("ip", "-n", self._name, "link", "set", f"tap{tap}", state)

    def arrived(self):
        """The lines of nginx's log."""
        log = self.folder / "log" / "arrived.log"
        return log.read_text().splitlines() if log.exists() else []

    def receive(self):
        """The reports of the log, as `okram fleet receive` makes files of them."""
        self.okram("receive", self.folder / "log" / "arrived.log", "--to", self.folder / "reports")
        return sorted((self.folder / "reports").iterdir())

    def okram(self, *words):
        command = [sys.executable, ROOT / "tools" / "okram", "fleet", *words]
        subprocess.run([str(word) for word in command], check=True)

    def machine(self, store, number=1, tap=0, **settings):
        """It starts from the network, then from its own disk."""
        uuid = FIRST_UUID[:-4] + f"{number:04x}"
        card = f"virtio-net-pci,netdev=net,bootindex=0,romfile=,mac=52:54:00:12:34:{number:02x}"
        netdev = f"tap,id=net,ifname=tap{tap},script=no,downscript=no"
        disk = store.with_suffix(".disk")
        if not disk.exists():
            shutil.copy(self.disk, disk)
        extra = ["-netdev", netdev, "-device", card, "-uuid", uuid, *_NO_IPV6]
        extra += ["-drive", f"if=none,id=own,format=raw,file={disk}"]
        extra += ["-device", "ide-hd,drive=own,bootindex=1"]
        given = {"memory": 256 * MIB, "cpus": 1, **settings}
        return Machine(
            uefi=True, image=None, menu=True, vars=store, qemu=self.qemu, extra=extra, **given
        )

    def _make(self):
        self._run("ip", "netns", "add", self._name)
        for words in (
            ("link", "set", "lo", "up"),
            ("link", "add", _BRIDGE, "type", "bridge", "forward_delay", "0"),
            ("addr", "add", f"{ADDRESS}/24", "dev", _BRIDGE),
            ("link", "set", _BRIDGE, "up"),
        ):
            self._run("ip", "-n", self._name, *words)
        for tap in range(self._n_taps):
            self._run("ip", "-n", self._name, "tuntap", "add", f"tap{tap}", "mode", "tap")
            self._run("ip", "-n", self._name, "link", "set", f"tap{tap}", "master", _BRIDGE)
            self.link("up", tap)
        words = ["--address", ADDRESS, "--interface", _BRIDGE, "--range", "10.9.8.100,10.9.8.200"]
        words += ["--ipxe", BUILD / "loaders" / "ipxe.efi", "--options", self._options]
        self.okram("init", self.folder, *words)
        self.qemu.write_text(f'#!/bin/sh\nexec ip netns exec {self._name} {QEMU} "$@"\n')
        self.qemu.chmod(0o755)
        guard_boot.make_stick(self.disk)
        self.start("nginx")
        self.start("dnsmasq")

    def _inside(self, *command):
        return ["ip", "netns", "exec", self._name, *map(str, command)]

    def _run(self, *command):
        subprocess.run(command, check=True, capture_output=True)


def boot(machine, timeout, during=None):
    """The lines of a machine's serial port until it restarts; `during` is called all the while."""
    lines, end = [], time.monotonic() + timeout
    with Qemu(machine) as qemu:
        while (line := qemu.line(0.1)) is not END:
            assert time.monotonic() < end, "\n".join(lines[-30:])
            if line is not None:
                lines.append(line)
            if during:
                during(lines)
    return lines


def are_missing():
    """Why these tests cannot be run; "": they can."""
    for name in ("nginx", "dnsmasq", "ip"):
        if not shutil.which(name):
            return f"no {name}: tools/setup network installs it"
    if not (BUILD / "loaders" / "ipxe.efi").exists():
        return "no Debian 13's iPXE: make loaders fetches it"
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        return "a network of its own is for root"
    return ""
