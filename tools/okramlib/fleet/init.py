# SPDX-License-Identifier: MIT
"""`okram fleet init`: the configuration of a server that machines are tested from."""

import argparse
import ipaddress
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from .. import BUILD, EXIT_PASS, IS_INSTALLED, ROOT, Trouble, environment, saved

# What each file is made of; those in the second part are of okram's build.
FILES = {
    "README.md": "README.md",
    "nginx.conf": "nginx.conf",
    "dnsmasq.conf": "dnsmasq.conf",
    "conserver.cf": "conserver.cf",
    "okram-report.service": "okram-report.service",
    "systemd/okram-web.service": "okram-web.service",
    "systemd/okram-dhcp.service": "okram-dhcp.service",
    "systemd/okram-consoles.service": "okram-consoles.service",
    "systemd/okram.sysusers": "okram.sysusers",
    "systemd/okram.tmpfiles": "okram.tmpfiles",
    "www/boot.ipxe": "boot.ipxe",
    "tftp/okram.conf": "okram.conf",
}
IMAGES = {
    "www/okram.efi": "okram.efi",
    "www/okram.lkrn": "okram.lkrn",
    "tftp/okram.lkrn": "okram.lkrn",
    "tftp/okram.0": "okram.0",
}
FOLDERS = ("consoles", "dhcp", "log", "put", "reports", "systemd", "tftp", "tmp", "www/machine")

# Debian's package ipxe. The name in the folder is that in dnsmasq.conf.
_IPXE = [Path("/usr/lib/ipxe/snponly.efi"), Path("/usr/lib/ipxe/ipxe.efi"), Path("/boot/ipxe.efi")]
_IPXE_NAMES = ("tftp/ipxe.efi", "www/ipxe.efi")
_IPXE_BUILT = re.compile(rb"1\.\d+\.\d+\+git-?(\d{8})")
_IPXE_READS_VARIABLES = b"20231115"  # iPXE's src/interface/efi/efi_settings.c

TEMPLATES = Path(__file__).parent / "templates"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,62}")
_INTERFACE = re.compile(r"[A-Za-z0-9_.-]{1,15}")
_OPTIONS = re.compile(r"[!-~]+( [!-~]+)*")
_PATH_HAS_NOT = re.compile(r"[\s\"'\\;{}#$,&]")  # what the servers' files would have to quote

_EPILOG = """\
The files are explained by comments in them, and README.md says how to start the servers. They
listen on the loopback interface unless --address and --interface say otherwise. No file is
overwritten. okram's images, and iPXE if it is installed, are copied.
"""


@dataclass(frozen=True)
class Server:
    """What the templates say."""

    folder: Path
    address: str
    interface: str
    http: int
    console: int
    range: tuple | None  # of addresses that DHCP gives
    is_proxy: bool  # another server gives the addresses
    bmcs: list
    options: str  # okram's
    has_ipxe: bool

    @property
    def url(self):
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{host}:{self.http}"

    @property
    def command(self):
        """Where okram is installed."""
        return str(ROOT.parents[1] / "bin" / "okram") if IS_INSTALLED else "/usr/local/bin/okram"


def add_parser(subcommands):
    parser = subcommands.add_parser(
        "init",
        help="write the configuration of a server into a folder",
        description="Writes configurations of nginx, iPXE, dnsmasq and conserver into a folder.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help="the folder; it is made")
    add("--address", default="127.0.0.1", help="of the server, where machines find it (127.0.0.1)")
    add("--interface", default="lo", metavar="NAME", help="the network card for DHCP (lo)")
    add("--http", type=int, default=8080, metavar="PORT", help="of nginx (8080)")
    add("--console", type=int, default=3109, metavar="PORT", help="of conserver (3109)")
    add("--range", metavar="FIRST,LAST", help="addresses for DHCP to give; without, it gives none")
    add(
        "--proxy",
        action="store_true",
        help="another DHCP server gives the addresses: this one only says what is started by PXE",
    )
    add(
        "--bmc",
        action="append",
        default=[],
        metavar="NAME",
        help="host name of a machine's management controller, whose console is kept; may be"
        " repeated",
    )
    add("--options", default="tests=standard", metavar="WORDS", help="okram's (tests=standard)")
    add("--ipxe", type=Path, metavar="FILE", help="iPXE's program for UEFI, such as snponly.efi")
    parser.set_defaults(do=_init)


def _init(arguments):
    environment.need_modules()
    ipxe = _ipxe(arguments.ipxe)
    server = _server(arguments, ipxe is not None)
    sources = {name: BUILD / image for name, image in IMAGES.items()}
    environment.need_built(*sources.values())
    sources |= dict.fromkeys(_IPXE_NAMES, ipxe) if ipxe else {}
    texts = {name: render(template, server) for name, template in FILES.items()}
    _must_be_free(server.folder, [*texts, *sources])
    try:
        _write(server.folder, texts, sources)
    except OSError as error:
        raise Trouble(f"{error.filename} cannot be written: {error.strerror}.") from None
    if not ipxe:
        names = " and ".join(_IPXE_NAMES)
        print(
            f"okram: no iPXE for UEFI was found: put one at {names}, or name it by --ipxe.",
            file=sys.stderr,
        )
    elif problem := ipxe_problem(ipxe):
        print(f"okram: {ipxe}: {problem}", file=sys.stderr)
    print(f"{server.folder} is written: {server.folder / 'README.md'} says what to do next.")
    return EXIT_PASS


def render(template, server):
    import jinja2

    loader = jinja2.FileSystemLoader(TEMPLATES)
    made = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # no HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return made.get_template(f"{template}.j2").render(
        server=server,
        folder=server.folder,
        parts=[f"{n:02X}" for n in range(saved.PARTS_MAX)],
        part_bytes=saved.VARIABLE_MAX,
        is_done=b'{"type":"saved","version":1,"state":"done",'.hex(),
        is_unfinished=b'{"type":"saved","version":1,"state":"'.hex(),
        variable=f"{saved.NAME}00-{saved.VENDOR}",
    )


