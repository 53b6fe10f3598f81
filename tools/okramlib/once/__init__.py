# SPDX-License-Identifier: MIT
"""`okram test`: okram at the next start alone, from a running Linux, and its result."""

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from .. import Trouble, atomic

STATE = Path("/var/lib/okram")


@dataclass
class Kept:
    """A JSON object in a file that root alone writes; {}: there is none, or it is damaged."""

    path: Path

    def read(self):
        try:
            found = json.loads(self.path.read_text())
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def write(self, what):
        try:
            self.path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            with atomic.file(self.path, fresh=self.path.with_suffix(".new")) as file:
                file.write(json.dumps(what).encode())
        except OSError as error:
            raise Trouble(f"{self.path} cannot be written: {error.strerror}.") from None

    def delete(self):
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


def text_of(record, name):
    value = record.get(name)
    return value if isinstance(value, str) else ""
