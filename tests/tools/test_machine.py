# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest

from okramlib import ROOT, Trouble, spec
from okramlib.machine import MENU_AT_ONCE, MENU_WAITS, Files, Machine, command
from okramlib.qemu import plugin_config
from okramlib.units import GIB, MIB


def options(machine, files=None):
    """(option, value) pairs of the command line."""
    arguments = command(machine, files or Files(), qmp_fd=5)[1:]
    pairs, i = [], 0
    while i < len(arguments):
        takes = i + 1 < len(arguments) and not arguments[i + 1].startswith("-")
        pairs.append((arguments[i], arguments[i + 1] if takes else None))
        i += 2 if takes else 1
    return pairs


def values(machine, option, files=None):
    return [value for name, value in options(machine, files) if name == option]


def test_more_cpus_than_xapic_reaches():
    with pytest.raises(Trouble, match="--cpus must be 1-255"):
        Machine(cpus=288).check()
    machine = Machine(cpus=288, x2apic=True, qemu="/a/newer/qemu")
    machine.check()
    assert command(machine, Files(), qmp_fd=5)[0] == "/a/newer/qemu"
    assert any("eim=on" in device for device in values(machine, "-device"))


@pytest.mark.parametrize("sparse", [False, True])
def test_memory_that_the_host_has_not(sparse):
    (backend,) = values(Machine(memory=1024 * GIB, sparse=sparse), "-object")
    assert ("reserve=off" in backend) == sparse and "size=1048576M" in backend


def test_bios_from_cd():
    drives = values(Machine(), "-drive")
    assert len(drives) == 1 and "media=cdrom" in drives[0]
    assert any("ide-cd" in device for device in values(Machine(), "-device"))
    assert values(Machine(), "-plugin") == []


def test_uefi_from_stick():
    machine = Machine(uefi=True, usb=True)
    files = Files(vars=Path("/tmp/vars"))
    code, store, image = values(machine, "-drive", files)
    assert "if=pflash,unit=0" in code and "readonly=on" in code
    assert store.endswith("file=/tmp/vars")
    assert "cdrom" not in image
    assert any("usb-storage" in device for device in values(machine, "-device", files))


def test_32_bit_uefi():
    machine = Machine(uefi=True, uefi32=True)
    code, _, _ = values(machine, "-drive", Files(vars=Path("/tmp/vars")))
    assert "OVMF32_CODE" in code and "smm=on" in values(machine, "-machine")
    assert "smm=on" not in values(Machine(uefi=True), "-machine")
    with pytest.raises(Trouble, match="32-bit firmware is UEFI"):
        Machine(uefi32=True).check()


def test_another_board_and_firmware():
    machine = Machine(board="pc,i8042=off", firmware=Path("/x/bios,1"))
    assert values(machine, "-machine")[0] == "pc,i8042=off"
    assert values(machine, "-bios") == ["/x/bios,1"]
    code, *_ = values(Machine(uefi=True, firmware=Path("/x/code,1")), "-drive")
    assert "unit=0" in code and code.endswith("file=/x/code,,1")


def test_microvm_has_neither_ide_nor_vga():
    machine = Machine(board="microvm,acpi=on")
    assert values(machine, "-vga") == []
    assert "virtio-blk-device,drive=okram" in values(machine, "-device")


@pytest.mark.parametrize("board, known", [("q35,smm=on", True), ("pc", False)])
def test_more_than_2_gib_only_on_q35(board, known):
    Machine(board=board, memory=2 * GIB).check()
    if known:
        Machine(board=board, memory=3 * GIB).check()
        return
    with pytest.raises(Trouble, match="2 GiB"):
        Machine(board=board, memory=3 * GIB).check()


def test_another_image():
    (drive,) = values(Machine(), "-drive", Files(image=Path("/tmp/image")))
    assert "file=/tmp/image" in drive


