# SPDX-License-Identifier: MIT
"""Which marches of three equal legs find all static faults, and how many linked ones:
march_search.py OPERATIONS

any(w0), the leg up, the same down, up again, any(r0): the form that orders any two lines in one
round (kernel/core/march/sweep/order.h). All legs of so many operations are tried, however they are
divided into elements; of 8, three minutes.
"""

import sys

from march_sim import all_faults


def sequences(n, state="0"):
    """Operations that read what was written, from 0 to 0."""
    if n == 0:
        return [[]] if state == "0" else []
    after = {f"r{state}": state, "w0": "0", "w1": "1"}
    return [[first, *rest] for first, end in after.items() for rest in sequences(n - 1, end)]


def divided(operations):
    """Into elements, in all ways."""
    if not operations:
        return [[]]
    return [
        [operations[:n], *rest]
        for n in range(1, len(operations) + 1)
        for rest in divided(operations[n:])
    ]


def march_of(leg):
    legs = [(way, operations) for way in ("up", "down", "up") for operations in leg]
    return [("any", ["w0"]), *legs, ("any", ["r0"])]


def search(n_operations):
    """[(linked faults of one or two cells, of three, leg)], the best first."""
    faults = {kind: of for kind, (_, of) in all_faults().items()}
    best = []
    for operations in sequences(n_operations):
        if {"r0", "r1", "w0", "w1"} - set(operations):
            continue
        for leg in divided(operations):
            march = march_of(leg)
            if not all(faults[kind].found(march).all() for kind in ("two", "one")):
                continue
            found = {k: int(of.found(march).sum()) for k, of in faults.items() if k[:2] == "LF"}
            far = found.pop("LF3")
            best.append((sum(found.values()), far, leg))
    return sorted(best, reverse=True)


if __name__ == "__main__":
    for near, far, leg in search(int(sys.argv[1])):
        print(near, far, ";".join(f"({','.join(operations)})" for operations in leg))
