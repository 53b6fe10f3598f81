# SPDX-License-Identifier: MIT
"""Memory maps of one machine, as Linux and Xen show them; and those of others."""

IOMEM = """\
00000000-00000fff : Reserved
00001000-0009fbff : System RAM
0009fc00-0009ffff : Reserved
000a0000-000bffff : PCI Bus 0000:00
000f0000-000fffff : Reserved
  000f0000-000fffff : System ROM
00100000-7ffdefff : System RAM
  01000000-01e00e90 : Kernel code
7ffdf000-7ffeffff : ACPI Tables
7fff0000-7fffffff : Unusable memory
80000000-febfffff : PCI Bus 0000:00
  fd000000-fdffffff : 0000:00:02.0
feffc000-feffffff : Reserved
100000000-17fffffff : System RAM
"""

DMESG = """\
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
[    0.000000] BIOS-e820: [mem 0x000000000009fc00-0x000000000009ffff] reserved
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x000000007ffdefff] usable
[    0.000000] BIOS-e820: [mem 0x000000007ffdf000-0x000000007fffffff] ACPI NVS
[    0.000000] BIOS-e820: [mem 0x00000000fffc0000-0x00000000ffffffff] reserved
[    0.000000] e820: update [mem 0x00000000-0x00000fff] usable ==> reserved
[    0.000000] NX (Execute Disable) protection: active
"""
OLD = """\
BIOS-e820: 0000000000000000 - 000000000009fc00 (usable)
BIOS-e820: 0000000000100000 - 0000000080000000 (usable)
BIOS-e820: 00000000fffc0000 - 0000000100000000 (reserved)
"""

LINUX_7 = """\
[    0.000000] Linux version 7.0.0-1-amd64 (gcc 15.2.0)
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff]  System RAM
[    0.000000] BIOS-e820: [mem 0x000000000009fc00-0x000000000009ffff]  device reserved
[    0.000000] BIOS-e820: [gap 0x00000000000a0000-0x00000000000fffff]
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x000000007ffdefff]  System RAM
[    0.000000] BIOS-e820: [mem 0x000000007ffdf000-0x000000007fffffff]  ACPI NVS
[    0.000000] BIOS-e820: [gap 0x0000000080000000-0x00000000fffbffff]
[    0.000000] BIOS-e820: [mem 0x00000000fffc0000-0x00000000ffffffff]  device reserved
"""
XEN = """\
(XEN) Bootloader: GRUB 2.12
(XEN) EFI RAM map:
(XEN)  [0000000000000000, 000000000009fbff] (usable)
(XEN)  [000000000009fc00, 000000000009ffff] (reserved)
(XEN)  [0000000000100000, 000000007ffdefff] (usable)
(XEN)  [000000007ffdf000, 000000007fffffff] (ACPI NVS)
(XEN)  [00000000fffc0000, 00000000ffffffff] (reserved)
(XEN) System RAM: 2047MB (2096764kB)
"""
OLD_XEN = """\
(XEN) [2021-03-01 10:00:00] Xen-e820 RAM map:
(XEN) [2021-03-01 10:00:00]  0000000000000000 - 000000000009fc00 (usable)
(XEN) [2021-03-01 10:00:00]  0000000000100000 - 0000000080000000 (usable)
(XEN) [2021-03-01 10:00:00]  00000000fffc0000 - 0000000100000000 (reserved)
"""
DOM0 = """\
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] Xen: [mem 0x0000000000000000-0x000000000009efff] usable
"""
BEFORE = """\
[    0.000000] Linux version 6.12.0
[    0.000000] BIOS-provided physical RAM map:
[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
[    0.000000] BIOS-e820: [mem 0x0000000000100000-0x00000000ffffffff] usable
[    0.000000] BIOS-e820: [mem 0x0000000100000000-0x00000004ffffffff] usable
"""
