# SPDX-License-Identifier: MIT
"""`okram fleet`: its commands, each with a module of its own."""

from . import import_command, init, receive, report_command

_COMMANDS = (init, receive, import_command, report_command)


def add_parser(commands):
    parser = commands.add_parser(
        "fleet",
        help="many machines: a server for their tests, their reports, and questions to them",
        description="Tests many machines from the network; makes one data set of their reports.",
    )
    subcommands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for module in _COMMANDS:
        module.add_parser(subcommands)
