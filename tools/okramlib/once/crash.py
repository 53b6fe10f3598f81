# SPDX-License-Identifier: MIT
"""`okram test --after-crash`: at each start and at each end of the system its unit looks for new
signs of faulty memory, and makes the next start okram's if there is one.

Once: a sign that was there is never acted on again, and a test is at most daily. A test that has
found faults ends it, until it is enabled again.
"""

import subprocess
import time
from pathlib import Path

from .. import EXIT_PASS, Trouble
from ..efivars import Variables
from ..guard import steps
from . import Kept, entry, evidence, login, result
from .start import Next

_STATE_FILE = "after-crash.json"
_UNIT = "okram-after-crash.service"
_KEYS_MAX = 1000
_AT_MOST_EVERY_S = 24 * 3600


def enable(arguments):
    """What is there already is not acted on: it is older than the wish."""
    Next(arguments, arguments.options).steps()  # a Trouble now, not after a crash
    where = {name: _text(getattr(arguments, name)) for name in ("esp", "disk", "part")}
    keys = [sign.key for sign in evidence.all_signs(arguments.sys)]
    _state(arguments).write(
        {"options": arguments.options, "restarts": arguments.restart, "where": where, "keys": keys}
    )
    try:
        _systemctl("enable", "--now", _UNIT)  # so that it is there at the end of the system
    except Trouble:
        _state(arguments).delete()
        raise
    then = "the computer restarts for it" if arguments.restart else "the next start tests memory"
    print(f"From now on, after a panic, a machine check or an uncorrected error of EDAC {then}.")
    return EXIT_PASS


def disable(arguments):
    _state(arguments).delete()
    _systemctl("disable", "--now", _UNIT)
    print("Tests after a crash are off now.")
    return EXIT_PASS


def status(arguments):
    state = _state(arguments).read()
    if not state:
        print("Tests after a crash are off.")
        return EXIT_PASS
    options = " ".join(_texts(state, "options"))
    print(f"Tests after a crash are on{f', with {options}' if options else ''}.")
    if state.get("has_faults"):
        print("Paused: a test has found faults. `okram test --after-crash enable` resumes them.")
    for sign in _fresh(state, evidence.all_signs(arguments.sys)):
        print(f"Not yet tested after: {sign.text}.")
    return EXIT_PASS


def check(arguments):
    """Called by the unit."""
    state = _state(arguments).read()
    if not state:
        print("Tests after a crash are off: they were not enabled.")
        return EXIT_PASS
    signs = evidence.all_signs(arguments.sys)
    fresh = _fresh(state, signs)
    if state.get("is_due") and not entry.is_waiting(Variables(arguments.efivars)):
        learn(arguments, result.read(arguments).is_bad)
        state, fresh = _state(arguments).read(), []  # what the test has left is not a crash
    known = state | {"keys": _with(state, signs)}
    if fresh and not (why_not := _why_not(state, arguments)):
        _act(arguments, state, known, fresh[0])
        return EXIT_PASS
    if fresh:
        print(f"Not tested after {fresh[0].text}: {why_not}.")
    _state(arguments).write(known)
    return EXIT_PASS


def learn(arguments, is_bad):
    """A test has been, or was cancelled: None."""
    state = _state(arguments).read()
    if not state.get("is_due"):
        return
    state["is_due"] = False
    if is_bad is not None:
        state["has_faults"] = is_bad
    _state(arguments).write(state)


def _why_not(state, arguments):
    """Half a sentence; "": there may be a test."""
    last = state.get("last", 0)
    if state.get("has_faults"):
        return "the last test has found faults"
    if entry.is_waiting(Variables(arguments.efivars)):
        return "the next start tests anyway"
    if isinstance(last, int | float) and 0 <= time.time() - last < _AT_MOST_EVERY_S:
        return "the last test was less than a day ago"
    return ""


def _act(arguments, state, known, sign):
    """What was found is remembered first: whatever comes of it, it comes once. Of a Trouble nothing
    is set, and the next call tries again."""
    _state(arguments).write(known | {"is_due": True, "last": time.time()})
    try:
        _go_where(arguments, state)
        print(f"After {sign.text} the next start tests memory:")
        steps.do(Next(arguments, _texts(state, "options")).steps())
    except Trouble:
        _state(arguments).write(state)
        raise
    said = f"After {sign.text} the next start tests memory (okram)."
    login.tell(arguments, [said, "`okram test --cancel` takes that back."])
    if state.get("restarts") and not _is_stopping():
        _systemctl("reboot")


def _go_where(arguments, state):
    """To the EFI system partition that was named when it was enabled."""
    where = state.get("where")
    for name, made in ("esp", Path), ("disk", Path), ("part", int):
        value = where.get(name) if isinstance(where, dict) else None
        if value is not None and getattr(arguments, name) is None:
            setattr(arguments, name, made(value))


def _with(state, signs):
    keys = dict.fromkeys([*_texts(state, "keys"), *(sign.key for sign in signs)])
    return list(keys)[-_KEYS_MAX:]


def _fresh(state, signs):
    known = set(_texts(state, "keys"))
    return [sign for sign in signs if sign.key not in known]


def _state(arguments):
    return Kept(arguments.state / _STATE_FILE)


def _texts(state, name):
    found = state.get(name)
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _text(value):
    return None if value is None else str(value)


def _is_stopping():
    try:
        ran = subprocess.run(["systemctl", "is-system-running"], capture_output=True, text=True)
    except OSError:
        return False
    return ran.stdout.strip() == "stopping"


def _systemctl(*arguments):
    try:
        ran = subprocess.run(["systemctl", *arguments], capture_output=True, text=True)
    except OSError as error:
        raise Trouble(f"systemctl: {error.strerror}: this needs systemd.") from None
    if ran.returncode:
        raise Trouble(f"systemctl {' '.join(arguments)} failed: {ran.stderr.strip().rstrip('.')}.")