def _server(arguments, has_ipxe):
    """What was asked for. Trouble if it cannot be."""
    folder = arguments.folder.absolute()
    if found := _PATH_HAS_NOT.search(str(folder)):
        raise Trouble(f"{folder}: the servers' files take no {found[0]!r} in the folder's name.")
    for port in (arguments.http, arguments.console):
        if not 1 <= port <= 65535:
            raise Trouble(f"{port} is not a port: 1-65535.")
    if not _INTERFACE.fullmatch(arguments.interface):
        raise Trouble(f"{arguments.interface} is not the name of a network card.")
    for name in arguments.bmc:
        if not _NAME.fullmatch(name):
            raise Trouble(f"{name} is not the name of a host.")
    if not _OPTIONS.fullmatch(arguments.options) or set("\"'$\\{}|&") & set(arguments.options):
        raise Trouble(
            f"{arguments.options!r} are not okram's options, or need a file of their own."
        )
    if arguments.proxy and arguments.range:
        raise Trouble("--proxy gives no addresses: --range is for a network without a DHCP server.")
    address = _address(arguments.address)
    if arguments.proxy and (address.version != 4 or address.is_loopback):
        raise Trouble("--proxy needs --address, of IPv4: the server's in the machines' network.")
    return Server(
        folder=folder,
        address=str(address),
        interface=arguments.interface,
        http=arguments.http,
        console=arguments.console,
        range=_range(arguments.range),
        is_proxy=arguments.proxy,
        bmcs=arguments.bmc,
        options=arguments.options,
        has_ipxe=has_ipxe,
    )


def _address(text):
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise Trouble(f"{text} is not an IP address.") from None


def _range(text):
    if text is None:
        return None
    addresses = [_address(part) for part in text.split(",")]
    if len(addresses) != 2 or any(a.version != 4 for a in addresses) or addresses[0] > addresses[1]:
        raise Trouble(f"--range {text}: two IPv4 addresses are needed, the lower one first.")
    return tuple(map(str, addresses))


def _ipxe(named):
    """The program to use; None: there is none here."""
    if named:
        if not named.is_file():
            raise Trouble(f"{named} is not a file.")
        return named
    return next((path for path in _IPXE if path.is_file()), None)


def ipxe_problem(path):
    """Why that iPXE does not send reports, as far as its version tells; "": it does."""
    built = _IPXE_BUILT.search(path.read_bytes())
    if built and built[1] < _IPXE_READS_VARIABLES:
        return (
            "this iPXE cannot read UEFI variables. Reports do not arrive by it, and machines wait"
            " after their test. Debian 13's can."
        )
    return ""


def _must_be_free(folder, names):
    there = [name for name in names if os.path.lexists(folder / name)]
    if there:
        more = f", and {len(there) - 3} more" if len(there) > 3 else ""
        raise Trouble(
            f"{folder} has {', '.join(there[:3])}{more} already; nothing is overwritten, and"
            " nothing was written."
        )


def _write(folder, texts, sources):
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with open(folder / name, "x") as file:
            file.write(text)
    for name, source in sources.items():  # not links: who gives the folder away keeps the images
        with open(source, "rb") as image, open(folder / name, "xb") as file:
            shutil.copyfileobj(image, file)