def test_the_menu_that_need_not_wait_is_okrams():
    assert (ROOT / "iso" / "grub.cfg").read_bytes().count(MENU_WAITS) == 1
    assert len(MENU_WAITS) == len(MENU_AT_ONCE)


def test_commas_are_doubled():
    machine = Machine(cmdline="march={any(w0);up(r0,w1)} tests=a,b")
    (item,) = values(machine, "-fw_cfg")
    assert item.endswith("string=march={any(w0);up(r0,,w1)} tests=a,,b")


def test_without_a_user_the_loaders_menu_is_off():
    (item,) = values(Machine(uefi=True, cmdline="tests=quick"), "-fw_cfg")
    assert item.endswith("string=menu=0 tests=quick")
    (item,) = values(Machine(uefi=True, menu=True, cmdline="tests=quick"), "-fw_cfg")
    assert item.endswith("string=tests=quick")


def test_no_options_are_no_item():
    assert values(Machine(), "-fw_cfg") == []


def test_nodes_share_evenly():
    machine = Machine(memory=1 * GIB, cpus=4, nodes=2)
    assert "4,sockets=2,cores=2,threads=1" in values(machine, "-smp")
    assert values(machine, "-numa") == [
        "node,nodeid=0,memdev=ram0,cpus=0-1",
        "node,nodeid=1,memdev=ram1,cpus=2-3",
        "dist,src=0,dst=1,val=20",
    ]
    assert all(value.endswith("size=512M") for value in values(machine, "-object"))


def test_nodes_without_cpus():
    numa = values(Machine(cpus=1, nodes=2), "-numa")
    assert sum("cpus=" in value for value in numa) == 1


def test_nodes_as_given():
    machine = Machine(
        memory=512 * MIB,
        cpus=4,
        nodes=3,
        node_memory=[256 * MIB, 0, 256 * MIB],
        node_cpus=[2, 2, 0],
        distances={(0, 2): 17, (1, 2): 30, (2, 1): 28},
    )
    machine.check()
    assert "4,sockets=2,cores=2,threads=1" in values(machine, "-smp")
    assert values(machine, "-numa") == [
        "node,nodeid=0,memdev=ram0,cpus=0-1",
        "node,nodeid=1,cpus=2-3",
        "node,nodeid=2,memdev=ram2",
        "dist,src=0,dst=1,val=20",
        "dist,src=0,dst=2,val=17",
        "dist,src=1,dst=2,val=30",
        "dist,src=2,dst=1,val=28",
    ]
    memory = [value for value in values(machine, "-object") if "id=ram" in value]
    assert len(memory) == 2 and all(value.endswith("size=256M") for value in memory)


def test_unequal_nodes_are_one_socket():
    machine = Machine(cpus=3, nodes=2, node_cpus=[2, 1])
    assert "3,sockets=1,cores=3,threads=1" in values(machine, "-smp")


def test_serial_port_is_left_out():
    assert values(Machine(serial=False), "-serial") == ["none"]


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"memory": 0}, "--memory"),
        ({"memory": MIB + 1}, "--memory"),
        ({"cpus": 0}, "--cpus"),
        ({"cpus": 256}, "--cpus"),
        ({"nodes": 0}, "--nodes"),
        ({"nodes": 65, "memory": GIB}, "--nodes"),
        ({"nodes": 4, "memory": 3 * MIB}, "--nodes"),
        ({"nodes": 2, "node_memory": [512 * MIB]}, "--node-memory"),
        ({"nodes": 2, "node_memory": [256 * MIB, 255 * MIB]}, "--node-memory"),
        ({"nodes": 2, "node_memory": [512 * MIB + 1, -1]}, "--node-memory must be whole MiB"),
        ({"nodes": 2, "node_cpus": [2]}, "--node-cpus"),
        ({"nodes": 2, "node_cpus": [2, 1]}, "--node-cpus"),
        ({"nodes": 2, "node_cpus": [3, -1]}, "--node-cpus"),
        (
            {"nodes": 2, "node_memory": [512 * MIB, 0], "faults": spec.parse("stuck0@0.0")},
            "--fault needs",
        ),
        ({"faults": spec.parse("stuck0@512M.0")}, "0x20000000 is not in RAM"),
        ({"faults": spec.parse("set0@0.0>512M.0")}, "0x20000000 is not in RAM"),
    ],
)
def test_impossible(changes, why):
    with pytest.raises(Trouble, match=why):
        Machine(**changes).check()


