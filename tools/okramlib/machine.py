# SPDX-License-Identifier: MIT
"""The emulated machine: its settings, and QEMU's command line for them."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path

from . import BUILD, Trouble
from .layout import RamLayout
from .spec import Fault, check_apart
from .units import GIB, MIB

QEMU = "qemu-system-x86_64"
PLUGIN = BUILD / "plugin" / "faultram.so"
IMAGE = BUILD / "okram.iso"
KERNEL = BUILD / "okram.lkrn"

# Of iso/grub.cfg, and its replacement where no user is present.
MENU_WAITS = b"\nset timeout=3\n"
MENU_AT_ONCE = b"\nset timeout=0\n"

_OVMF = Path("/usr/share/OVMF")
OVMF_CODE = _OVMF / "OVMF_CODE_4M.fd"
OVMF_SMM_CODE = _OVMF / "OVMF_CODE_4M.secboot.fd"
OVMF_VARS = _OVMF / "OVMF_VARS_4M.fd"
OVMF32_CODE = _OVMF / "OVMF32_CODE_4M.secboot.fd"
OVMF32_VARS = _OVMF / "OVMF32_VARS_4M.fd"

# The board without PCI: its drive is another, and it has no screen.
_MICROVM = "microvm"

NODES_MAX = 64
CPUS_MAX = 255
CPUS_MAX_X2APIC = 1024
_REMOTE_DISTANCE = 20  # as ACPI SLIT counts; local is 10


@dataclass
class Machine:
    board: str = "q35"  # QEMU's machine, with its properties
    uefi: bool = False
    uefi32: bool = False  # of 32 bits
    smm: bool = False  # UEFI keeps its variables in system management mode
    firmware: Path | None = None  # instead of QEMU's BIOS, or of OVMF_CODE
    memory: int = 512 * MIB
    sparse: bool = False  # more than the host has: only what the guest touches costs
    cpus: int = 2
    x2apic: bool = False  # more CPUs, with APIC IDs beyond 254; from QEMU 9 on
    qemu: str | Path = QEMU
    nodes: int = 1
    node_memory: list[int] = field(default_factory=list)  # of each; 0: none; empty: equal shares
    node_cpus: list[int] = field(default_factory=list)  # of each; empty: equal shares
    distances: dict[tuple[int, int], int] = field(default_factory=dict)  # (from, to), else 20
    cmdline: str = ""  # okram's options
    faults: list[Fault] = field(default_factory=list)
    witness: int | None = None  # address of a good byte whose stores the plugin counts
    mirrors: dict[int, int] = field(
        default_factory=dict
    )  # a node: the node whose memory it repeats
    kernel: Path | None = None  # that QEMU itself starts, without the image
    image: Path | None = IMAGE  # None: nothing to boot from but what `extra` has
    menu: bool = False  # GRUB's or the loader's menu waits for a user, as on a PC
    usb: bool = False  # the image is a stick on xHCI, not a CD
    writable: bool = False  # the stick can be written to
    usb_keyboard: bool = False  # behind a hub on xHCI, and no other
    vars: Path | None = None  # keeps OVMF's variables; None: they start afresh
    serial: bool = True
    display: bool = False
    debug: bool = False
    stays_on: bool = False  # after okram's exit, to be looked at
    cpu: str = "max"  # QEMU's model and features
    extra: list[str] = field(default_factory=list)  # more of QEMU's arguments

    @property
    def layout(self):
        return RamLayout(self.memory, self.nodes, tuple(self.node_memory))

    @property
    def firmware_files(self):
        """UEFI's code, and an empty store of its variables."""
        if self.uefi32:
            code, variables = OVMF32_CODE, OVMF32_VARS
        else:
            code, variables = OVMF_SMM_CODE if self.smm else OVMF_CODE, OVMF_VARS
        return self.firmware or code, variables

    @property
    def board_name(self):
        return self.board.partition(",")[0]

    @property
    def has_plugin(self):
        return bool(self.faults) or self.witness is not None

    @property
    def slow(self):
        """With the plugin, hundreds of CPUs, or SMM; 32-bit OVMF waits long for a TPM."""
        return self.has_plugin or self.x2apic or self.smm or self.uefi32

    def check(self):
        """Trouble if there can be no such machine."""
        if self.memory < MIB or self.memory % MIB:
            raise Trouble("--memory must be whole MiB, at least 1M.")
        cpus_max = CPUS_MAX_X2APIC if self.x2apic else CPUS_MAX
        if not 1 <= self.cpus <= cpus_max:
            raise Trouble(f"--cpus must be 1-{cpus_max}.")
        if not 1 <= self.nodes <= NODES_MAX or self.memory // self.nodes < MIB:
            raise Trouble(f"--nodes must be 1-{NODES_MAX}, with at least 1 MiB for each node.")
        if self.uefi32 and not self.uefi:
            raise Trouble("32-bit firmware is UEFI here.")
        if self.memory > 2 * GIB and self.board_name != "q35":
            raise Trouble("with more than 2 GiB only the layout of q35's RAM is known.")
        if self.vars and not self.uefi:
            raise Trouble("--vars needs --uefi: a BIOS has no variables.")
        self._check_nodes()
        for fault in self.faults:
            for cell in fault.cells:
                self.layout.offset(cell.addr)
        check_apart(self.faults)

    def _check_nodes(self):
        sizes, cpus = self.node_memory, self.node_cpus
        if sizes and (len(sizes) != self.nodes or sum(sizes) != self.memory):
            raise Trouble("--node-memory must give each node's share of the memory.")
        if any(size < 0 or size % MIB for size in sizes):
            raise Trouble("--node-memory must be whole MiB.")
        if cpus and (len(cpus) != self.nodes or sum(cpus) != self.cpus or min(cpus) < 0):
            raise Trouble("--node-cpus must give each node's number of the CPUs.")
        if self.faults and not all(self.layout.node_sizes):
            raise Trouble("--fault needs memory on every node.")


