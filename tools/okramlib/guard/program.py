# SPDX-License-Identifier: MIT
"""build/guardlist: what is kept in UEFI variables, read by the code that reads it at boot."""

import json
import subprocess

from .. import BUILD, Trouble, environment

PROGRAM = BUILD / "guardlist"


class Invalid(Exception):
    """The bytes are not of that form: why, as half a sentence."""


def run(*arguments, data):
    """The finished process, with these bytes as its input."""
    command = [environment.program(PROGRAM), *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=False)


def read(*arguments, data):
    """What it says of these bytes, an object. Invalid if they are not of the form."""
    found, _ = read_with_text(*arguments, data=data)
    if "invalid" in found:
        raise Invalid(found["invalid"])
    return found


def read_with_text(*arguments, data):
    """The object, and the text after its line."""
    ran = run(*arguments, data=data)
    line, _, text = ran.stdout.partition(b"\n")
    try:
        return json.loads(line), text.decode(errors="replace")
    except ValueError:
        said = ran.stderr.decode(errors="replace").strip()
        raise Trouble(f"{PROGRAM.name} failed: {said}") from None
