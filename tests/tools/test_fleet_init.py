# SPDX-License-Identifier: MIT
"""`okram fleet init`: the files, what is refused, and what the servers say of the files."""

import re
import shutil
import subprocess

import pytest

from okramlib import BUILD
from okramlib.fleet import init
from tools.command import okram

OLD = b"\0iPXE 1.0.0+git-20190125.36a4c85-5.1\0"
NEW = b"\0iPXE 1.21.1+git20250501.dad20602+dfsg-1\0"


@pytest.fixture
def ipxe(tmp_path):
    path = tmp_path / "snponly.efi"
    path.write_bytes(NEW)
    return path


def made(tmp_path, ipxe, *options):
    ran = okram("fleet", "init", str(tmp_path / "server"), "--ipxe", str(ipxe), *options)
    assert ran.returncode == 0, ran.stderr
    return tmp_path / "server", ran


def test_the_folder(tmp_path, ipxe):
    folder, ran = made(tmp_path, ipxe)
    assert ran.stderr == "" and "README.md says what to do next" in ran.stdout
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert files == {*init.FILES, *init.IMAGES, "tftp/ipxe.efi", "www/ipxe.efi"}
    for name, image in init.IMAGES.items():
        path = folder / name
        assert path.read_bytes() == (BUILD / image).read_bytes() and path.stat().st_nlink == 1
    assert all((folder / name).is_dir() for name in init.FOLDERS)
    text = "".join((folder / name).read_text() for name in init.FILES)
    assert "{{" not in text and "{%" not in text and str(folder) in text
    addresses = set(re.findall(r"\d+\.\d+\.\d+\.\d+", text))
    assert addresses == {"127.0.0.1", "192.0.2.100", "192.0.2.200"}


def test_all_that_can_be_chosen(tmp_path, ipxe):
    chosen = ["--address", "192.0.2.1", "--interface", "eth1", "--http", "80", "--console", "4000"]
    chosen += ["--range", "192.0.2.10,192.0.2.99", "--bmc", "bmc-7", "--bmc", "bmc-8"]
    folder, _ = made(tmp_path, ipxe, *chosen, "--options", "tests=quick passes=2")
    read = {name: (folder / name).read_text() for name in init.FILES}
    assert "listen 192.0.2.1:80;" in read["nginx.conf"]
    assert "\ninterface=eth1\n" in read["dnsmasq.conf"]
    assert "\ndhcp-range=192.0.2.10,192.0.2.99,1h\n" in read["dnsmasq.conf"]
    assert "primaryport 4000;" in read["conserver.cf"]
    assert re.findall(r"^console (\S+)", read["conserver.cf"], re.MULTILINE) == ["bmc-7", "bmc-8"]
    assert "set options tests=quick passes=2 serial=jsonl\n" in read["www/boot.ipxe"]
    assert "\ntests=quick passes=2 serial=jsonl exit=wait\n" in read["tftp/okram.conf"]
    assert "--send http://192.0.2.1:80/reports/ " in read["okram-report.service"]


def test_next_to_another_dhcp_server(tmp_path, ipxe):
    folder, _ = made(tmp_path, ipxe, "--address", "192.0.2.1", "--interface", "eth1", "--proxy")
    text = (folder / "dnsmasq.conf").read_text()
    assert re.findall(r"^dhcp-range=.*", text, re.MULTILINE) == ["dhcp-range=192.0.2.1,proxy"]
    assert "dnsmasq gives no addresses" in (folder / "README.md").read_text()


def test_an_address_of_ipv6(tmp_path, ipxe):
    folder, _ = made(tmp_path, ipxe, "--address", "fd00::1")
    assert "listen [fd00::1]:8080;" in (folder / "nginx.conf").read_text()
    assert "set server http://[fd00::1]:8080\n" in (folder / "www/boot.ipxe").read_text()


@pytest.mark.parametrize("name", ["README.md", "www/okram.efi", "tftp/ipxe.efi"])
def test_nothing_is_overwritten(tmp_path, ipxe, name):
    folder = tmp_path / "server"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("mine")
    (folder / "other").write_text("mine, too")
    ran = okram("fleet", "init", str(folder), "--ipxe", str(ipxe))
    assert ran.returncode == 2 and f"has {name} already" in ran.stderr
    assert {p.name for p in folder.rglob("*") if p.is_file()} == {(folder / name).name, "other"}
    assert (folder / name).read_text() == "mine"