def test_possible_at_the_edges():
    Machine(memory=MIB, cpus=255).check()
    Machine(memory=64 * MIB, nodes=64, cpus=1).check()
    Machine(faults=spec.parse("stuck0@0x1fffffff.7")).check()


def test_plugin_config():
    texts = (
        "stuck0@4G.7",
        "invert@0x10.1>0x20.2",
        "alias@0x1000>0x2000",
        "fade@0x30.3:0.5",
        "chip@0x5000.6:1000",
        "leak@0x48.3:0.5/011",
        "couple@0x10.1>0x20.2:fl/x/4G.3=1",
        "bridge@0x6000:3-40",
        "shifted-beats@0x7000.3:7",
        "one-cpu@0x50.2:1",
    )
    faults = [fault for text in texts for fault in spec.parse(text)]
    machine = Machine(memory=4 * GIB, nodes=2, faults=faults)
    config = plugin_config(machine, [Path("/dev/shm/a"), Path("/dev/shm/b")], (7, 2))
    assert config.splitlines() == [
        "file /dev/shm/a",
        "file /dev/shm/b",
        "window 0x0 0x0 0x80000000",
        "window 0x100000000 0x80000000 0x80000000",
        "devices 0x80000000 0x80000000",
        "devices 0xffff800080000000 0x80000000",
        "stuck0 0x80000000 7",
        "invert 0x10 1 0x20 2",
        "alias 0x1000 0x2000",
        "fade 0x30 3 500000000",
        "chip 0x5000 6 1000",
        "leak 0x48 3 500000000 0 1 1",
        "couple 0x10 1 0x20 2 10 2 0x80000000 3 1",
        "bridge 0x6000 3 40",
        "shifted-beats 0x7000 3 7",
        "one-cpu 0x50 2 1",
    ]


def test_stores_before_the_run():
    machine = Machine(memory=64 * MIB, faults=spec.parse("lapse@0x10.1:7/6"))
    assert plugin_config(machine, [], (7, 2)).splitlines()[-1] == "lapse 0x10 1 7 6"


def test_a_witness_alone_needs_the_plugin():
    machine = Machine(memory=64 * MIB, witness=0x1234)
    assert machine.has_plugin
    config = plugin_config(machine, [Path("/dev/shm/a")], (7, 2), Path("/tmp/with a space"))
    assert config.splitlines()[-1] == "witness 0x1234 /tmp/with a space"


def test_usb_keyboard_is_the_only_one_and_behind_a_hub():
    machine = Machine(usb_keyboard=True)
    assert "i8042=off" in values(machine, "-machine")
    assert values(machine, "-device")[:3] == [
        "qemu-xhci,id=xhci",
        "usb-hub,bus=xhci.0,port=1",
        "usb-kbd,bus=xhci.0,port=1.1",
    ]
    both = values(Machine(usb=True, usb_keyboard=True), "-device")
    assert sum(device.startswith("qemu-xhci") for device in both) == 1
    assert not any("usb" in device for device in values(Machine(), "-device"))
    assert "i8042=off" not in values(Machine(usb=True), "-machine")


def test_a_writable_stick():
    read_only, writable = (values(Machine(usb=True, writable=w), "-drive")[0] for w in (0, 1))
    assert "readonly=on" in read_only and "readonly=off" in writable


def test_bios_has_no_variables():
    with pytest.raises(Trouble, match="--vars needs --uefi"):
        Machine(vars=Path("/tmp/vars")).check()
    Machine(uefi=True, vars=Path("/tmp/vars")).check()
