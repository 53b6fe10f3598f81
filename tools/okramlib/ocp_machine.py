# SPDX-License-Identifier: MIT
"""How a run began, and the machine, for ocp.py: the messages TestRunStart and DutInfo."""

from . import outcome, totals

OKRAM = "okram"  # the softwareInfoId

_CPU = "cpu"
_FACTS = (
    *("cpus", "nodes", "ram_bytes", "testable_bytes", "installed_bytes", "encryption"),
    "specific_bytes",
)
_MODULE_FACTS = {
    "location": "slot",
    "serialNumber": "serial",
    "manufacturer": "maker",
    "manufacturerPartNumber": "part",
    "version": "kind",
}


def start(types):
    """The message TestRunStart."""
    begun = totals.last(types, "start") or {}
    clock = "of the machine, zone unknown" if totals.started(types) else "seconds since the start"
    return {
        "name": OKRAM,
        "version": begun.get("version", ""),
        "commandLine": begun.get("cmdline", ""),
        "parameters": _parameters(begun.get("cmdline", "")),
        "dutInfo": _dut(types),
        "metadata": {"clock": clock} | {k: begun[k] for k in ("boot", "loader") if k in begun},
    }


def module_id(number):
    """The hardwareInfoId of a module, by its place among the records."""
    return f"module-{number}"


def only_module(types):
    """The hardwareInfoId of the module that all faults are in: the only one, or a measurement says
    so; None: not known."""
    modules = types.get("module", [])
    found = modules if len(modules) == 1 else totals.faulty_modules(types)
    return module_id(modules.index(found[0])) if len(found) == 1 else None


def _parameters(cmdline):
    """{key: value} of okram's options; the last one of a key counts."""
    pairs = (word.partition("=") for word in cmdline.split())
    return {key: value for key, _, value in pairs}


def _dut(types):
    machine = totals.last(types, "machine") or {}
    state = totals.last(types, "state") or {}
    board = state.get("board") or _system(types)
    facts = {name: machine[name] for name in _FACTS if machine.get(name) is not None}
    if "memory_ecc" in machine:
        facts["memory_ecc"] = machine["memory_ecc"]["state"]
    infos = {
        "platformInfos": [{"info": text} for text in (board, outcome.machine(types)) if text],
        "softwareInfos": list(_software(types)),
        "hardwareInfos": list(_hardware(types, machine)),
        "metadata": facts,
    }
    named = {"dutInfoId": "dut"} | ({"name": board} if board else {})
    return named | {name: info for name, info in infos.items() if info}


def _system(types):
    """Maker and product of the machine; "" if the report has none."""
    system = (totals.last(types, "support") or {}).get("system", {})
    return " ".join(filter(None, [system.get("maker"), system.get("product")]))


def _software(types):
    version = (totals.last(types, "start") or {}).get("version", "")
    yield {
        "softwareInfoId": OKRAM,
        "name": OKRAM,
        "version": version,
        "softwareType": "APPLICATION",
    }
    if support := totals.last(types, "support"):
        firmware = support["firmware"]
        yield {
            "softwareInfoId": "firmware",
            "name": firmware["vendor"] or "firmware",
            "version": firmware["version"],
            "revision": firmware["date"],
            "softwareType": "FIRMWARE",
        }


def _hardware(types, machine):
    if machine:
        yield {"hardwareInfoId": _CPU, "name": machine["cpu"], "partType": "CPU"}
    for number, module in enumerate(types.get("module", [])):
        facts = {name: module[field] for name, field in _MODULE_FACTS.items() if module[field]}
        name = module["slot"] or module["part"] or "memory module"
        yield {"hardwareInfoId": module_id(number), "name": name, "partType": "DIMM", **facts}
