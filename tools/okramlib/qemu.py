# SPDX-License-Identifier: MIT
"""A running QEMU: its files, its serial port, its control connection, and its end."""

import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from . import BUILD, Trouble
from .corrected import Corrected
from .machine import MENU_AT_ONCE, MENU_WAITS, QEMU, Files, command
from .qmp import Qmp
from .units import format_size

_QMP_DEADLINE_S = 30
_QMP_CPU_S = 0.5  # that QEMU may take to make a CPU
_POLL_S = 0.02
_RAM_DIRECTORIES = (Path("/dev/shm"), BUILD)  # a tmpfs is much faster

END = object()  # the serial port is closed: QEMU has ended


class Qemu:
    """A context manager: at its end QEMU and its files are gone."""

    def __init__(self, machine):
        machine.check()
        self.machine = machine
        self._lines = queue.Queue()
        self._process = None
        self.qmp = None
        self.corrected = None

    def __enter__(self):
        self._directory = Path(tempfile.mkdtemp(prefix="okram-"))
        self._files = Files()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process:
            self._process.kill()
            self._process.wait()
        if self.qmp:
            self.qmp.close()
        if self.corrected:
            self.corrected.close()
        self._remove_ram()
        shutil.rmtree(self._directory, ignore_errors=True)

    def line(self, timeout):
        """The next line of the serial port without its end, None when none came, or END."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            return None
        if line is END:
            self._lines.put(END)
        return line

    def type(self, text):
        """Sends text to the serial port."""
        try:
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()
        except OSError:
            pass  # QEMU has just ended

    def press(self, key, down=False):
        """Presses a key of the keyboard, PS/2 or USB, by QEMU's name for it; down: only that."""
        code = {"type": "qcode", "data": key}
        if down:
            event = {"type": "key", "data": {"down": True, "key": code}}
            self.qmp.command("input-send-event", events=[event])
        else:
            self.qmp.command("send-key", keys=[code])

    def press_twice(self, key):
        """A key that ends something, which okram asks about."""
        self.press(key)
        self.press(key)

    def screenshot(self, path):
        """Writes the screen as it is to a PNG file."""
        self.qmp.command("screendump", filename=str(Path(path).resolve()), format="png")

    def wait(self, timeout):
        """QEMU's exit code, if it stays on the one that okram asked for; None: it still runs."""
        deadline = time.monotonic() + timeout
        while (code := self._exit_code()) is None and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        return code

    def witness_stores(self):
        """Of the machine's witness until now."""
        return int.from_bytes(self._files.witness.read_bytes(), "little")

    @property
    def pid(self):
        return self._process.pid

    def resident_bytes(self):
        """Its resident memory on the host, without RAM that is a file (faults)."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def complaint(self):
        """The last line of QEMU's own messages."""
        lines = (self._directory / "stderr").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _exit_code(self):
        path = self._files.exit_code
        written = path.read_bytes() if path and path.exists() else b""
        return 2 * written[0] + 1 if written else self._process.poll()

    def _start(self):
        machine, files = self.machine, self._files
        if machine.uefi:
            files.vars = self._variables()
        elif machine.image and not (machine.kernel or machine.menu or machine.writable):
            self._make_image()
        if machine.has_plugin or machine.mirrors:
            self._make_ram()
        if machine.witness is not None:
            files.witness = self._directory / "witness"
            files.witness.write_bytes(bytes(8))
        if machine.has_plugin:
            files.plugin_config = self._directory / "faults"
            files.plugin_config.write_text(
                plugin_config(machine, files.ram, qemu_version(machine.qemu), files.witness)
            )
        if any(fault.kind == "ecc" for fault in machine.faults):
            files.plugin_monitor = self._directory / "monitor"
            files.plugin_qmp = self._directory / "qmp"
            self.corrected = Corrected(files.plugin_monitor, files.plugin_qmp, machine.cpus)
        if machine.stays_on:
            files.exit_code = self._directory / "exit"
        ours, theirs = socket.socketpair()
        with theirs, open(self._directory / "stderr", "wb") as stderr:
            self._process = subprocess.Popen(
                ends_with_us() + command(machine, files, theirs.fileno()),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for this tool, which stops okram
            )
        threading.Thread(target=self._read_serial, daemon=True).start()
        try:
            self.qmp = Qmp(ours, _QMP_DEADLINE_S + _QMP_CPU_S * machine.cpus)
            if machine.has_plugin:
                self._check_ram_blocks()
        except Trouble as trouble:
            ours.close()
            time.sleep(0.1)
            raise Trouble(f"QEMU did not start: {self.complaint() or trouble}") from None
        self._remove_ram()  # QEMU and its plugin keep it open until they end

    def _read_serial(self):
        for line in self._process.stdout:
            self._lines.put(line.decode(errors="replace").rstrip("\r\n"))
        self._lines.put(END)

    def _variables(self):
        """The file of OVMF's variables: the machine's, or one of this run alone."""
        path = self.machine.vars or self._directory / "vars.fd"
        code, empty = self.machine.firmware_files
        try:
            if not path.exists():
                shutil.copyfile(empty, path)
            if path.stat().st_size != empty.stat().st_size:
                raise Trouble(f"{path} is not a variable store of {code}: its size differs.")
        except OSError as error:
            raise Trouble(f"{path} cannot be used: {error.strerror}.") from None
        return path

    def _make_image(self):
        """The image, but GRUB boots at once."""
        content = self.machine.image.read_bytes()
        if MENU_WAITS in content:
            self._files.image = self._directory / "image"
            self._files.image.write_bytes(content.replace(MENU_WAITS, MENU_AT_ONCE))

    def _make_ram(self):
        memory, mirrors = self.machine.memory, self.machine.mirrors
        if self.machine.sparse:
            memory = 0
        for directory in _RAM_DIRECTORIES:
            if directory.is_dir() and shutil.disk_usage(directory).free >= memory:
                break
        else:
            raise Trouble(
                f"--fault keeps the machine's RAM in a file: neither /dev/shm nor {BUILD}"
                f" has {format_size(memory)} free."
            )
        for node, size in enumerate(self.machine.layout.node_sizes):
            if node in mirrors:
                self._files.ram.append(self._files.ram[mirrors[node]])
                continue
            with tempfile.NamedTemporaryFile(prefix="okram-ram-", dir=directory, delete=False) as f:
                self._files.ram.append(Path(f.name))
                f.truncate(size)

    def _remove_ram(self):
        for path in self._files.ram:
            path.unlink(missing_ok=True)

    def _check_ram_blocks(self):
        """Before 8.2 a plugin's addresses depend on the offsets of the nodes' memory."""
        if self.qmp.qemu_version >= (8, 2):
            return
        blocks = self.qmp.monitor("info ramblock")
        expected = 0
        for node, size in enumerate(self.machine.layout.node_sizes):
            match = re.search(rf"\S*\bram{node}\s+\d+ \S+\s+(0x[0-9a-f]+)", blocks)
            if not match or int(match[1], 16) != expected:
                raise Trouble(f"this QEMU puts the memory of node {node} at another offset.")
            expected += size


