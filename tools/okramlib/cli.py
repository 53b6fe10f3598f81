# SPDX-License-Identifier: MIT
"""The command line of okram."""

import argparse
import contextlib
import os
import signal
import sys
import traceback
from pathlib import Path

from . import (
    EXIT_ERROR,
    Trouble,
    badram,
    environment,
    esp,
    output,
    report_command,
    spec,
    stick,
    version,
)
from .fleet import command as fleet_command
from .guard import command as guard_command
from .machine import IMAGE, PLUGIN, Machine
from .once import command as once_command
from .units import parse_size


def main():
    with output.clean_streams():
        arguments, rest = parser().parse_known_args()
        if rest:
            parser().error(f"unknown argument: {rest[0]}")
        # On SIGTERM, too, contexts are left in order: no file is left, and QEMU is stopped.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_ERROR))
        return _do(arguments)


def _do(arguments):
    """The exit code; of an error, after a sentence about it."""
    try:
        return arguments.do(arguments)
    except Trouble as trouble:
        print(f"okram: {output.line(str(trouble))}", file=sys.stderr)
    except ModuleNotFoundError as error:
        how = environment.how_to_get(error.name)
        print(
            f"okram: this Python ({sys.executable}) has no module {error.name} for okram: {how}.",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        print("okram: stopped.", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"okram: {output.line(_of_system(error))}.", file=sys.stderr)
    except Exception as error:
        print(f"okram: internal error: {_described(error)}. Please report it.", file=sys.stderr)
    return EXIT_ERROR


def _of_system(error):
    has_name = isinstance(error.filename, str | bytes | os.PathLike)
    name = f"{os.fsdecode(error.filename)}: " if has_name else ""
    return f"{name}{error.strerror or error}"


def _described(error):
    """What happened, and where in this program."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    return output.line(f"{type(error).__name__} at {Path(at.filename).name}:{at.lineno}: {error}")


def parser():
    parser = argparse.ArgumentParser(prog="okram", description="Finds and covers faulty RAM.")
    parser.add_argument("--version", action="version", version=f"okram {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(commands)
    badram.add_parser(commands)
    guard_command.add_parser(commands)
    esp.add_parser(commands)
    once_command.add_parser(commands)
    report_command.add_parser(commands)
    fleet_command.add_parser(commands)
    return parser


def _add_run(commands):
    run = commands.add_parser(
        "run",
        help="boot okram in QEMU, show it, print the badram line",
        description="Boots okram in QEMU. Exit code: 0 no bad page found, 1 bad pages found,\n"
        "2 error, 3 no bad page found, but stopped before a whole pass or incomplete,\n"
        "4 no bad page found, but ECC corrected errors of memory.",
        epilog=spec.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = run.add_argument
    firmware = run.add_mutually_exclusive_group()
    firmware.add_argument("--bios", action="store_true", help="boot by BIOS (the default)")
    firmware.add_argument("--uefi", action="store_true", help="boot by UEFI")
    firmware.add_argument("--uefi32", action="store_true", help="boot by 32-bit UEFI")
    add("--memory", type=_size, default="512M", metavar="SIZE", help="RAM (512M)")
    add("--cpus", type=int, default=2, metavar="N", help="CPUs (2)")
    add("--nodes", type=int, default=1, metavar="N", help="NUMA nodes that share both (1)")
    add(
        "--node-memory",
        type=_sizes,
        default=[],
        metavar="SIZE,SIZE,...",
        help="RAM of each node instead, such as 512M,512M,0",
    )
    add(
        "--node-cpus",
        type=_counts,
        default=[],
        metavar="N,N,...",
        help="CPUs of each node instead, such as 2,0,2",
    )
    add("--cmdline", default="", metavar="OPTIONS", help='okram\'s options, e.g. "tests=quick"')
    add("--fault", action="append", default=[], metavar="SPEC", help="add a fault; see below")
    add("--sample", action="store_true", help="add a few sample faults")
    add(
        "--usb",
        action="store_true",
        help="a USB stick instead of a CD, and a USB keyboard, behind a hub, as the only keyboard",
    )
    add("--vars", type=Path, metavar="FILE", help="by UEFI: keep the UEFI variables there")
    add("--stick", type=Path, metavar="FILE", help="boot from that USB stick and write to it")
    add("--jsonl", type=Path, metavar="FILE", help="write the JSON lines there")
    add("--screenshot", type=Path, metavar="FILE", help="write the last screen there as PNG")
    add("--display", action="store_true", help="show the screen in a window")
    add("--timeout", type=float, metavar="SECONDS", help="stop after that time")
    add("--debug", action="store_true", help="stop at the start; gdb, here or at port 1234")
    add("-v", "--verbose", action="store_true", help="show all output of the serial port")
    run.set_defaults(do=_run)


def _size(text):
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _sizes(text):
    return [0 if size == "0" else _size(size) for size in text.split(",")]


def _counts(text):
    try:
        return [int(count) for count in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers") from None


def _run(arguments):
    environment.need_run()
    specs = [*arguments.fault, *(spec.SAMPLE if arguments.sample else ())]
    machine = Machine(
        uefi=arguments.uefi or arguments.uefi32,
        uefi32=arguments.uefi32,
        memory=sum(arguments.node_memory) or arguments.memory,
        cpus=sum(arguments.node_cpus) or arguments.cpus,
        nodes=len(arguments.node_memory) or len(arguments.node_cpus) or arguments.nodes,
        node_memory=arguments.node_memory,
        node_cpus=arguments.node_cpus,
        cmdline=arguments.cmdline,
        faults=[fault for text in specs for fault in spec.parse(text)],
        image=arguments.stick or IMAGE,
        usb=arguments.usb or bool(arguments.stick),
        writable=bool(arguments.stick),
        usb_keyboard=arguments.usb,
        vars=arguments.vars,
        display=arguments.display,
        menu=arguments.display,
        debug=arguments.debug,
    )
    machine.check()
    environment.need_modules()
    environment.need_programs(machine)
    environment.need_built(*_built(machine))
    if arguments.stick:
        _make_stick(arguments.stick)

    if arguments.debug:
        from .debug import debug

        return debug(machine)

    from .run import run
    from .show import Show

    with contextlib.ExitStack() as stack:
        jsonl = stack.enter_context(_writable(arguments.jsonl)) if arguments.jsonl else None
        if arguments.screenshot:
            _writable(arguments.screenshot).close()
        show = stack.enter_context(Show(arguments.verbose))
        outcome = run(machine, show, arguments.timeout, arguments.screenshot, jsonl)
    for reason in outcome.bad_lines:
        print(f"okram: not a JSON line: {reason}", file=sys.stderr)
    if outcome.trouble:
        print(f"okram: {outcome.trouble}", file=sys.stderr)
    show.finish(outcome)
    if arguments.stick:
        _show_stick(arguments.stick)
    return outcome.exit_code


def _make_stick(path):
    is_new = stick.make(path, IMAGE)
    stick.drive(path)  # fails if it is not a stick
    if not is_new and path.stat().st_mtime < IMAGE.stat().st_mtime:
        print(
            f"okram: {path} is older than {IMAGE.name}: remove it to run the new okram.",
            file=sys.stderr,
        )


def _show_stick(path):
    """To standard error: the last line of standard output is the badram line."""
    try:
        print(stick.summary(path), file=sys.stderr)
    except Trouble as trouble:
        print(f"okram: {trouble}", file=sys.stderr)


def _built(machine):
    return [IMAGE, PLUGIN] if machine.faults else [IMAGE]


def _writable(path):
    try:
        return path.open("w")
    except OSError as error:
        raise Trouble(f"{path} cannot be written: {error.strerror}.") from None
