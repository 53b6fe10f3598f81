# SPDX-License-Identifier: MIT
"""Which groups of machines have more than the rest, and which of them only because they share
machines with another one: with a pair of modules of two parts, a bad part's machines count for the
good one, too; and a bad week's machines are the part's.

The group that chance explains least is marked, and its machines are taken out, of all groups; then
the others are compared again.
"""

from dataclasses import dataclass

from . import intervals


@dataclass
class Group:
    machines: int
    bad: int


@dataclass
class Member:
    """A machine that is in groups which have more than the rest."""

    is_bad: bool
    groups: dict  # {name: whether it counts as bad there}


def suspects(groups, total):
    """Names of the groups that have more than the rest at first sight; total: Group."""
    return [
        name
        for name, group in groups.items()
        if group.bad and intervals.is_marked(_log_chance(group, total), len(groups))
    ]


def explain(groups, total, members):
    """{name of a suspect: None if it is marked, else the marked one whose machines it shares}.
    members: {machine: Member} of all machines of suspects."""
    looked_at, machines, bad = len(groups), total.machines, total.bad
    names = {name for member in members.values() for name in member.groups}
    left = {name: Group(groups[name].machines, groups[name].bad) for name in names}
    found, shared = {}, {name: {} for name in names}
    members = dict(members)
    while left:
        rest = Group(machines, bad)
        name = min(left, key=lambda name: (_log_chance(left[name], rest), name))
        if not intervals.is_marked(_log_chance(left[name], rest), looked_at):
            break
        found[name] = None
        for machine in [m for m, member in members.items() if name in member.groups]:
            member = members.pop(machine)
            machines, bad = machines - 1, bad - member.is_bad
            for other, is_bad in member.groups.items():
                left[other].machines -= 1
                left[other].bad -= is_bad
                shared[other][name] = shared[other].get(name, 0) + is_bad
        del left[name]
    return found | {name: max(shared[name], key=shared[name].get, default=None) for name in left}


def _log_chance(group, total):
    if group.bad <= 0:
        return 0.0
    return intervals.at_least(group.bad, group.machines, total.bad, total.machines)
