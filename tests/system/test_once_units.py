# SPDX-License-Identifier: MIT
"""The units of `okram test`, of the Debian package, under systemd as the first process.

Simulated are UEFI's variables, a folder mounted where efivarfs would be; firmware and okram
themselves, which follow BootNext and leave a report between two starts; and a panic that
systemd-pstore has stored. The disk is a file with a GPT."""

import json
import time

import pytest

from okramlib.guard import GLOBAL
from system import debian, gpt
from system.test_package import deb, pytestmark  # noqa: F401
from tools import saved_samples

EFIVARS = "sys/firmware/efi/efivars"
SETUP = f"""
mount -t tmpfs tmpfs sys/firmware && mkdir -p {EFIVARS}
echo 64 > sys/firmware/efi/fw_platform_size
mount --bind variables {EFIVARS}
"""
WHERE = "--esp /boot/efi --disk /disk --part 1"
PSTORE = "var/lib/systemd/pstore"
STATE = "var/lib/okram/after-crash.json"
ORDER = b"\7\0\0\0\0\0"  # its attributes, then the number
UNITS = ("result", "after-crash")
LINE = "badram=0x5000000,0xffffffffff000"


class Host(debian.Server):
    """With the package installed, and okram on its EFI system partition."""

    def __init__(self, folder, package):
        super().__init__(folder, SETUP)
        self.vars = self.root / "variables"
        self.vars.mkdir()
        (self.vars / f"BootOrder-{GLOBAL}").write_bytes(ORDER)
        gpt.make(self.root / "disk")
        (self.root / "package.deb").write_bytes(package.read_bytes())

    def install(self):
        self.run("dpkg --install /package.deb")
        self.run(
            "mkdir -p /boot/efi/EFI/okram && "
            "cp /boot/okram/okram.efi /boot/efi/EFI/okram/okramx64.efi"
        )

    def is_due(self):
        return (self.vars / f"BootNext-{GLOBAL}").exists()

    def entries(self):
        return [*self.vars.glob(f"Boot0*-{GLOBAL}")]

    def test_memory(self, status, bad_pages=0):
        """What firmware and okram do between two starts."""
        (self.vars / f"BootNext-{GLOBAL}").unlink()
        records = [
            {"t": time.time(), "type": "state", "status": status, "bad_pages": bad_pages},
            {"t": 9, "type": "badram", "patterns": [[]] if bad_pages else None, "line": LINE},
            {"t": 9, "type": "result", "status": status, "complete": True, "bad_pages": bad_pages},
        ]
        for old in self.vars.glob("OkramReport*"):
            old.unlink()
        for part in saved_samples.whole_report(saved_samples.lines_of(*records)):
            content = part.attributes.to_bytes(4, "little") + part.data
            (self.vars / f"{part.name}-{part.vendor}").write_bytes(content)

    def restart(self, *tested):
        self.shutdown()
        if tested:
            self.test_memory(*tested)
        self.boot()

    def panic(self, name):
        """As systemd-pstore leaves one."""
        folder = self.root / PSTORE / name
        folder.mkdir(parents=True)
        (folder / "dmesg-efi-170000000001001").write_text(f"Panic#1 Part1\n{name}\n")

    def journal(self, unit):
        """Of its last run. All starts have the ID of this machine's own."""
        run = self.property(unit, "InvocationID")
        return self.run(f"journalctl --no-pager --output=cat _SYSTEMD_INVOCATION_ID={run}")

    def property(self, unit, name):
        return self.run(f"systemctl show --property={name} --value {unit}").strip()

    def login(self):
        """What root sees."""
        return self.run("echo exit | script -qc 'login -f root' /dev/null", check=False)


@pytest.fixture
def host(deb, tmp_path):  # noqa: F811
    with Host(tmp_path, deb) as running:
        running.install()
        yield running


def test_result(host):
    """In the journal and at each login, until the start after; a test that was taken back."""
    states = [host.run(f"systemctl is-enabled okram-{u}", check=False).strip() for u in UNITS]
    assert states == ["enabled", "disabled"]
    host.run(f"okram test --next --yes {WHERE} tests=quick")
    assert host.is_due() and len(host.entries()) == 1
    host.run("okram test --cancel")
    assert not host.is_due() and not host.entries()

    for status, bad, code, says in (("fail", 1, 1, "FAIL: 1 bad page."), ("pass", 0, 0, "PASS:")):
        host.run(f"okram test --next --yes {WHERE}")
        host.restart(status, bad)
        assert host.property("okram-result", "Result") == "success"
        assert host.property("okram-result", "ExecMainStatus") == str(code)
        assert says in host.journal("okram-result") and says in host.login()
        assert (LINE in host.journal("okram-result")) == bool(bad)
        assert not host.entries()
        assert (host.vars / f"BootOrder-{GLOBAL}").read_bytes() == ORDER
    host.restart()
    assert host.property("okram-result", "ConditionResult") == "no"
    assert "memory test" not in host.login()


def test_after_crash(host):
    """A panic is followed by one test, at the end of the system or at its next start."""
    host.panic("older")
    host.run(f"okram test --after-crash enable {WHERE} tests=quick")
    assert host.property("okram-after-crash", "ActiveState") == "active"
    host.restart()
    assert not host.is_due()

    host.panic("while it runs")
    host.shutdown()
    assert host.is_due()  # by ExecStop
    host.test_memory("pass")
    host.boot()
    assert "PASS:" in host.journal("okram-result")
    host.restart()
    assert not host.is_due() and not host.entries()  # once for each

    host.panic("within a day")
    host.restart()
    said = host.run("journalctl --no-pager --output=cat --unit=okram-after-crash")
    assert "the last test was less than a day ago" in said  # at the end of the system, too
    assert not host.is_due()

    state = json.loads((host.root / STATE).read_text())
    (host.root / STATE).write_text(json.dumps(state | {"last": time.time() - 2 * 24 * 3600}))
    host.shutdown()
    host.panic("of the system before")
    host.boot()
    assert host.is_due() and "the next start tests memory" in host.journal("okram-after-crash")
    assert "`okram test --cancel` takes that back." in host.login()
    host.restart("fail", 1)
    assert "Paused: a test has found faults." in host.run("okram test --after-crash status")

    host.run("okram test --after-crash disable")
    host.panic("when it is off")
    host.restart()
    assert host.property("okram-after-crash", "ActiveState") == "inactive" and not host.is_due()


def test_the_unit_restarts_the_computer(host):
    host.run(f"okram test --after-crash enable --restart {WHERE}")
    host.shutdown()
    host.panic("of the system before")
    host.boot(ends=True)
    assert host.is_due()


def test_purge(host):
    host.run(f"okram test --after-crash enable {WHERE}")
    host.run("dpkg --purge okram && systemctl daemon-reload")
    assert "okram" not in host.run("systemctl list-unit-files --no-pager")
    assert not (host.root / "var/lib/okram").exists()
