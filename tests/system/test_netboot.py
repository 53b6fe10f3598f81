# SPDX-License-Identifier: MIT
"""okram from the network: QEMU's own DHCP and TFTP server, and the ways that start from it.

The recipes of docs/netboot.md, by BIOS and by UEFI; PXELINUX is that of `make loaders`.
"""

import functools
import http.server
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

import saved_samples as samples
from okramlib import BUILD
from okramlib.machine import IMAGE
from okramlib.run import run
from okramlib.units import MIB
from system.harness import TIMEOUT_S, attach, follow, from_image
from system.watchers import Said

OPTIONS = "tests=quick patterns=7"
CONF = "tests=address-up\n"

GRUB_MODULES = ["efinet", "tftp", "net", "chain", "normal", "configfile", "echo"]
GRUB_CFG = f"""
chainloader (tftp,10.0.2.2)/okram.efi {OPTIONS}
boot
"""

GRUB_PXE_MODULES = ["pxe", "tftp", "net", "linux", "linux16", "normal", "boot"]
GRUB_PXE_CFG = """
linux{0} (tftp,10.0.2.2)/okram.lkrn patterns=7
initrd{0} (tftp,10.0.2.2)/okram.conf
boot
"""

IPXE = """#!ipxe
kernel okram.lkrn patterns=7
initrd okram.conf
boot
"""

IPXE_UEFI = """#!ipxe
imgfetch --name okram.conf okram.conf
chain okram.efi patterns=7
"""

PXELINUX = """
DEFAULT okram
LABEL okram
    KERNEL okram.lkrn
    INITRD okram.conf
    APPEND patterns=7
    IPAPPEND 2
"""

UUID = "6f6b7261-0000-4a4d-9e15-00000000000a"
MAC = "52-54-00-12-34-56"  # QEMU's first
CONFS = [f"okram.conf-{UUID}", f"okram.conf-{MAC}", "okram.conf"]


@pytest.fixture
def server(tmp_path):
    """The folder that is served."""
    folder = tmp_path / "tftp"
    folder.mkdir()
    for name in ("okram.efi", "okram.lkrn"):
        shutil.copy(BUILD / name, folder)
    return folder


def boot(server, first, cmdline="", **options):
    """What the network boot of firmware starts: `first`, of the folder."""
    # romfile: UEFI's own driver, not the iPXE that QEMU's cards have in a ROM. A BIOS has no other.
    netdev = f"user,id=net,tftp={server},bootfile={first},ipv6=off"
    rom = ",romfile=" if options.get("uefi") else ""
    extra = attach("boot-card", network=netdev, options=f"bootindex=0{rom}")
    extra += attach("uuid", uuid=UUID)
    cmdline = f"bandwidth=off {cmdline}"
    return follow(from_image("netboot", image=None, extra=extra, cmdline=cmdline, **options))


class Serve(http.server.SimpleHTTPRequestHandler):
    """The folder by HTTP/1.1, as nginx would; okram.conf may be late."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args, late, **options):
        self.late = late
        super().__init__(*args, **options)

    def do_GET(self):
        if "okram.conf" in self.path:
            self.late.wait()
        super().do_GET()

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/reports/"):
            (Path(self.directory) / self.path[1:]).write_bytes(body)
        self.send_response(201 if self.path.startswith("/reports/") else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def web(server):
    """The folder by HTTP: its URL in the guest, and the event that okram.conf waits for."""
    late = threading.Event()
    late.set()
    handler = functools.partial(Serve, directory=server, late=late)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        httpd.daemon_threads = True
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://10.0.2.2:{httpd.server_port}", late
        late.set()
        httpd.shutdown()


def by_uri(uri, tmp_path, options="", variables=None):
    """UEFI's HTTP boot. Where DHCP says nothing of it, a variable does."""
    store = tmp_path / "vars.fd"
    samples.store(store, variables or {})
    tool = BUILD / "venv" / "bin" / "virt-fw-vars"
    command = [tool, "--inplace", store, "--set-boot-uri", uri]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    extra = attach("boot-card", network="user,id=net,ipv6=off", options="romfile=")
    extra += attach("uuid", uuid=UUID)
    cmdline = f"bandwidth=off {options}"
    return from_image("uefi-256M", image=None, extra=extra, cmdline=cmdline, vars=store)