def test_a_folder_with_other_files(tmp_path, ipxe):
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "other").write_text("mine")
    folder, _ = made(tmp_path, ipxe)
    assert (folder / "other").read_text() == "mine"
    ran = okram("fleet", "init", str(folder), "--ipxe", str(ipxe))
    assert ran.returncode == 2 and " more already; nothing is overwritten" in ran.stderr


def test_an_ipxe_that_cannot(tmp_path, ipxe):
    ipxe.write_bytes(OLD)
    _, ran = made(tmp_path, ipxe)
    assert "this iPXE cannot read UEFI variables" in ran.stderr and ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options, why",
    [
        (["--address", "server"], "server is not an IP address"),
        (["--interface", "eth 1"], "eth 1 is not the name of a network card"),
        (["--http", "0"], "0 is not a port"),
        (["--console", "65536"], "65536 is not a port"),
        (["--range", "192.0.2.9,192.0.2.1"], "two IPv4 addresses"),
        (["--range", "192.0.2.9"], "two IPv4 addresses"),
        (["--range", "fd00::1,fd00::2"], "two IPv4 addresses"),
        (["--proxy"], "--proxy needs --address"),
        (["--proxy", "--address", "fd00::1"], "--proxy needs --address"),
        (
            ["--proxy", "--address", "192.0.2.1", "--range", "192.0.2.9,192.0.2.10"],
            "--proxy gives no addresses",
        ),
        (["--bmc", "a;b"], "a;b is not the name of a host"),
        (["--options", "tests=quick\nreboot"], "are not okram's options"),
        (["--options", "tests=quick && reboot"], "are not okram's options"),
        (["--options", "${net0/mac}"], "are not okram's options"),
        (["--ipxe", "/nowhere"], "/nowhere is not a file"),
    ],
)
def test_what_is_refused(tmp_path, options, why):
    ran = okram("fleet", "init", str(tmp_path / "server"), *options)
    assert ran.returncode == 2 and ran.stdout == "" and why in ran.stderr
    assert not (tmp_path / "server").exists()


@pytest.mark.parametrize("name", ["a b", 'a"b', "a;b", "a,b", "a{b"])
def test_names_of_folders(tmp_path, name):
    ran = okram("fleet", "init", str(tmp_path / name))
    assert ran.returncode == 2 and "in the folder's name" in ran.stderr


COMMANDS = {
    "nginx": "nginx -p {0} -c nginx.conf -t",
    "dnsmasq": "dnsmasq --conf-file={0}/dnsmasq.conf --test",
    "conserver": "conserver -C {0}/conserver.cf -M 127.0.0.1 -S",
    "systemd-analyze": "systemd-analyze verify --man=no {0}/okram-report.service"
    " {0}/systemd/okram-web.service {0}/systemd/okram-dhcp.service"
    " {0}/systemd/okram-consoles.service",
}


@pytest.mark.slow  # tools/setup network installs them
@pytest.mark.parametrize("program", COMMANDS)
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--range", "192.0.2.10,192.0.2.99", "--bmc", "bmc-7", "--interface", "eth1"],
        ["--proxy", "--address", "192.0.2.1", "--bmc", "bmc-7", "--interface", "eth1"],
    ],
)
def test_the_servers_take_them(tmp_path, ipxe, program, options):
    if program == "systemd-analyze" and not shutil.which(program):
        pytest.skip("there is no systemd")
    if program == "nginx" and "--proxy" in options:
        pytest.skip("nginx wants an address that this computer has")
    if program == "conserver" and not options:
        pytest.skip("conserver wants a console")
    folder, _ = made(tmp_path, ipxe, *options)
    unit = folder / "okram-report.service"
    unit.write_text(unit.read_text().replace("/usr/local/bin/okram", "/bin/true"))
    conf = folder / "nginx.conf"
    conf.write_text(conf.read_text().replace("/run/okram-web/", "tmp/"))
    command = COMMANDS[program].format(folder).split()
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "warn" not in ran.stderr.lower()
