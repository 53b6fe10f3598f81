# SPDX-License-Identifier: MIT
"""`tools/okram` as a process of its own, in the time of a call."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from tempfile import TemporaryFile

from okramlib import ROOT, cli, environment

_DEADLINE_S = 60


def okram(*arguments, input=""):
    """subprocess.run's result. The child is a fork of this process, which has loaded okram already;
    whether root may trust these files is not checked here (test_install.py)."""
    with ExitStack() as stack:
        streams = [stack.enter_context(TemporaryFile()) for _ in range(3)]
        streams[0].write(input.encode())
        streams[0].seek(0)
        pid = os.fork()
        if pid == 0:
            _become_okram([os.fsdecode(argument) for argument in arguments], streams)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for stream in streams[1:]:
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(arguments, code, *texts)


def _become_okram(arguments, streams):
    """Never returns: whatever happens, no second pytest may go on."""
    code = 70
    try:
        signal.alarm(_DEADLINE_S)
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww")
        environment.make = lambda *_: None  # `make check` has built all
        sys.argv = [str(ROOT / "tools" / "okram"), *arguments]
        try:
            code = cli.main()
        except SystemExit as exited:
            code = exited.code
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code if isinstance(code, int) else 70)