def boot_uri(*arguments, **options):
    return follow(by_uri(*arguments, **options))


def check_conf(outcome):
    """The options of the server's okram.conf were taken."""
    start = outcome.last("start")
    assert start["boot"] == "uefi" and CONF.strip() in start["cmdline"]
    assert outcome.last("result")["status"] == "pass"


def write_confs(folder, taken, options):
    """The file of that name has the options, and those that are asked for after it have others."""
    for name in CONFS[CONFS.index(taken) :]:
        (folder / name).write_text(options if name == taken else "tests=thorough\n")


def check_options(outcome, boot_way, loader):
    start = outcome.last("start")
    assert start["boot"] == boot_way and start["loader"] == loader
    assert start["cmdline"].split()[:2] == OPTIONS.split()
    assert "BOOT" not in start["cmdline"]  # what loaders add of themselves
    assert outcome.last("result")["status"] == "pass"


def grub_of(server, platform, commands, modules):
    """GRUB's program of that platform, with its configuration in it, as `grub` in the folder."""
    config = server.parent / "grub.cfg"
    config.write_text(commands)
    out = ["-o", server / "grub", "-c", config, "-p", "(tftp,10.0.2.2)/"]
    command = ["grub-mkimage", "-O", platform, *out, *modules]
    subprocess.run([str(word) for word in command], check=True)
    return "grub"


