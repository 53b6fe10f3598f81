# SPDX-License-Identifier: MIT
"""A Debian with systemd as its first process, in namespaces of its own: a server without a machine.

It is made by debootstrap once, in build/distros, which needs root. A test works on a copy.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from okramlib import BUILD, ROOT

sys.path.append(str(ROOT / "tests"))
import distros  # noqa: E402

PACKAGES = (
    "systemd,systemd-sysv,nginx-light,dnsmasq-base,conserver-server,conserver-client,openssl,procps"
    ",iproute2,python3,python3-jinja2,python3-jsonschema,python3-rich"
)
_BASE = BUILD / "distros" / "server"
_WAIT_S = 120
_APART = "--mount --uts --ipc --net --pid --cgroup --fork --kill-child"

_BOOT = """
mount --make-rprivate / && mount --bind "$1" "$1" && cd "$1"
mount -t proc proc proc && mount -t sysfs sysfs sys && mount -t tmpfs tmpfs run
mount -t cgroup2 cgroup2 sys/fs/cgroup && ip link set lo up
{setup}
mkdir -p old && pivot_root . old
exec env -i container=okram /lib/systemd/systemd --system --unit=multi-user.target
"""


def base():
    """The tree, with the packages. Skips the test where it cannot be made."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("debootstrap, as root, is needed")
    done = _BASE / ".okram-done"
    if done.exists() and done.read_text() == PACKAGES:
        return _BASE
    shutil.rmtree(_BASE, ignore_errors=True)
    mirror = [address] if (address := distros.mirror_of("Debian")) else []
    options = ["--variant=minbase", f"--include={PACKAGES}"]
    command = ["debootstrap", *options, "trixie", _BASE, *mirror]
    subprocess.run(command, check=True, capture_output=True)
    done.write_text(PACKAGES)
    return _BASE


class Server:
    """Use it as a context; boot() again is a restart after a power cut, shutdown() a proper end.

    setup: commands of a shell that is in its root folder, before each start."""

    def __init__(self, folder, setup=""):
        self.root = folder / "server"
        self._setup = setup
        self._cgroup = _cgroup2() / f"okram-test-{os.getpid()}"
        subprocess.run(["cp", "-a", base(), self.root], check=True)

    def __enter__(self):
        try:
            self.boot()
        except BaseException:
            self._off()
            raise
        return self

    def __exit__(self, *_):
        self._off()
        shutil.rmtree(self.root, ignore_errors=True)

    def boot(self, ends=False):
        """ends: the system switches itself off, or restarts."""
        self._off()
        self._cgroup.mkdir()
        join = f'echo $$ > {self._cgroup}/cgroup.procs; exec unshare {_APART} "$@"'
        boot = ["sh", "-ec", _BOOT.format(setup=self._setup), "sh", self.root]
        command = ["sh", "-c", join, "sh", *boot]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if ends:
            self._process.wait(_WAIT_S)
            return
        states = ("running", "degraded")
        self.wait(lambda: self.run("systemctl is-system-running", check=False).strip() in states)

    def shutdown(self):
        self.run("systemctl poweroff", check=False)
        self._process.wait(_WAIT_S)

    def run(self, script, check=True):
        """What a shell in it prints."""
        ran = self.command("sh", "-ec", script)
        assert not check or ran.returncode == 0, f"{script}\n{ran.stdout}{ran.stderr}"
        return ran.stdout.decode()

    def command(self, *words, data=b""):
        """A finished command in it, with that input."""
        enter = ["nsenter", "-t", self._init() or "0", "-a"]
        return subprocess.run([*enter, *words], input=data, capture_output=True)

    def _init(self):
        """The first process, as this machine numbers it; "": there is none yet."""
        children = f"/proc/{self._process.pid}/task/{self._process.pid}/children"
        found = Path(children).read_text().split()
        is_booted = found and "systemd" in Path(f"/proc/{found[0]}/comm").read_text()
        return found[0] if is_booted else ""

    def wait(self, is_so):
        end = time.monotonic() + _WAIT_S
        while not is_so():
            assert self._process.poll() is None and time.monotonic() < end
            time.sleep(0.2)

    def _off(self):
        if process := getattr(self, "_process", None):
            process.kill()
            process.wait()
        for folder in sorted(self._cgroup.glob("**/"), reverse=True):
            _removed(folder)


def _removed(folder):
    """Processes that were killed leave their group a moment later."""
    end = time.monotonic() + _WAIT_S
    while folder.exists() and time.monotonic() < end:
        try:
            folder.rmdir()
        except OSError:
            time.sleep(0.05)


def _cgroup2():
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if " - cgroup2 " in line:
            return Path(line.split()[4])
    pytest.skip("there is no cgroup2")
