# SPDX-License-Identifier: MIT
"""The command line of okram fleet."""

from . import import_command, report_command

_ACTIONS = (import_command, report_command)


def add_parser(commands):
    parser = commands.add_parser(
        "fleet",
        help="reports of many machines: collect them, ask them",
        description="Makes one data set of the reports of many machines, and answers from it.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for module in _ACTIONS:
        module.add_parser(actions)
