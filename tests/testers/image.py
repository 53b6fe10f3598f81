# SPDX-License-Identifier: MIT
"""A CD that starts a kernel by GRUB on a BIOS. GRUB's core has all modules that it uses: with the
plugin each byte that a BIOS reads costs time."""

import subprocess
import tempfile
from pathlib import Path

_GRUB = Path("/usr/lib/grub/i386-pc")
_MODULES = (
    "biosdisk iso9660 search search_fs_file configfile normal linux boot echo test serial terminal"
)


def make_image(image, files, commands):
    """files: {name in /boot: path}. commands: GRUB's, lines."""
    with tempfile.TemporaryDirectory(prefix="okram-iso-") as name:
        directory = Path(name)
        (directory / "early.cfg").write_text("set prefix=($root)/boot/grub\n")
        (directory / "grub.cfg").write_text("\n".join([*commands, "boot", ""]))
        core = directory / "core.img"
        _run(
            *("grub-mkimage", "-O", "i386-pc", "-d", _GRUB, "-p", "/boot/grub"),
            *("-c", directory / "early.cfg", "-o", core, *_MODULES.split()),
        )
        loader = directory / "eltorito.img"
        loader.write_bytes((_GRUB / "cdboot.img").read_bytes() + core.read_bytes())
        grafted = [f"boot/{to}={path}" for to, path in files.items()]
        _run(
            *("xorriso", "-as", "mkisofs", "-quiet", "-o", image, "-r", "-J"),
            *("-b", "boot/eltorito.img", "-no-emul-boot", "-boot-load-size", "4"),
            *("-boot-info-table", "--grub2-boot-info", "-graft-points"),
            *(
                f"boot/eltorito.img={loader}",
                f"boot/grub/grub.cfg={directory / 'grub.cfg'}",
                *grafted,
            ),
        )


def _run(*command):
    subprocess.run(command, check=True, capture_output=True)