def test_firmware(server):
    (server / "okram.conf").write_text(CONF)
    check_conf(boot(server, "okram.efi", uefi=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFS[:2])
def test_firmware_by_machine(server, name):
    write_confs(server, name, CONF)
    check_conf(boot(server, "okram.efi", uefi=True))


@pytest.mark.slow
def test_firmware_without_a_conf(server):
    """The server says that there is none."""
    start = boot(server, "okram.efi", "tests=quick", uefi=True).last("start")
    assert start["boot"] == "uefi" and start["cmdline"].startswith("menu=0")


@pytest.mark.slow
def test_http_boot(server, web, tmp_path):
    """The file is in the loader's folder, and long enough to come in several parts."""
    uri, _ = web
    (server / "sub").mkdir()
    shutil.copy(server / "okram.efi", server / "sub")
    (server / "sub" / "okram.conf").write_text(f"# {'x' * 3900}\n{CONF}")
    check_conf(boot_uri(f"{uri}/sub/okram.efi", tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFS[:2])
def test_http_boot_by_machine(server, web, tmp_path, name):
    write_confs(server, name, CONF)
    check_conf(boot_uri(f"{web[0]}/okram.efi", tmp_path))


@pytest.mark.slow
def test_http_boot_with_a_late_conf(server, web, tmp_path):
    """The test begins without it."""
    uri, late = web
    late.clear()
    (server / "okram.conf").write_text(CONF)
    outcome = boot_uri(f"{uri}/okram.efi", tmp_path, "tests=quick")
    assert CONF.strip() not in outcome.last("start")["cmdline"]
    assert outcome.last("result")["status"] == "pass"


# Of OVMF, which then tries what comes next in its boot order.
GOES_ON = "failed to start"


KEY = bytes(range(32))  # an OkramKey


@pytest.mark.slow
def test_the_last_report_is_sent(server, web, tmp_path):
    """By okram.conf; then memory is tested."""
    (server / "reports").mkdir()
    (server / "okram.conf").write_text(f"{CONF}send=on\n")
    variables = samples.finished()
    outcome = boot_uri(f"{web[0]}/okram.efi", tmp_path, "save=off", variables=variables)
    assert outcome.last("result")["status"] == "pass"
    (arrived,) = (server / "reports").iterdir()
    assert re.fullmatch(rf"{UUID}-[0-9a-f]{{8}}\.jsonl", arrived.name)
    assert arrived.read_bytes() == b"".join(variables[name] for name in sorted(variables))
    assert samples.stored(tmp_path / "vars.fd") == variables


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder, end",
    [("", "the report of the last run was sent"), ("sub/", "it answers 403")],
    ids=["taken", "refused"],
)
def test_nothing_is_tested_after_the_report(server, web, tmp_path, folder, end):
    """The server has a folder for reports at its root only."""
    for name in ("reports", "sub"):
        (server / name).mkdir()
    shutil.copy(server / "okram.efi", server / "sub")
    signed = samples.finished(key=KEY)
    samples.store(tmp_path / "vars.fd", {"OkramKey": KEY}, attributes=3)
    machine = by_uri(f"{web[0]}/{folder}okram.efi", tmp_path, "send=leave", variables=signed)
    outcome = run(machine, timeout=TIMEOUT_S, watcher=Said(GOES_ON))
    assert any(end in line for line in outcome.lines)
    assert not outcome.of_type("start")
    assert samples.stored(tmp_path / "vars.fd") == signed | {"OkramKey": KEY}
    assert len(list((server / "reports").iterdir())) == (not folder)


@pytest.mark.slow
def test_a_report_that_anybody_can_have_written_is_no_test(server, web, tmp_path):
    """It passed, says a report without this machine's signature."""
    (server / "reports").mkdir()
    forged = samples.finished(verdict=samples.PASS)
    samples.store(tmp_path / "vars.fd", {"OkramKey": KEY}, attributes=3)
    options = "send=leave tests=quick save=off"
    machine = by_uri(f"{web[0]}/okram.efi", tmp_path, options, variables=forged)
    outcome = run(machine, timeout=TIMEOUT_S)
    assert any("is not signed by okram on this machine" in line for line in outcome.lines)
    assert outcome.last("result")["status"] == "pass"
    assert len(list((server / "reports").iterdir())) == 1


@pytest.mark.slow
def test_grub_keeps_the_card(server):
    """GRUB has it open for itself: it stays connected, and okram starts."""
    start = boot(server, grub_of(server, "x86_64-efi", GRUB_CFG, GRUB_MODULES), uefi=True).last(
        "start"
    )
    assert start["boot"] == "uefi"
    assert start["cmdline"].split()[:2] == ["tests=quick", "patterns=7"]


def test_qemu_kernel():
    """Without a network: QEMU loads it."""
    extra = attach("linux", kernel=BUILD / "okram.lkrn", options=OPTIONS)
    machine = from_image("small", image=None, extra=extra, cmdline="bandwidth=off")
    check_options(follow(machine), "bios", "QEMU, Linux boot protocol")


def test_qemu_kernel_with_a_conf(tmp_path):
    """More than is read of it, in which a fault is not lost: the options are in the front."""
    conf = tmp_path / "okram.conf"
    conf.write_text("tests=quick\n" + "# comment\n" * 1000)
    extra = attach("linux", kernel=BUILD / "okram.lkrn", options="patterns=7")
    extra += attach("initrd", path=conf)
    outcome = follow(from_image("small", image=None, extra=extra, cmdline="bandwidth=off"))
    check_options(outcome, "bios", "QEMU, Linux boot protocol")
    warnings = outcome.last("machine")["warnings"]
    assert any(w.startswith("okram.conf or the boot command line is too long") for w in warnings)


def test_qemu_kernel_with_a_conf_in_utf_16(tmp_path):
    """As Windows' Notepad may save it, for those who start many machines from a Windows server."""
    conf = tmp_path / "okram.conf"
    conf.write_bytes("tests=quick\r\n# für mich\r\n".encode("utf-16"))
    extra = attach("linux", kernel=BUILD / "okram.lkrn", options="patterns=7")
    extra += attach("initrd", path=conf)
    outcome = follow(from_image("small", image=None, extra=extra, cmdline="bandwidth=off"))
    check_options(outcome, "bios", "QEMU, Linux boot protocol")


@pytest.mark.slow
def test_memdisk_hides_memory():
    """The image in memory is not tested, and a warning says so."""
    extra = attach("linux", kernel=BUILD / "loaders" / "memdisk", options="iso")
    extra += attach("initrd", path=IMAGE)
    cmdline = "bandwidth=off tests=mats+ range=32M-33M"
    outcome = follow(from_image("256M", image=None, extra=extra, cmdline=cmdline))
    said = re.compile(r"([\d.]+) MiB at (0x[0-9a-f]+) are held by memdisk's RAM disk")
    (found,) = filter(None, map(said.match, outcome.last("machine")["warnings"]))
    size, base = float(found[1]) * MIB, int(found[2], 16)
    assert IMAGE.stat().st_size <= size + MIB <= IMAGE.stat().st_size + 2 * MIB
    for node in outcome.of_type("node"):
        for begin, end in node["spans"]:
            assert int(end, 16) <= base or base + size <= int(begin, 16)


@pytest.mark.slow
def test_ipxe_by_bios(server):
    (server / "okram.conf").write_text("tests=quick\n")
    (server / "boot.ipxe").write_text(IPXE)
    check_options(boot(server, "boot.ipxe"), "bios", "iPXE, Linux boot protocol")


@pytest.mark.slow
def test_pxelinux(server):
    for name in ("pxelinux.0", "ldlinux.c32"):
        shutil.copy(BUILD / "loaders" / name, server)
    (server / "okram.conf").write_text("tests=quick\n")
    (server / "pxelinux.cfg").mkdir()
    (server / "pxelinux.cfg" / "default").write_text(PXELINUX)
    check_options(boot(server, "pxelinux.0"), "bios", "Syslinux, Linux boot protocol")


@pytest.mark.slow
@pytest.mark.parametrize("bits", ["", "16"], ids=["32", "16"])  # by the 32-bit protocol, the other
def test_grub_by_bios(server, bits):
    (server / "okram.conf").write_text("tests=quick\n")
    program = grub_of(server, "i386-pc-pxe", GRUB_PXE_CFG.format(bits), GRUB_PXE_MODULES)
    check_options(boot(server, program), "bios", "GRUB, Linux boot protocol")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["", "sub/"])