@dataclass
class Files:
    """What a machine needs in the file system while it runs."""

    image: Path | None = None  # instead of the machine's
    vars: Path | None = None  # OVMF's variables, for UEFI
    ram: list[Path] = field(default_factory=list)  # one a node, for faults
    plugin_config: Path | None = None
    witness: Path | None = None  # where the plugin counts
    plugin_monitor: Path | None = None  # sockets: where the plugin reports reads that ECC corrects,
    plugin_qmp: Path | None = None  # and QEMU's for the machine checks
    exit_code: Path | None = None  # that okram writes, if the machine stays on


def command(machine, files, qmp_fd):
    """QEMU's command line. The machine has only the devices that okram needs.

    QMP is spoken over the inherited socket qmp_fd, COM1 is QEMU's standard input and output.
    """
    line = [str(machine.qemu), "-nodefaults", "-no-user-config", "-no-reboot"]
    line += ["-machine", machine.board, "-accel", "tcg,thread=multi", "-cpu", machine.cpu]
    line += ["-m", f"{machine.memory // MIB}M"]
    line += _topology(machine) + _memory(machine, files) + _firmware(machine, files)
    if machine.x2apic:  # QEMU wants interrupt remapping for such IDs, with all 32 bits of them
        line += ["-machine", "kernel-irqchip=off", "-device", "intel-iommu,intremap=on,eim=on"]
    line += _usb(machine) + _boot_device(machine, files.image or machine.image)
    line += [] if machine.board_name == _MICROVM else ["-vga", "std"]
    line += ["-display", "gtk" if machine.display else "none"]
    line += ["-chardev", "stdio,id=com1,signal=off"] if machine.serial else []
    line += ["-serial", "chardev:com1" if machine.serial else "none"]
    line += ["-chardev", f"socket,id=qmp,fd={qmp_fd}", "-mon", "chardev=qmp,mode=control"]
    line += _exit_port(files)
    if options := _options(machine):  # QEMU takes no empty string
        line += ["-fw_cfg", f"name=opt/okram/cmdline,string={_quote(options)}"]
    line += ["-gdb", "tcp:localhost:1234", "-S"] if machine.debug else []
    if files.plugin_config:
        line += ["-plugin", f"{_quote(PLUGIN)},config={_quote(files.plugin_config)}"]
    if files.plugin_monitor:
        line[-1] += f",monitor={_quote(files.plugin_monitor)}"
        path = _quote(files.plugin_qmp)
        line += ["-chardev", f"socket,id=corrected,path={path},server=on,wait=off"]
        line += ["-mon", "chardev=corrected,mode=control"]
    return line + machine.extra


