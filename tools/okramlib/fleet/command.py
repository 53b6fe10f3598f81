# SPDX-License-Identifier: MIT
"""`okram fleet`: its commands, each with a module of its own."""

from . import init, receive


def add_parser(commands):
    parser = commands.add_parser(
        "fleet",
        help="many machines: what a server needs, and the reports that arrive there",
        description="Tests many machines from the network, and collects their reports.",
    )
    subcommands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    init.add_parser(subcommands)
    receive.add_parser(subcommands)
