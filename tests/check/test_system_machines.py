# SPDX-License-Identifier: MIT
"""tests/system/machines.toml declares all that is booted there: no test says it once more."""

import ast
import tomllib

from okramlib import ROOT

SYSTEM = ROOT / "tests" / "system"
DECLARED = tomllib.loads((SYSTEM / "machines.toml").read_text())
TREES = {path: ast.parse(path.read_text()) for path in sorted(SYSTEM.rglob("*.py"))}

# What a machine is; a test's parameter may vary it, a constant is the file's.
HARDWARE = {"memory", "cpus", "nodes", "uefi", "uefi32", "smm", "usb", "board", "cpu", "sparse"}
QEMUS = {w for of in DECLARED["device"].values() for w in of if w[0] == "-" and len(w) > 2}


def calls(tree, *names):
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return [call for call in found if call.func.id in names]


def said_again(tree):
    """Constant hardware of a machine, and arguments of QEMU."""
    for call in calls(tree, "named", "from_image", "Machine"):
        for keyword in call.keywords:
            if keyword.arg in HARDWARE and isinstance(keyword.value, ast.Constant):
                yield f"line {call.lineno}: {keyword.arg}="
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in QEMUS:
            yield f"line {node.lineno}: {node.value}"


def test_each_machine_is_declared():
    again = {path.name: list(said_again(tree)) for path, tree in TREES.items()}
    assert {name: found for name, found in again.items() if found} == {}


def test_what_is_said_again_is_seen():
    tree = ast.parse('named("small", cpus=2, uefi=uefi)\nrun(["-device", "e1000e"])')
    assert list(said_again(tree)) == ["line 1: cpus=", "line 2: -device"]


def test_names_are_those_that_are_used():
    constants = [
        node.value
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    used = {*constants, *(f"{n}-nodes" for n in (1, 2, 4, 8))}
    devices = {name for of in DECLARED["machine"].values() for name in of.get("devices", ())}
    assert DECLARED["machine"].keys() - used == set()
    assert (
        DECLARED["device"].keys() - used - devices == set() == devices - DECLARED["device"].keys()
    )
    for tree in TREES.values():
        for kind, names in ("machine", ("named", "from_image")), ("device", ("attach",)):
            for call in calls(tree, *names):
                if call.args and isinstance(call.args[0], ast.Constant):
                    assert call.args[0].value in DECLARED[kind]