@pytest.mark.parametrize("name", CONFS)
def test_okram_0(server, name, folder):
    """Its options are from the server: of one machine, or of all."""
    (server / folder).mkdir(exist_ok=True)
    for image in ("okram.0", "okram.lkrn"):
        shutil.copy(BUILD / image, server / folder)
    write_confs(server / folder, name, f"{OPTIONS}\n")
    check_options(boot(server, f"{folder}okram.0"), "bios", "GRUB, Linux boot protocol")


@pytest.mark.slow
def test_okram_0_without_a_conf(server):
    """It starts the standard test."""
    shutil.copy(BUILD / "okram.0", server)
    start = boot(server, "okram.0", "tests=quick").last("start")
    assert start["cmdline"].split()[0] == "serial=jsonl"  # the first of QEMU's own


@pytest.mark.slow
def test_ipxe_by_uefi(server):
    """iPXE of QEMU's card, as an option ROM: its commands bring okram.conf, and options."""
    (server / "okram.conf").write_text(CONF)
    (server / "boot.ipxe").write_text(IPXE_UEFI)
    rom = "romfile=/usr/lib/ipxe/qemu/efi-virtio.rom"
    netdev = f"user,id=net,tftp={server},bootfile=boot.ipxe,ipv6=off"
    extra = attach("boot-card", network=netdev, options=f"bootindex=0,{rom}")
    cmdline = "bandwidth=off"
    machine = from_image("uefi-256M", image=None, extra=extra, cmdline=cmdline)
    outcome = follow(machine)
    check_conf(outcome)
    assert "patterns=7" in outcome.last("start")["cmdline"]