def _options(machine):
    """okram's: where no user is present, the UEFI loader shows no menu."""
    at_once = ["menu=0"] if machine.uefi and not machine.menu else []
    return " ".join([*at_once, machine.cmdline]).strip()


def _quote(value):
    """A comma is doubled in QEMU's option lists."""
    return str(value).replace(",", ",,")


def _exit_port(files):
    if not files.exit_code:
        return ["-device", "isa-debug-exit,iobase=0xf4,iosize=0x04"]
    return [
        *("-chardev", f"file,id=exit,path={_quote(files.exit_code)}"),
        *("-device", "isa-debugcon,iobase=0xf4,chardev=exit"),
    ]


def _topology(machine):
    """A socket for each node with CPUs, where they have equally many."""
    counts = [len(cpus) for cpus in _cpus_of_nodes(machine) if cpus]
    if len(set(counts)) == 1:
        sockets, cores = len(counts), counts[0]
    else:
        sockets, cores = 1, machine.cpus
    return ["-smp", f"{machine.cpus},sockets={sockets},cores={cores},threads=1"]


def _memory(machine, files):
    """Faults need memory that the plugin can map."""
    line = []
    sizes = machine.layout.node_sizes
    for node, size in enumerate(sizes):
        if not size:
            continue
        if files.ram:
            place = f"memory-backend-file,mem-path={_quote(files.ram[node])},share=on"
        else:
            place = "memory-backend-ram,reserve=off" if machine.sparse else "memory-backend-ram"
        line += ["-object", f"{place},id=ram{node},size={size // MIB}M"]
    if machine.nodes == 1:
        return line + ["-machine", "memory-backend=ram0"]
    for node, cpus in enumerate(_cpus_of_nodes(machine)):
        memory = f",memdev=ram{node}" if sizes[node] else ""
        at = f",cpus={cpus[0]}-{cpus[-1]}" if cpus else ""
        line += ["-numa", f"node,nodeid={node}{memory}{at}"]
    return line + _distances(machine)


def _distances(machine):
    """One way where both are the same, as QEMU has it."""
    line = []
    for a in range(machine.nodes):
        for b in range(a + 1, machine.nodes):
            there = machine.distances.get((a, b), _REMOTE_DISTANCE)
            back = machine.distances.get((b, a), there)
            line += ["-numa", f"dist,src={a},dst={b},val={there}"]
            line += ["-numa", f"dist,src={b},dst={a},val={back}"] if back != there else []
    return line


def _cpus_of_nodes(machine):
    if machine.node_cpus:
        edges = [0, *itertools.accumulate(machine.node_cpus)]
    else:
        edges = [node * machine.cpus // machine.nodes for node in range(machine.nodes + 1)]
    return [range(first, last) for first, last in zip(edges, edges[1:])]


def _firmware(machine, files):
    if not machine.uefi:
        return ["-bios", str(machine.firmware)] if machine.firmware else []
    code, _ = machine.firmware_files
    line = ["-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={_quote(code)}"]
    line += ["-drive", f"if=pflash,unit=1,format=raw,file={_quote(files.vars)}"]
    if machine.smm or machine.uefi32:  # Debian builds the 32-bit one with SMM only
        line += ["-machine", "smm=on"]
        line += ["-global", "driver=cfi.pflash01,property=secure,value=on"]
    return line


def _usb(machine):
    line = ["-device", "qemu-xhci,id=xhci"] if machine.usb or machine.usb_keyboard else []
    if machine.usb_keyboard:
        line += ["-machine", "i8042=off"]
        line += ["-device", "usb-hub,bus=xhci.0,port=1"]
        line += ["-device", "usb-kbd,bus=xhci.0,port=1.1"]
    return line


def _boot_device(machine, image):
    if machine.kernel:
        return ["-kernel", str(machine.kernel)]
    if not image:
        return []
    readonly = "off" if machine.writable else "on"
    drive = f"if=none,id=okram,format=raw,readonly={readonly},file={_quote(image)}"
    if machine.usb:
        stick = "usb-storage,bus=xhci.0,drive=okram,bootindex=0"
        return ["-drive", drive, "-device", stick]
    if machine.board_name == _MICROVM:
        return ["-drive", drive, "-device", "virtio-blk-device,drive=okram"]
    return ["-drive", f"{drive},media=cdrom", "-device", "ide-cd,drive=okram,bootindex=0"]
