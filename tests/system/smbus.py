# SPDX-License-Identifier: MIT
"""The SMBus of QEMU's boards, with its EEPROMs at 0x50 to 0x57, through qtest while the machine is
stopped: as a host controller's driver does it, but for waits."""

_CONFIG_ADDRESS, _CONFIG_DATA = 0xCF8, 0xCFC
_ENABLE = 1 << 31
_STATUS, _CONTROL, _COMMAND, _ADDRESS, _DATA = 0, 2, 3, 4, 5
_BYTE_DATA, _START = 0x08, 0x40
_ENDED, _DONE, _NO_ANSWER = 0x1E, 0x02, 0x04
_TRIES = 1000

# By board: device and function on bus 0, the register with the ports, and the one that is switched
# on, with its bit.
_CONTROLLERS = {"q35": (0x1F, 3, 0x20, 0x40, 1), "pc": (1, 3, 0x90, 0xD0, 1 << 16)}
_ANY_PORTS = 0x700


class Bus:
    """What firmware has left off, is on afterwards."""

    def __init__(self, device, board):
        self._device = device
        number, function, ports, switch, on = _CONTROLLERS[board]
        self._config = _ENABLE | number << 11 | function << 8
        self.was_on = bool(self._read(switch) & on)
        if not self.was_on:
            self._write(ports, _ANY_PORTS | 1)
            self._write(4, 1)
            self._write(switch, self._read(switch) | on)
        self._ports = self._read(ports) & 0xFFF0

    def fill(self, address, image):
        """The first 256 bytes: an EEPROM of QEMU's has no more."""
        for at, value in enumerate(image[:256]):
            self._device.out8(self._ports + _DATA, value)
            assert self._transact(address << 1, at) == _DONE

    def read(self, address, at):
        assert self._transact(address << 1 | 1, at) == _DONE
        return self._device.in8(self._ports + _DATA)

    def block_writes(self):
        """To modules from now on, as firmware does it; by the controller's word, not in fact."""
        self._write(0x40, self._read(0x40) | 0x10)

    def _transact(self, address, command):
        d, ports = self._device, self._ports
        d.out8(ports + _STATUS, _ENDED)
        d.out8(ports + _ADDRESS, address)
        d.out8(ports + _COMMAND, command)
        d.out8(ports + _CONTROL, _BYTE_DATA | _START)
        for _ in range(_TRIES):
            status = d.in8(ports + _STATUS) & (_DONE | _NO_ANSWER)
            if status:
                return status
        raise AssertionError("the SMBus does not answer")

    def _read(self, register):
        self._device.out32(_CONFIG_ADDRESS, self._config | register)
        return self._device.in32(_CONFIG_DATA)

    def _write(self, register, value):
        self._device.out32(_CONFIG_ADDRESS, self._config | register)
        self._device.out32(_CONFIG_DATA, value)
