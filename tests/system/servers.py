# SPDX-License-Identifier: MIT
"""A network of its own with the servers of `okram fleet init`, and machines that start from it.

The network is a namespace of Linux with a bridge, which only root can make. Packages are those
of `tools/setup network`, and iPXE is Debian 13's, of `make loaders`.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from okramlib import BUILD, ROOT
from okramlib.machine import QEMU
from okramlib.qemu import END, Qemu
from okramlib.units import KIB
from system import guard_boot
from system.harness import attach, from_image

ADDRESS = "10.9.8.1"
OWN_DISK = "guard end"  # what the program on it prints
FIRST_UUID = "6f6b7261-0000-4a4d-9e15-000000000000"

_BRIDGE = "br0"
_RANGE = "10.9.8.100,10.9.8.200"
_WAIT_S = 20


class Servers:
    """nginx and dnsmasq of a folder that `okram fleet init` has made."""

    def __init__(self, directory, options="", taps=1, proxy=False):
        self.folder = directory / "server"
        self._options = options
        self._name = f"okram-{os.getpid()}"
        self._other = f"{self._name}-dhcp"  # where the network's own DHCP server is
        self._n_taps = taps
        self._is_proxy = proxy
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
        for name in (self._name, self._other):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def start(self, name):
        commands = {  # as root: others may not read a test's folder
            "nginx": ["nginx", "-p", self.folder, "-c", "nginx.conf"]
            + ["-g", "daemon off; user root;"],
            "dnsmasq": ["dnsmasq", "--keep-in-foreground"]
            + [f"--conf-file={self.folder}/dnsmasq.conf"],
        }
        signs = {"nginx": "tmp/nginx.pid", "dnsmasq": "dhcp/dnsmasq.log"}
        self._running[name] = subprocess.Popen(self._inside(*commands[name]))
        deadline = time.monotonic() + _WAIT_S
        while not (self.folder / signs[name]).exists():
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
        (self.folder / "tmp" / "nginx.pid").unlink(missing_ok=True)

    @contextlib.contextmanager
    def full_disk(self):
        """The folder of nginx's log has no room."""
        self.stop("nginx")
        self._run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.folder / "log")
        try:
            filler = self.folder / "log" / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            self.start("nginx")
            yield
            self.stop("nginx")
        finally:
            self._run("umount", "--lazy", self.folder / "log")
        self.start("nginx")

    def request(self, method, path, body=b"", size=None):
        """The status of nginx's answer to a machine's request; size: what it says of its body."""
        script = "import http.client, sys; c = http.client.HTTPConnection(sys.argv[1], 8080, 9);"
        script += "c.putrequest(*sys.argv[2:4]); c.putheader('Content-Length', sys.argv[4]);"
        script += "c.endheaders(sys.stdin.buffer.read()); print(c.getresponse().status)"
        words = [ADDRESS, method, path, size or len(body)]
        command = self._inside(sys.executable, "-c", script, *words)
        ran = subprocess.run(command, input=body, capture_output=True, check=True)
        return int(ran.stdout)

    def flood(self, path, times):
        """The statuses of so many answers to one machine that does not pause."""
        script = "import http.client, sys\nfor _ in range(int(sys.argv[3])):\n"
        script += " c = http.client.HTTPConnection(sys.argv[1], 8080, 9); c.request('GET', "
        script += "sys.argv[2]); print(c.getresponse().status)"
        command = self._inside(sys.executable, "-c", script, ADDRESS, path, times)
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return [int(line) for line in ran.stdout.split()]

    def memory(self):
        """Bytes that nginx's worker has in memory."""
        pid = (self.folder / "tmp" / "nginx.pid").read_text().strip()
        found = subprocess.run(["pgrep", "-P", pid], capture_output=True, text=True, check=True)
        status = Path(f"/proc/{found.stdout.split()[0]}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * KIB

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

    def import_all(self, data):
        """`okram fleet import` of all that there is."""
        log = self.folder / "log" / "arrived.log"
        folders = [self.folder / name for name in ("reports", "put")]
        return self.okram("import", data, log, *folders, check=False)

    def okram(self, *words, check=True):
        command = [sys.executable, ROOT / "tools" / "okram", "fleet", *words]
        words = [str(word) for word in command]
        return subprocess.run(words, check=check, capture_output=True, text=True)

    def machine(self, store, number=1, tap=0, more=(), **settings):
        """It starts from the network, then from its own disk."""
        uuid = FIRST_UUID[:-4] + f"{number:04x}"
        disk = store.with_suffix(".disk")
        if not disk.exists():
            shutil.copy(self.disk, disk)
        extra = [*attach("tap-card", tap=tap, number=number), *attach("uuid", uuid=uuid), *more]
        extra += attach("own-disk", path=disk)
        given = {"image": None, "vars": store, "qemu": self.qemu, "extra": extra, **settings}
        return from_image("network-client", **given)

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
        words = ["--address", ADDRESS, "--interface", _BRIDGE]
        words += ["--proxy"] if self._is_proxy else ["--range", _RANGE]
        words += ["--ipxe", BUILD / "loaders" / "ipxe.efi", "--options", self._options]
        self.okram("init", self.folder, *words)
        self._run("sed", "-i", "s,/run/okram-web/,tmp/,", self.folder / "nginx.conf")
        self._run("sed", "-i", "s,okram-dhcp$,root,", self.folder / "dnsmasq.conf")
        self.qemu.write_text(f'#!/bin/sh\nexec ip netns exec {self._name} {QEMU} "$@"\n')
        self.qemu.chmod(0o755)
        guard_boot.make_stick(self.disk)
        self.start("nginx")
        self.start("dnsmasq")
        if self._is_proxy:
            self._start_dhcp()

    def _start_dhcp(self):
        """A server that gives addresses, and knows nothing of boot files."""
        self._run("ip", "netns", "add", self._other)
        for words in (
            ("-n", self._name, "link", "add", "dhcp0", "type", "veth", "peer", "eth0")
            + ("netns", self._other),
            ("-n", self._name, "link", "set", "dhcp0", "master", _BRIDGE, "up"),
            ("-n", self._other, "addr", "add", "10.9.8.2/24", "dev", "eth0"),
            ("-n", self._other, "link", "set", "eth0", "up"),
        ):
            self._run("ip", *words)
        command = ["dnsmasq", "--keep-in-foreground", "--user=root", "--conf-file=/dev/null"]
        command += ["--port=0", "--interface=eth0", f"--dhcp-range={_RANGE}", "--pid-file="]
        command += [f"--dhcp-leasefile={self.folder}/tmp/leases"]
        inside = ["ip", "netns", "exec", self._other]
        self._running["the other dnsmasq"] = subprocess.Popen([*inside, *command])

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