def qemu_version(qemu=QEMU):
    """(major, minor) of a QEMU. Trouble when there is none."""
    try:
        ran = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Trouble(f"{qemu} does not run: {error}.") from None
    match = re.search(r"version (\d+)\.(\d+)", ran.stdout)
    if not match:
        raise Trouble(f"{qemu} --version prints no version.")
    return int(match[1]), int(match[2])


def plugin_config(machine, ram_files, version, witness=None):
    """The plugin's configuration, in the syntax of tools/plugin/config.h."""
    layout = machine.layout
    lines = [f"file {path}" for path in ram_files]
    lines += [f"window {a:#x} {o:#x} {size:#x}" for a, o, size in layout.plugin_windows(version)]
    lines += [f"devices {a:#x} {size:#x}" for a, size in layout.device_ranges]
    if witness:
        lines.append(f"witness {layout.offset(machine.witness):#x} {witness}")
    for fault in machine.faults:
        words = [fault.kind, *fault.words]
        places = [
            [f"{layout.offset(cell.addr):#x}"]
            + ([] if fault.kind in ("alias", "rare") else [str(cell.bit)])
            for cell in fault.cells
        ]
        words += [*sum(places[:2], []), *fault.last, *sum(places[2:], [])]
        if fault.one_in is not None:
            words.append(str(fault.one_in))
        if fault.seconds is not None:
            words.append(str(round(fault.seconds * 1e9)))
        if fault.every is not None:
            words += [str(fault.every), str(fault.stores)]
        words += fault.holds
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def ends_with_us():
    """The emulator ends even if this tool is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", signal.SIGKILL.name[3:], "--"] if setpriv else []
